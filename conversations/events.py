"""The envelope around what orchestration says: `type`, `run`, `at`, and `seq` for structural events."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from orchestration.events import Delta, Structural

Event = dict[str, Any]
FINAL = frozenset({"completed", "failed", "cancelled"})


def timestamp(moment: datetime | None = None) -> str:
    """ISO 8601 in UTC with milliseconds, such as `2026-01-31T08:00:00.000Z`."""
    moment = moment or datetime.now(UTC)
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def structural(run: str, seq: int, type_: str, fields: Mapping[str, Any]) -> Event:
    return {"type": type_, "run": run, "seq": seq, "at": timestamp(), **fields}


def fields_of(event: Structural | Delta) -> Event:
    """The event's own fields, shallow: values are JSON already."""
    return {name: getattr(event, name) for name in event.__slots__}


def delta(run: str, event: Delta) -> Event:
    return {"type": event.type, "run": run, "at": timestamp(), **fields_of(event)}
