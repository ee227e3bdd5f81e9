"""Structural events as row changes, many runs' at once in few statements."""

import uuid
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Model

from conversations.events import Event
from conversations.models import Conversation, Delegation, Lease, Message, Run, RunEvent

Fields = dict[str, Any]
# Parents before children; conversations and runs exist already.
_CREATED: tuple[type[Model], ...] = (Message, Delegation, RunEvent)


@dataclass(frozen=True, slots=True)
class Target:
    """What an event's rows hang on. `answer_position` is where the answer stands in the conversation."""

    run_id: uuid.UUID
    conversation_id: uuid.UUID
    token: uuid.UUID
    answer_position: int


@dataclass(slots=True)
class Batch:
    """Collects row changes; `write` sends them in bulk statements. Later changes of a row win."""

    creates: dict[type[Model], dict[Any, Model]] = field(default_factory=lambda: defaultdict(dict))
    updates: dict[type[Model], dict[Any, Fields]] = field(default_factory=lambda: defaultdict(dict))
    ended: list[uuid.UUID] = field(default_factory=list)

    def create(self, key: Any, row: Model) -> None:
        self.creates[type(row)][key] = row

    def update(self, model: type[Model], pk: Any, **fields: Any) -> None:
        row = self.creates[model].get(pk)
        if row is None:
            self.updates[model].setdefault(pk, {}).update(fields)
            return
        for name, value in fields.items():
            setattr(row, name, value)

    def write(self, *, ignore_known: bool = False) -> None:
        """Send everything. Call in a transaction that holds the leases.

        `ignore_known` leaves rows that are there already as they are: for a second try of the same batch.
        """
        for model in _CREATED:
            if rows := self.creates.get(model):
                model._default_manager.bulk_create(list(rows.values()), ignore_conflicts=ignore_known)  # noqa: SLF001 - Django's public name
        for model, changes in self.updates.items():
            for names, group in _by_fields(changes).items():
                _update(model, names, group)
        if self.ended:
            Lease.objects.filter(token__in=self.ended).delete()


def _by_fields(changes: dict[Any, Fields]) -> dict[tuple[str, ...], dict[Any, Fields]]:
    groups: dict[tuple[str, ...], dict[Any, Fields]] = defaultdict(dict)
    for pk, fields in changes.items():
        groups[tuple(sorted(fields))][pk] = fields
    return groups


def _update(model: type[Model], names: tuple[str, ...], rows: dict[Any, Fields]) -> None:
    manager = model._default_manager  # noqa: SLF001 - Django's public name
    if len(rows) == 1:
        ((pk, fields),) = rows.items()
        manager.filter(pk=pk).update(**fields)
    else:
        manager.bulk_update([model(pk=pk, **fields) for pk, fields in rows.items()], list(names))


@dataclass(frozen=True, slots=True)
class Change:
    """A row change that no event says by itself: growing text, tools so far, what is remembered."""

    model: type[Model]
    pk: Any
    fields: Fields


def project(batch: Batch, target: Target, event: Event) -> None:
    """Add `event` itself and what it changes in the rows."""
    seq = event["seq"]
    batch.create(
        (target.run_id, seq),
        RunEvent(run_id=target.run_id, seq=seq, type=event["type"], payload=event),
    )
    batch.update(Run, target.run_id, seq=seq)
    if handler := _HANDLERS.get(event["type"]):
        handler(batch, target, event)


def _time(event: Event) -> datetime:
    return datetime.fromisoformat(event["at"])


def _route_decided(batch: Batch, target: Target, event: Event) -> None:
    keys = ("tier", "mode", "agents", "reason", "confidence", "candidates", "duration_ms")
    batch.update(
        Run,
        target.run_id,
        tier=event["tier"],
        mode=event["mode"],
        route={key: event[key] for key in keys},
    )


def _delegation_started(batch: Batch, target: Target, event: Event) -> None:
    parent = event["parent"]
    keys = ("position", "agent", "display_name", "version", "task")
    delegation = Delegation(
        id=uuid.UUID(event["delegation_id"]),
        run_id=target.run_id,
        parent_id=uuid.UUID(parent) if parent else None,
        started_at=_time(event),
        **{key: event[key] for key in keys},
    )
    batch.create(delegation.id, delegation)


def _delegation_finished(batch: Batch, target: Target, event: Event) -> None:
    keys = (
        "status",
        "result",
        "error",
        "citations",
        "usage",
        "first_token_ms",
        "duration_ms",
        "attempts",
        "empty",
    )
    batch.update(
        Delegation,
        uuid.UUID(event["delegation_id"]),
        error_code=(event["error"] or {}).get("code", ""),
        finished_at=_time(event),
        **{key: event[key] for key in keys},
    )


def _message_started(batch: Batch, target: Target, event: Event) -> None:
    message = Message(
        id=uuid.UUID(event["message_id"]),
        conversation_id=target.conversation_id,
        run_id=target.run_id,
        position=target.answer_position,
        role=Message.Role.ASSISTANT,
        agent=event["agent"] or "",
        status=Message.Status.STREAMING,
        created_at=_time(event),
    )
    batch.create(message.id, message)


def _message_completed(batch: Batch, target: Target, event: Event) -> None:
    keys = ("content", "status", "citations", "usage")
    batch.update(Message, uuid.UUID(event["message_id"]), **{key: event[key] for key in keys})


def _run_finished(batch: Batch, target: Target, event: Event) -> None:
    keys = ("status", "error", "usage", "first_token_ms", "duration_ms")
    batch.update(
        Run,
        target.run_id,
        error_code=(event["error"] or {}).get("code", ""),
        finished_at=_time(event),
        **{key: event[key] for key in keys},
    )
    batch.update(Conversation, target.conversation_id, updated_at=_time(event))
    batch.ended.append(target.token)


_HANDLERS: dict[str, Callable[[Batch, Target, Event], None]] = {
    "route.decided": _route_decided,
    "delegation.started": _delegation_started,
    "delegation.finished": _delegation_finished,
    "message.started": _message_started,
    "message.completed": _message_completed,
    "run.finished": _run_finished,
}
