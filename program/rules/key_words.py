"""Words that stand for an entity because the corpus uses them for hardly anything else ("sabbatical", "招待")."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

_WORD = re.compile(r"[A-Za-z][A-Za-z'-]{3,}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]{3,}")
# Of the passages that use the word, the share that must be about the entity, and how many must be.
_SHARE, _AT_LEAST = 0.7, 2


def key_words(terms: Iterable[str], passages: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map a word of exactly one term to it where 70% of the passages with the word, two or more, have the term as title.

    Args:
        terms: Entity names.
        passages: Title and text of each passage.

    Returns:
        Lower-case word to term, each Latin word in singular and plural.
    """
    owners: dict[str, set[str]] = defaultdict(set)
    endings = Counter(term[-1] for term in terms)
    for term in terms:
        for word in _WORD.findall(term):
            owners[_singular(word.lower())].add(term)
        # "招待" of "招待费" where other names end in the same character.
        if _CHINESE.fullmatch(term) and endings[term[-1]] >= 3:
            owners[term[:-1]].add(term)
    wanted = {word: next(iter(names)) for word, names in owners.items() if len(names) == 1}
    chinese = {word for word in wanted if not word.isascii()}
    sizes = sorted({len(word) for word in chinese})
    used: Counter[str] = Counter()
    owned: Counter[str] = Counter()
    for title, text in passages:
        whole = text.lower()
        present = {_singular(word) for word in _WORD.findall(whole)}.intersection(wanted)
        present.update(_substrings(whole, sizes).intersection(chinese) if sizes else ())
        used.update(present)
        owned.update(word for word in present if wanted[word].lower() in title.lower())
    chosen = {}
    for word, term in wanted.items():
        if owned[word] >= _AT_LEAST and owned[word] >= _SHARE * used[word] and word != term.lower():
            chosen[word] = term
            if word.isascii():
                chosen[word + "s"] = term
    return chosen


def _substrings(text: str, sizes: list[int]) -> set[str]:
    return {text[at : at + size] for size in sizes for at in range(len(text) - size + 1)}


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 4 else word
