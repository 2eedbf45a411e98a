"""New part, old question: completing "what about X" from the question before."""

import re

from program.rules.gazetteer import Gazetteer
from program.rules.language_rules import LanguageRules

_VALUE = re.compile(
    r"(?<![A-Za-z\d.])(?P<letter>[A-Za-z]?)(?P<number>\d+(?:\.\d+)*)"
    r"(?:[ -]?(?P<unit>年|季度|月份?|[日号版代寸升款]|(?:inch|inches|gb|tb|ml|l|cm|mm|kg|mb)(?![a-z])))?(?![A-Za-z\d])", re.IGNORECASE
)  # fmt: skip


def replace_entity(question: str, entity: str, gazetteer: Gazetteer) -> str | None:
    """Return ``question`` about ``entity`` instead of the entity it names; None when it names none."""
    mentions = gazetteer.find(question)
    if not mentions:
        return None
    term = mentions[-1].term
    for mention in reversed(mentions):
        if mention.term == term:
            question = question[: mention.start] + entity + question[mention.end :]
    return question


def replace_value(question: str, value: str) -> str | None:
    """Put ``value``, a number with its unit or letter ("2024年", "65 inch", "v3.0"), in place of the one of that kind in ``question``.

    However either is spaced. None when the question has none, or several.
    """
    new = _VALUE.fullmatch(value.strip())
    if new is None:
        return None
    alike = [
        old
        for old in _VALUE.finditer(question)
        if _kind(old) == _kind(new) and old["number"] != new["number"] and (_kind(new) != ("", "") or _alike(old, new))
    ]
    if len(alike) != 1:
        return None
    start, end = alike[0].span()
    return f"{question[:start]}{value.strip()}{question[end:]}"


def _kind(value: re.Match[str]) -> tuple[str, str]:
    return value["letter"].lower(), (value["unit"] or "").lower()


def _alike(old: re.Match[str], new: re.Match[str]) -> bool:
    """Bare numbers are of a kind when they have as many digits: years, not a year and an amount."""
    return len(old["number"]) == len(new["number"])


def replace_similar(question: str, topic: str, rules: LanguageRules) -> str | None:
    """Put ``topic`` in place of the part of ``question`` that looks like it ("下半年" for "上半年", "Q2" for "Q1").

    Alike means: as long, and at least half of it equal at the same places, the rest different. None when nothing is.
    """
    spaced = rules.joiner == ", "
    units, old = (topic.split(), question.split()) if spaced else (list(topic), list(question))
    size = len(units)
    if size < 2 and not re.fullmatch(r"[A-Za-z]?\d+", topic):
        return None
    best, best_at = 0.0, -1
    for at in range(len(old) - size + 1):
        window = [unit.strip("?？.,").lower() for unit in old[at : at + size]]
        if size == 1:
            same = 0.5 * bool(
                re.sub(r"\d", "9", window[0]) == re.sub(r"\d", "9", topic.lower()) and window[0] != topic.lower()
            )
        else:
            same = sum(a == b.lower() for a, b in zip(window, units, strict=True)) / size
        if best < same < 1:
            best, best_at = same, at
    if best < 0.5:
        return None
    tail = "?" if spaced and question.rstrip().endswith("?") and best_at + size == len(old) else ""
    glue = " " if spaced else ""
    return glue.join([*old[:best_at], *units, *old[best_at + size :]]).strip() + tail
