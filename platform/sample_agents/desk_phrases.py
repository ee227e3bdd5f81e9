"""What the after-sales agent says, in each language."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from typing import Final

from sample_agents.appointments import CLOSES, DAYS_AHEAD, OPENS, Booking
from sample_agents.speech import Language, bullets, table

_WEEKDAYS: Final = "一二三四五六日"


def _english_day(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"


def _chinese_day(day: date) -> str:
    return f"{day.year}年{day.month}月{day.day}日（周{_WEEKDAYS[day.weekday()]}）"


class Phrases:
    """English; `ChinesePhrases` says the same in Chinese. Times are local, lists may be empty."""

    day: Callable[[date], str] = staticmethod(_english_day)
    comma = ", "

    def moment(self, moment: datetime) -> str:
        return f"{self.day(moment)}, {moment:%H:%M}"

    def times(self, slots: Sequence[time]) -> str:
        return self.comma.join(f"{slot:%H:%M}" for slot in slots)

    def capabilities(self) -> str:
        return (
            "I look after service appointments at the workshop. You can\n\n"
            "- **book**: “book a service tomorrow at 15:00”\n"
            "- **move**: “move AS-1001 to next Monday 9am”\n"
            "- **cancel**: “cancel AS-1001”\n"
            "- **list**: “show my bookings”\n\n" + self.hours()
        )

    def hours(self) -> str:
        return (
            f"The workshop is open Monday to Saturday, {OPENS:02}:00 to {CLOSES}:00, closed on Sundays. "
            "A slot begins every full hour."
        )

    def forgotten(self) -> str:
        return "All right, I have dropped that request. Your bookings are unchanged."

    def impossible(self, written: str) -> str:
        return f"“{written}” is not a day or time that exists. Which day and time do you mean?"

    def ask_day(self, known: time | None, soonest: Sequence[datetime]) -> str:
        asked = f"On which day at {known:%H:%M}?" if known else "Which day and time would suit you?"
        return f"{asked}\n\nThe next free slots:\n\n{bullets([self.moment(slot) for slot in soonest])}"

    def ask_time(self, day: date, free: Sequence[time]) -> str:
        return f"What time on **{self.day(day)}**? Free: {self.times(free)}."

    def free(self, day: date, free: Sequence[time]) -> str:
        if not free:
            return f"Nothing is free in that part of **{self.day(day)}**. Another time or day?"
        return f"Free on **{self.day(day)}**: {self.times(free)}.\n\nTell me a time and I will book it."

    def past(self, day: date) -> str:
        return f"{self.day(day)} is over. Which day would you like instead?"

    def too_far(self, day: date) -> str:
        return f"{self.day(day)} is too far off: I book up to {DAYS_AHEAD} days ahead. Which day instead?"

    def closed(self, day: date, following: date) -> str:
        return f"The workshop is closed on {self.day(day)}. How about **{self.day(following)}**?"

    def nothing_free(self, day: date, following: date) -> str:
        return f"Nothing is free any more on {self.day(day)}. How about **{self.day(following)}**?"

    def off_slot(self, starts: datetime, near: Sequence[time], *, inside: bool) -> str:
        why = "Slots begin on the full hour" if inside else f"At {starts:%H:%M} the workshop is closed"
        return f"{why}. On **{self.day(starts)}** the nearest free ones are {self.times(near)}. Which one?"

    def time_past(self, starts: datetime, free: Sequence[time]) -> str:
        return f"{self.moment(starts)} is over. Still free that day: {self.times(free)}. Which one?"

    def full(self, starts: datetime, free: Sequence[time]) -> str:
        return f"{self.moment(starts)} is fully booked. Still free that day: {self.times(free)}. Which one?"

    def booked(self, booking: Booking) -> str:
        return (
            f"## Booked: {booking.number}\n\n"
            f"Your service slot is on **{self.moment(booking.starts)}**.\n\n"
            f"To change it, say “move {booking.number} to …” or “cancel {booking.number}”."
        )

    def moved(self, booking: Booking, before: datetime) -> str:
        return (
            f"## Moved: {booking.number}\n\n"
            f"Your slot is now on **{self.moment(booking.starts)}** (before: {self.moment(before)})."
        )

    def cancelled(self, booking: Booking) -> str:
        return f"## Cancelled: {booking.number}\n\nYour slot on {self.moment(booking.starts)} is free again."

    def bookings(self, bookings: Sequence[Booking]) -> str:
        if not bookings:
            return "You have no open bookings."
        return "## Your bookings\n\n" + self._table(["Number", "When"], bookings)

    def which_booking(self, bookings: Sequence[Booking]) -> str:
        if not bookings:
            return "You have no open bookings."
        return "Which booking do you mean? Please give its number.\n\n" + self._table(
            ["Number", "When"], bookings
        )

    def no_such_booking(self, number: str, bookings: Sequence[Booking]) -> str:
        return f"You have no open booking {number}.\n\n{self.bookings(bookings)}"

    def _table(self, header: list[str], bookings: Sequence[Booking]) -> str:
        return table(header, [[booking.number, self.moment(booking.starts)] for booking in bookings])


class ChinesePhrases(Phrases):
    """The same in Chinese."""

    day = staticmethod(_chinese_day)
    comma = "、"

    def moment(self, moment: datetime) -> str:
        return f"{self.day(moment)}{moment:%H:%M}"

    def capabilities(self) -> str:
        return (
            "我负责维修保养预约，您可以：\n\n"
            "- **预约**：“预约明天下午3点做保养”\n"
            "- **改期**：“把 AS-1001 改到下周一上午9点”\n"
            "- **取消**：“取消 AS-1001”\n"
            "- **查询**：“查看我的预约”\n\n" + self.hours()
        )

    def hours(self) -> str:
        return f"营业时间：周一至周六 {OPENS:02}:00–{CLOSES}:00，周日休息；每个整点为一个时段。"

    def forgotten(self) -> str:
        return "好的，这次请求已放弃，您已有的预约不受影响。"

    def impossible(self, written: str) -> str:
        return f"“{written}”不是存在的日期或时间，请问您指的是哪一天、几点？"

    def ask_day(self, known: time | None, soonest: Sequence[datetime]) -> str:
        asked = f"请问哪一天的 {known:%H:%M}？" if known else "请问您想约哪一天、几点？"
        return f"{asked}\n\n最近的空位：\n\n{bullets([self.moment(slot) for slot in soonest])}"

    def ask_time(self, day: date, free: Sequence[time]) -> str:
        return f"**{self.day(day)}**请问几点到店？可选：{self.times(free)}。"

    def free(self, day: date, free: Sequence[time]) -> str:
        if not free:
            return f"**{self.day(day)}**该时段没有空位，换个时间或日期好吗？"
        return f"**{self.day(day)}**可预约：{self.times(free)}。\n\n告诉我几点，我就为您预约。"

    def past(self, day: date) -> str:
        return f"{self.day(day)}已经过去了，请换一个日期。"

    def too_far(self, day: date) -> str:
        return f"{self.day(day)}太远了，只能预约 {DAYS_AHEAD} 天以内的日期，请换一天。"

    def closed(self, day: date, following: date) -> str:
        return f"{self.day(day)}休息，改为**{self.day(following)}**可以吗？"

    def nothing_free(self, day: date, following: date) -> str:
        return f"{self.day(day)}已没有空位，改为**{self.day(following)}**可以吗？"

    def off_slot(self, starts: datetime, near: Sequence[time], *, inside: bool) -> str:
        why = "每个时段从整点开始" if inside else f"{starts:%H:%M} 不在营业时间内"
        return f"{why}，**{self.day(starts)}**最接近的空位：{self.times(near)}，请选择。"

    def time_past(self, starts: datetime, free: Sequence[time]) -> str:
        return f"{self.moment(starts)} 已经过去，当天还可预约：{self.times(free)}，请选择。"

    def full(self, starts: datetime, free: Sequence[time]) -> str:
        return f"{self.moment(starts)} 已约满，当天还可预约：{self.times(free)}，请选择。"

    def booked(self, booking: Booking) -> str:
        return (
            f"## 预约成功：{booking.number}\n\n"
            f"到店时间：**{self.moment(booking.starts)}**。\n\n"
            f"如需变更，请说“把 {booking.number} 改到……”或“取消 {booking.number}”。"
        )

    def moved(self, booking: Booking, before: datetime) -> str:
        return (
            f"## 改期成功：{booking.number}\n\n"
            f"新的到店时间：**{self.moment(booking.starts)}**（原为 {self.moment(before)}）。"
        )

    def cancelled(self, booking: Booking) -> str:
        return f"## 已取消：{booking.number}\n\n{self.moment(booking.starts)} 的时段已释放。"

    def bookings(self, bookings: Sequence[Booking]) -> str:
        return (
            "## 您的预约\n\n" + self._table(["编号", "时间"], bookings)
            if bookings
            else "您没有未完成的预约。"
        )

    def which_booking(self, bookings: Sequence[Booking]) -> str:
        if not bookings:
            return "您没有未完成的预约。"
        return "请问是哪一个预约？请告诉我编号。\n\n" + self._table(["编号", "时间"], bookings)

    def no_such_booking(self, number: str, bookings: Sequence[Booking]) -> str:
        return f"您没有编号为 {number} 的未完成预约。\n\n{self.bookings(bookings)}"


def phrases(language: Language) -> Phrases:
    """The phrases of `language`."""
    return ChinesePhrases() if language == "zh" else Phrases()
