"""Names in a short text: entities of the corpus, and codes, quoted spans and Latin proper nouns that need no corpus to be seen."""

import difflib
import re
from collections.abc import Iterable
from typing import NamedTuple

from program.guard.content import CHINESE_RUN, units
from program.guard.reading import Reading, squeezed
from program.rules.gazetteer import Gazetteer

_QUOTED = re.compile(r"[「『《“\"]([^「」『』《》“”\"]{2,30})[」』》”\"]")
_CODE = re.compile(r"(?<![A-Za-z0-9.,])(?=[A-Za-z-]*\d)(?=[\d-]*[A-Za-z])[A-Za-z\d]+(?:-[A-Za-z\d]+)*(?![A-Za-z0-9])")
# "20kg", "5G", "3pm", "1990s", "2nd": amounts, which the numbers guard reads.
_AMOUNT = re.compile(r"\d+(?:[a-z]{1,3}|[KMGTPWVHLADX]B?|mAh|kWh|Mbps|Hz)", re.IGNORECASE)
_PROPER = re.compile(r"(?<![A-Za-z0-9'’-])[A-Z][A-Za-z]{2,}(?![A-Za-z0-9])")
# What tells a model from its sibling: never taken for a part of a longer name.
_VERSION = re.compile(r"(?:Pro|Plus|Max|Mini|Ultra|Lite|Premium|Basic|Standard|Air)(?![A-Za-z])")
# "European", "Japanese": a rewrite may say it otherwise.
_ADJECTIVE = re.compile(r"[A-Z][a-z]+(?:[ieac]an|ese|ish|nic)s?")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n\"“(])\s*$")
_COMMON = frozenset(
    re.findall(
        r"\S+",
        "and are but can could did does for had has have how its may might must not our should that the their then there these they this those "
        "was were what when where which while who whom whose why will with would you your yes please also any some about "
        "app apps web pdf usb gps faq led vip atm wifi mrs miss sir",
    )
)
_ALIKE = 0.8
"""Share of equal letters from which two spellings are one name ("Brindel", "Brindle")."""


class Name(NamedTuple):
    """A name as written, and the corpus's entity it stands for, if any."""

    written: str
    term: str | None
    start: int


def names(text: str, gazetteer: Gazetteer) -> list[Name]:
    """The names in ``text``, in order; what an entity covers is not named again.

    A word that starts a sentence is no proper noun, and in a text with a capital on most words none is. An entity is left out where it is
    named by a common word alone ("camera", "打印机"): that may as well be the thing in general.
    """
    mentions = gazetteer.find(text)
    found = [
        Name(text[one.start : one.end], one.term, one.start)
        for one in mentions
        if _is_strong(text[one.start : one.end], one.term)
    ]
    spans = [(match.start(1), match.group(1)) for match in _QUOTED.finditer(text)]
    spans += [(match.start(), match.group()) for match in _CODE.finditer(text) if not _AMOUNT.fullmatch(match.group())]
    spans += _proper(text)
    taken = [(one.start, one.end) for one in mentions]
    for start, written in sorted(spans, key=lambda span: (span[0], -len(span[1]))):
        end = start + len(written)
        if all(end <= other_start or other_end <= start for other_start, other_end in taken):
            found.append(Name(written, None, start))
            taken.append((start, end))
    return sorted(found, key=lambda name: name.start)


def is_in(name: Name, reading: Reading) -> bool:
    """Whether a text has ``name``: the same entity in any form, or its words in any spacing, inflection, near spelling or as initials.

    A code must be there whole; of other names, Latin or quoted, half of the words are enough ("Ada Reed", "Reed").
    """
    if name.term in reading.terms or squeezed(name.written) in reading.squeezed:
        return True
    if _CODE.fullmatch(name.written):
        return False
    if _shortens(name.written, reading.text) or _shortened(name.written, reading.text):
        return True
    wanted = list(dict.fromkeys(units(name.written)))
    kept = sum(unit in reading.units or has_like(unit, reading.units) for unit in wanted)
    return 2 * kept >= len(wanted) if name.term is None else kept == len(wanted) and bool(wanted)


