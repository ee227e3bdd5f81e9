"""The message a run writes: begun at its first text, extended by deltas, completed once."""

from collections.abc import Mapping, Sequence
from typing import Any

from orchestration.events import Json, MessageCompleted, MessageDelta, MessageStarted, Sink
from orchestration.ids import message_id


class Answer:
    """One run's answer. `content` is always the sum of its deltas."""

    def __init__(self, run_id: str, sink: Sink) -> None:
        self.id = message_id(run_id)
        self.started = False
        self._sink = sink
        self._parts: list[str] = []
        self._length = 0

    @property
    def content(self) -> str:
        return "".join(self._parts)

    async def start(self, agent: str | None) -> None:
        """Announce the message, once; `agent` is who speaks, None for the platform."""
        if not self.started:
            self.started = True
            await self._sink.emit(MessageStarted(message_id=self.id, agent=agent))

    def say(self, text: str, delegation_id: str | None = None) -> None:
        """Extend the message, which has been started."""
        self._sink.delta(MessageDelta(self.id, delegation_id, self._length, text))
        self._parts.append(text)
        self._length += len(text)

    async def complete(
        self,
        *,
        partial: bool = False,
        citations: Sequence[Json] = (),
        usage: Mapping[str, Any] | None = None,
    ) -> None:
        """End the message; `partial` when its agent broke off."""
        await self._sink.emit(
            MessageCompleted(
                message_id=self.id,
                content=self.content,
                status="partial" if partial else "complete",
                citations=citations,
                usage=usage or {},
            )
        )

    async def speak_for_platform(self, text: str) -> None:
        """The whole message at once, in the platform's own name."""
        await self.start(None)
        self.say(text)
        await self.complete()
