"""One question over the socket: what is told, in which order, and what is in the rows when it is told."""

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from conversations.models import Delegation, Lease, Message, Run, RunEvent
from conversations.selectors import snapshot
from conversations.state import apply
from tests.conversations.conftest import card
from tests.support.agent_server import Exchange, ScriptedAgent

pytestmark = pytest.mark.django_db(transaction=True)


def structural(frames: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [frame for frame in frames if "seq" in frame]


async def test_every_event_in_order_and_the_message_equal_to_its_deltas_and_its_row(product, publish) -> None:
    rows_at_first_byte: list[tuple[str, str]] = []

    async def script(exchange: Exchange) -> None:
        rows = sync_to_async(lambda: list(Delegation.objects.values_list("agent", "status")))
        rows_at_first_byte.extend(await rows())
        await exchange.head()
        await exchange.event("tool", {"name": "look_up", "arguments": {"code": "P0171"}})
        await exchange.tokens("混合气", "过稀 😀", "。")
        await exchange.done(usage={"input_tokens": 3, "output_tokens": 4})

    async with ScriptedAgent(script).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("diagnosis", agent.port))
        conversation = await alice.conversation()
        frames = await alice.ask(conversation, "ask_diagnosis: P0171?", client_id="c1")

    told = structural(frames)
    assert [frame["seq"] for frame in told] == list(range(1, len(told) + 1))
    types = [frame["type"] for frame in told]
    assert types[:3] == ["run.started", "route.decided", "delegation.started"]
    assert {"message.started", "delegation.tool", "delegation.finished", "message.completed"} <= set(types)
    assert types[-1] == "run.finished"
    assert rows_at_first_byte == [("diagnosis", "running")]

    deltas = [frame for frame in frames if frame["type"] == "message.delta"]
    completed = next(frame for frame in told if frame["type"] == "message.completed")
    assert "".join(delta["text"] for delta in deltas) == completed["content"] == "混合气过稀 😀。"
    assert deltas[0]["offset"] == 0
    started = next(frame for frame in told if frame["type"] == "delegation.started")
    assert {delta["delegation_id"] for delta in deltas} == {started["delegation_id"]}

    message = await Message.objects.aget(role="assistant")
    assert (message.content, message.status, message.agent) == ("混合气过稀 😀。", "complete", "diagnosis")
    assert str(message.id) == completed["message_id"]
    run = await Run.objects.aget()
    assert (run.status, run.tier, run.error_code) == ("completed", "keyword", "")
    delegation = await Delegation.objects.aget()
    assert delegation.status == "completed"
    assert delegation.tools == [{"name": "look_up", "arguments": {"code": "P0171"}}]
    assert delegation.usage == {"input_tokens": 3, "output_tokens": 4}
    assert delegation.first_token_ms is not None
    assert await RunEvent.objects.acount() == len(told)
    assert not await Lease.objects.aexists()


async def test_the_agent_gets_the_contract(product, publish) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.answer("ok")

    async with ScriptedAgent(script).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("diagnosis", agent.port))
        conversation = await alice.conversation()
        await alice.ask(conversation, "ask_diagnosis first", context={"vin": "LSV1"})
        await alice.ask(conversation, "ask_diagnosis second")

    first, second = agent.requests
    run = await Run.objects.order_by("created_at").afirst()
    delegation = await Delegation.objects.order_by("started_at").afirst()
    assert first.json["input"] == "ask_diagnosis first"
    assert first.json["session_id"] == conversation == first.headers["x-session-id"]
    assert first.json["context"]["metadata"]["locale"] == "en"
    assert first.headers["x-trace-id"] == run.trace_id
    assert first.headers["traceparent"].split("-")[1] == run.trace_id
    assert first.headers["idempotency-key"] == str(delegation.id)
    history = [(item["role"], item["content"]) for item in second.json["context"]["history"]]
    assert history == [("user", "ask_diagnosis first"), ("assistant", "ok")]


async def test_snapshot_plus_events_is_what_others_saw_and_what_is_there_afresh(product, publish) -> None:
    go_on = asyncio.Event()

    async def script(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.tokens("one ", "two 😀 ")
        await go_on.wait()
        await exchange.tokens("three ", "four")
        await exchange.done()

    async with ScriptedAgent(script).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("diagnosis", agent.port))
        conversation = await alice.conversation()
        async with alice.socket(conversation) as first:
            first_state = (await first.hello())["state"]
            await first.send(type="run.start", input="ask_diagnosis")
            text = ""
            while text != "one two 😀 ":
                frame = await first.next()
                text += frame["text"] if frame["type"] == "message.delta" else ""
            async with alice.socket(conversation) as second:
                second_state = (await second.hello())["state"]
                assert second_state["messages"][-1]["content"] == "one two 😀 "
                assert second_state["run"]["delegations"][0]["status"] == "running"
                go_on.set()
                await first.until("run.finished")
                await second.until("run.finished")
        async with alice.socket(conversation) as afresh:
            fresh_state = (await afresh.hello())["state"]

    for state, socket in ((first_state, first), (second_state, second)):
        for frame in socket.seen[1:]:
            apply(state, frame)
    assert first_state == second_state == fresh_state
    from conversations.models import Conversation

    row = await Conversation.objects.aget()
    assert await sync_to_async(snapshot)(row) == fresh_state
    seen = [frame["seq"] for frame in second.seen[1:] if "seq" in frame]
    assert seen == list(range(second_state["run"]["seq"] - len(seen) + 1, second_state["run"]["seq"] + 1))


async def test_follow_gives_what_is_stored_and_the_open_text_from_its_start(product, publish) -> None:
    go_on = asyncio.Event()

    async def script(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.tokens("half ")
        await go_on.wait()
        await exchange.tokens("whole")
        await exchange.done()

    async with ScriptedAgent(script).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("diagnosis", agent.port))
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.send(type="run.start", input="ask_diagnosis")
            frames = await socket.until("message.delta")
            run = frames[0]["run"]
            await socket.send(type="run.follow", run=run, after=1)
            replayed = await socket.until("message.delta")
            assert [frame["seq"] for frame in replayed if "seq" in frame] == [2, 3, 4]
            assert (replayed[-1]["offset"], replayed[-1]["text"]) == (0, "half ")
            go_on.set()
            rest = await socket.until("run.finished")
            assert [frame["seq"] for frame in rest if "seq" in frame] == [5, 6, 7]
            await socket.send(type="run.follow", run=run, after=5)
            assert [frame["seq"] for frame in await socket.until("run.finished")] == [6, 7]


async def test_a_message_sent_twice_with_one_client_id_is_one_message(product, publish) -> None:
    async def script(exchange: Exchange) -> None:
        await exchange.answer("ok")

    async with ScriptedAgent(script).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("diagnosis", agent.port))
        conversation = await alice.conversation()
        first = await alice.ask(conversation, "ask_diagnosis", client_id="same")
        again = await alice.ask(conversation, "ask_diagnosis", client_id="same")
        status, run = await alice.call(
            "POST", f"conversations/{conversation}/runs/", {"input": "ask_diagnosis", "client_id": "same"}
        )

    assert structural(again) == structural(first)
    assert (status, run["id"]) == (200, first[-1]["run"])
    assert await Message.objects.filter(role="user").acount() == 1
    assert len(agent.requests) == 1
