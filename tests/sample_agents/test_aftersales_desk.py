"""Booking, moving, cancelling and listing, over a real appointment book."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from frontdesk_agent.contract import AgentRequest
from frontdesk_agent.errors import ErrorCode, FrontdeskError
from sample_agents.aftersales import respond
from sample_agents.appointments import CAPACITY, DAYS_AHEAD, open_book

NOW = datetime(2026, 11, 30, 10, 30)  # noqa: DTZ001 - the workshop's clock
Say = Callable[..., str]


@pytest.fixture
def book_path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "aftersales.sqlite3"


@pytest.fixture
def say(book_path: Path) -> Say:
    def said(text: str, *, user: str = "alice", session: str = "s1", now: datetime = NOW) -> str:
        request = AgentRequest(input=text, user_id=user, session_id=session)
        return respond(request, now, book_path).text

    return said


def bookings(path: Path, user: str = "alice") -> list[tuple[str, datetime]]:
    with open_book(path) as book:
        return [(booking.number, booking.starts) for booking in book.open_bookings(user, NOW)]


def at(day: int, hour: int) -> datetime:
    return datetime(2026, 12, day, hour)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("预约明天下午3点做保养", "## 预约成功：AS-1001\n\n到店时间：**2026年12月1日（周二）15:00**"),
        ("Book a service slot for tomorrow at 15:00", "## Booked: AS-1001"),
    ],
)
def test_one_sentence_books(say: Say, book_path: Path, text: str, told: str) -> None:
    assert told in say(text)
    assert bookings(book_path) == [("AS-1001", at(1, 15))]


def test_what_is_missing_is_asked_for_and_what_was_said_is_remembered(say: Say, book_path: Path) -> None:
    assert "请问您想约哪一天、几点？" in say("我想预约保养")
    assert "2026年12月2日（周三）**请问几点到店？可选：12:00、13:00" in say("后天下午")
    assert bookings(book_path) == []
    assert "AS-1001" in say("3点")
    assert bookings(book_path) == [("AS-1001", at(2, 15))]


def test_the_time_first_then_the_day(say: Say, book_path: Path) -> None:
    assert "On which day at 16:00?" in say("book a service at 4pm")
    assert "Booked" in say("next Monday")
    assert bookings(book_path) == [("AS-1001", at(7, 16))]


def test_sessions_and_people_do_not_mix(say: Say, book_path: Path) -> None:
    say("book a service tomorrow")
    assert "Booked" not in say("15:00", session="s2")
    assert "Booked" not in say("15:00", user="bob")
    assert "Booked" in say("15:00")
    assert bookings(book_path, "bob") == []


def test_a_draft_is_forgotten_after_an_hour(say: Say) -> None:
    say("book a service tomorrow")
    assert "Booked" not in say("at 3pm", now=NOW + timedelta(minutes=61))


def test_never_mind(say: Say, book_path: Path) -> None:
    say("book a service tomorrow")
    assert "dropped" in say("never mind")
    say("book a service tomorrow")
    assert "dropped" in say("cancel")
    assert bookings(book_path) == []


def test_move_the_only_booking(say: Say, book_path: Path) -> None:
    say("book tomorrow at 15:00")
    assert "改期成功：AS-1001" in say("改到下周三上午10点")
    assert bookings(book_path) == [("AS-1001", at(9, 10))]
    assert "is now on **Wednesday 9 December 2026, 16:00**" in say("move my appointment to 4pm")


def test_move_and_cancel_by_number(say: Say, book_path: Path) -> None:
    say("book tomorrow at 15:00")
    say("book tomorrow at 16:00")
    assert "Which booking do you mean?" in say("cancel my booking")
    assert "## Cancelled: AS-1001" in say("as-1001")
    assert "改期成功：AS-1002" in say("把 AS-1002 改到明天上午9点")
    assert bookings(book_path) == [("AS-1002", at(1, 9))]
    assert "no open booking AS-1001" in say("cancel AS-1001")


def test_list(say: Say) -> None:
    assert say("查看我的预约") == "您没有未完成的预约。"
    say("book tomorrow at 15:00")
    assert "| AS-1001 | Tuesday 1 December 2026, 15:00 |" in say("Show my bookings")


def test_nobody_touches_the_bookings_of_others(say: Say, book_path: Path) -> None:
    say("book tomorrow at 15:00")
    for text in ("cancel AS-1001", "move AS-1001 to tomorrow 9am"):
        assert "You have no open booking AS-1001." in say(text, user="bob")
    assert say("show my bookings", user="bob") == "You have no open bookings."
    assert bookings(book_path) == [("AS-1001", at(1, 15))]


def test_a_slot_holds_so_many_and_no_more(say: Say) -> None:
    for number in range(CAPACITY):
        assert "Booked" in say("book tomorrow at 15:00", user=f"person{number}")
    assert "is fully booked. Still free that day: 09:00" in say("book tomorrow at 15:00", user="late")
    assert "Booked" in say("16:00", user="late")
    assert "is fully booked" in say("move it to 15:00", user="late")


def test_many_at_once_never_overbook(say: Say, book_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: say("book tomorrow at 15:00", user=f"person{n}"), range(16)))
    assert sum("Booked" in answer for answer in answers) == CAPACITY


def test_the_same_slot_twice_is_one_booking(say: Say, book_path: Path) -> None:
    assert say("book tomorrow at 15:00") == say("book tomorrow at 15:00")
    assert len(bookings(book_path)) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "book on Sunday at 10:00",
            "closed on Sunday 6 December 2026. How about **Monday 7 December",
        ),
        ("book tomorrow at 8am", "At 08:00 the workshop is closed"),
        ("预约明天晚上8点", "20:00 不在营业时间内"),
        ("book tomorrow at 15:30", "Slots begin on the full hour"),
        ("book today at 9am", "is over. Still free that day: 11:00"),
        ("book on 2026-11-01 at 10:00", "is over. Which day"),
        ("book on 2027-11-01 at 10:00", f"up to {DAYS_AHEAD} days ahead"),
        ("book on 2026-02-30 at 10:00", "“2026-02-30” is not a day or time that exists"),
    ],
)
def test_what_cannot_be_is_said_with_a_way_on(say: Say, book_path: Path, text: str, told: str) -> None:
    assert told in say(text)
    assert bookings(book_path) == []


def test_free_slots_and_opening_hours(say: Say, book_path: Path) -> None:
    assert "可预约：09:00、10:00" in say("明天还有空位吗？")
    assert "预约成功" in say("10点可以")
    assert "Monday to Saturday, 09:00 to 18:00" in say("What are the opening hours of the workshop?")


@pytest.mark.parametrize(("text", "told"), [("hello", "I look after service"), ("你好", "我负责维修")])
def test_anything_else_is_told_what_it_can_do(say: Say, text: str, told: str) -> None:
    assert told in say(text)


def test_without_a_person_there_is_no_booking(book_path: Path) -> None:
    with pytest.raises(FrontdeskError) as caught:
        respond(AgentRequest(input="book tomorrow at 15:00"), NOW, book_path)
    assert caught.value.code == ErrorCode.INVALID_INPUT


def test_huge_numbers_are_nobody_s_booking(say: Say) -> None:
    assert "no open booking AS-999999999" in say("cancel AS-999999999")
    assert "AS" not in say("cancel AS-99999999999999999999999")
