"""Ids derived from what they name, so that re-entry finds its row."""

from uuid import UUID, uuid5


def message_id(run_id: str) -> str:
    """The id of a run's answer."""
    return str(uuid5(UUID(run_id), "message"))


def delegation_id(run_id: str, position: int, parent: str | None = None) -> str:
    """The id of the delegation at `position` under `parent`, counted from 0."""
    return str(uuid5(UUID(run_id), f"{parent or ''}/{position}"))


def traceparent(trace_id: str, delegation: str) -> str:
    """A W3C `traceparent` whose span is this delegation: the same for every retry of it."""
    return f"00-{trace_id}-{UUID(delegation).hex[-16:]}-01"
