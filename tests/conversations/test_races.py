"""Orders of things that happen rarely and must be right all the same."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from conversations import runner
from conversations.models import Conversation, Lease, Message, Run
from conversations.recorder import Entry, Recorder
from conversations.runner import Runner
from conversations.services import Question
from tests.conversations.conftest import Product, card
from tests.support.agent_server import Exchange, ScriptedAgent

pytestmark = pytest.mark.django_db(transaction=True)


async def on_the_servers_loop(work: Callable[[Runner], Awaitable[Any]]) -> Any:
    """What `work` returns, run where the runner lives."""
    served = runner.current()

    async def carry_out() -> Any:
        return await work(served)

    return await asyncio.to_thread(served.submit, carry_out())


async def waits(exchange: Exchange) -> None:
    await exchange.head()
    await exchange.tokens("half")
    await exchange.request.closed.wait()


async def answers(exchange: Exchange) -> None:
    await exchange.answer("fine")


async def test_a_stop_before_the_task_has_begun(product: Product, publish: Any, people: Any) -> None:
    async with ScriptedAgent(answers).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("quick", agent.port))
        conversation = await alice.conversation()

        async def start_and_stop(served: Runner) -> None:
            started = await served.start(
                user=people["alice"], conversation_id=conversation, question=Question(input="ask_quick")
            )
            # In the same turn of the loop in which the task was made, if `start` came back in it.
            await served.cancel(user=people["alice"], run_id=started.run_id)

        async with alice.socket(conversation) as socket:
            await socket.hello()
            await on_the_servers_loop(start_and_stop)
            finished = (await socket.until("run.finished"))[-1]
            assert finished["status"] in ("cancelled", "completed")
            await socket.send(type="run.start", input="ask_quick again")
            assert (await socket.until("run.finished"))[-1]["status"] == "completed"


async def test_a_run_stopped_before_its_first_step_ends_as_cancelled(
    product: Product, publish: Any, people: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with product.person("alice") as alice:
        conversation = await alice.conversation()
        launched = runner.current()._launch

        async def launch_and_stop(*args: Any) -> Any:
            started = await launched(*args)
            live = runner.current().live(started.conversation_id)
            assert live is not None
            assert not live.begun
            from conversations.closing import CANCELLED

            live.stop(CANCELLED)
            return started

        monkeypatch.setattr(runner.current(), "_launch", launch_and_stop)
        frames = await alice.ask(conversation, "hello")
    assert frames[-1]["status"] == "cancelled"
    assert not await Lease.objects.aexists()


async def test_a_stop_while_the_end_is_being_stored_comes_too_late(
    product: Product, publish: Any, people: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end is held back in the recorder until the stop has been asked for."""
    added = Recorder.add
    held: list[Entry] = []

    def hold_the_end(self: Recorder, entry: Entry) -> None:
        if entry.event is not None and entry.event["type"] == "run.finished":
            held.append(entry)
        else:
            added(self, entry)

    monkeypatch.setattr(Recorder, "add", hold_the_end)
    async with ScriptedAgent(answers).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("quick", agent.port))
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.send(type="run.start", input="ask_quick")
            run = (await socket.until("message.completed"))[0]["run"]

            async def stop_then_store(served: Runner) -> Run:
                live = served.live(uuid.UUID(conversation))
                assert live is not None
                assert held
                stopping = asyncio.ensure_future(served.cancel(user=people["alice"], run_id=run))
                while live.ending is None:  # noqa: ASYNC110 - the next turn of the loop is the event
                    await asyncio.sleep(0)
                added(served._recorder, held.pop())
                return await stopping

            stopped = await on_the_servers_loop(stop_then_store)
            finished = (await socket.until("run.finished"))[-1]
        assert (stopped.status, finished["status"]) == ("completed", "completed")
        _, events = await alice.call("GET", f"runs/{run}/")
        assert events["status"] == "completed"
    assert not await Lease.objects.aexists()


async def test_events_of_an_ended_run_end_at_once(product: Product, publish: Any) -> None:
    async with ScriptedAgent(answers).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("quick", agent.port))
        finished = (await alice.ask(await alice.conversation(), "ask_quick"))[-1]
        path = f"/api/v1/runs/{finished['run']}/events/"
        for after in (finished["seq"], 999):
            async with alice.http.get(path, headers={"Last-Event-ID": str(after)}) as response:
                assert await asyncio.wait_for(response.text(), 5) == ""


