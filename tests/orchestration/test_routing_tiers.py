"""Each tier by a table: the message and what is known go in, the agent and the tier come out."""

import asyncio
from typing import Any

import pytest

from frontdesk_agent.errors import ErrorCode, FrontdeskError
from orchestration.events import RouteDecided
from orchestration.routing.router import Router
from tests.support.directories import directory, request
from tests.support.routing_cards import DIAGNOSIS, workshop


async def route(text: str, **fields: Any) -> RouteDecided:
    return await Router().route(request(text, **{"agent": None, **fields}), workshop())


def agent(decided: RouteDecided) -> str:
    (chosen,) = decided.agents
    return str(chosen["agent"])


@pytest.mark.parametrize(
    ("text", "chosen", "task"),
    [
        ("@stock_agent P0171", "stock_agent", "P0171"),
        ("  @Stock_Agent: 还有吗", "stock_agent", "还有吗"),
        ("@stock desk 还有吗", "stock_agent", "还有吗"),
        ("＠故障诊断，轮胎还有吗", "diagnosis_agent", "轮胎还有吗"),
        ("@故障诊断轮胎还有吗", "diagnosis_agent", "轮胎还有吗"),
        ("@ｓｔｏｃｋ＿ａｇｅｎｔ hi", "stock_agent", "hi"),
        ("@stock_agent", "stock_agent", "@stock_agent"),
        ("@stock_agent请问", "stock_agent", "请问"),
    ],
)
async def test_mention(text: str, chosen: str, task: str) -> None:
    decided = await route(text, pinned="booking_agent", agent="booking_agent")
    assert (decided.tier, decided.mode) == ("mention", "single")
    assert decided.agents == [{"agent": chosen, "task": task}]
    assert decided.confidence == 1.0


@pytest.mark.parametrize("text", ["@nobody hi", "@stock_agents hi", "@stock_agent2", "＠没有的智能体 你好"])
async def test_unknown_mention(text: str) -> None:
    with pytest.raises(FrontdeskError) as raised:
        await route(text)
    assert raised.value.code is ErrorCode.AGENT_NOT_FOUND
    assert text.split()[0].lstrip("@＠") in raised.value.message


@pytest.mark.parametrize("text", ["write to a@stock_agent P0171", "@ P0171", "P0171 @stock_agent"])
async def test_no_mention(text: str) -> None:
    assert (await route(text)).tier != "mention"


@pytest.mark.parametrize(
    ("known", "tier", "chosen"),
    [
        ({"pending": "booking_agent", "pinned": "stock_agent"}, "pending", "booking_agent"),
        ({"pending": "gone_agent", "pinned": "stock_agent"}, "pinned", "stock_agent"),
        ({"agent": "booking_agent", "pinned": "stock_agent"}, "pinned", "booking_agent"),
        ({"last_agent": "stock_agent"}, "keyword", "diagnosis_agent"),
    ],
)
async def test_what_is_known_already(known: dict[str, str], tier: str, chosen: str) -> None:
    decided = await route("P0171 是什么故障？", **known)
    assert (decided.tier, agent(decided)) == (tier, chosen)


@pytest.mark.parametrize("known", [{"pinned": "gone_agent"}, {"agent": "gone_agent"}])
async def test_a_chosen_agent_that_is_gone(known: dict[str, str]) -> None:
    with pytest.raises(FrontdeskError) as raised:
        await route("hi", **known)
    assert raised.value.code is ErrorCode.AGENT_NOT_FOUND


@pytest.mark.parametrize(
    ("text", "chosen", "reason"),
    [
        ("P0171是什么", "diagnosis_agent", 'keyword "P0171"'),
        ("p9999", "diagnosis_agent", 'keyword "P9999"'),
        ("Ｐ０４２０？", "diagnosis_agent", 'keyword "P0420"'),
        ("请读一下故障码", "diagnosis_agent", 'keyword "故障码"'),
        ("any obd reader?", "diagnosis_agent", 'keyword "OBD"'),
        ("看看库存", "stock_agent", 'keyword "库存"'),
    ],
)
async def test_keyword(text: str, chosen: str, reason: str) -> None:
    decided = await route(text)
    assert (decided.tier, agent(decided), decided.reason) == ("keyword", chosen, reason)
    assert decided.candidates[0]["agent"] == chosen


@pytest.mark.parametrize("text", ["stockings", "livestock", "xP0171", "obduction", "facebook"])
async def test_part_of_a_word_is_no_keyword(text: str) -> None:
    assert (await route(text)).tier != "keyword"


