"""The sample cards route real questions in two languages, without any model."""

from pathlib import Path

import pytest

from frontdesk_agent.card import card_from_yaml
from orchestration.directory import Directory, Entry
from orchestration.events import RouteDecided
from orchestration.routing.router import Router
from tests.support.directories import request
from tests.support.routing_questions import HELD_OUT, TUNING

FALLBACK = "general_agent"
CARDS = sorted((Path(__file__).parents[2] / "registry" / "agents").glob("*.yaml"))


@pytest.fixture(scope="module")
def samples() -> Directory:
    cards = [card_from_yaml(path.read_text("utf-8")) for path in CARDS]
    return Directory.of([Entry(card) for card in cards], fallback=FALLBACK)


async def route(samples: Directory, text: str, last: str | None = None) -> RouteDecided:
    return await Router().route(request(text, agent=None, last_agent=last), samples)


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("P0171 是什么故障？", "diagnosis_agent"),
        ("what does p0420 mean", "diagnosis_agent"),
        ("P9999", "diagnosis_agent"),
        ("苏州仓现在还剩多少个 12V 蓄电池", "supply_chain_agent"),
        ("帮我写一段关于秋天的短诗", FALLBACK),
        ("write me a poem about autumn", FALLBACK),
    ],
)
async def test_the_demo_questions(samples: Directory, text: str, agent: str) -> None:
    assert (await route(samples, text)).agents[0]["agent"] == agent


@pytest.mark.parametrize(
    ("questions", "least", "misled"), [(TUNING, 58, 0), (HELD_OUT, 36, 2)], ids=["tuning", "held out"]
)
async def test_most_questions_reach_their_agent(
    samples: Directory, questions: tuple[tuple[str, str | None], ...], least: int, misled: int
) -> None:
    router = Router()
    wrong = {}
    for text, expected in questions:
        decided = await router.route(request(text, agent=None), samples)
        if (reached := decided.agents[0]["agent"]) != (expected or FALLBACK):
            wrong[text] = reached
    assert len(questions) - len(wrong) >= least, wrong
    assert sum(reached != FALLBACK for reached in wrong.values()) <= misled, wrong


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("那怎么修？", "diagnosis_agent"),
        ("how urgent is that?", "diagnosis_agent"),
        ("还能继续开吗", "diagnosis_agent"),
        ("上海呢？", "supply_chain_agent"),
        ("and in Shanghai?", "supply_chain_agent"),
        ("改到周五", "aftersales_agent"),
        ("下午3点", "aftersales_agent"),
        ("why?", "calibration_agent"),
    ],
)
async def test_a_follow_up_stays(samples: Directory, text: str, last: str) -> None:
    assert (await route(samples, text, last)).agents[0]["agent"] == last


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ("苏州仓还有蓄电池吗", "supply_chain_agent"),
        ("帮我写一段关于秋天的短诗", FALLBACK),
        ("write me a poem about autumn", FALLBACK),
        ("Frontdesk 怎么注册智能体", "knowledge_agent"),
    ],
)
async def test_a_new_topic_leaves(samples: Directory, text: str, agent: str) -> None:
    assert (await route(samples, text, "diagnosis_agent")).agents[0]["agent"] == agent


async def test_a_question_takes_little_time(samples: Directory) -> None:
    router = Router()
    await router.warm(samples)
    decided = await router.route(request("冷车启动困难，热车正常，是哪里坏了", agent=None), samples)
    assert decided.duration_ms < 25
