"""What routing works on, and what it comes to."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from orchestration.directory import Directory
from orchestration.request import RunRequest
from orchestration.routing.keywords import Hit
from orchestration.routing.text import fold

if TYPE_CHECKING:
    from orchestration.routing.index import Index


@dataclass(frozen=True, slots=True)
class Candidate:
    """An agent and how much speaks for it: 0 nothing, 1 everything."""

    agent: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Who answers (nobody: `agents` is empty), by which tier, and why.

    `task` is what is left of the message for them, None for all of it.
    """

    tier: str
    agents: tuple[str, ...]
    reason: str
    confidence: float
    mode: str = "single"
    task: str | None = None
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class Question:
    """One message on its way through the tiers. What the later tiers look at is computed when first asked."""

    request: RunRequest
    directory: Directory
    index: "Index" = field(repr=False)

    @cached_property
    def text(self) -> str:
        """The folded message."""
        return fold(self.request.input)

    @cached_property
    def hits(self) -> list[Hit]:
        """The keywords in it, longest first."""
        return self.index.keywords.find(self.text)

    @cached_property
    def ranking(self) -> tuple[Candidate, ...]:
        """Every agent by likeness, best first."""
        return self.index.rank(self.request.input)

    def score(self, agent: str) -> float:
        """The likeness of one agent; 0 for those that are not ranked."""
        return next((found.score for found in self.ranking if found.agent == agent), 0.0)
