"""What the corpus calls the things that users have other names for: slang and abbreviations, by a dictionary.

Targets are added to a query, nothing is taken from it. ``program.normalise.term_file`` reads the dictionary.
"""

import re
from collections.abc import Iterator, Sequence

from program.normalise.whole_words import WholeWords, folded, leftmost_longest
from program.settings import Term

_HISSING = re.compile(r"(?:[sxz]|ch|sh)$", re.IGNORECASE)
_LAST_WORD = re.compile(r"[a-z]+$", re.IGNORECASE)


def added_terms(text: str, terms: Sequence[Term]) -> tuple[str, ...]:
    """Return the targets of the terms that ``text`` uses, in order of appearance, as the dictionary writes them.

    Terms match whole words (``program.normalise.whole_words``), in any case and width, with any white space, and in the English plural
    ("laptops", "boxes"; of two letters only as in "PCs", since "HR" is not in "hrs"). Where terms overlap, the first to begin and then
    the longest wins; if it adds nothing, the shorter one does not either. Targets are not looked up again. Left out are repeats and
    targets that the text has (Chinese ones as part of a word, too).
    """
    words = WholeWords(folded(text))
    found = [
        (start, end, term.means)
        for term in terms
        for start, end in _places(term.says, words.text)
        if words.holds(start, end)
    ]
    added: dict[str, str] = {}
    for _, _, means in leftmost_longest(found):
        for target in means:
            key = folded(target).casefold()
            if key and key not in added and not any(words.letters_end(*place) for place in _places(target, words.text)):
                added[key] = target
    return tuple(added.values())


def with_added(text: str, added: Sequence[str]) -> str:
    """Return ``text`` followed by ``added``, set apart by blanks; ``text`` itself when there is nothing to add."""
    return " ".join([text, *added])


def _places(expression: str, text: str) -> Iterator[tuple[int, int]]:
    """Where ``expression`` or its plural is written in ``text``, overlapping places included; both may be inside of words."""
    plain = folded(expression)
    # Most of a large dictionary is not in the text: a look is much cheaper than a pattern.
    if not plain or plain.casefold() not in text.casefold():
        return
    pattern = re.compile(f"(?=(?i:{re.escape(plain)}){_plural(plain)}())")
    for match in pattern.finditer(text):
        yield match.start(), match.start(1)


def _plural(plain: str) -> str:
    word = _LAST_WORD.search(plain)
    if word is None or len(word[0]) < 2:
        return ""
    if len(word[0]) == 2:
        return "(?:(?<=[A-Z])s)?"
    return "(?i:es)?" if _HISSING.search(plain) else "(?i:s)?"
