"""How the after-sales agent talks: what is wanted, what is missing, what it did.

It remembers within a session what it has been told and asks for the rest.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Final

from frontdesk_agent.contract import Tool
from sample_agents.appointments import CLOSES, DAYS_AHEAD, AppointmentBook, Booking, SlotFullError, slots
from sample_agents.desk_phrases import Phrases, phrases
from sample_agents.drafts import Draft, Reply, Visitor
from sample_agents.moments import Moment, Part, understand
from sample_agents.words import mentions, normal, word_lists

_NUMBER = re.compile(r"(?<![a-z0-9])as[- ]?(\d{4,9})(?!\d)")
_INTENTS: Final = word_lists("service_desk")
_PART_HOURS: Final[Mapping[Part, range]] = {
    "morning": range(12),
    "afternoon": range(12, 18),
    "evening": range(18, 24),
}
_SUGGESTIONS: Final = 3


class ServiceDesk:
    """One message of one visitor, at the local time `now`, over an open appointment book."""

    def __init__(self, book: AppointmentBook, visitor: Visitor, now: datetime) -> None:
        self._book = book
        self._visitor = visitor
        self._now = now
        self._say: Phrases = phrases(visitor.language)

    def reply(self, text: str) -> Reply:
        """Do what `text` asks for, or ask for what is missing."""
        compared = normal(text)
        found = _NUMBER.search(compared)
        number = f"AS-{found[1]}" if found else ""
        moment = understand(_NUMBER.sub(" ", compared), self._now.date())
        kept = Draft.from_dict(self._book.draft(self._visitor.user_id, self._visitor.session_id, self._now))
        intent = self._intent(compared, kept, moment, number)
        draft = kept if intent == kept.intent else Draft(intent, kept.number if intent != "book" else "")
        if moment.impossible:
            self._keep(draft.told(moment, number))
            return Reply(self._say.impossible(moment.impossible))
        return self._act(intent, draft.told(moment, number))

    def _intent(self, text: str, kept: Draft, moment: Moment, number: str) -> str:
        said = next((intent for intent, words in _INTENTS.items() if mentions(text, words)), "")
        if said == "cancel" and kept.intent in {"book", "move"} and not number and len(text) <= 12:
            return "forget"
        if said == "book" and kept.intent == "move" and not mentions(text, ("new", "another", "新", "再")):
            return "move"
        if said:
            return said
        if kept.intent:
            return kept.intent
        return "free" if moment.day or moment.at or moment.part else ""

    def _act(self, intent: str, draft: Draft) -> Reply:
        match intent:
            case "book":
                return self._place(draft, None)
            case "move" | "cancel":
                return self._change(draft)
            case "list":
                return self._list()
            case "free":
                return self._free(draft)
            case "hours":
                return Reply(self._say.hours())
            case "forget":
                self._keep(Draft())
                return Reply(self._say.forgotten())
            case _:
                return Reply(self._say.capabilities())

    def _list(self) -> Reply:
        bookings = self._open()
        return Reply(self._say.bookings(bookings), Tool(name="list_bookings"))

    def _free(self, draft: Draft) -> Reply:
        day = draft.day or self._next_open_day()
        self._keep(replace(draft, intent="book", day=day))
        if problem := self._closed(day):
            return Reply(problem)
        arguments = {"day": day.isoformat()}
        return Reply(
            self._say.free(day, self._free_times(day, draft.part)),
            Tool(name="free_slots", arguments=arguments),
        )

    def _change(self, draft: Draft) -> Reply:
        """Move or cancel: first, which booking?"""
        bookings = self._open()
        if draft.number:
            booking = self._book.find(self._visitor.user_id, draft.number)
            if booking is None or booking.cancelled or booking not in bookings:
                self._keep(replace(draft, number=""))
                return Reply(self._say.no_such_booking(draft.number, bookings))
        elif len(bookings) == 1:
            booking = bookings[0]
        else:
            self._keep(draft if bookings else Draft())
            return Reply(self._say.which_booking(bookings))
        if draft.intent == "move":
            day = draft.day or (booking.starts.date() if draft.at else None)
            return self._place(replace(draft, number=booking.number, day=day), booking)
        self._book.cancel(self._visitor.user_id, booking)
        self._keep(Draft())
        return Reply(
            self._say.cancelled(booking), Tool(name="cancel_booking", arguments={"number": booking.number})
        )

    def _place(self, draft: Draft, moving: Booking | None) -> Reply:
        """Book, or move `moving`, once the day and the time are known and possible."""
        if draft.day is None:
            self._keep(draft)
            return Reply(self._say.ask_day(draft.at, self._soonest()))
        if problem := self._closed(draft.day):
            self._keep(replace(draft, day=None))
            return Reply(problem)
        free = self._free_times(draft.day, draft.part)
        if draft.at is None:
            self._keep(draft)
            return Reply(self._say.ask_time(draft.day, free or self._free_times(draft.day, None)))
        starts = datetime.combine(draft.day, draft.at)
        if problem := self._not_a_slot(starts):
            self._keep(replace(draft, at=None))
            return Reply(problem)
        return self._enter(draft, starts, moving)

    def _enter(self, draft: Draft, starts: datetime, moving: Booking | None) -> Reply:
        user_id = self._visitor.user_id
        try:
            booking = self._book.move(user_id, moving, starts) if moving else self._book.book(user_id, starts)
        except SlotFullError:
            self._keep(replace(draft, at=None))
            return Reply(self._say.full(starts, self._free_times(starts.date(), None)))
        self._keep(Draft())
        arguments = {"number": booking.number, "starts": starts.isoformat(timespec="minutes")}
        if moving:
            return Reply(
                self._say.moved(booking, moving.starts), Tool(name="move_booking", arguments=arguments)
            )
        return Reply(self._say.booked(booking), Tool(name="book_slot", arguments=arguments))

    def _closed(self, day: date) -> str:
        """Why nobody can come on `day`; empty when they can."""
        today = self._now.date()
        if day < today:
            return self._say.past(day)
        if day > today + timedelta(days=DAYS_AHEAD):
            return self._say.too_far(day)
        if not slots(day):
            return self._say.closed(day, self._next_open_day(day))
        if not self._free_times(day, None):
            return self._say.nothing_free(day, self._next_open_day(day + timedelta(days=1)))
        return ""

    def _not_a_slot(self, starts: datetime) -> str:
        free = self._free_times(starts.date(), None)
        if starts.time() not in slots(starts.date()):
            near = sorted(free, key=lambda slot: abs(slot.hour * 60 - starts.hour * 60 - starts.minute))
            inside = slots(starts.date())[0] <= starts.time() < time(CLOSES)
            return self._say.off_slot(starts, sorted(near[:_SUGGESTIONS]), inside=inside)
        return self._say.time_past(starts, free[:_SUGGESTIONS]) if starts <= self._now else ""

    def _free_times(self, day: date, part: Part | None) -> list[time]:
        free = self._book.free(day, self._now)
        return [slot for slot in free if part is None or slot.hour in _PART_HOURS[part]]

    def _next_open_day(self, after: date | None = None) -> date:
        day = after or self._now.date()
        last = self._now.date() + timedelta(days=DAYS_AHEAD)
        while day < last and not self._book.free(day, self._now):
            day += timedelta(days=1)
        return day

    def _soonest(self) -> list[datetime]:
        day = self._next_open_day()
        return [datetime.combine(day, slot) for slot in self._free_times(day, None)[:_SUGGESTIONS]]

    def _open(self) -> Sequence[Booking]:
        return self._book.open_bookings(self._visitor.user_id, self._now)

    def _keep(self, draft: Draft) -> None:
        self._book.keep_draft(self._visitor.user_id, self._visitor.session_id, draft.as_dict(), self._now)
