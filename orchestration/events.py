"""What a run tells the world, as values.

Orchestration says *what* happened; the envelope (`run`, `seq`, `at`) is added by whoever records it.
Structural events are awaited (`Sink.emit` returns once the event is stored); deltas are fire-and-forget.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteDecided:
    """Who answers, and why. `agents` is `[{agent, task}]`, `candidates` is `[{agent, score}]`, best first."""

    type: ClassVar[str] = "route.decided"
    tier: str
    mode: str
    agents: Sequence[Json]
    reason: str
    confidence: float | None
    candidates: Sequence[Json]
    duration_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegationStarted:
    """Work begins: emitted, and stored, before the agent is called."""

    type: ClassVar[str] = "delegation.started"
    delegation_id: str
    parent: str | None
    position: int
    agent: str
    display_name: str
    version: str
    task: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegationTool:
    """A tool the agent says it used."""

    type: ClassVar[str] = "delegation.tool"
    delegation_id: str
    name: str
    arguments: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegationFinished:
    """A delegation's final state.

    `status` is completed, failed, timed_out, cancelled, skipped or rejected; `error` is
    `{code, message, retryable}` or None; `empty` says that a completed agent said nothing.
    """

    type: ClassVar[str] = "delegation.finished"
    delegation_id: str
    agent: str
    status: str
    result: str
    error: Json | None = None
    citations: Sequence[Json] = ()
    usage: Json = field(default_factory=dict)
    first_token_ms: int | None = None
    duration_ms: int = 0
    attempts: int = 1
    empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageStarted:
    """The answer begins. `agent` is the one that speaks, or None for a merged or platform answer."""

    type: ClassVar[str] = "message.started"
    message_id: str
    agent: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCompleted:
    """The answer's end. `status` is complete or partial; `content` is the sum of its deltas."""

    type: ClassVar[str] = "message.completed"
    message_id: str
    content: str
    status: str
    citations: Sequence[Json] = ()
    usage: Json = field(default_factory=dict)


Structural = (
    RouteDecided | DelegationStarted | DelegationTool | DelegationFinished | MessageStarted | MessageCompleted
)


@dataclass(frozen=True, slots=True)
class MessageDelta:
    """More of the answer. `offset` counts Unicode code points from the text's start."""

    type: ClassVar[str] = "message.delta"
    message_id: str
    delegation_id: str | None
    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class DelegationDelta:
    """More of one delegation's own text (parallel or under a coordinator)."""

    type: ClassVar[str] = "delegation.delta"
    delegation_id: str
    offset: int
    text: str


Delta = MessageDelta | DelegationDelta


class Sink(Protocol):
    """Where a run's events go."""

    async def emit(self, event: Structural) -> None:
        """Store `event`; return once it is committed. Raises when the run is no longer ours."""

    def delta(self, event: Delta) -> None:
        """Pass on text at once. Never blocks, never writes."""
