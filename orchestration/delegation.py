"""The one place where an agent is called, whoever asks for it."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any, Final, TypedDict

import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from frontdesk_agent.contract import CitationEvent, Done, Tool
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from frontdesk_agent.text import TextCleaner
from orchestration.directory import Entry
from orchestration.events import DelegationFinished, DelegationStarted, DelegationTool, Json
from orchestration.ids import delegation_id
from orchestration.preconditions import prepare_call
from orchestration.run import Run
from orchestration.transports import faults
from orchestration.transports.base import Call, Piece, Transport

log = structlog.get_logger(__name__)

MAX_TEXT: Final = 4 * 1024 * 1024
_backoff = wait_random_exponential(multiplier=0.2, max=5)


class Assignment(TypedDict):
    """Who is to do what. `position` counts the delegations under `parent` from 0."""

    agent: str
    task: str
    position: int
    parent: str | None


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
    _log(run, finished)
    return work.result(finished)


class _Work:
    """One delegation while it goes on."""

    def __init__(self, run: Run, entry: Entry, assignment: Assignment) -> None:
        self.id = delegation_id(run.request.run_id, assignment["position"], assignment["parent"])
        self.error: FrontdeskError | None = None
        self._run = run
        self._entry = entry
        self._assignment = assignment
        self._began = time.monotonic()
        self._first_token_ms: int | None = None
        self._attempts = 0
        self._timed_out = False
        self._heard = False
        self._text: list[str] = []
        self._length = 0
        self._cleaner = TextCleaner()
        self._citations: list[Json] = []
        self._done: Done | None = None

    async def carry_out(self) -> None:
        """Check, call, retry, stream, all within the card's deadline."""
        card = self._entry.card
        call = prepare_call(
            self._entry,
            self._assignment["task"],
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
        card = self._entry.card
        retrying = AsyncRetrying(
            stop=stop_after_attempt(card.max_retries + 1) | stop_before_delay(card.timeout_ms / 1000),
            wait=_pause,
            retry=retry_if_exception(self._may_retry),
            reraise=True,
            sleep=asyncio.sleep,
        )
        async for attempt in retrying:
            with attempt:
                self._attempts += 1
                await self._attempt(transport, call)

    def _may_retry(self, error: BaseException) -> bool:
        # A second attempt after the first output would say things twice.
        return isinstance(error, FrontdeskError) and error.retryable and not self._heard

    async def _attempt(self, transport: Transport, call: Call) -> None:
        async with aclosing(transport.stream(call)) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    await self._say(self._cleaner.feed(piece))
                else:
                    await self._take(piece)
                self._heard = True
        await self.say_rest()
        if self._done is None:
            raise faults.interrupted(call.agent)
        if not self._text and self._done.output:
            await self._say(self._done.output)

    async def say_rest(self) -> None:
        """Say what the cleaner held back: half a character that nothing completed."""
        await self._say(self._cleaner.flush())

    async def _say(self, text: str) -> None:
        if not text:
            return
        answer = self._run.answer
        if self._first_token_ms is None:
            self._first_token_ms = self._elapsed_ms()
            await answer.start(self._entry.name)
        if self._length + len(text) > MAX_TEXT:
            raise faults.too_much(self._entry.card.display_name)
        self._text.append(text)
        self._length += len(text)
        answer.say(text, self.id)

    async def _take(self, piece: Piece) -> None:
        if isinstance(piece, Done):
            self._done = piece
        elif isinstance(piece, Tool):
            await self._run.sink.emit(
                DelegationTool(delegation_id=self.id, name=piece.name, arguments=piece.arguments)
            )
        elif isinstance(piece, CitationEvent):
            self._citations.append(piece.model_dump())

    def started(self) -> DelegationStarted:
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
        return DelegationFinished(
            delegation_id=self.id,
            agent=self._entry.name,
            status=self._status(),
            result="".join(self._text),
            error=self.error.as_dict() if self.error else None,
            citations=self._all_citations(),
            usage=self._done.usage.model_dump() if self._done else {},
            first_token_ms=self._first_token_ms,
            duration_ms=self._elapsed_ms(),
            attempts=self._attempts,
            empty=self.error is None and not "".join(self._text).strip(),
        )

    def result(self, finished: DelegationFinished) -> Result:
        return Result(
            delegation_id=self.id,
            agent=self._entry.name,
            display_name=self._entry.card.display_name,
            status=finished.status,
            text=finished.result,
            error=finished.error,
            citations=list(finished.citations),
            usage=dict(finished.usage),
            context=self._written_back(),
        )

    def _status(self) -> str:
        if self.error is None:
            return "completed"
        return "timed_out" if self._timed_out else "failed"

    def _all_citations(self) -> Sequence[Json]:
        cited = list(self._citations)
        for citation in self._done.citations if self._done else ():
            plain = citation.model_dump()
            if plain not in cited:
                cited.append(plain)
        return cited

    def _written_back(self) -> dict[str, Any]:
        context = (self._done.context or {}) if self._done else {}
        declared = self._entry.card.required_context
        return {name: value for name, value in context.items() if name in declared}

    def _elapsed_ms(self) -> int:
        return round((time.monotonic() - self._began) * 1000)


def _pause(state: RetryCallState) -> float:
    """Seconds before the next attempt: a growing random time, and never less than the agent asked for."""
    error = state.outcome.exception() if state.outcome else None
    details = error.details if isinstance(error, FrontdeskError) else None
    asked = details.get("retry_after_s", 0.0) if isinstance(details, dict) else 0.0
    return max(_backoff(state), asked)


def _timeout(agent: str) -> FrontdeskError:
    return FrontdeskError(ErrorCode.AGENT_TIMEOUT, f"{agent} took longer than it may.", retryable=True)


def _log(run: Run, finished: DelegationFinished) -> None:
    log.info(
        "delegation_finished",
        trace_id=run.request.trace_id,
        session_id=run.request.conversation_id,
        agent_name=finished.agent,
        status=finished.status,
        error_code=finished.error["code"] if finished.error else None,
        latency_ms=finished.duration_ms,
        first_token_ms=finished.first_token_ms,
        attempts=finished.attempts,
        **finished.usage,
    )
