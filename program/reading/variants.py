"""When two queries are the same query."""

import re
import unicodedata
from collections.abc import Iterable

# Kept: what tells "C++" from "C#", "5-10" from "510", "-5" from "5".
_MEANS_SOMETHING = frozenset("#%&@*/_")
_IN_NUMBER = re.compile(r"(?<=\d)[.,:](?=\d)")
_SPACE_BESIDE_CHINESE = re.compile(r"(?<=[\u3400-\u9fff]) | (?=[\u3400-\u9fff])")


def variant_key(text: str) -> str:
    """Return the form in which queries are compared: without case, width, punctuation, and spaces that say nothing.

    Empty for a text that asks for nothing ("", "？？").
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("'", "")
    numbers = {match.start() for match in _IN_NUMBER.finditer(folded)}
    kept = "".join(
        one if place in numbers or one in _MEANS_SOMETHING or not _separates(one) else " "
        for place, one in enumerate(folded)
    )
    return _SPACE_BESIDE_CHINESE.sub("", " ".join(kept.split()))


def distinct_variants(candidates: Iterable[str], *, at_most: int, exclude: Iterable[str] = ()) -> list[str]:
    """Return the first ``at_most`` of ``candidates`` that differ from one another and from those in ``exclude``, first wording kept.

    Blank ones are left out.
    """
    seen = {variant_key(text) for text in exclude} | {""}
    kept: list[str] = []
    for text in candidates:
        key = variant_key(text)
        if key not in seen and len(kept) < at_most:
            seen.add(key)
            kept.append(text.strip())
    return kept


def _separates(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "ZC" or (category[0] == "P" and category != "Pd")
