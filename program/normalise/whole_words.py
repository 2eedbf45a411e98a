"""Where an expression stands as a whole word, in either script.

In Latin script a word ends where its letters end: "pc" is no part of "pcb", of "e-pc" or of "pc++", but stands in "我的pc坏了" and in "pc's".
Between Chinese characters it ends where jieba's dictionary cuts: "本本" is no part of "笔记本本体", and "前天" none of "前天线".
"""

import functools
import unicodedata
from collections.abc import Iterable
from typing import TypeVar

from program.retrieval.tokenize import cutter

Value = TypeVar("Value")

_JOINERS = "-_.&@'’–"
_PLUSES = "+#"


def folded(text: str) -> str:
    """Return ``text`` in one width (NFKC), every white space one blank; case is kept."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def leftmost_longest(found: Iterable[tuple[int, int, Value]]) -> list[tuple[int, int, Value]]:
    """Return what is kept of overlapping ``(start, end, value)``: the first to begin, of those the longest; all of the very same span."""
    kept: list[tuple[int, int, Value]] = []
    for one in sorted(found, key=lambda one: (one[0], -one[1])):
        if not kept or one[0] >= kept[-1][1] or one[:2] == kept[-1][:2]:
            kept.append(one)
    return kept


class WholeWords:
    """The word edges of one text; jieba is asked only where Chinese stands next to Chinese."""

    def __init__(self, text: str) -> None:
        self.text = text

    def holds(self, start: int, end: int, *, or_begins: bool = False) -> bool:
        """Whether ``text[start:end]``, which is not empty, begins and ends where words do.

        With ``or_begins`` it may also begin one Chinese word that goes on ("去年" in "去年底").
        """
        if not (self.letters_end(start, end) and self._is_edge(start)):
            return False
        return self._is_edge(end) or (or_begins and self._cuts.isdisjoint(range(start + 1, end)))

    def _is_edge(self, place: int) -> bool:
        inside = _is_chinese(self._at(place - 1)) and _is_chinese(self._at(place))
        return not inside or place in self._cuts

    def letters_end(self, start: int, end: int) -> bool:
        """The same for Latin script alone: Chinese characters may go on."""
        at = self._at
        if _is_letter(at(start)) and (
            _is_letter(at(start - 1)) or (at(start - 1) in _JOINERS and _is_letter(at(start - 2)))
        ):
            return False
        if not _is_letter(at(end - 1)):
            return True
        possessive = at(end) in "'’" and at(end + 1) in "sS" and not _is_letter(at(end + 2))
        goes_on = at(end) in _JOINERS and _is_letter(at(end + 1)) and not possessive
        return not (_is_letter(at(end)) or at(end) in _PLUSES or goes_on)

    def _at(self, place: int) -> str:
        """The character there; beyond the text, one that is no part of any word."""
        return self.text[place] if 0 <= place < len(self.text) else " "

    @functools.cached_property
    def _cuts(self) -> frozenset[int]:
        # Without the guesses of its hidden Markov model: only words of its dictionary can hide an expression.
        edges, place = [0], 0
        for word in cutter().cut(self.text, HMM=False):
            place += len(word)
            edges.append(place)
        return frozenset(edges)


def _is_chinese(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0003ffff"


def _is_letter(character: str) -> bool:
    """A letter, digit or mark of a script that puts blanks between words."""
    return not _is_chinese(character) and (character.isalnum() or unicodedata.combining(character) > 0)
