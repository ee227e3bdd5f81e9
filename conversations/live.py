"""A run while this process executes it: orchestration's sink, and the state viewers start from."""

import asyncio
import time
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from conversations import events
from conversations.closing import closing_events
from conversations.events import Event
from conversations.hub import Hub
from conversations.models import Conversation, Delegation, Message
from conversations.projection import Change, Target
from conversations.recorder import Entry, Recorder
from conversations.state import Row, State, apply
from frontdesk_agent.errors import FrontdeskError
from orchestration.events import DelegationDelta, DelegationStarted, Delta, MessageDelta, Structural
from orchestration.request import Outcome

# Which field of the event names the text that begins or ends with it.
_TEXT_BEGINS = {"message.started": "message_id", "delegation.started": "delegation_id"}
_TEXT_ENDS = {"message.completed": "message_id", "delegation.finished": "delegation_id"}


class LeaseLostError(Exception):
    """Somebody else may write this run now (or its lease lapsed): whatever we still say is void."""


@dataclass(slots=True)
class OpenText:
    """Text that grows. Nothing of it is published before the event that announced it."""

    seq: int
    event: Event
    column: tuple[type[Message | Delegation], str]
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    published: bool = False
    dirty: bool = False

    @property
    def text(self) -> str:
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def whole(self) -> Event:
        """One delta from offset 0 that carries all there is."""
        return {**self.event, "at": events.timestamp(), "offset": 0, "text": self.text}


