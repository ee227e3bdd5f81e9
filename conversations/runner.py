"""The process's runner: executes runs, keeps their leases alive, sweeps up after processes that died.

One per process, on the event loop that serves; `ensure_started` is called by the ASGI application at its
first scope (or from lifespan), `shutdown` when the process is told to end.
"""

import asyncio
import contextvars
import threading
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import Any, TypeVar
from uuid import UUID
from weakref import WeakKeyDictionary

import structlog
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection

from conversations import leases, selectors, services
from conversations.closing import BROKEN, CANCELLED, INTERRUPTED
from conversations.db import in_db
from conversations.events import Event
from conversations.execution import execute, log_run, prepare_dry_run
from conversations.hub import Hub
from conversations.live import LeaseLostError, LiveRun
from conversations.models import Run
from conversations.recorder import Recorder
from conversations.services import Question, Started
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from orchestration.events import RouteDecided
from orchestration.supervisor import Supervisor
from registry.environment import orchestration_environment
from registry.selectors import whole_directory

log = structlog.get_logger(__name__)
T = TypeVar("T")

FLUSH_TEXT_S = 0.5
# For storing that the rest was interrupted, however short the grace was.
LAST_WORDS_S = 5.0

ELSEWHERE = FrontdeskError(
    ErrorCode.CONVERSATION_LOCKED,
    "This is being answered by another server process; it cannot be stopped here.",
)


