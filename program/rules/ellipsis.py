"""New part, old question: completing "what about X" from the question before."""

import re

from program.rules.gazetteer import Gazetteer
from program.rules.language_rules import LanguageRules


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
