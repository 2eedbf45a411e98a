"""Times that are said in names instead of numbers: months, weekdays, "上周", "last year", "Q2", "in the evening".

``program.guard.numbers`` reads digits and counts; this reads the rest, in one form for both languages, so that "上星期" and "last week" are
the same and "上周" and "昨天" are not.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from program.guard.context import Context, core, last_clause

_NUMERALS = {numeral: value for value, numeral in enumerate("一二三四五六七八九十", start=1)} | {"十一": 11, "十二": 12}
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ORDINALS = ("first", "second", "third", "fourth")
_RELATIVE = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1}
_CAPITAL_MONTHS = "|".join(name.capitalize() for name in _MONTHS if name not in ("march", "may"))
_SHORT_MONTHS = "Jan|Feb|Apr|Aug|Sept?|Oct|Nov|Dec"

# "上" and "下" also end other words ("晚上周边", "线下周末"): what stands before and after must not.
_NOT_IN_WORD = "(?<![早晚线网路街地手身天以])"
_WEEK = "(?:个?(?:星期|礼拜)|周)(?![边围到转全身])"
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("month", r"(?<![\d一二三四五六七八九十几数两个])(?P<n>十[一二]?|[一二三四五六七八九]|1[0-2]|0?[1-9])月(?!薪|租|费|卡|供)"),
        ("month", rf"(?i:\b(?P<name>{_CAPITAL_MONTHS})\b)|\b(?P<may>May|March)\b(?=\s+(?:\d|the\b|of\b))"),
        ("month", r"\b(?:[Ii]n|[Dd]uring|[Ss]ince|[Uu]ntil|[Bb]y|[Oo]f|[Ll]ast|[Nn]ext|[Tt]his)\s+(?P<may>May|March|may|march)\b"),
        ("month", rf"\b(?P<short>{_SHORT_MONTHS})\b\.?(?=\s+\d|[\s?.,!]*$)"),
        ("weekday", r"(?<![一二两三四五六七八九十几\d])(?:周|星期|礼拜)(?P<n>[一二三四五六日]|(?<=[期拜])天)(?![次个回趟遍天年周岁])"),
        ("weekday", rf"(?i:\b(?P<name>{'|'.join(_DAYS)})s?\b)"),
        ("weekend", r"周末|(?i:\bweekends?\b)"),
        ("quarter", r"第?(?P<n>[一二三四1-4])季度|\b[Qq](?P<q>[1-4])\b|(?i:\b(?P<name>first|second|third|fourth)\s+quarter\b)"),
        ("half", r"(?P<n>[上下])半年|(?i:\b(?P<name>first|second)\s+half\b)"),
    )
)  # fmt: skip
_FIXED: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (canonical, re.compile(pattern))
    for canonical, pattern in (
        ("day -2", r"(?<!大)前天|(?i:\bthe day before yesterday\b)"),
        ("day -1", r"昨[天日晚夜]|(?i:(?<!day before )\byesterday\b)"),
        ("day 0", r"今[天日晚早]|(?i:\b(?:today|tonight)\b)"),
        ("day 1", r"明[天日晚早](?!显)|(?i:(?<!day after )\btomorrow\b)"),
        ("day 2", r"(?<![大先])后天|(?i:\bthe day after tomorrow\b)"),
        ("week -1", rf"{_NOT_IN_WORD}(?<!上)上(?:一)?{_WEEK}"),
        ("week 0", rf"[这本](?:一)?{_WEEK}"),
        ("week 1", rf"{_NOT_IN_WORD}(?<!下)下(?:一)?{_WEEK}"),
        ("month -1", rf"{_NOT_IN_WORD}(?<!上)上(?:一)?个?月"),
        ("month 0", r"[这本](?:一)?个?月"),
        ("month 1", rf"{_NOT_IN_WORD}(?<!下)下(?:一)?个?月"),
        ("quarter -1", rf"{_NOT_IN_WORD}上(?:一)?个?季度"),
        ("quarter 0", r"[这本](?:一)?个?季度"),
        ("quarter 1", rf"{_NOT_IN_WORD}下(?:一)?个?季度"),
        ("year -2", r"(?<![年以之大])前年"),
        ("year -1", r"去年(?!会)"),
        ("year 0", r"今年|本年度?"),
        ("year 1", r"(?<![光透清声鲜表说证发])明年"),
        ("year 2", r"(?<![年以之])后年"),
        ("spring", r"春[天季]|(?i:\b(?:in (?:the )?|this |next |last |during )spring\b)"),
        ("summer", r"夏[天季]|暑[假期]|(?i:\bsummers?\b)"),
        ("autumn", r"秋[天季]|(?i:\bautumn\b|\b(?:in the|this|next|last) fall\b)"),
        ("winter", r"冬[天季]|寒假|(?i:\bwinters?\b)"),
        ("morning", r"早[上晨]|上午|清晨|凌晨|(?i:\bmornings?\b)"),
        ("noon", r"中午|(?i:\bnoon\b)"),
        ("afternoon", r"下午|(?i:\bafternoons?\b)"),
        ("night", r"[晚夜](?:上|里|间)|夜晚|傍晚|今晚|昨晚|明晚|(?i:\b(?:evenings?|nights?|tonight)\b)"),
    )
)  # fmt: skip
# "the next year" of a story is no next year of ours.
_RELATIVE_EN = re.compile(
    rf"(?<!the )\b(?P<which>{'|'.join(_RELATIVE)})\s+(?P<unit>week|month|quarter|year)\b", re.IGNORECASE
)
_LOOSE = ({"spring", "summer", "autumn", "winter"}, {"morning", "noon", "afternoon", "night"})
"""A rewrite may do without these ("晚上几点关门") or bring them, but must not put one for another."""
_NOW = frozenset(["day 0", "year 0", "week 0", "month 0", "quarter 0"])
"""A question may do without them."""
_ORDINAL_DAY = re.compile(
    rf"\b(?:{_CAPITAL_MONTHS}|March|May|{_SHORT_MONTHS})\.?\s+(?P<after>\d{{1,2}})(?:st|nd|rd|th)?\b|"
    rf"\b(?P<before>\d{{1,2}})(?:st|nd|rd|th)\b"
)


class Date(NamedTuple):
    """A time, canonical ("month 3", "week -1"), and as it was written."""

    canonical: str
    written: str


def dates(text: str) -> list[Date]:
    """The times that ``text`` names, each once, in no order that means anything.

    Months, weekdays, weekends, quarters, halves of a year, seasons, parts of the day, and the day, week, month, quarter or year counted
    from now.
    """
    return list(dict.fromkeys(_read(text)))


def refuse_dates(rewrite: str, context: Context) -> str | None:
    """Return which time of ``rewrite`` was never said, or which of the query's last clause is lost, or ``None``."""
    written, said = dates(rewrite), {one.canonical for one in dates(context.said.text)}
    kept = {one.canonical for one in written}
    asked = dates(last_clause(core(context)))
    loose = set().union(*_LOOSE)
    for one in written:
        if one.canonical not in said | loose:
            return f"dates: {one.written} was never said"
    values = {one.value for one in context.said_numbers}
    for match in _ORDINAL_DAY.finditer(rewrite):
        day = match["after"] or match["before"]
        if str(int(day)) not in values and not _is_choice(match):
            return f"dates: {match.group()} was never said"
    for one in asked:
        swapped = any(one.canonical in kind and kind & kept for kind in _LOOSE)
        if one.canonical not in kept and (swapped or one.canonical not in loose | _NOW):
            return f"dates: {one.written} is lost"
    return None