async def test_the_longer_keyword_covers_the_shorter() -> None:
    decided = await route("库存预约")
    assert (agent(decided), decided.reason) == ("booking_agent", 'keyword "库存预约"')


async def test_likeness_chooses_among_several_that_were_named() -> None:
    decided = await route("刹车片还有货吗？我想看库存再预约")
    assert agent(decided) == "stock_agent"
    assert "库存" in decided.reason


async def test_likeness_overrules_a_stray_keyword() -> None:
    decided = await route("book: how many brake pads are in stock")
    assert agent(decided) == "stock_agent"


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("发动机抖动的原因", "diagnosis_agent"),
        ("my engine misfires", "diagnosis_agent"),
        ("how many brake pads do we hold", "stock_agent"),
        ("苏州仓的蓄电池还有几个", "stock_agent"),
        ("oil change on Friday", "booking_agent"),
        ("取消周三的保养", "booking_agent"),
        ("查询零件", "stock_agent"),
    ],
)
async def test_similarity(text: str, chosen: str) -> None:
    decided = await route(text)
    assert (decided.tier, agent(decided)) == ("similarity", chosen)
    assert decided.confidence is not None
    assert 0 < decided.confidence < 1
    scores = [candidate["score"] for candidate in decided.candidates]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) <= 5


@pytest.mark.parametrize("text", ["帮我写一段关于秋天的短诗", "write me a poem about autumn", "🙂", "?", ""])
async def test_fallback(text: str) -> None:
    decided = await route(text)
    assert (decided.tier, decided.mode, agent(decided)) == ("fallback", "fallback", "general_agent")
    assert "general_agent" not in {candidate["agent"] for candidate in decided.candidates}


async def test_the_fallback_agent_never_wins_by_likeness() -> None:
    assert (await route("what can you do")).tier == "fallback"


async def test_nobody_falls_back() -> None:
    decided = await Router().route(request("写诗", agent=None), workshop(fallback=None))
    assert (decided.tier, list(decided.agents)) == ("fallback", [])


async def test_nobody_at_all() -> None:
    decided = await Router().route(request("写诗", agent=None), directory())
    assert (decided.tier, list(decided.agents), list(decided.candidates)) == ("fallback", [], [])


@pytest.mark.parametrize(
    "text",
    ["那它严重吗？", "why?", "怎么修", "what about that one", "还有呢", "how much does it cost", "继续"],
)
async def test_a_follow_up_stays(text: str) -> None:
    decided = await route(text, last_agent="diagnosis_agent")
    assert (decided.tier, agent(decided)) == ("follow_up", "diagnosis_agent")


@pytest.mark.parametrize(
    ("text", "tier", "chosen"),
    [
        ("库存呢", "keyword", "stock_agent"),
        ("刹车片还有货吗", "similarity", "stock_agent"),
        ("cancel my appointment", "similarity", "booking_agent"),
        ("帮我写一段关于秋天的短诗", "fallback", "general_agent"),
        ("write me a poem about autumn", "fallback", "general_agent"),
        ("tell me everything about the history of the roman empire please", "fallback", "general_agent"),
    ],
)
async def test_a_new_topic_leaves(text: str, tier: str, chosen: str) -> None:
    decided = await route(text, last_agent="diagnosis_agent")
    assert (decided.tier, agent(decided)) == (tier, chosen)


@pytest.mark.parametrize("last", ["gone_agent", "general_agent", None])
async def test_nobody_to_stay_with(last: str | None) -> None:
    assert (await route("why?", last_agent=last)).tier == "fallback"


async def test_one_index_for_all_who_ask_at_once() -> None:
    built = 0

    class Counting:
        def __init__(self, sentences: Any) -> None:
            nonlocal built
            built += 1

        def embed(self, texts: Any) -> Any:
            import numpy as np

            return np.zeros((len(texts), 2))

    router = Router(Counting)
    known = workshop()
    impatient = asyncio.create_task(router.warm(known))
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.gather(*(router.route(request("hm", agent=None), known) for _ in range(5)))
    assert built == 1
    await router.warm(directory(DIAGNOSIS))
    assert built == 2


async def test_an_index_that_could_not_be_built_is_built_again() -> None:
    fails = [True]

    class Flaky:
        def __init__(self, sentences: Any) -> None:
            if fails.pop():
                fails.append(False)
                raise OSError("no model file")

        def embed(self, texts: Any) -> Any:
            import numpy as np

            return np.zeros((len(texts), 2))

    router = Router(Flaky)
    with pytest.raises(OSError, match="model"):
        await router.warm(workshop())
    await router.warm(workshop())
