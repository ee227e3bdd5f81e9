"""The one place where an agent is called, whoever asks for it."""

import asyncio
import time
from contextlib import aclosing
from typing import Any, Final, NotRequired, TypedDict

from frontdesk_agent.contract import CitationEvent, Done, Tool
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from orchestration.directory import Entry
from orchestration.events import DelegationFinished, DelegationStarted, DelegationTool, Json
from orchestration.ids import delegation_id
from orchestration.preconditions import prepare_call
from orchestration.retries import attempts
from orchestration.run import Run
from orchestration.transcript import Transcript
from orchestration.transports import faults
from orchestration.transports.base import Call, Piece, Transport

# Each is an event and a stored row; an agent that uses more is lost in a loop.
MAX_TOOLS: Final = 500


class Assignment(TypedDict):
    """Who is to do what. `position` counts the delegations under `parent` from 0; `instead_of` is the agent
    that was asked first and is down."""

    agent: str
    task: str
    position: int
    parent: str | None
    instead_of: NotRequired[str]


class Result(TypedDict):
    """How a delegation ended. `status` is completed, failed or timed_out; `context` is what the agent
    wrote back of the fields that its card declares."""

    delegation_id: str
    agent: str
    display_name: str
    status: str
    text: str
    error: Json | None
    citations: list[Json]
    usage: dict[str, int]
    context: dict[str, Any]


async def delegate(run: Run, assignment: Assignment) -> Result:
    """Call one agent; its text is the run's answer.

    Everything that can go wrong with the call ends in the result. Raises `AGENT_NOT_FOUND` for an agent
    outside the directory, and whatever the sink raises. A cancellation passes through untouched, with
    the call upstream closed.
    """
    entry = run.directory.get(assignment["agent"])
    if entry is None:
        raise FrontdeskError(ErrorCode.AGENT_NOT_FOUND, f"There is no agent {assignment['agent']} here.")
    work = _Work(run, entry, assignment)
    await run.sink.emit(work.started())
    try:
        await work.carry_out()
    except FrontdeskError as error:
        await work.say_rest()
        work.error = error
    finished = work.finished()
    await run.sink.emit(finished)
    return work.result(finished)


class _Work:
    """One delegation while it goes on."""

    def __init__(self, run: Run, entry: Entry, assignment: Assignment) -> None:
        self.id = delegation_id(run.request.run_id, assignment["position"], assignment["parent"])
        self.error: FrontdeskError | None = None
        self._run = run
        self._entry = entry
        self._assignment = assignment
        self._transcript = Transcript(entry.card)
        self._began = time.monotonic()
        self._first_token_ms: int | None = None
        self._attempts = 0
        self._heard = False
        self._timed_out = False
        self._tools = 0

    async def carry_out(self) -> None:
        """Check, call, retry, stream, all within the card's deadline."""
        card = self._entry.card
        call = prepare_call(
            self._entry,
            self._assignment["task"],
            instead_of=self._assignment.get("instead_of"),
            delegation_id=self.id,
            request=self._run.request,
            directory=self._run.directory,
            environment=self._run.environment,
        )
        transport = self._run.transports.get(card.transport)
        if transport is None:
            raise faults.unavailable(card.display_name, "is reached in a way that is not supported here.")
        try:
            async with asyncio.timeout(card.timeout_ms / 1000) as deadline:
                await self._attempt_all(transport, call)
        except TimeoutError:
            if not deadline.expired():
                raise
            self._timed_out = True
            raise _timeout(card.display_name) from None

    async def _attempt_all(self, transport: Transport, call: Call) -> None:
        # A second attempt after the first output would say things twice.
        async for attempt in attempts(self._entry.card, lambda _: not self._heard):
            with attempt:
                self._attempts += 1
                await self._attempt(transport, call)

    async def _attempt(self, transport: Transport, call: Call) -> None:
        async with aclosing(transport.stream(call)) as pieces:
            async for piece in pieces:
                self._heard = True
                if isinstance(piece, str):
                    await self._say(self._transcript.add(piece))
                else:
                    await self._take(piece)
        await self.say_rest()
        if self._transcript.done is None:
            raise faults.interrupted(call.agent)
        await self._say(self._transcript.whole())

    async def say_rest(self) -> None:
        """Say what was held back of the text."""
        await self._say(self._transcript.flush())

    async def _say(self, text: str) -> None:
        if not text:
            return
        if self._first_token_ms is None:
            self._first_token_ms = self._elapsed_ms()
            await self._run.answer.start(self._entry.name)
        self._run.answer.say(text, self.id)

    async def _take(self, piece: Piece) -> None:
        if isinstance(piece, Done):
            self._transcript.done = piece
        elif isinstance(piece, Tool):
            self._tools += 1
            if self._tools > MAX_TOOLS:
                raise faults.too_much(self._entry.card.display_name)
            await self._run.sink.emit(
                DelegationTool(delegation_id=self.id, name=piece.name, arguments=piece.arguments)
            )
        elif isinstance(piece, CitationEvent):
            self._transcript.cite(piece)

    def started(self) -> DelegationStarted:
        """The event that opens this delegation's row."""
        card = self._entry.card
        return DelegationStarted(
            delegation_id=self.id,
            parent=self._assignment["parent"],
            position=self._assignment["position"],
            agent=card.name,
            display_name=card.display_name,
            version=card.version,
            task=self._assignment["task"],
        )

    def finished(self) -> DelegationFinished:
        """The event that closes it."""
        text = self._transcript.text
        return DelegationFinished(
            delegation_id=self.id,
            agent=self._entry.name,
            status=self._status(),
            result=text,
            error=self.error.as_dict() if self.error else None,
            citations=self._transcript.citations,
            usage=self._transcript.usage,
            first_token_ms=self._first_token_ms,
            duration_ms=self._elapsed_ms(),
            attempts=self._attempts,
            empty=self.error is None and not text.strip(),
        )

    def result(self, finished: DelegationFinished) -> Result:
        """The same for whoever delegated."""
        return Result(
            delegation_id=self.id,
            agent=self._entry.name,
            display_name=self._entry.card.display_name,
            status=finished.status,
            text=finished.result,
            error=finished.error,
            citations=list(finished.citations),
            usage=self._transcript.usage,
            context=self._transcript.written_back,
        )

    def _status(self) -> str:
        if self.error is None:
            return "completed"
        return "timed_out" if self._timed_out else "failed"

    def _elapsed_ms(self) -> int:
        return round((time.monotonic() - self._began) * 1000)


def _timeout(agent: str) -> FrontdeskError:
    return FrontdeskError(ErrorCode.AGENT_TIMEOUT, f"{agent} took longer than it may.", retryable=True)