def _is_choice(match: re.Match[str]) -> bool:
    """Whether "2nd" stands alone: it may be a place in a list, and nothing is known of it."""
    return match["before"] is not None and int(match["before"]) < 4


def _read(text: str) -> Iterator[Date]:
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield Date(f"{kind} {_number(match)}".strip(), match.group())
    for canonical, pattern in _FIXED:
        for match in pattern.finditer(text):
            yield Date(canonical, match.group())
    for match in _RELATIVE_EN.finditer(text):
        yield Date(f"{match['unit'].lower()} {_RELATIVE[match['which'].lower()]}", match.group())


def _number(match: re.Match[str]) -> str:
    """What a name counts: "March" and "三月" are 3, "Sunday" and "周日" 7."""
    found = next(((name, value) for name, value in match.groupdict().items() if value), None)
    if found is None:
        return ""
    name, value = found
    if name == "n":
        special = {"上": 1, "下": 2, "日": 7, "天": 7}.get(value)
        return str(special or _NUMERALS.get(value) or int(value))
    if name == "q":
        return value
    low = value.lower()
    places = next(list_ for list_ in (_MONTHS, _DAYS, _ORDINALS) if any(one.startswith(low) for one in list_))
    return str(next(place for place, one in enumerate(places, start=1) if one.startswith(low)))
