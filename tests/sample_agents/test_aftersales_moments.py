"""Days and times as people write them."""

from datetime import date, time

import pytest

from sample_agents.moments import understand

MONDAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("text", "day", "at"),
    [
        ("明天下午3点", date(2026, 12, 1), time(15)),
        ("tomorrow at 15:00", date(2026, 12, 1), time(15)),
        ("2026-12-03 10:00", date(2026, 12, 3), time(10)),
        ("下周三上午10点半", date(2026, 12, 9), time(10, 30)),
        ("next Monday 9am", date(2026, 12, 7), time(9)),
        ("后天中午", date(2026, 12, 2), time(12)),
        ("the day after tomorrow at 3 p.m.", date(2026, 12, 2), time(15)),
        ("12月3号上午十点", date(2026, 12, 3), time(10)),
        ("2026年12月24日 9：00", date(2026, 12, 24), time(9)),
        ("周五下午两点一刻", date(2026, 12, 4), time(14, 15)),
        ("Dec 3rd at 4pm", date(2026, 12, 3), time(16)),
        ("3 December, 9 o'clock", date(2026, 12, 3), time(9)),
        ("3天后 11点", date(2026, 12, 3), time(11)),
        ("in 2 days at noon", date(2026, 12, 2), time(12)),
        ("下个月3号", date(2026, 12, 3), None),
        ("二十一号", date(2026, 12, 21), None),
        ("monday next week", date(2026, 12, 7), None),
        ("5 January", date(2027, 1, 5), None),
        ("3:30pm", None, time(15, 30)),
        ("at 3", None, time(15)),
        ("16:00", None, time(16)),
    ],
)
def test_understood(text: str, day: date | None, at: time | None) -> None:
    moment = understand(text, MONDAY)
    assert (moment.day, moment.at) == (day, at)


def test_the_last_one_counts() -> None:
    moment = understand("move it from Tuesday 9am to Thursday 2pm", MONDAY)
    assert (moment.day, moment.at) == (date(2026, 12, 3), time(14))


@pytest.mark.parametrize(
    ("text", "part"),
    [("周三上午", "morning"), ("Friday afternoon", "afternoon"), ("今晚", "evening"), ("Friday", None)],
)
def test_parts_of_the_day(text: str, part: str | None) -> None:
    assert understand(text, MONDAY).part == part


@pytest.mark.parametrize("text", ["2026-02-30", "13月1号", "12月32号", "25:00", "三十一号", "9999-99-99"])
def test_what_does_not_exist_is_said(text: str) -> None:
    assert understand(text, MONDAY).impossible == text


@pytest.mark.parametrize("text", ["I sat in the car", "等2小时", "2号车", "hello", "12.4V", "may I ask"])
def test_other_words_are_no_moments(text: str) -> None:
    moment = understand(text, MONDAY)
    assert (moment.day, moment.at, moment.impossible) == (None, None, "")


def test_an_impossible_time_keeps_its_day() -> None:
    assert understand("tomorrow at 25:00", MONDAY).day == date(2026, 12, 1)
