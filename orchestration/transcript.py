"""What one agent said in one delegation."""

from collections.abc import Sequence
from typing import Any, Final

from frontdesk_agent.card import AgentCard
from frontdesk_agent.contract import CitationEvent, Done
from frontdesk_agent.errors import FrontdeskError
from frontdesk_agent.text import TextCleaner
from orchestration.events import Json
from orchestration.transports import faults

MAX_TEXT: Final = 4 * 1024 * 1024
"""How many code points an answer may hold."""


class Transcript:
    """Grows piece by piece; text is cleaned on the way in, once."""

    def __init__(self, card: AgentCard) -> None:
        self.done: Done | None = None
        self._card = card
        self._cleaner = TextCleaner()
        self._parts: list[str] = []
        self._length = 0
        self._cited: list[Json] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def add(self, raw: str) -> str:
        """What is certain of `raw` by now, cleaned. Raises `LIMIT_EXCEEDED` when it would be too much."""
        if self._length + len(raw) > MAX_TEXT:
            raise self._too_much()
        return self._keep(self._cleaner.feed(raw))

    def flush(self) -> str:
        """What was held back: half a character that nothing completed."""
        return self._keep(self._cleaner.flush())

    def whole(self) -> str:
        """The text that came only with `done`; empty when text was streamed, for then that is the answer."""
        output = self.done.output if self.done else None
        return "" if self._parts or not output else self.add(output)

    def cite(self, citation: CitationEvent) -> None:
        """Keep a source that was told as it was found."""
        self._cited.append(citation.model_dump())

    @property
    def citations(self) -> Sequence[Json]:
        """All sources, each once."""
        last = [citation.model_dump() for citation in self.done.citations] if self.done else []
        return [*self._cited, *(citation for citation in last if citation not in self._cited)]

    @property
    def usage(self) -> dict[str, int]:
        return self.done.usage.model_dump() if self.done else {}

    @property
    def written_back(self) -> dict[str, Any]:
        """What the agent wrote into the conversation's context, of the fields that its card declares."""
        context = (self.done.context if self.done else None) or {}
        return {name: value for name, value in context.items() if name in self._card.required_context}

    def _keep(self, text: str) -> str:
        if text:
            self._parts.append(text)
            self._length += len(text)
        return text

    def _too_much(self) -> FrontdeskError:
        return faults.too_much(self._card.display_name)
