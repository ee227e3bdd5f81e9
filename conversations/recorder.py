"""One writer per process: whatever its runs have pending goes into one transaction (group commit)."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError, connection, transaction

from conversations import leases
from conversations.events import Event
from conversations.projection import Batch, Change, Target, project

log = structlog.get_logger(__name__)

COMMIT_EVERY_S = 0.010
RETRY_AFTER_S = 0.250


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to store for one run: an event, row changes, or both.

    `done` is called on the loop: True once it is committed, False when the run was not ours to write.
    """

    target: Target
    event: Event | None
    changes: Sequence[Change]
    done: Callable[[bool], None]


class Recorder:
    """Stores entries in order: at once when idle, at most every 10 ms under load."""

    def __init__(self) -> None:
        self._pending: list[Entry] = []
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        # A thread, and so a connection, of its own: no connection is opened and closed per commit.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="recorder")

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run(), name="recorder")

    async def stop(self) -> None:
        """End the writer. Entries still pending are dropped: their runs must have ended before."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await asyncio.get_running_loop().run_in_executor(self._thread, _disconnect)
        self._thread.shutdown(wait=False)

    @property
    def alive(self) -> bool:
        return self._task is not None and not self._task.done()

    def add(self, entry: Entry) -> None:
        self._pending.append(entry)
        self._wake.set()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wake.wait()
            self._wake.clear()
            entries, self._pending = self._pending, []
            began = loop.time()
            try:
                await self._store(entries)
            except Exception:
                # Whatever it was: the recorder goes on, or nobody's run could ever end.
                log.exception("recorder_failed", entries=len(entries))
                _tell(entries, set())
            if self._pending:
                await asyncio.sleep(max(0.0, COMMIT_EVERY_S - (loop.time() - began)))

    async def _store(self, entries: Sequence[Entry]) -> None:
        loop = asyncio.get_running_loop()
        again = False
        while True:
            try:
                held = await loop.run_in_executor(self._thread, partial(_write, entries, again=again))
            except (OperationalError, InterfaceError):
                # The database is away. Nothing is lost by waiting: whoever's lease lapses meanwhile is
                # fenced off by the next attempt.
                log.warning("recorder_waits_for_database", entries=len(entries), exc_info=True)
                await asyncio.sleep(RETRY_AFTER_S)
                again = True
                continue
            except Exception:
                log.exception("events_not_stored", runs=len({e.target.run_id for e in entries}))
                await self._store_apart(entries)
                return
            _tell(entries, held)
            return

    async def _store_apart(self, entries: Sequence[Entry]) -> None:
        """One run's unstorable entry must not take the other runs with it."""
        runs: dict[UUID, list[Entry]] = {}
        for entry in entries:
            runs.setdefault(entry.target.run_id, []).append(entry)
        if len(runs) > 1:
            for own in runs.values():
                await self._store(own)
            return
        _tell(entries, set())


def _disconnect() -> None:
    connection.close()  # looked up here: each thread has a connection of its own


def _tell(entries: Sequence[Entry], held: set[UUID]) -> None:
    """Tell each entry's run whether it was stored; one that cannot bear it must not silence the others."""
    for entry in entries:
        try:
            entry.done(entry.target.token in held)
        except Exception:
            log.exception("storing_not_told", run=str(entry.target.run_id))


def _write(entries: Sequence[Entry], *, again: bool = False) -> set[UUID]:
    """Store what may be stored; returns the tokens of the leases that still hold.

    `again`: the same entries were tried before, and may have been committed though the answer was lost.
    """
    try:
        with transaction.atomic():
            held = leases.held({entry.target.token for entry in entries})
            batch = Batch()
            for entry in entries:
                if entry.target.token in held:
                    _collect(batch, entry)
            batch.write(ignore_known=again)
            return held
    except (OperationalError, InterfaceError):
        connection.close()
        raise


def _collect(batch: Batch, entry: Entry) -> None:
    if entry.event is not None:
        project(batch, entry.target, entry.event)
    for change in entry.changes:
        batch.update(change.model, change.pk, **change.fields)