async def test_a_stream_taken_up_at_the_current_event_has_the_text_from_its_start(
    product: Product, publish: Any
) -> None:
    async with ScriptedAgent(waits).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("slow", agent.port))
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.send(type="run.start", input="ask_slow")
            frames = await socket.until("message.delta")
            run, seq = frames[0]["run"], max(frame.get("seq", 0) for frame in frames)
            for after in (seq - 1, seq, 999):
                async with alice.http.get(f"/api/v1/runs/{run}/events/?after={after}") as stream:
                    seen = b""
                    while b'"text":"half"' not in seen:
                        seen += await asyncio.wait_for(stream.content.readany(), 5)
            await socket.send(type="run.cancel", run=run)
            await socket.until("run.finished")


async def test_a_dead_run_found_by_the_next_start_is_told_to_who_watches(
    product: Product, publish: Any, settings: Any
) -> None:
    async with ScriptedAgent(waits, answers).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("slow", agent.port))
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.send(type="run.start", input="ask_slow")
            first = (await socket.until("message.delta"))[0]["run"]
            await Lease.objects.aupdate(expires_at="2020-01-01T00:00:00Z")
            await socket.send(type="run.start", input="ask_slow again")
            ended = (await socket.until("run.finished"))[-1]
            assert (ended["run"], ended["error"]["code"]) == (first, "RUN_INTERRUPTED")
            request = await agent.request()
            await asyncio.wait_for(request.closed.wait(), 5)
            assert (await socket.until("run.finished"))[-1]["status"] == "completed"


async def test_what_a_person_adds_to_the_context_during_a_run_stays(product: Product, publish: Any) -> None:
    go_on = asyncio.Event()

    async def held(exchange: Exchange) -> None:
        await exchange.head()
        await go_on.wait()
        await exchange.tokens("fine")
        await exchange.done(context={"vin": "from the agent", "other": "not declared"})

    async with ScriptedAgent(held).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("slow", agent.port, required_context=["vin"]))
        conversation = await alice.conversation()
        async with alice.socket(conversation) as socket:
            await socket.hello()
            await socket.send(type="run.start", input="ask_slow", context={"vin": "old"})
            await socket.until("delegation.started")
            await alice.call("PATCH", f"conversations/{conversation}/", {"context": {"car": "X"}})
            go_on.set()
            assert (await socket.until("run.finished"))[-1]["status"] == "completed"
    row = await Conversation.objects.aget()
    assert row.context == {"vin": "from the agent", "car": "X"}


async def test_an_agent_lost_in_a_loop_of_tools_is_ended(product: Product, publish: Any) -> None:
    async def loops(exchange: Exchange) -> None:
        await exchange.head()
        await exchange.tokens("half")
        frame = b'event: tool\ndata: {"name":"again","arguments":{}}\n\n'
        await exchange.raw(frame * 20_000)
        await exchange.done()

    async with ScriptedAgent(loops).serving() as agent, product.person("alice") as alice:
        await sync_to_async(publish)(card("loop", agent.port))
        frames = await alice.ask(await alice.conversation(), "ask_loop")
    assert frames[-1]["error"]["code"] == "LIMIT_EXCEEDED"
    assert (await Message.objects.aget(role="assistant")).content == "half"


async def test_a_repeated_commit_is_no_failure(people: Any) -> None:
    from conversations.recorder import _write
    from tests.conversations.test_recorder import a_run, completed, started, told

    target = await sync_to_async(a_run)(people["alice"])
    entries = [told([], target, started(target)), told([], target, completed(target, "x"))]
    for again in (False, True):
        assert await sync_to_async(_write)(entries, again=again) == {target.token}
    assert (await Message.objects.aget(role="assistant")).content == "x"


async def test_a_callback_that_raises_does_not_end_the_recorder(people: Any) -> None:
    from tests.conversations.test_recorder import a_run, completed, started

    target = await sync_to_async(a_run)(people["alice"])
    recorder = Recorder()
    recorder.start()
    told = asyncio.get_running_loop().create_future()

    def raises(ok: bool) -> None:
        raise KeyError(ok)

    recorder.add(Entry(target, started(target), (), raises))
    recorder.add(Entry(target, completed(target, "x"), (), told.set_result))
    assert await asyncio.wait_for(told, 10)
    assert recorder.alive
    await recorder.stop()
