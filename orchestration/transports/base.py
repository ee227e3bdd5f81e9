"""What every transport does: make one call of one agent and pass on what it says."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from frontdesk_agent.contract import AgentRequest, CitationEvent, Done, Tool
from orchestration.directory import Entry

# Text is a bare `str`: one object per token is enough.
Piece = str | Tool | CitationEvent | Done


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call, with everything that goes over the wire. `secret` is the resolved one, never logged."""

    entry: Entry
    request: AgentRequest
    delegation_id: str
    trace_id: str
    traceparent: str
    secret: str | None = field(default=None, repr=False)
    forward_headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def agent(self) -> str:
        """The agent's name as people see it, for sentences."""
        return self.entry.card.display_name


class Transport(Protocol):
    """One way to reach agents."""

    def stream(self, call: Call) -> AsyncGenerator[Piece, None]:
        """Yield what the agent says as it says it, and a `Done` last.

        Raises `FrontdeskError` when the call fails, also in the middle. Closing the generator, or
        cancelling whoever waits for it, ends the call upstream at once.
        """

    async def aclose(self) -> None:
        """Give back what is held open between calls."""
