"""Something the database refuses must end its run, not lock the conversation."""

import asyncio
import uuid

import pytest
from asgiref.sync import sync_to_async

from conversations import runner
from conversations.models import Lease, Message, Run, RunEvent
from orchestration.events import DelegationTool
from tests.conversations.conftest import card
from tests.support.agent_server import Exchange, ScriptedAgent

pytestmark = pytest.mark.django_db(transaction=True)


async def test_the_run_fails_what_was_said_is_kept_and_the_next_message_works(product, publish) -> None:
    async def half(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.tokens("half")
        await exchange.request.closed.wait()

    async def good(exchange: Exchange) -> None:
        await exchange.answer("fine")

    async with ScriptedAgent(half, good).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("odd", agent.port))
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.send(type="run.start", input="ask_odd")
            frames = await socket.until("message.delta")
            started = next(frame for frame in frames if frame["type"] == "delegation.started")
            live = runner.current().live(uuid.UUID(conversation))
            assert live is not None
            refused = DelegationTool(
                delegation_id=started["delegation_id"], name="t", arguments={"x": float("inf")}
            )
            await asyncio.to_thread(runner.current().submit, live.emit(refused))
            rest = await socket.until("run.finished")
            request = await agent.request()
            await asyncio.wait_for(request.closed.wait(), 5)
            assert (rest[-1]["status"], rest[-1]["error"]["code"]) == ("failed", "INTERNAL")
            numbers = [f["seq"] async for f in RunEvent.objects.order_by("seq").values("seq")]
            assert numbers == list(range(1, len(numbers) + 1))
            await socket.send(type="run.start", input="ask_odd again")
            assert (await socket.until("run.finished"))[-1]["status"] == "completed"
    assert [run.status async for run in Run.objects.order_by("created_at")] == ["failed", "completed"]
    partial = await Message.objects.aget(status="partial")
    assert partial.role == "assistant"
    assert not await Lease.objects.aexists()
