"""Who watches which conversation in this process: events go from the run straight to its viewers."""

import asyncio
from collections import deque
from uuid import UUID
from weakref import WeakSet

from conversations.events import Event

# A viewer this far behind is told the state afresh instead of every step to it.
BACKLOG = 5_000


class Subscription:
    """One viewer's queue. `get` waits for events; adjacent deltas of one text come joined."""

    def __init__(self, hub: "Hub", conversation_id: UUID) -> None:
        self._hub = hub
        self._conversation_id = conversation_id
        self._queue: deque[Event] = deque()
        self._wake = asyncio.Event()
        self.overflowed = False

    def push(self, event: Event) -> None:
        if len(self._queue) >= BACKLOG:
            self._queue.clear()
            self.overflowed = True
        self._queue.append(event)
        self._wake.set()

    def clear(self) -> None:
        self._queue.clear()
        self.overflowed = False

    async def get(self) -> list[Event]:
        await self._wake.wait()
        self._wake.clear()
        events = list(self._queue)
        self._queue.clear()
        return events if len(events) < 2 else _joined(events)

    def close(self) -> None:
        self._hub.remove(self._conversation_id, self)


class Hub:
    """Fans a conversation's events out to its subscriptions. For use on one event loop."""

    def __init__(self) -> None:
        # Weak: a response that is dropped before its first byte has nobody who would close it.
        self._subscriptions: dict[UUID, WeakSet[Subscription]] = {}

    def subscribe(self, conversation_id: UUID) -> Subscription:
        subscription = Subscription(self, conversation_id)
        self._subscriptions.setdefault(conversation_id, WeakSet()).add(subscription)
        return subscription

    def remove(self, conversation_id: UUID, subscription: Subscription) -> None:
        if (watching := self._subscriptions.get(conversation_id)) is None:
            return
        watching.discard(subscription)
        if not watching:
            del self._subscriptions[conversation_id]

    def watched(self, conversation_id: UUID) -> bool:
        return conversation_id in self._subscriptions

    def publish(self, conversation_id: UUID, event: Event) -> None:
        for subscription in self._subscriptions.get(conversation_id, ()):
            subscription.push(event)


def _joined(events: list[Event]) -> list[Event]:
    """`events` with each stretch of deltas that continue one text made one."""
    joined: list[Event] = []
    pieces: list[str] = []
    end = 0
    for event in events:
        if pieces and event["type"] == joined[-1]["type"] and _continues(joined[-1], event, end):
            pieces.append(event["text"])
            end += len(event["text"])
            continue
        _close(joined, pieces)
        joined.append(event)
        pieces = [event["text"]] if "offset" in event else []
        end = event["offset"] + len(event["text"]) if pieces else 0
    _close(joined, pieces)
    return joined


def _continues(first: Event, event: Event, end: int) -> bool:
    same = all(first.get(key) == event.get(key) for key in ("run", "message_id", "delegation_id"))
    return same and event["offset"] == end


def _close(joined: list[Event], pieces: list[str]) -> None:
    if len(pieces) > 1:
        joined[-1] = {**joined[-1], "text": "".join(pieces)}
