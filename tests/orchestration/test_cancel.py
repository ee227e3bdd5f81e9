"""Cancelling a run closes the agent's connection within 100 ms and says nothing more."""

import asyncio
import time

import pytest

from orchestration.supervisor import Supervisor
from tests.support import inproc_agents
from tests.support.agent_server import Exchange, Script, ScriptedAgent
from tests.support.directories import card, directory, http_entry, request
from tests.support.sinks import CollectingSink


async def silent(exchange: Exchange) -> None:
    await exchange.request.closed.wait()


async def head_only(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.request.closed.wait()


async def in_mid_stream(exchange: Exchange) -> None:
    await exchange.head()
    while not exchange.request.closed.is_set():
        await exchange.tokens("tick ")
        await asyncio.wait([asyncio.ensure_future(exchange.request.closed.wait())], timeout=0.01)


@pytest.mark.parametrize("script", [silent, head_only, in_mid_stream], ids=lambda script: script.__name__)
async def test_cancel(supervisor: Supervisor, sink: CollectingSink, script: Script) -> None:
    async with ScriptedAgent(script).serving() as agent:
        run = asyncio.create_task(supervisor.supervise(request(), directory(http_entry(agent.url)), sink))
        received = await agent.request()
        if script is in_mid_stream:
            await sink.until("message.delta", 3)

        cancelled_at = time.monotonic()
        run.cancel()
        async with asyncio.timeout(2):
            await received.closed.wait()
        assert time.monotonic() - cancelled_at < 0.1
        with pytest.raises(asyncio.CancelledError):
            await run

    said = len(sink.events)
    assert not {"delegation.finished", "message.completed"} & set(sink.types)
    await asyncio.wait([asyncio.ensure_future(asyncio.Event().wait())], timeout=0.05)
    assert len(sink.events) == said


async def test_cancel_while_waiting_for_a_retry(supervisor: Supervisor, sink: CollectingSink) -> None:
    async def busy(exchange: Exchange) -> None:
        await exchange.body(b"", status="503 Away", content_type="text/plain")

    async with ScriptedAgent(busy).serving() as agent:
        entry = http_entry(agent.url, max_retries=10)
        run = asyncio.create_task(supervisor.supervise(request(), directory(entry), sink))
        await agent.request(2)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run


async def test_cancel_of_an_agent_in_process(supervisor: Supervisor, sink: CollectingSink) -> None:
    agent = card(entrypoint="tests.support.inproc_agents.endless")
    run = asyncio.create_task(supervisor.supervise(request(), directory(agent), sink))
    await sink.until("message.delta")
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    async with asyncio.timeout(1):
        await inproc_agents.closed.wait()
    assert sink.text == "tick "


async def test_a_sink_that_refuses_ends_the_run(supervisor: Supervisor) -> None:
    class FencedError(Exception):
        pass

    class RefusingSink(CollectingSink):
        async def emit(self, event: object) -> None:
            if event.type == "message.started":
                raise FencedError
            await super().emit(event)

    async with ScriptedAgent(in_mid_stream).serving() as agent:
        run = asyncio.create_task(
            supervisor.supervise(request(), directory(http_entry(agent.url)), RefusingSink())
        )
        with pytest.raises(FencedError):
            await run
        async with asyncio.timeout(1):
            await agent.requests[0].closed.wait()
