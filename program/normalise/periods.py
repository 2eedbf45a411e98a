"""Days, weeks, months, quarters and years counted from today, and how a document writes them."""

import datetime
from typing import Literal, NamedTuple

from data.records import Language

Unit = Literal["day", "weekend", "week", "month", "quarter", "half", "year"]

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MONTHS_LONG: dict[Unit, int] = {"month": 1, "quarter": 3, "half": 6, "year": 12}
_DAYS_LONG: dict[Unit, int] = {"day": 1, "weekend": 2, "week": 7}


class Period(NamedTuple):
    """A stretch of whole days. Weeks are those of ISO 8601 (Monday to Sunday), quarters and halves those of the calendar."""

    unit: Unit
    first: datetime.date
    """Its first day; for any other the period would be another one."""


def period(unit: Unit, offset: int, today: datetime.date) -> Period | None:
    """Return the ``unit`` that is ``offset`` of its kind after the one ``today`` is in; ``None`` outside of the years 1 to 9999."""
    try:
        if unit in _MONTHS_LONG:
            long = _MONTHS_LONG[unit]
            month = ((today.year * 12 + today.month - 1) // long + offset) * long
            return Period(unit, datetime.date(month // 12, month % 12 + 1, 1))
        if unit == "day":
            return Period(unit, today + datetime.timedelta(days=offset))
        monday = today + datetime.timedelta(weeks=offset, days=-today.weekday())
        monday + datetime.timedelta(days=6)  # must be a day as well
        return Period(unit, monday if unit == "week" else monday + datetime.timedelta(days=5))
    except (ValueError, OverflowError):
        return None


def day(year: int, month: int, number: int) -> Period | None:
    """Return that day, ``None`` where the calendar has none ("31 June")."""
    try:
        return Period("day", datetime.date(year, month, number))
    except ValueError:
        return None


def part_of_year(unit: Unit, year: int, number: int) -> Period | None:
    """Return the month, quarter or half with that number (from 1) of ``year``, ``None`` where there is none."""
    month = (number - 1) * _MONTHS_LONG[unit] + 1
    return Period(unit, datetime.date(year, month, 1)) if 1 <= month <= 12 else None


def written(found: Period, language: Language) -> str:
    """Return ``found`` as a document has it.

    "2026年11月29日" and "November 29, 2026"; "2026年11月" and "November 2026"; "2026年第四季度" and "Q4 2026"; "2026年" and "2026". A week
    or weekend is its first and last day.
    """
    first = found.first
    if found.unit in _DAYS_LONG:
        last = first + datetime.timedelta(days=_DAYS_LONG[found.unit] - 1)
        return _day(first, language) if first == last else _days(first, last, language)
    number = (first.month - 1) // _MONTHS_LONG[found.unit]
    if language == "zh":
        ending = {
            "month": f"{first.month}月",
            "quarter": f"第{'一二三四'[number % 4]}季度",
            "half": f"{'上下'[number % 2]}半年",
        }
        return f"{first.year}年{ending.get(found.unit, '')}"
    start = {"month": f"{MONTHS[first.month - 1]} ", "quarter": f"Q{number + 1} ", "half": f"H{number + 1} "}
    return f"{start.get(found.unit, '')}{first.year}"


def _day(one: datetime.date, language: Language) -> str:
    if language == "zh":
        return f"{one.year}年{one.month}月{one.day}日"
    return f"{MONTHS[one.month - 1]} {one.day}, {one.year}"


def _days(first: datetime.date, last: datetime.date, language: Language) -> str:
    if language == "zh":
        end = _day(last, language)
        return f"{_day(first, language)}至{end if last.year != first.year else end.split('年')[1]}"
    start = _day(first, language)
    return f"{start if last.year != first.year else start.split(',')[0]} to {_day(last, language)}"
