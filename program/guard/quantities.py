"""Numbers and their units in a text, whatever they are written in: "3 天", "３天", "三天" and "three days" are one quantity.

Two readings, because a wrong alarm costs a good rewrite: ``quantities`` lists what a text surely counts or measures; ``numbers`` lists every
value that its words could stand for ("一" in "一下" included), to look such a quantity up in.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_DIGITS = {
    "〇": 0,
    "零": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "俩": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_ENGLISH = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
    "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "hundred": 100, "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10,
}  # fmt: skip
_ENGLISH_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_UNITS = {
    "year": "年|years?|yrs?", "month": "个月|months?", "week": "个?星期|个?礼拜|周|weeks?", "day": "天|日|号|days?",
    "night": "晚|夜|nights?", "hour": "个?小时|个?钟头|hours?|hrs?", "minute": "分钟|minutes?|mins?", "second": "秒钟?|seconds?|secs?",
    "yuan": "元|块钱?|yuan|rmb|cny", "euro": "欧元?|euros?|eur|€", "dollar": "美元|美金|dollars?|usd", "percent": "%|percent|per cent",
    "kilometre": "公里|千米|kilomet(?:re|er)s?|km", "metre": "米|met(?:re|er)s?", "kilogram": "公斤|千克|kilograms?|kilos?|kg",
    "gram": "克|grams?", "person": "个?人|位|people|persons?|guests?",
}  # fmt: skip
# Their number is a name or a date, not an amount: still read, never confused with an amount ("3月" is no "3个月").
_OTHER_UNITS = "月|点|岁|折|倍|楼|层|星|级|代|期|GB|MB|TB|M|G"
_UNIT = "|".join(f"(?P<{name}>{words})" for name, words in _UNITS.items()) + f"|(?P<other>{_OTHER_UNITS})"
_NUMERAL = "[〇零一二两三四五六七八九十百千万亿]+"
_ARABIC = r"\d+(?:[.,:]\d+)*"
_WORDS = "|".join(sorted(_ENGLISH, key=len, reverse=True))
_UNIT_AFTER = re.compile(rf"[ -]?(?:{_UNIT})(?![a-z])", re.IGNORECASE)
_COUNTED = re.compile(r"[个款种家间张本件台条只]")
# "这三个" and "他们三个" point at what was named; a rewrite puts the names there.
_POINTING = re.compile(r"[这那哪前后们上下第]$")
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ANY = re.compile(
    rf"(?P<arabic>{_ARABIC})|(?P<chinese>{_NUMERAL}|俩)|\b(?P<english>(?:(?:{_TENS})[- ])?(?:{_WORDS}))\b",
    re.IGNORECASE,
)
_IDIOM = re.compile(r"万一|四周(?=[有都围环是])|一天到晚|千万(?=[别不要])")
# "一块", "一位", "一层" are articles; "一天" and "一周" measure.
_TIMES = frozenset(["year", "month", "week", "day", "night", "hour", "minute", "second"])
_PERCENT = re.compile(rf"百分之({_NUMERAL}|{_ARABIC})")
_SCALE_AFTER = re.compile(
    r"\s*(?P<chinese>[百千万亿])|\s(?P<english>hundred|thousand|million|billion)\b", re.IGNORECASE
)


class Quantity(NamedTuple):
    """A value, canonical ("3", "2.5", "10:30"), with its unit's English name where one follows it."""

    value: str
    unit: str | None
    written: str


def quantities(text: str) -> list[Quantity]:
    """What ``text`` surely counts or measures: every number in digits, and numerals in words that have a unit or count three or more."""
    return [found for found, sure in _read(text) if sure]


def numbers(text: str) -> list[Quantity]:
    """Every number that may be meant in ``text``."""
    return [found for found, _ in _read(text)]


def _read(text: str) -> Iterator[tuple[Quantity, bool]]:
    text = _IDIOM.sub(" ", _PERCENT.sub(r"\1%", unicodedata.normalize("NFKC", text)))
    read_to = 0
    for match in _ANY.finditer(text):
        if match.start() < read_to:
            continue
        written, end = match.group(), match.end()
        if match["arabic"]:
            value, end = _scaled(_arabic(written), text, end)
            plain = _arabic(written)
            if value != plain:
                yield Quantity(plain, None, written), False
        elif match["chinese"]:
            value = str(_chinese(written))
        else:
            value, end = _scaled(str(sum(_ENGLISH[word] for word in re.split("[- ]", written.lower()))), text, end)
        unit = _UNIT_AFTER.match(text, end)
        name = unit.lastgroup if unit else None
        sure = match["arabic"] is not None or _is_sure(text, match, value, name)
        read_to = unit.end() if unit else end
        yield Quantity(value, None if name == "other" else name, text[match.start() : read_to]), sure


def _arabic(written: str) -> str:
    without_groups = re.sub(r",(?=\d{3}(?!\d))", "", written)
    try:
        return f"{float(without_groups):.15g}"
    except ValueError:
        return without_groups


def _scaled(value: str, text: str, end: int) -> tuple[str, int]:
    scale = _SCALE_AFTER.match(text, end)
    if scale is None or ":" in value:
        return value, end
    factor = _SCALES[scale["chinese"]] if scale["chinese"] else _ENGLISH_SCALES[scale["english"].lower()]
    return f"{float(value) * factor:.15g}", scale.end()


def _chinese(written: str) -> int:
    """Value of a numeral: positional ("二〇一九") or with scales ("三百二十", "一万二")."""
    if not any(character in _SCALES for character in written):
        return int("".join(str(_DIGITS[character]) for character in written))
    total = section = digit = 0
    scale = 1
    for character in written:
        if character in _DIGITS:
            digit = _DIGITS[character]
            continue
        scale = _SCALES[character]
        if scale >= 10_000:
            total, section = (total + section + digit or 1) * scale, 0
        else:
            section += (digit or 1) * scale
        digit = 0
    # "一万二" is 12,000: a last digit without "零" counts tenths of the scale before it.
    tenth = scale // 10 if scale >= 100 and len(written) > 1 and written[-2] in _SCALES else 1
    return total + section + digit * tenth


def _is_sure(text: str, match: re.Match[str], value: str, unit: str | None) -> bool:
    if _POINTING.search(text[: match.start()]):
        return False
    if unit is None:
        return match["chinese"] is not None and float(value) >= 3 and _COUNTED.match(text, match.end()) is not None
    return value != "1" or unit in _TIMES
