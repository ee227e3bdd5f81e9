"""Group commit: many runs in one transaction, one bad run alone, a lost lease writes nothing."""

import asyncio
import uuid
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations import leases
from conversations.events import structural
from conversations.models import Conversation, Lease, Message, Run, RunEvent
from conversations.projection import Change, Target
from conversations.recorder import Entry, Recorder, _write

pytestmark = pytest.mark.django_db(transaction=True)


def a_run(user: Any) -> Target:
    conversation = Conversation.objects.create(user=user)
    message = Message.objects.create(conversation=conversation, position=1, role="user", content="hi")
    run = Run.objects.create(
        conversation=conversation, message=message, status="running", trace_id="t", seq=1
    )
    token = leases.create(conversation_id=conversation.id, run_id=run.id, holder="here:1:a")
    return Target(run.id, conversation.id, token, answer_position=2)


def started(target: Target, seq: int = 2) -> dict[str, Any]:
    fields = {"message_id": str(uuid.uuid5(target.run_id, "answer")), "agent": "a"}
    return structural(str(target.run_id), seq, "message.started", fields)


def completed(target: Target, content: str, seq: int = 3) -> dict[str, Any]:
    fields = {"message_id": str(uuid.uuid5(target.run_id, "answer")), "content": content}
    rest = {"status": "complete", "citations": [], "usage": {}}
    return structural(str(target.run_id), seq, "message.completed", {**fields, **rest})


def some_runs(count: int) -> list[Target]:
    user = get_user_model().objects.create_user("alice")
    return [a_run(user) for _ in range(count)]


def told(results: list[bool], target: Target, event: dict[str, Any], *changes: Change) -> Entry:
    return Entry(target, event, changes, results.append)


def test_many_runs_cost_as_many_statements_as_one() -> None:
    def statements(runs: list[Target]) -> int:
        entries = [
            told([], run, make(run)) for run in runs for make in (started, lambda r: completed(r, "x"))
        ]
        with CaptureQueriesContext(connection) as queries:
            assert _write(entries) == {run.token for run in runs}
        return len(queries)

    runs = some_runs(31)
    one, thirty = statements(runs[:1]), statements(runs[1:])
    assert thirty <= one + 2
    assert Message.objects.filter(role="assistant", content="x", status="complete").count() == 31
    assert RunEvent.objects.count() == 62


async def test_a_run_whose_lease_is_gone_writes_nothing_and_the_others_do() -> None:
    good, lost, expired = await sync_to_async(some_runs)(3)
    await Lease.objects.filter(token=lost.token).aupdate(token=uuid.uuid4())
    await Lease.objects.filter(token=expired.token).aupdate(expires_at="2020-01-01T00:00:00Z")
    results = await recorded([(good, started(good)), (lost, started(lost)), (expired, started(expired))])
    assert results == [True, False, False]
    assert [m.run_id async for m in Message.objects.filter(role="assistant")] == [good.run_id]


async def test_a_run_that_cannot_be_stored_does_not_take_the_others_with_it() -> None:
    good, bad = await sync_to_async(some_runs)(2)
    twice = started(bad)
    await RunEvent.objects.acreate(run_id=bad.run_id, seq=2, type="x", payload={})
    results = await recorded([(bad, twice), (good, started(good))])
    assert results == [False, True]
    assert [m.run_id async for m in Message.objects.filter(role="assistant")] == [good.run_id]


async def recorded(items: list[tuple[Target, dict[str, Any]]]) -> list[bool]:
    """Hand all of `items` to a recorder at once; what it said of each."""
    recorder = Recorder()
    recorder.start()
    loop = asyncio.get_running_loop()
    results = [loop.create_future() for _ in items]
    for (target, event), result in zip(items, results, strict=True):
        recorder.add(Entry(target, event, (), result.set_result))
    said = await asyncio.wait_for(asyncio.gather(*results), 10)
    await recorder.stop()
    return said


def test_a_lapsed_lease_is_not_renewed() -> None:
    (run,) = some_runs(1)
    assert leases.renew([run.token]) == 1
    Lease.objects.update(expires_at="2020-01-01T00:00:00Z")
    assert leases.renew([run.token]) == 0
    assert list(leases.lapsed("there:2:b").values_list("token", flat=True)) == [run.token]


def test_the_lease_of_a_dead_process_of_this_machine_lapses_at_once() -> None:
    some_runs(1)
    own = leases.new_holder()
    machine = own.rsplit(":", 2)[0]
    assert not leases.lapsed(own).exists()
    Lease.objects.update(holder=f"{machine}:4194305:gone")  # beyond the largest process id there can be
    assert leases.lapsed(own).exists()
    Lease.objects.update(holder="elsewhere/1:4194305:unknown")
    assert not leases.lapsed(own).exists()
