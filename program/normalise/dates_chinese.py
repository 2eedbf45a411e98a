"""Chinese expressions for dates, counted from today."""

import datetime
import re
from collections.abc import Callable, Iterator

from program.guard.quantities import numbers
from program.normalise.periods import Period, Unit, day, part_of_year, period

_DAYS = {"大前天": -3, "前天": -2, "后天": 2, "大后天": 3} | {
    word + part: offset for word, offset in (("昨", -1), ("今", 0), ("明", 1)) for part in "天日晚早"
}
_YEARS = {
    "大前": -3, "前": -2, "去": -1, "上": -1, "上一": -1, "今": 0, "本": 0, "明": 1, "下": 1, "下一": 1, "后": 2, "大后": 3,
}  # fmt: skip
_WHICH = {"上上": -2, "上": -1, "上一": -1, "这": 0, "这一": 0, "本": 0, "下": 1, "下一": 1, "下下": 2}
_WEEKDAYS = "一二三四五六日"
_UNITS: dict[str, Unit] = {
    "天": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "季度": "quarter", "年": "year",
}  # fmt: skip
_LONGEST_AGO = 100

_NUMBER = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_TAIL = "(?:份|[初中底末内]|[上中下]旬)"
_YEAR = "(?P<year>大?[前后]|[去今明]|[本上下](?=年度)|[上下]一(?=年(?!级)))年"
_WEEK = "(?P<which>上上|下下|[上下这]一|[上下这本])个?(?:周|星期|礼拜)"
_MONTH = "(?P<which>上上|下下|[上下]一|[上下这本])个?月"
# "三天前" at the start of a clause or after these is counted from today; in "退房三天前" and "付款后三天" from something else.
_COUNTED_FROM_TODAY = r"(?<![^\W我你他她它们在从于是就才约概])(?<![-~–.,/、\d])"
# Where jieba's dictionary has a word across the edge: "从前", "跟上", "一下下".
_JOINED = re.compile("(?<=[从跟])(?=前[天年])|(?<=跟)(?=上)|(?<=一下)(?=下)")


def apart(text: str) -> str:
    """Return ``text`` with a blank before expressions that the word before runs into ("从前天", "看一下下周")."""
    return _JOINED.sub(" ", text)


def found(text: str, today: datetime.date) -> Iterator[tuple[int, int, Period]]:
    """Yield start, end and meaning of every expression in ``text``, overlapping ones and those inside of words included."""
    for pattern, meaning in _PATTERNS:
        for match in pattern.finditer(text):
            meant = meaning(match, today)
            if meant is not None:
                yield match.start(), match.end(), meant


def _day(match: re.Match[str], today: datetime.date) -> Period | None:
    return period("day", _DAYS[match["day"]], today)


def _year(match: re.Match[str], today: datetime.date) -> Period | None:
    return period("year", _YEARS[match["year"]], today)


def _month_of_year(match: re.Match[str], today: datetime.date) -> Period | None:
    year = _year(match, today)
    month = year and part_of_year("month", year.first.year, _value(match["month"]))
    return month and _with_day(month, match.groupdict().get("number"))


def _quarter_of_year(match: re.Match[str], today: datetime.date) -> Period | None:
    year = _year(match, today)
    if match["half"]:
        return year and part_of_year("half", year.first.year, 1 + "上下".index(match["half"]))
    return year and part_of_year("quarter", year.first.year, _value(match["quarter"] or match["q"]))


def _week(match: re.Match[str], today: datetime.date) -> Period | None:
    return period("week", _WHICH[match["which"]], today)


def _weekday(match: re.Match[str], today: datetime.date) -> Period | None:
    week = _week(match, today)
    if match["weekday"] == "末":
        return week and period("weekend", 0, week.first)
    return week and period("day", _WEEKDAYS.index(match["weekday"].replace("天", "日")), week.first)


def _month(match: re.Match[str], today: datetime.date) -> Period | None:
    month = period("month", _WHICH[match["which"]], today)
    return month and _with_day(month, match.groupdict().get("number"))


def _quarter(match: re.Match[str], today: datetime.date) -> Period | None:
    return period("quarter", _WHICH[match["which"]], today)


def _counted(match: re.Match[str], today: datetime.date) -> Period | None:
    value = _value(match["number"])
    if not 0 < value < _LONGEST_AGO:
        return None
    return period(_UNITS[match["unit"]], -value if match["way"] == "前" else value, today)


def _with_day(month: Period, number: str | None) -> Period:
    """The day of ``month``; the month where it has no such day, or none is said."""
    return (number and day(month.first.year, month.first.month, _value(number))) or month


def _value(written: str) -> int:
    """What a numeral counts; 0, which no calendar has, where it is none."""
    value = next((one.value for one in numbers(written)), "0")
    return int(value) if value.isdecimal() else 0


_Meaning = Callable[[re.Match[str], datetime.date], Period | None]
# With and without what may follow, as separate patterns: the longer one may end inside of a word ("这周天气", "去年度假").
_PATTERNS: list[tuple[re.Pattern[str], _Meaning]] = [
    (re.compile(pattern), meaning)
    for pattern, meaning in (
        (f"(?P<day>{'|'.join(sorted(_DAYS, key=len, reverse=True))})(?!性)", _day),
        (_YEAR, _year),
        (f"{_YEAR}(?:度(?:预算|计划|报告)?|年?[初中底末内])", _year),
        (rf"{_YEAR}度?的?\s?(?P<month>{_NUMBER})\s?月", _month_of_year),
        (rf"{_YEAR}度?的?\s?(?P<month>{_NUMBER})\s?月{_TAIL}", _month_of_year),
        (rf"{_YEAR}度?的?\s?(?P<month>{_NUMBER})\s?月份?的?\s?(?P<number>{_NUMBER})\s?[号日]", _month_of_year),
        (
            rf"{_YEAR}度?的?\s?(?:第?(?P<quarter>[一二三四1-4])季度|[Qq](?P<q>[1-4])|(?P<half>[上下])半年)",
            _quarter_of_year,
        ),
        (_WEEK, _week),
        (f"{_WEEK}[初中内]", _week),
        (f"{_WEEK}(?P<weekday>[一二三四五六日天末])", _weekday),
        (_MONTH, _month),
        (f"{_MONTH}{_TAIL}", _month),
        (rf"{_MONTH}份?的?\s?(?P<number>{_NUMBER})\s?[号日]", _month),
        ("(?P<which>上上|下下|[上下这]一|[上下这本])个?季度", _quarter),
        ("(?P<which>上上|下下|[上下这]一|[上下这本])个?季度[初中末内]", _quarter),
        (
            rf"{_COUNTED_FROM_TODAY}(?P<number>\d{{1,3}}|[一二两三四五六七八九十]{{1,3}})\s?"
            "个?(?P<unit>[天周年]|星期|礼拜|季度|(?<=个)月)[之以]?(?P<way>[前后])(?!后)",
            _counted,
        ),
    )
]
