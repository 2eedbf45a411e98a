"""Messages made of greetings, thanks and acknowledgements and nothing else."""

import re
from collections.abc import Sequence

from program.gate.units import Unit, units
from program.gate.words import Kind, vocabulary

# Longer messages say more than that they are polite.
_MOST_UNITS = 40
_LAUGH = re.compile(r"a?(?:ha|he|hi){2,}h?|(?:lo)+l|(?:ja){2,}|h{3,}|w?o+w")
_RUN = re.compile(r"(.)\1+")
_NAME = re.compile(r"[a-z]+")
_BESIDE_DENIAL = frozenset[Kind](["denial", "thanks", "farewell", "attached", "decline"])


def social_kinds(text: str) -> frozenset[Kind] | None:
    """Return what kinds of expressions the whole of ``text`` is made of, ``attached`` aside, or ``None`` when there is anything else.

    Of several readings the one with the fewest expressions counts. A "no" before praise or a "yes" is no polite word ("no good", "不对").
    """
    said = units(text)
    if not said:
        return _emoji(text)
    if len(said) > _MOST_UNITS:
        return None
    kinds = _readings(said)[-1]
    if kinds is None or not kinds - {"attached"} or ("denial" in kinds and kinds - _BESIDE_DENIAL):
        return None
    return kinds - {"attached"}


def polite_opening(text: str) -> int:
    """Return how many units ``text`` has after its greeting or thanks; 0 when it has none or nothing follows.

    In Chinese a break must follow, since "早餐" starts with no greeting.
    """
    said = units(text)[:_MOST_UNITS]
    readings = _readings(said)
    for end in range(len(said) - 1, 0, -1):
        kinds = readings[end]
        if kinds and kinds & {"greeting", "thanks", "farewell"} and not said[end].joined:
            return len(units(text)) - end
    return 0


def _readings(said: Sequence[Unit]) -> list[frozenset[Kind] | None]:
    """Kinds of the first 0, 1, 2 ... units, ``None`` where they cannot be read."""
    known = vocabulary()
    words = [_spelt(unit.text) for unit in said]
    fewest: list[tuple[int, frozenset[Kind]] | None] = [(0, frozenset())] + [None] * len(said)
    for start in range(len(said)):
        so_far = fewest[start]
        if so_far is None:
            continue
        for end in range(start + 1, min(start + known.longest, len(said)) + 1):
            kind = known.kinds.get(tuple(words[start:end]))
            there = fewest[end]
            if kind and (there is None or so_far[0] + 1 < there[0]):
                fewest[end] = (so_far[0] + 1, so_far[1] | {kind})
    return [one[1] if one else None for one in fewest]


def _spelt(word: str) -> str:
    """Undo a lengthened spelling: "helloooo", "heyy", "hahahaha"."""
    known = vocabulary().words
    if word in known or not _NAME.fullmatch(word):
        return word
    if _LAUGH.fullmatch(word):
        return "lol"
    if word[-1:] == word[-2:-1] and word[:-1] in known:
        return word[:-1]
    if any(len(run.group()) > 2 for run in _RUN.finditer(word)):
        squeezed = _RUN.sub(r"\1", word)
        return min((one for one in known if _RUN.sub(r"\1", one) == squeezed), default=word)
    return word


def _emoji(text: str) -> frozenset[Kind] | None:
    emoji = vocabulary().emoji
    if any(character in "?？" for character in text):
        return None
    if any(character in emoji.acknowledgement for character in text):
        return frozenset(["acknowledgement"])
    return frozenset(["small_talk"]) if any(character in emoji.small_talk for character in text) else None
