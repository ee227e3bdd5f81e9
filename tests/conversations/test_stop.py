"""Stop means stop: before the first token, in mid-stream, from the socket and over REST."""

import asyncio
import time

import pytest
from asgiref.sync import sync_to_async

from conversations.models import Delegation, Lease, Message, Run
from tests.conversations.conftest import card
from tests.support.agent_server import Exchange, ScriptedAgent

pytestmark = pytest.mark.django_db(transaction=True)
CLOSED_WITHIN_S = 0.1


async def silent(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.request.closed.wait()


async def half_said(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.tokens("half ", "of it")
    await exchange.request.closed.wait()


async def good(exchange: Exchange) -> None:
    await exchange.answer("fine")


async def test_before_the_first_token(product, publish) -> None:
    async with ScriptedAgent(silent, good).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("slow", agent.port))
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.send(type="run.start", input="ask_slow")
            run = (await socket.until("delegation.started"))[0]["run"]
            request = await agent.request()
            await socket.send(type="run.cancel", run=run)
            began = time.monotonic()
            await asyncio.wait_for(request.closed.wait(), 5)
            assert time.monotonic() - began < CLOSED_WITHIN_S
            finished = (await socket.until("run.finished"))[-1]
            assert (finished["status"], finished["error"]["code"]) == ("cancelled", "RUN_CANCELLED")
            await socket.send(type="run.start", input="ask_slow again")
            assert (await socket.until("run.finished"))[-1]["status"] == "completed"

    assert [run.status async for run in Run.objects.order_by("created_at")] == ["cancelled", "completed"]
    stopped = await Delegation.objects.order_by("started_at").afirst()
    assert (stopped.status, stopped.error_code) == ("cancelled", "RUN_CANCELLED")
    assert not await Lease.objects.aexists()


async def test_in_mid_stream_keeps_what_was_said(product, publish) -> None:
    async with ScriptedAgent(half_said, good).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("slow", agent.port))
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.send(type="run.start", input="ask_slow")
            text = ""
            while text != "half of it":
                frame = await socket.next()
                text += frame["text"] if frame["type"] == "message.delta" else ""
            request = await agent.request()
            await socket.send(type="run.cancel", run=frame["run"])
            began = time.monotonic()
            await asyncio.wait_for(request.closed.wait(), 5)
            assert time.monotonic() - began < CLOSED_WITHIN_S
            frames = await socket.until("run.finished")
            await socket.send(type="run.retry", run=frame["run"])
            assert (await socket.until("run.finished"))[-1]["status"] == "completed"

    completed = next(frame for frame in frames if frame["type"] == "message.completed")
    assert (completed["content"], completed["status"]) == ("half of it", "partial")
    answers = [(m.content, m.status) async for m in Message.objects.filter(role="assistant")]
    assert answers == [("half of it", "partial"), ("fine", "complete")]
    first = await Delegation.objects.order_by("started_at").afirst()
    assert (first.status, first.result) == ("cancelled", "half of it")
    assert first.first_token_ms is not None
    assert await Message.objects.filter(role="user").acount() == 1


async def test_over_rest_and_twice(product, publish) -> None:
    async with ScriptedAgent(silent).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("slow", agent.port))
        conversation = await alice.conversation()
        status, run = await alice.call("POST", f"conversations/{conversation}/runs/", {"input": "ask_slow"})
        assert (status, run["status"]) == (201, "running")
        await agent.request()
        for _ in range(2):
            status, stopped = await alice.call("POST", f"runs/{run['id']}/cancel/")
            assert (status, stopped["status"]) == (202, "cancelled")


async def test_a_run_goes_on_when_its_socket_has_gone(product, publish) -> None:
    go_on = asyncio.Event()

    async def waits(exchange: Exchange) -> None:
        await exchange.head()
        await go_on.wait()
        await exchange.tokens("still here")
        await exchange.done()

    async with ScriptedAgent(waits).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("slow", agent.port))
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.send(type="run.start", input="ask_slow")
            run = (await socket.until("delegation.started"))[0]["run"]
        go_on.set()
        async with alice.http.get(f"/api/v1/runs/{run}/events/") as response:
            assert response.headers["Content-Type"].startswith("text/event-stream")
            story = await response.text()
    assert "event: run.finished" in story
    assert (await Message.objects.aget(role="assistant")).content == "still here"