def is_said(name: Name, reading: Reading) -> bool:
    """Whether every part of ``name`` is in a text, together or apart: "Harbor Plus" after "Harbor" and "the Plus version"."""
    if is_in(name, reading):
        return True
    latin = [unit for unit in units(name.written) if not CHINESE_RUN.match(unit)]
    chinese = "".join(CHINESE_RUN.findall(name.written))
    return all(unit in reading.units or has_like(unit, reading.units) for unit in latin) and _covered(
        chinese, reading.squeezed
    ) == len(chinese)


def groups(found: Iterable[Name], text: str) -> list[list[Name]]:
    """Names that stand side by side in ``text`` are one fuller name ("Ada" and "Reed"); a version ("Pro") is always one by itself."""
    grouped: list[list[Name]] = []
    for name in found:
        before = grouped[-1][-1] if grouped else None
        beside = before is not None and re.fullmatch(
            r"\s+(?:(?:of|the|and|de|von|van)\s+)*", text[before.start + len(before.written) : name.start]
        )
        if (
            beside
            and name.term is None
            and before is not None
            and before.term is None
            and not _VERSION.fullmatch(name.written)
        ):
            grouped[-1].append(name)
        else:
            grouped.append([name])
    return grouped


def is_adjective(name: Name) -> bool:
    """Whether ``name`` only says where something is from."""
    return name.term is None and _ADJECTIVE.fullmatch(name.written) is not None


def _is_strong(written: str, term: str) -> bool:
    """Whether a short form names the entity by itself: it has a capital or a digit, or starts as the entity's name does."""
    if any(character.isupper() or character.isdigit() for character in written):
        return True
    return bool(CHINESE_RUN.match(written)) and squeezed(term).startswith(squeezed(written))


def _proper(text: str) -> list[tuple[int, str]]:
    chinese = CHINESE_RUN.search(text) is not None
    latin = re.findall(r"[A-Za-z]{2,}", text)
    # A headline has a capital on every word: nothing can be told from them.
    if not chinese and len(latin) > 3 and sum(word[0].isupper() for word in latin) > 0.7 * len(latin):
        return []
    found = [match for match in _PROPER.finditer(text) if match.group().lower() not in _COMMON]
    return [
        (match.start(), match.group())
        for match in found
        if chinese or not _SENTENCE_START.search(text[max(0, match.start() - 20) : match.start()])
    ]


def _covered(run: str, text: str) -> int:
    """How many characters of ``run`` stand in ``text`` as parts of pieces of two and more."""
    covered: set[int] = set()
    for at in range(len(run) - 1):
        if run[at : at + 2] in text:
            covered |= {at, at + 1}
    return len(covered)


def has_like(unit: str, there: Iterable[str]) -> bool:
    """Whether ``there`` has a near spelling of the Latin word ``unit``, of four letters or more."""
    if len(unit) < 4 or not unit.isalpha() or CHINESE_RUN.match(unit):
        return False
    return any(unit[0] == other[:1] and difflib.SequenceMatcher(None, unit, other).ratio() >= _ALIKE for other in there)


def _shortens(written: str, text: str) -> bool:
    """Whether ``written`` is made of initials of words of ``text`` ("VMs", "virtual machines")."""
    short = re.fullmatch(r"([A-Z]{2,6})s?", written)
    return (
        short is not None
        and short.group(1).lower() in "".join(word[0] for word in re.findall(r"[A-Za-z]+", text)).lower()
    )


def _shortened(written: str, text: str) -> bool:
    """Whether ``text`` has the initials of ``written`` ("New York City", "NYC")."""
    initials = "".join(word[0] for word in re.findall(r"[A-Za-z]+", written)).lower()
    return len(initials) > 1 and re.search(rf"\b{initials}\b", text.lower()) is not None