class Runner:
    """Owns what outlives sockets and requests. For use on its own event loop, but for `submit`."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.holder = leases.new_holder()
        self.hub = Hub()
        self.supervisor = Supervisor(orchestration_environment())
        self.stopping = False
        self._recorder = Recorder()
        self._runs: dict[UUID, LiveRun] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._launches: set[asyncio.Task[Started]] = set()
        self._heart = threading.Event()

    # -- life

    async def start_up(self) -> None:
        self._recorder.start()
        threading.Thread(target=self._beat, name="lease-heartbeat", daemon=True).start()
        await self._sweep()
        self._spawn(self._warm())
        self._spawn(self._sweep_for_ever())
        self._spawn(self._flush_for_ever())

    async def shut_down(self) -> None:
        """Take no more runs, let running ones end for `SHUTDOWN_GRACE_S`, then fail the rest."""
        if self.stopping:
            return
        self.stopping = True
        running = [live.task for live in self._runs.values() if live.task]
        if running:
            await asyncio.wait(running, timeout=settings.SHUTDOWN_GRACE_S)
        for live in list(self._runs.values()):
            live.stop(INTERRUPTED)
        if rest := [live.task for live in self._runs.values() if live.task]:
            await asyncio.wait(rest, timeout=LAST_WORDS_S)
        self._heart.set()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._recorder.stop()
        await self.supervisor.aclose()

    def submit(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on the runner's loop from another thread and wait for it: for sync views."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=60)

    # -- what people do

    async def start(self, *, user: AbstractBaseUser, conversation_id: object, question: Question) -> Started:
        """Begin a run; returns when it is stored. Raises what `services.start_run` raises."""
        self._check_open()
        return await self._begin(
            user,
            in_db(
                services.start_run,
                user=user,
                conversation_id=conversation_id,
                question=question,
                holder=self.holder,
            ),
            question.headers,
        )

    async def retry(
        self, *, user: AbstractBaseUser, run_id: object, delegation_id: object = None, locale: str = "en"
    ) -> Started:
        """Begin a new run for an ended run's message. Raises what `services.retry_run` raises."""
        self._check_open()
        return await self._begin(
            user,
            in_db(
                services.retry_run,
                user=user,
                run_id=run_id,
                delegation_id=delegation_id,
                locale=locale,
                holder=self.holder,
            ),
            {},
        )

    async def cancel(self, *, user: AbstractBaseUser, run_id: object) -> Run:
        """Stop a run; returns when its rows are final. A run that has ended already stays as it is.

        Raises `CONVERSATION_LOCKED` for a run that another process executes.
        """
        run = await in_db(selectors.get_run, user, run_id)
        if self._launches:
            await asyncio.wait(self._launches)
        live = self._runs.get(run.conversation_id)
        if live is not None and live.target.run_id == run.id and live.task is not None:
            live.stop(CANCELLED)
            await asyncio.wait([live.task])
        run = await in_db(selectors.get_run, user, run_id)
        if run.status not in Run.FINAL:
            raise ELSEWHERE
        return run

    async def route(
        self, *, user: AbstractBaseUser, question: Question, conversation_id: object = None
    ) -> RouteDecided:
        """Who would answer, and why; calls nobody, stores nothing."""
        request, directory = await in_db(prepare_dry_run, user, question, conversation_id)
        return await self.supervisor.route(request, directory)

    @property
    def records(self) -> bool:
        """Whether what runs say is being stored."""
        return self._recorder.alive

    def live(self, conversation_id: UUID) -> LiveRun | None:
        """The run that this process executes in a conversation."""
        return self._runs.get(conversation_id)

    # -- execution

    async def _begin(
        self, user: AbstractBaseUser, begun: Coroutine[Any, Any, Started], headers: Any
    ) -> Started:
        # Whoever asked may go away at any moment; between the rows and the task nothing may be lost.
        launch = self._spawn(self._launch(user, begun, headers))
        self._launches.add(launch)
        launch.add_done_callback(self._launches.discard)
        return await asyncio.shield(launch)

    async def _launch(
        self, user: AbstractBaseUser, begun: Coroutine[Any, Any, Started], headers: Any
    ) -> Started:
        started = await begun
        self._tell_interrupted(started.conversation_id, started.interrupted)
        if started.target is None or started.event is None:
            return started
        live = LiveRun(target=started.target, started=started.event, recorder=self._recorder, hub=self.hub)
        self._runs[started.conversation_id] = live
        live.task = self._spawn(self._execute(live, user, headers))
        return started

    async def _execute(self, live: LiveRun, user: AbstractBaseUser, headers: Any) -> None:
        live.begun = True
        try:
            error = live.ending or await self._carry_out(live, user, headers)
            # The end is written by a task of its own: a second stop, or the shutdown, must not break it off.
            if error is not None and not live.lost:
                await self._end(live, error)
            if live.lost:
                await self._lost(live)
            else:
                log_run(live)
        finally:
            if self._runs.get(live.target.conversation_id) is live:
                del self._runs[live.target.conversation_id]

    async def _carry_out(self, live: LiveRun, user: AbstractBaseUser, headers: Any) -> FrontdeskError | None:
        """Why the run did not end by itself; None when it did, or when it is not ours any more."""
        try:
            await execute(self.supervisor, live, user, headers)
        except asyncio.CancelledError:
            return live.ending or INTERRUPTED
        except LeaseLostError:
            live.lost = True
        except FrontdeskError as raised:
            return raised
        except Exception:
            log.exception("run_failed", run=live.id)
            return BROKEN
        return None

    async def _lost(self, live: LiveRun) -> None:
        """Nothing more of this run can be stored: either its lease is gone, or the database refuses it."""
        log.warning("lease_lost", run=live.id)
        try:
            await in_db(services.fail_unstorable, live.target.token)
            for event in await in_db(selectors.events_after, live.id, live.seq):
                self.hub.publish(live.target.conversation_id, event)
        except Exception:
            # Its lease is renewed no longer, so the sweep will end it.
            log.warning("lost_run_not_ended", run=live.id, exc_info=True)

    async def _end(self, live: LiveRun, error: FrontdeskError) -> None:
        ending = self._spawn(live.close(error))
        while not ending.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([ending])
        failure = None if ending.cancelled() else ending.exception()
        if failure is not None:
            live.lost = True
            if not isinstance(failure, LeaseLostError):
                log.error("run_not_closed", run=live.id, exc_info=failure)

    def _check_open(self) -> None:
        if self.stopping:
            raise FrontdeskError(
                ErrorCode.RUN_INTERRUPTED, "The server is restarting. Please try again.", retryable=True
            )

    def _spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        # An empty context: a run must not inherit a request's database connections or Django's language.
        task = self.loop.create_task(work, context=contextvars.Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # -- housekeeping

    async def _warm(self) -> None:
        """The first question after a start must not wait for what routing has to read and build."""
        try:
            await self.supervisor.warm(await in_db(whole_directory))
        except Exception:
            log.warning("routing_not_warmed", exc_info=True)

    def _beat(self) -> None:
        """On a thread of its own, so that a busy loop does not lose its leases."""
        while not self._heart.wait(settings.LEASE_HEARTBEAT_S):
            try:
                leases.renew([live.target.token for live in list(self._runs.values())])
            except Exception:
                log.warning("leases_not_renewed", exc_info=True)
            finally:
                connection.close()

    async def _sweep(self) -> None:
        try:
            for conversation_id, events in await in_db(services.sweep, self.holder):
                self._tell_interrupted(conversation_id, events)
        except Exception:
            log.warning("sweep_failed", exc_info=True)

    def _tell_interrupted(self, conversation_id: UUID, events: Sequence[Event]) -> None:
        live = self._runs.get(conversation_id)
        if live is not None and events and live.id == events[0]["run"]:
            live.lose()  # our own, whose lease lapsed while this process stood still
        for event in events:
            self.hub.publish(conversation_id, event)

    async def _sweep_for_ever(self) -> None:
        while True:
            await asyncio.sleep(settings.LEASE_HEARTBEAT_S)
            await self._sweep()

    async def _flush_for_ever(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_TEXT_S)
            for live in self._runs.values():
                live.flush_text()


_runners: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[Runner]] = WeakKeyDictionary()
_current: Runner | None = None


async def ensure_started() -> Runner:
    """The runner of this event loop, started at the first call."""
    loop = asyncio.get_running_loop()
    starting = _runners.get(loop)
    if starting is None or (starting.done() and (starting.cancelled() or starting.exception())):
        starting = _runners[loop] = loop.create_task(_start(), context=contextvars.Context())
    return await asyncio.shield(starting)


async def _start() -> Runner:
    global _current
    runner = Runner()
    await runner.start_up()
    _current = runner
    return runner


def current() -> Runner:
    """The started runner, for sync code. Raises `RUN_INTERRUPTED` before the start and after the end."""
    if _current is None or _current.stopping:
        raise FrontdeskError(
            ErrorCode.RUN_INTERRUPTED, "The server is starting. Please try again.", retryable=True
        )
    return _current


def is_ready() -> bool:
    """For `/readyz`: takes runs."""
    return _current is not None and not _current.stopping and _current.records


async def shutdown() -> None:
    """End this loop's runner; a no-op when there is none."""
    # Kept: whoever asks for a runner during the shutdown gets this one, which refuses, and not a new one.
    starting = _runners.get(asyncio.get_running_loop())
    if starting is not None:
        await (await starting).shut_down()
