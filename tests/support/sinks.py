"""Sinks for runs without a database."""

import asyncio
from typing import Any

from orchestration.events import DelegationDelta, Delta, MessageDelta, Structural


class CollectingSink:
    """Keeps every event in the order in which it came; tests wait for what they need with `until`."""

    def __init__(self) -> None:
        self.events: list[Structural | Delta] = []
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    async def emit(self, event: Structural) -> None:
        self.events.append(event)
        await self._notify()

    def delta(self, event: Delta) -> None:
        self.events.append(event)
        task = asyncio.get_running_loop().create_task(self._notify())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def until(self, kind: str, count: int = 1, within: float = 5.0) -> None:
        """Return once `count` events of type `kind` have come."""
        async with asyncio.timeout(within), self._changed:
            await self._changed.wait_for(lambda: len(self.of(kind)) >= count)

    def of(self, kind: str) -> list[Any]:
        """The events of one type, in order."""
        return [event for event in self.events if event.type == kind]

    def one(self, kind: str) -> Any:
        """The only event of its type."""
        (event,) = self.of(kind)
        return event

    @property
    def types(self) -> list[str]:
        """The types in order, repeated deltas shown once."""
        shown: list[str] = []
        for event in self.events:
            if not (isinstance(event, MessageDelta | DelegationDelta) and shown[-1:] == [event.type]):
                shown.append(event.type)
        return shown

    @property
    def text(self) -> str:
        """The message as its deltas make it; each delta must go on where the text ends."""
        text = ""
        for event in self.of("message.delta"):
            assert event.offset == len(text)
            text += event.text
        return text

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()