class LiveRun:
    """Implements `orchestration.events.Sink`. Lives on one event loop; never writes, only hands over."""

    def __init__(self, *, target: Target, started: Event, recorder: Recorder, hub: Hub) -> None:
        self.target = target
        self.id = str(target.run_id)
        self.task: asyncio.Task[None] | None = None
        self.ending: FrontdeskError | None = None
        self.lost = False
        self.begun = False
        self._recorder = recorder
        self._hub = hub
        self._began = time.monotonic()
        self._first_text_ms: int | None = None
        self._seq: int = started["seq"]
        self._state: State = {"messages": [], "run": None, "runs": []}
        self._texts: dict[str, OpenText] = {}
        self._tools: dict[str, list[Row]] = {}
        self._began_delegation: dict[str, float] = {}
        self._first_ms: dict[str, int] = {}
        self._last_stored: asyncio.Future[None] | None = None
        apply(self._state, started)
        hub.publish(target.conversation_id, started)

    # -- what orchestration calls

    async def emit(self, event: Structural) -> None:
        """Only a delegation's start is waited for: its row is there before its agent is called."""
        self._check_going_on()
        stored = self._say(event.type, events.fields_of(event))
        if isinstance(event, DelegationStarted):
            await asyncio.shield(stored)

    def delta(self, event: Delta) -> None:
        self._check_going_on()
        key = event.message_id if isinstance(event, MessageDelta) else event.delegation_id
        text = self._texts[key]
        text.pieces.append(event.text)
        text.length += len(event.text)
        text.dirty = True
        if self._first_text_ms is None:
            self._first_text_ms = self.elapsed_ms
        if isinstance(event, MessageDelta):
            text.event["delegation_id"] = event.delegation_id
        if event.delegation_id is not None and event.delegation_id not in self._first_ms:
            self._first_ms[event.delegation_id] = self._since(event.delegation_id)
        if text.published and self._hub.watched(self.target.conversation_id):
            self._hub.publish(self.target.conversation_id, events.delta(self.id, event))

    # -- what the runner calls

    @property
    def elapsed_ms(self) -> int:
        return round((time.monotonic() - self._began) * 1000)

    async def finish(self, outcome: Outcome) -> None:
        """Say `run.finished`; returns once it is stored. Raises `LeaseLostError`.

        `outcome.context` is the conversation's whole context from now on.
        """
        fields = {
            "status": outcome.status,
            "error": outcome.error,
            "usage": dict(outcome.usage),
            "first_token_ms": self._first_text_ms,
            "duration_ms": self.elapsed_ms,
        }
        # Shielded: a stop that comes now is too late, and must not break off what is being stored.
        await asyncio.shield(self._say("run.finished", fields, self._remembered(outcome)))

    async def close(self, error: FrontdeskError) -> None:
        """End everything that is open with `error`, text so far kept. Raises `LeaseLostError`."""
        if self._last_stored is not None:
            await self._last_stored
        run = self.run
        if run["status"] in events.FINAL:
            return
        run["first_token_ms"] = self._first_text_ms
        for delegation in run["delegations"]:
            if delegation["first_token_ms"] is None:
                delegation["first_token_ms"] = self._first_ms.get(delegation["id"])
        stored = self._last_stored
        for type_, fields in closing_events(run, self.answer, error, elapsed_ms=self.elapsed_ms):
            stored = self._say(type_, fields)
        if stored is not None:
            await stored

    def stop(self, error: FrontdeskError) -> None:
        """End the run with `error`; the first one counts."""
        if self.ending is None and self.task is not None:
            self.ending = error
            self._cancel()

    def lose(self) -> None:
        """Give the run up without another word: it is somebody else's to end."""
        self.lost = True
        self._cancel()

    def flush_text(self) -> None:
        """Hand the text that grew since the last time to the recorder."""
        changes = []
        for key, text in self._texts.items():
            if text.dirty:
                text.dirty = False
                model, column = text.column
                changes.append(Change(model, UUID(key), {column: text.text}))
        if changes:
            self._add(None, changes)

    # -- what viewers start from

    @property
    def run(self) -> Row:
        """A copy of the run as published so far."""
        run: Row = deepcopy(self._state["run"])
        for delegation in run["delegations"]:
            if (text := self._texts.get(delegation["id"])) and text.published:
                delegation["result"] = text.text
        return run

    @property
    def answer(self) -> Row | None:
        """A copy of the answer as published so far, None before it begins."""
        found = next((row for row in self._state["messages"] if row["role"] == "assistant"), None)
        if found is None:
            return None
        answer: Row = deepcopy(found)
        if (text := self._texts.get(answer["id"])) and text.published:
            answer["content"] = text.text
        return answer

    @property
    def seq(self) -> int:
        """The last structural event that was published."""
        return int(self._state["run"]["seq"])

    def open_texts(self, seq: int) -> list[Event]:
        """One delta from offset 0 for each growing text that was announced up to `seq`."""
        texts = self._texts.values()
        return [text.whole() for text in texts if text.published and text.length and text.seq <= seq]

    # -- inside

    def _since(self, delegation_id: str) -> int:
        began = self._began_delegation.get(delegation_id, self._began)
        return round((time.monotonic() - began) * 1000)

    def _check_going_on(self) -> None:
        # An agent that swallows its cancellation must not go on talking.
        if self.ending is not None or self.lost:
            raise asyncio.CancelledError

    def _cancel(self) -> None:
        # A task that has not begun would end without a word; it looks for itself when it begins.
        if self.task is not None and self.begun:
            self.task.cancel()

    def _say(self, type_: str, fields: Event, changes: Sequence[Change] = ()) -> asyncio.Future[None]:
        self._seq += 1
        event = events.structural(self.id, self._seq, type_, fields)
        if type_ == "message.started":
            base = {"type": MessageDelta.type, "run": self.id, "message_id": fields["message_id"]}
            self._texts[fields["message_id"]] = OpenText(self._seq, base, (Message, "content"))
        elif type_ == "delegation.started":
            base = {"type": DelegationDelta.type, "run": self.id, "delegation_id": fields["delegation_id"]}
            self._began_delegation[fields["delegation_id"]] = time.monotonic()
            self._texts[fields["delegation_id"]] = OpenText(self._seq, base, (Delegation, "result"))
        elif type_ == "delegation.tool":
            used = {"name": fields["name"], "arguments": fields["arguments"]}
            self._tools.setdefault(fields["delegation_id"], []).append(used)
        elif type_ == "delegation.finished" and (tools := self._tools.pop(fields["delegation_id"], None)):
            changes = [*changes, Change(Delegation, UUID(fields["delegation_id"]), {"tools": tools})]
        if (ended := _TEXT_ENDS.get(type_)) and (text := self._texts.get(fields[ended])):
            text.dirty = False  # the event brings the whole text; a flush behind it would come after the end
        return self._add(event, changes)

    def _add(self, event: Event | None, changes: Sequence[Change]) -> asyncio.Future[None]:
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Nobody waits for most of them; an exception nobody fetched is no news.
        stored.add_done_callback(lambda done: done.cancelled() or done.exception())

        def done(ok: bool) -> None:  # noqa: FBT001 - the recorder's callback
            self._on_stored(event, stored, ok=ok)

        self._recorder.add(Entry(self.target, event, changes, done))
        self._last_stored = stored
        return stored

    def _on_stored(self, event: Event | None, stored: asyncio.Future[None], *, ok: bool) -> None:
        if not ok:
            if not stored.done():
                stored.set_exception(LeaseLostError(self.id))
            self.lose()
            return
        if event is not None:
            self._publish(event)
        if not stored.done():
            stored.set_result(None)

    def _publish(self, event: Event) -> None:
        apply(self._state, event)
        self._hub.publish(self.target.conversation_id, event)
        if key := _TEXT_BEGINS.get(event["type"]):
            text = self._texts[event[key]]
            text.published = True
            if text.length:
                self._hub.publish(self.target.conversation_id, text.whole())
        elif key := _TEXT_ENDS.get(event["type"]):
            self._texts.pop(event[key], None)

    def _remembered(self, outcome: Outcome) -> list[Change]:
        fields: dict[str, Any] = {}
        if outcome.agent:
            fields["last_agent"] = outcome.agent
        if outcome.context:
            fields["context"] = dict(outcome.context)
        return [Change(Conversation, self.target.conversation_id, fields)] if fields else []
