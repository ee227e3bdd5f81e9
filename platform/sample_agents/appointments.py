"""The appointment book of the workshop: an SQLite file with bookings and unfinished requests.

Times are the workshop's local ones, without a zone.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final

OPENS, CLOSES = 9, 18
CLOSED_WEEKDAY: Final = 6
CAPACITY: Final = 2
DAYS_AHEAD: Final = 60
DRAFT_LIFE: Final = timedelta(hours=1)
ANSWER_LIFE: Final = timedelta(days=1)
_FIRST_NUMBER: Final = 1000
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS booking (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    starts TEXT NOT NULL,
    cancelled INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX IF NOT EXISTS open_booking ON booking (user_id, starts) WHERE NOT cancelled;
CREATE INDEX IF NOT EXISTS open_slot ON booking (starts) WHERE NOT cancelled;
CREATE TABLE IF NOT EXISTS draft (
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    content TEXT NOT NULL,
    updated TEXT NOT NULL,
    PRIMARY KEY (user_id, session_id)
);
CREATE TABLE IF NOT EXISTS answer (
    user_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    content TEXT NOT NULL,
    answered TEXT NOT NULL,
    PRIMARY KEY (user_id, idempotency_key)
);
"""


@dataclass(frozen=True, slots=True)
class Booking:
    """One booked slot; people know it by its `number`."""

    id: int
    starts: datetime
    cancelled: bool = False

    @property
    def number(self) -> str:
        return f"AS-{_FIRST_NUMBER + self.id}"


class SlotFullError(Exception):
    """All places of the slot are taken."""


def booking_id(number: str) -> int:
    """The id of a booking by its number (`AS-1001` or its digits)."""
    return int(number.upper().removeprefix("AS").lstrip("-")) - _FIRST_NUMBER


def slots(day: date) -> list[time]:
    """When a slot begins on `day`; empty on a closed day."""
    return [] if day.weekday() == CLOSED_WEEKDAY else [time(hour) for hour in range(OPENS, CLOSES)]


class AppointmentBook:
    """The bookings and drafts of everybody, within one transaction (see `open_book`)."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def book(self, user_id: str, starts: datetime) -> Booking:
        """Book `starts`; the same person's open booking of that slot is returned, not doubled.

        Raises `SlotFullError`.
        """
        row = self._db.execute(
            "SELECT id FROM booking WHERE user_id = ? AND starts = ? AND NOT cancelled",
            (user_id, _text(starts)),
        ).fetchone()
        if row:
            return Booking(row[0], starts)
        self._check_room(starts)
        cursor = self._db.execute(
            "INSERT INTO booking (user_id, starts) VALUES (?, ?)", (user_id, _text(starts))
        )
        return Booking(int(cursor.lastrowid or 0), starts)

    def move(self, user_id: str, booking: Booking, starts: datetime) -> Booking:
        """Give the open `booking` another slot. Raises `SlotFullError`."""
        if starts == booking.starts:
            return booking
        self._check_room(starts)
        try:
            self._db.execute(
                "UPDATE booking SET starts = ? WHERE id = ? AND user_id = ? AND NOT cancelled",
                (_text(starts), booking.id, user_id),
            )
        except sqlite3.IntegrityError:  # the person has another booking in that slot
            raise SlotFullError from None
        return Booking(booking.id, starts)

    def cancel(self, user_id: str, booking: Booking) -> None:
        """Give the slot free; cancelling again changes nothing."""
        self._db.execute(
            "UPDATE booking SET cancelled = 1 WHERE id = ? AND user_id = ?", (booking.id, user_id)
        )

    def find(self, user_id: str, number: str) -> Booking | None:
        """This person's booking of that number, also a cancelled one; never anybody else's."""
        row = self._db.execute(
            "SELECT id, starts, cancelled FROM booking WHERE id = ? AND user_id = ?",
            (booking_id(number), user_id),
        ).fetchone()
        return Booking(row[0], datetime.fromisoformat(row[1]), bool(row[2])) if row else None

    def open_bookings(self, user_id: str, now: datetime) -> list[Booking]:
        """This person's bookings to come, soonest first."""
        rows = self._db.execute(
            "SELECT id, starts FROM booking "
            "WHERE user_id = ? AND NOT cancelled AND starts > ? ORDER BY starts",
            (user_id, _text(now)),
        )
        return [Booking(row[0], datetime.fromisoformat(row[1])) for row in rows]

    def free(self, day: date, now: datetime) -> list[time]:
        """The slots of `day` that begin after `now` and still have room."""
        rows = self._db.execute(
            "SELECT starts, count(*) FROM booking WHERE NOT cancelled AND starts LIKE ? GROUP BY starts",
            (f"{day.isoformat()}%",),
        )
        taken = {datetime.fromisoformat(starts).time() for starts, count in rows if count >= CAPACITY}
        return [slot for slot in slots(day) if slot not in taken and datetime.combine(day, slot) > now]

    def draft(self, user_id: str, session_id: str, now: datetime) -> dict[str, Any]:
        """What the person has said so far in this session; empty after an hour."""
        row = self._db.execute(
            "SELECT content FROM draft WHERE user_id = ? AND session_id = ? AND updated > ?",
            (user_id, session_id, _text(now - DRAFT_LIFE)),
        ).fetchone()
        return dict(json.loads(row[0])) if row else {}

    def keep_draft(self, user_id: str, session_id: str, content: Mapping[str, Any], now: datetime) -> None:
        """Remember `content`, JSON-able; an empty one is forgotten."""
        self._db.execute("DELETE FROM draft WHERE user_id = ? AND session_id = ?", (user_id, session_id))
        if content:
            row = (user_id, session_id, json.dumps(content), _text(now))
            self._db.execute("INSERT INTO draft VALUES (?, ?, ?, ?)", row)

    def answered(self, user_id: str, key: str) -> str | None:
        """What was answered under this idempotency key within the last day."""
        row = self._db.execute(
            "SELECT content FROM answer WHERE user_id = ? AND idempotency_key = ?", (user_id, key)
        ).fetchone()
        return str(row[0]) if row else None

    def keep_answer(self, user_id: str, key: str, content: str, now: datetime) -> None:
        """Remember an answer under its idempotency key, and forget those older than a day."""
        self._db.execute("DELETE FROM answer WHERE answered < ?", (_text(now - ANSWER_LIFE),))
        row = (user_id, key, content, _text(now))
        self._db.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)", row)

    def _check_room(self, starts: datetime) -> None:
        count = self._db.execute(
            "SELECT count(*) FROM booking WHERE starts = ? AND NOT cancelled", (_text(starts),)
        ).fetchone()[0]
        if count >= CAPACITY:
            raise SlotFullError


def _text(moment: datetime) -> str:
    return moment.isoformat(sep="T", timespec="minutes")


@contextmanager
def open_book(path: Path) -> Iterator[AppointmentBook]:
    """The book in the file `path`, made when missing; all that is done with it is one transaction.

    For one thread; others, and other processes, wait their turn.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(_SCHEMA)
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield AppointmentBook(connection)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
