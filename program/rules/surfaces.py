"""The shorter names people use for an entity: "Orla 30" for "Orla 30 Toaster", "鸟屿馆" for "鸟屿馆（东区）"."""

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

_BRACKETS = re.compile(r"\s*[(（]([^()（）]+)[)）]\s*")
_CODE = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z]{1,6}-?\d+[A-Za-z]{0,3}|\d{2,}[A-Za-z]{1,3})(?![A-Za-z0-9])")
_HAS_DIGIT = re.compile(r"\d")
# What people leave off when they speak of a place, a plan or a device.
_CHINESE_TAIL = re.compile(r"(?<=..)(?:自然)?(?:风景名胜区|风景区|旅游区|度假村|景区|套餐|会员)$")
_WEAK_ENDS = frozenset(("a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"))


def aliases(terms: Iterable[str], stand_alone: frozenset[str]) -> dict[str, str]:
    """Map each unambiguous shorter form to its term; a form that two terms share belongs to the plainer one or to none.

    Args:
        terms: Entity names.
        stand_alone: Latin words that the corpus uses as names of their own, so that one word may name an entity.

    Returns:
        Forms (as written, not folded) to terms; the terms themselves are not included.
    """
    terms = tuple(terms)
    known = {term.lower() for term in terms}
    owners: dict[str, dict[str, None]] = defaultdict(dict)
    for term in terms:
        for form in _forms(term, stand_alone):
            if form.lower() not in known and len(form) > 1:
                owners[form].setdefault(term)
    for form, term in _family_differences(terms):
        if form.lower() not in known:
            owners[form].setdefault(term)
    chosen = {}
    for form, candidates in owners.items():
        owner = _plainest(form, tuple(candidates))
        if owner:
            chosen[form] = owner
    return chosen


def _forms(term: str, stand_alone: frozenset[str]) -> Iterable[str]:
    without = _BRACKETS.sub(" ", term).strip()
    if without != term:
        yield without
        yield from (inner.strip() for inner in _BRACKETS.findall(term) if _is_chinese(inner) and len(inner) >= 4)
    yield _CHINESE_TAIL.sub("", without).strip()
    yield from _CODE.findall(without)
    words = without.split()
    for end in range(1, len(words)):
        form = " ".join(words[:end])
        if words[end - 1].lower() not in _WEAK_ENDS and (end > 1 or _names(words[0], stand_alone)):
            yield form
    if 2 <= len(words) <= 3 and not _HAS_DIGIT.search(without):
        if words[0] == "The":
            yield " ".join(words[1:])
        elif _names(words[-1], stand_alone):
            yield words[-1]
    # "K3 打印机": the maker's name left off.
    if len(words) >= 3 and _CODE.fullmatch(words[1]):
        yield " ".join(words[1:])


def _family_differences(terms: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    """Yield what tells Chinese relatives apart: "家庭版" of "云舟家庭版" beside "云舟标准版"."""
    ordered = sorted(term for term in terms if _is_chinese(term))
    everything = "\n".join(terms)
    for before, after in pairwise(ordered):
        shared = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
        for term in (before, after) if shared >= 2 else ():
            for form in (term[shared:], _CHINESE_TAIL.sub("", term)[shared:]):
                if len(form) >= 3 and form[0].isalpha() and everything.count(form) == 1:
                    yield form, term


def _names(word: str, stand_alone: frozenset[str]) -> bool:
    return len(word) >= 2 if _is_chinese(word) else len(word) >= 3 and word in stand_alone


def _plainest(form: str, candidates: tuple[str, ...]) -> str | None:
    """Return the only candidate, or the one whose words all the others extend ("M8 Vacuum" before "M8 Max Vacuum")."""
    if len(candidates) == 1:
        return candidates[0]
    shortest = min(candidates, key=lambda term: (len(term.split()), len(term)))
    words = set(shortest.split())
    if all(words < set(term.split()) for term in candidates if term != shortest):
        return shortest
    # "K3" is the plain "墨 K3 打印机" when every other "K3" goes on in Latin script ("墨 K3 Pro 一体机").
    if _HAS_DIGIT.search(form):
        plain = [term for term in candidates if not re.search(re.escape(form) + r"\s*[A-Za-z0-9]", term)]
        if len(plain) == 1:
            return plain[0]
    return None


def _is_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)
