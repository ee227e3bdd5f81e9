"""Days and times of day as people write them, in English and Chinese."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Literal

from sample_agents.words import normal

Part = Literal["morning", "afternoon", "evening"]

_DIGITS: Mapping[str, int] = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {
    "两": 2,
    "〇": 0,
}
_NUMBER = r"(\d{1,2}|[零〇一二两三四五六七八九十]{1,3})"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = "(" + "|".join(_MONTHS) + r")[a-z]*\.?"
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WHOLE_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SHORT_WEEKDAY = r"(?:mon|tue|wed|thu|fri|sat|sun)"  # "sat" alone is more often a verb
_PARTS: Mapping[Part, tuple[str, ...]] = {
    "morning": ("morning", "上午", "早上", "早晨"),
    "afternoon": ("afternoon", "下午", "午后"),
    "evening": ("evening", "tonight", "晚上", "傍晚", "今晚"),
}


@dataclass(frozen=True, slots=True)
class Moment:
    """What a text says of a moment.

    `at` is a time of day; `impossible` a day or time that does not exist, as it was written.
    """

    day: date | None = None
    at: time | None = None
    part: Part | None = None
    impossible: str = ""


def understand(text: str, today: date) -> Moment:
    """The last day, time and part of the day that `text` names. "Next Monday" is the one of next week."""
    compared = normal(text)
    part = next((part for part, words in _PARTS.items() if any(word in compared for word in words)), None)
    day: date | None = None
    try:
        day, rest = _day(compared, today)
        return Moment(day, _time(rest, part), part)
    except _ImpossibleError as error:
        return Moment(day, None, part, impossible=error.written)


class _ImpossibleError(ValueError):
    def __init__(self, written: str) -> None:
        super().__init__(written)
        self.written = written


def number(written: str) -> int:
    """The value of up to two digits or of a Chinese numeral below 100."""
    if written.isdigit():
        return int(written)
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return int("".join(str(_DIGITS[digit]) for digit in written))
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


_Day = Callable[[re.Match[str], date], date]


def _from_numbers(match: re.Match[str], today: date) -> date:
    return date(int(match[1]), int(match[2]), int(match[3]))


def _coming(year: str | None, month: int, day: int, today: date) -> date:
    """Without a year, the next such day."""
    found = date(int(year) if year else today.year, month, day)
    return found if year or found >= today else found.replace(year=today.year + 1)


def _weekday(index: int, which: str, today: date) -> date:
    monday = today - timedelta(days=today.weekday())
    if which in {"next", "下", "下个"}:
        return monday + timedelta(days=7 + index)
    if which in {"下下", "下下个"}:
        return monday + timedelta(days=14 + index)
    if which in {"this", "这", "本", "这个"}:
        return monday + timedelta(days=index)
    return today + timedelta(days=(index - today.weekday()) % 7)


def _english_weekday(match: re.Match[str], today: date) -> date:
    return _weekday(_WEEKDAYS.index(match[2][:3]), "next" if match[3] else match[1] or "", today)


def _of_month(match: re.Match[str], today: date) -> date:
    """The day of this month or, when it is over, of the next."""
    day = number(match[2])
    following = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
    return (following if match[1] or day < today.day else today).replace(day=day)


def _in(days: int) -> _Day:
    return lambda match, today: today + timedelta(days=days)


_DAYS: tuple[tuple[re.Pattern[str], _Day], ...] = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        (r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?:日|号|(?!\d))", _from_numbers),
        (
            rf"(?<!年){_NUMBER}月{_NUMBER}[日号]?",
            lambda match, today: _coming(None, number(match[1]), number(match[2]), today),
        ),
        (
            rf"\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?(?![\d:])(?:,?\s+(\d{{4}}))?",
            lambda match, today: _coming(match[3], _MONTHS.index(match[1]) + 1, int(match[2]), today),
        ),
        (
            rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+(\d{{4}}))?",
            lambda match, today: _coming(match[3], _MONTHS.index(match[2]) + 1, int(match[1]), today),
        ),
        (r"大后天", _in(3)),
        (r"(?<!大)后天|\bday after tomorrow\b", _in(2)),
        (r"明[天日早晚]|(?<!after )\btomorrow\b", _in(1)),
        (r"今[天日晚]|\btoday\b|\btonight\b", _in(0)),
        (rf"{_NUMBER}\s*天[后之以]", lambda match, today: today + timedelta(days=number(match[1]))),
        (r"\bin (\d{1,2}) days?\b", lambda match, today: today + timedelta(days=int(match[1]))),
        (
            r"(下下个?|下个?|这个?|本)?(?:周|星期|礼拜)([一二三四五六日天])",
            lambda match, today: _weekday("一二三四五六日".find(match[2]) % 7, match[1] or "", today),
        ),
        (rf"(?<![月\d一二三十])(下个?月)?{_NUMBER}号(?![车线仓楼店])", _of_month),
        (rf"(?:\b(next|this|on)\s+)?\b({_WHOLE_WEEKDAY})\b(\s+next week)?", _english_weekday),
        (rf"\b(next|this|on)\s+({_SHORT_WEEKDAY})\b(\s+next week)?", _english_weekday),
    )
)


def _day(text: str, today: date) -> tuple[date | None, str]:
    """The last day in `text`, and the text without its days: their digits are no times."""
    matches = [(match, rule) for pattern, rule in _DAYS for match in pattern.finditer(text)]
    rest = text
    for match, _ in matches:
        rest = rest[: match.start()] + " " * len(match.group()) + rest[match.end() :]
    if not matches:
        return None, rest
    match, rule = max(matches, key=lambda item: (item[0].end(), -item[0].start()))
    try:
        return rule(match, today), rest
    except (ValueError, OverflowError):
        raise _ImpossibleError(match.group().strip()) from None


_CLOCK = re.compile(r"(?<![\d:])(\d{1,2}):(\d{2})(?![\d:])\s*([ap]\.?m\b)?")
_AM_PM = re.compile(r"(?<![\d:])(\d{1,2})\s*([ap])\.?m\b")
_CHINESE = re.compile(_NUMBER + rf"\s*[点时](?:钟|整)?(半|[一三]刻|{_NUMBER}分?)?")
_AT = re.compile(r"\bat (\d{1,2})(?![\d:.])(?!\s*[ap]\.?m)|(?<!\d)(\d{1,2}) o'clock")
_NOON = re.compile(r"\bnoon\b|中午|正午")
_QUARTERS = {"半": 30, "一刻": 15, "三刻": 45}


def _time(text: str, part: Part | None) -> time | None:
    found = sorted(_times(text), key=lambda item: item[0])
    if not found:
        return time(12) if _NOON.search(text) else None
    _, written, hour, minute, literal = found[-1]
    if not literal:
        hour = _in_day(hour, part, noon=_NOON.search(text) is not None)
    try:
        return time(hour, minute)
    except ValueError:
        raise _ImpossibleError(written.strip()) from None


def _times(text: str) -> Iterator[tuple[int, str, int, int, bool]]:
    """(end, as written, hour, minute, whether the hour is of 24) of every time in `text`."""
    for match in _CLOCK.finditer(text):
        hour, minute, suffix = int(match[1]), int(match[2]), match[3]
        if suffix:
            yield match.end(), match.group(), _of_12(hour, suffix[0]), minute, True
        else:
            yield match.end(), match.group(), hour, minute, match[1].startswith("0") or hour > 12
    for match in _AM_PM.finditer(text):
        if not text[: match.start()].endswith(":"):
            yield match.end(), match.group(), _of_12(int(match[1]), match[2]), 0, True
    for match in _CHINESE.finditer(text):
        minute = _QUARTERS.get(match[2] or "", number(match[3]) if match[3] else 0)
        yield match.end(), match.group(), number(match[1]), minute, False
    for match in _AT.finditer(text):
        yield match.end(), match.group(), int(match[1] or match[2]), 0, False


def _of_12(hour: int, suffix: str) -> int:
    return hour % 12 + (12 if suffix == "p" else 0) if 1 <= hour <= 12 else hour + 24


def _in_day(hour: int, part: Part | None, *, noon: bool) -> int:
    """The hour of 24 that is meant: 3 alone is the afternoon's, for nobody is served at night."""
    if part == "morning" or hour >= 12 or hour == 0:
        return hour
    if part or (noon and hour < 3) or hour < 8:
        return hour + 12
    return hour
