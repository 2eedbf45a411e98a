"""Passages as a language model reads them, and the numbers it names them by."""

import re
from collections.abc import Iterator, Sequence

from data.records import language_of
from program.result import FusedHit
from program.window import LATIN_CHARACTERS_PER_CHINESE

# "[1]", "【2】", "［1, 3］", "[1-3]", "[^2]", "[Passage 2]", "【1†source】".
BRACKETED = re.compile(
    r"[\[【［]\s*\^?(?:(?:passages?|sources?|documents?|docs?|段落|资料|文档|来源|参考)\s*)?#?"
    r"(\d{1,2}(?:\s*(?:[,，、;；&–~-]|and|和|与)\s*\d{1,2})*)\s*(?:†[^\]】］]*)?[\]】］]",
    re.IGNORECASE,
)
NAMED = re.compile(r"(?:\b(?:passage|source|document)|段落|资料|文档)\s*#?(\d{1,2})(?!\d)", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,2})\s*[–~-]\s*(\d{1,2})|(\d{1,2})")


def numbered(hits: Sequence[FusedHit], *, characters: int) -> str:
    """Return ``hits`` as lines "[1] text", from 1, each on one line and cut at ``characters`` Chinese characters (English: as many tokens)."""
    return "\n".join(f"[{number}] {_short(hit.text, characters)}" for number, hit in enumerate(hits, start=1))


def numbers_of(bracketed: str) -> Iterator[int]:
    """Yield the numbers inside one bracket, ranges written out: 1, 2, 3 and 5 for "1-3, 5"."""
    for match in _RANGE.finditer(bracketed):
        first, last, single = match.groups()
        yield from range(int(first), int(last) + 1) if first else (int(single),)


def _short(text: str, characters: int) -> str:
    text = " ".join(text.split())
    limit = characters if language_of(text) == "zh" else int(characters * LATIN_CHARACTERS_PER_CHINESE)
    return text if len(text) <= limit else f"{text[:limit]}…"
