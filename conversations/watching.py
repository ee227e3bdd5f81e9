"""How a viewer follows a conversation: subscribe first, then read the snapshot, then follow."""

import asyncio
from typing import Any
from uuid import UUID

from conversations import selectors
from conversations.db import in_db
from conversations.events import Event
from conversations.live import LiveRun
from conversations.models import Conversation
from conversations.representation import conversation_json
from conversations.runner import Runner
from conversations.state import State


class Watcher:
    """One viewer's feed of one conversation. Use `close` when the viewer has gone."""

    def __init__(self, runner: Runner, conversation_id: UUID) -> None:
        self._runner = runner
        self._conversation_id = conversation_id
        self._subscription = runner.hub.subscribe(conversation_id)
        self._seen: dict[str, int] = {}
        # Held while a replay is sent, so that what is live comes after what was before it.
        self.sending = asyncio.Lock()

    def close(self) -> None:
        self._subscription.close()

    @property
    def live(self) -> LiveRun | None:
        """The run that this process executes in the conversation."""
        return self._runner.live(self._conversation_id)

    def seen(self, run_id: str) -> int:
        """The last structural event of a run that this viewer was given."""
        return self._seen.get(run_id, 0)

    async def hello(self) -> Event:
        """The snapshot; what `events` gives from here on continues it."""
        conversation, state = await in_db(_read, self._conversation_id)
        self._overlay(state)
        run = state["run"]
        self._seen = {run["id"]: run["seq"]} if run else {}
        return {"type": "hello", "conversation": conversation, "state": state}

    async def replay(self, run_id: str, after: int) -> list[Event]:
        """The stored events beyond `after`, then one delta from offset 0 for each open text."""
        stored = await in_db(selectors.events_after, run_id, after)
        live = self._runner.live(self._conversation_id)
        if live is not None and live.id != run_id:
            live = None
        # `after` is the viewer's word; beyond what there is, it must not hide what comes.
        known = stored[-1]["seq"] if stored else min(after, live.seq if live else 0)
        self._seen[run_id] = max(known, self.seen(run_id))
        return [*stored, *live.open_texts(known)] if live else stored

    async def events(self) -> list[Event] | None:
        """Waits for what is new. None says the viewer fell too far behind: start again from `hello`."""
        events = await self._subscription.get()
        if self._subscription.overflowed:
            self._subscription.clear()
            return None
        return [event for event in events if self._is_new(event)]

    def _is_new(self, event: Event) -> bool:
        seq = event.get("seq")
        if seq is None:
            return True
        if seq <= self._seen.get(event["run"], 0):
            return False
        self._seen[event["run"]] = seq
        return True

    def _overlay(self, state: State) -> None:
        """Put the memory of the executing process over the rows, which lag behind by a commit."""
        live = self._runner.live(self._conversation_id)
        if live is None or state["run"] is None or live.id != state["run"]["id"]:
            return
        state["run"] = live.run
        others = [m for m in state["messages"] if m["role"] != "assistant" or m["run"] != live.id]
        state["messages"] = [*others, answer] if (answer := live.answer) else others
        # The state holds everything that was published up to now.
        self._subscription.clear()


def _read(conversation_id: UUID) -> tuple[dict[str, Any], State]:
    conversation = Conversation.objects.get(pk=conversation_id)
    return conversation_json(conversation), selectors.snapshot(conversation)
