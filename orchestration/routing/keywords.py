"""Finding cards' keywords in a question."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import re2

from orchestration.directory import Directory
from orchestration.routing.text import fold, joins_word

# Of one keyword. More tell no more, and a question that repeats itself must not cost its length squared.
MAX_HITS = 10

_OPTIONS = re2.Options()
_OPTIONS.case_sensitive = False
_OPTIONS.log_errors = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A keyword of `agent` in the question, at `[start, end)` of the folded text."""

    agent: str
    keyword: str
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start

    def inside(self, other: "Hit") -> bool:
        """Whether a longer hit covers this one, which then says nothing of its own."""
        return other.length > self.length and other.start <= self.start and self.end <= other.end


class Keywords:
    """The keywords of one directory, made ready once."""

    def __init__(self, directory: Directory) -> None:
        self._literals: list[tuple[str, str, str]] = []
        self._patterns: list[tuple[str, Any]] = []
        for entry in directory:
            for keyword in entry.card.routing_keywords:
                self._add(entry.name, keyword)

    def _add(self, agent: str, keyword: str) -> None:
        if keyword.startswith("re:"):
            self._patterns.append((agent, re2.compile(keyword.removeprefix("re:"), _OPTIONS)))
        elif folded := fold(keyword).strip():
            self._literals.append((agent, folded, keyword))

    def find(self, text: str) -> list[Hit]:
        """The hits in folded `text`, longest first, without those that lie inside a longer one."""
        hits = [*self._find_literals(text), *self._find_patterns(text)]
        outer = [hit for hit in hits if not any(hit.inside(other) for other in hits)]
        return sorted(outer, key=lambda hit: (-hit.length, hit.start, hit.agent))

    def _find_literals(self, text: str) -> Iterator[Hit]:
        for agent, folded, keyword in self._literals:
            if folded in text:
                for start in islice(_whole(folded, text), MAX_HITS):
                    yield Hit(agent, keyword, start, start + len(folded))

    def _find_patterns(self, text: str) -> Iterator[Hit]:
        for agent, pattern in self._patterns:
            for match in islice(pattern.finditer(text), MAX_HITS):
                if match.end() > match.start():
                    yield Hit(agent, match.group().upper(), match.start(), match.end())


def _whole(word: str, text: str) -> Iterator[int]:
    """Where `word` stands in `text` without cutting a word of a spaced script in two."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        cut_before = start > 0 and joins_word(text[start - 1]) and joins_word(word[0])
        cut_after = end < len(text) and joins_word(text[end]) and joins_word(word[-1])
        if not (cut_before or cut_after):
            yield start
        start = text.find(word, start + 1)
