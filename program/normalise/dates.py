"""The dates that "昨天", "上个月" or "last quarter" stand for, given what day it is."""

import datetime
import re
from collections.abc import Iterator

from data.records import Language, language_of
from program.guard.spoken import spoken
from program.normalise import dates_chinese, dates_english
from program.normalise.periods import written
from program.normalise.whole_words import WholeWords, folded, leftmost_longest

_QUOTED = re.compile(r"《[^《》]*》|“[^“”]*”|「[^「」]*」|『[^『』]*』|\"[^\"]*\"")


def added_dates(text: str, today: datetime.date) -> tuple[str, ...]:
    """Return the dates that expressions in ``text`` stand for on ``today``, in order of appearance, to be added to it.

    As exact as they are said: "三天前" is a day, "3 months ago" a month, "last year" a year. Written in the language of ``text``, see
    ``program.normalise.periods.written``. Chinese and English expressions are found in either. The longest wins ("the day before yesterday").
    Left alone are words inside of quotation marks and titles, parts of words, what counts from something else than today ("退房三天前",
    "the last week of May"), vague amounts ("几天前"), dates outside of the years 1 to 9999, repeats, and dates that ``text`` has.
    """
    plain = folded(text)
    asked = dates_chinese.apart(_QUOTED.sub("|", plain))
    words = WholeWords(asked)
    found = [*dates_chinese.found(asked, today), *dates_english.found(asked, today)]
    kept = leftmost_longest(
        (start, end, meant) for start, end, meant in found if words.holds(start, end, or_begins=True)
    )
    language: Language = spoken(text) or language_of(text)
    dates = dict.fromkeys(written(meant, language) for _, _, meant in kept)
    return tuple(date for date in dates if not any(_places(date, plain)))


def _places(date: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<!\d){re.escape(date)}(?!\d)", text, re.IGNORECASE)
