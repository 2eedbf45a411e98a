"""English expressions for dates, counted from today."""

import datetime
import re
from collections.abc import Callable, Iterator

from program.guard.quantities import numbers
from program.normalise.periods import MONTHS, Period, Unit, day, part_of_year, period

_DAYS = {
    "today": 0, "tonight": 0, "yesterday": -1, "last night": -1, "tomorrow": 1, "the day before yesterday": -2, "day before yesterday": -2,
    "the day after tomorrow": 2, "day after tomorrow": 2,
}  # fmt: skip
_WHICH = {"last": -1, "this": 0, "current": 0, "next": 1}
_UNITS: dict[str, Unit] = {
    "day": "day",
    "week": "week",
    "weekend": "weekend",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LONGEST_AGO = 100

# "the last year" is twelve months, "the last week of May" counts from May.
_NOT_ROLLING = r"(?<!the )"
_NOT_OF = r"(?! of\b)"
_WEEKDAY = f"(?P<weekday>{'|'.join(_WEEKDAYS)})"
# "this may" and "next march" are hardly months in lower case.
_MONTH = f"(?P<month>(?-i:May|March)|{'|'.join(name for name in MONTHS if name not in ('May', 'March'))})"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_AMOUNT = (
    rf"(?<!or )(?<!to )(?<!and )(?P<number>\d{{1,3}}|an?|(?:(?:{_TENS})[ -])?(?!hundred|(?:{_TENS}) )[a-z]+)[ -]"
    r"(?P<unit>day|week|month|quarter|year)s?"
)


def found(text: str, today: datetime.date) -> Iterator[tuple[int, int, Period]]:
    """Yield start, end and meaning of every expression in ``text``, overlapping ones and those inside of words included."""
    for pattern, meaning in _PATTERNS:
        for match in pattern.finditer(text):
            meant = meaning(match, today)
            if meant is not None:
                yield match.start(), match.end(), meant


def _day(match: re.Match[str], today: datetime.date) -> Period | None:
    return period("day", _DAYS[match[0].lower()], today)


def _unit(match: re.Match[str], today: datetime.date) -> Period | None:
    return period(_UNITS[match["unit"].lower()], _which(match), today)


def _weekday(match: re.Match[str], today: datetime.date) -> Period | None:
    """The last one before today, the next one after it, or that of this week."""
    ahead = _WEEKDAYS.index(match["weekday"].lower()) - today.weekday()
    which = _which(match)
    if which:
        ahead = which * ((which * ahead - 1) % 7 + 1)
    return period("day", ahead, today)


def _weekday_of_week(match: re.Match[str], today: datetime.date) -> Period | None:
    week = period("week", _which(match), today)
    return week and period("day", _WEEKDAYS.index(match["weekday"].lower()), week.first)


def _month(match: re.Match[str], today: datetime.date) -> Period | None:
    """The last one before this month, the next one after it, or that of this year."""
    ahead = _month_number(match) - today.month
    which = _which(match)
    if which:
        ahead = which * ((which * ahead - 1) % 12 + 1)
    return period("month", ahead, today)


def _of_year(match: re.Match[str], today: datetime.date) -> Period | None:
    year = period("year", _which(match), today)
    if year is None:
        return None
    if match["part"]:
        return part_of_year("quarter" if match["part"] in "qQ" else "half", year.first.year, int(match["number"]))
    month = _month_number(match)
    exact = day(year.first.year, month, int(match["day"])) if match["day"] else None
    return exact or part_of_year("month", year.first.year, month)


def _counted(match: re.Match[str], today: datetime.date) -> Period | None:
    values = ["1"] if match["number"].lower() in ("a", "an") else [one.value for one in numbers(match["number"])]
    if len(values) != 1 or not values[0].isdecimal() or not 0 < int(values[0]) < _LONGEST_AGO:
        return None
    ago = (match.groupdict().get("way") or "").lower() == "ago"
    return period(_UNITS[match["unit"].lower()], -int(values[0]) if ago else int(values[0]), today)


def _which(match: re.Match[str]) -> int:
    return _WHICH[match["which"].lower()]


def _month_number(match: re.Match[str]) -> int:
    return MONTHS.index(match["month"].capitalize()) + 1


_Meaning = Callable[[re.Match[str], datetime.date], Period | None]
_PATTERNS: list[tuple[re.Pattern[str], _Meaning]] = [
    (re.compile(pattern, re.IGNORECASE), meaning)
    for pattern, meaning in (
        ("|".join(sorted(_DAYS, key=len, reverse=True)), _day),
        (rf"{_NOT_ROLLING}(?P<which>last|this|next) (?P<unit>weekend|week|month|quarter|year){_NOT_OF}", _unit),
        (r"(?P<which>current) (?P<unit>week|month|quarter|year)", _unit),
        (rf"{_NOT_ROLLING}(?P<which>last|this|next) {_WEEKDAY}{_NOT_OF}", _weekday),
        (rf"{_WEEKDAY},?(?: of)? (?P<which>last|this|next) week", _weekday_of_week),
        (rf"(?P<which>last|this|next) week(?:'s|’s)? {_WEEKDAY}", _weekday_of_week),
        (rf"{_NOT_ROLLING}(?P<which>last|this|next) {_MONTH}(?!,? \d| of\b)", _month),
        (
            rf"(?:{_MONTH}(?: (?P<day>\d{{1,2}})(?:st|nd|rd|th)?)?|(?P<part>[qh])(?P<number>[1-4])),?"
            r"(?: of)? (?P<which>last|this|next) year",
            _of_year,
        ),
        (rf"{_AMOUNT} (?P<way>ago)", _counted),
        (rf"{_AMOUNT} from (?:now|today)", _counted),
        # "a day in a year" is a rate, "in 14 days of purchase" counts from the purchase.
        (rf"\bin (?!(?:an?|one)[ -]){_AMOUNT}(?! (?:of|after|before|from|ago|or|to)\b)", _counted),
    )
]
