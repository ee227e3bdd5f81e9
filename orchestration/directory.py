"""The snapshot of cards that one person may reach right now, each resolved to one version."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from frontdesk_agent.card import AgentCard


@dataclass(frozen=True)
class Entry:
    """One agent as it may be called: its live card, and whether an admin let it use its secret."""

    card: AgentCard
    secret_allowed: bool = False

    @property
    def name(self) -> str:
        return self.card.name


@dataclass(frozen=True)
class Directory:
    """Immutable; safe to share between runs.

    `revision` names the registry's state it was built from; `fallback` is the general agent's name, if
    this person can reach it.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    revision: str = ""
    fallback: str | None = None

    @classmethod
    def of(cls, entries: Iterable[Entry], *, revision: str = "", fallback: str | None = None) -> "Directory":
        by_name = {entry.name: entry for entry in entries}
        return cls(MappingProxyType(by_name), revision, fallback if fallback in by_name else None)

    def get(self, name: str) -> Entry | None:
        return self.entries.get(name)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    def __len__(self) -> int:
        return len(self.entries)

    @cached_property
    def fingerprint(self) -> tuple[tuple[str, str], ...]:
        """What caches of things made from these cards are keyed by: every (name, version)."""
        return tuple(sorted((entry.name, entry.card.version) for entry in self))
