"""Which texts say the same: equal after normalisation, or in nearly all of their pieces (Broder 1997: MinHash over shingles)."""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

# Pieces of four characters suit words of Latin script and of Chinese alike.
_SHINGLE = 4
# Shorter texts share most of their pieces by chance ("how long is it", "how much is it"): only equal ones count.
_SHORTEST = 24
_LEAST_SHARED = 0.8
_HASHES, _BANDS = 32, 8
_NUMBER = re.compile(r"\d+")


def normalised(text: str) -> str:
    """Return the letters and digits of ``text``, in one width and without case: what stays when typing differs."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def groups_of_same(texts: Sequence[str], about: Sequence[Hashable] | None = None) -> list[list[int]]:
    """Group the texts that say the same thing.

    Two texts belong together when their normalised forms are equal; or when they are about the same, name the same numbers (passages of
    two models or years differ in a number alone) and share at least 0.8 of their pieces of four characters (Jaccard). Texts that are
    normalised to nothing belong to no group.

    Args:
        texts: What to compare.
        about: What each is about, such as its title; by default all are about the same.

    Returns:
        Groups of at least two positions, each sorted, in the order of their first.
    """
    by_form: dict[str, list[int]] = defaultdict(list)
    for index, text in enumerate(texts):
        if form := normalised(text):
            by_form[form].append(index)
    forms = list(by_form)
    firsts = [members[0] for members in by_form.values()]
    marks = [(about[first] if about else None, tuple(sorted(_NUMBER.findall(texts[first])))) for first in firsts]
    parent = list(range(len(forms)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for left, right in _near(forms, marks):
        first, second = sorted((root(left), root(right)))
        parent[second] = first
    joined: dict[int, list[int]] = defaultdict(list)
    for index, form in enumerate(forms):
        joined[root(index)] += by_form[form]
    return sorted(sorted(group) for group in joined.values() if len(group) > 1)


def _near(forms: Sequence[str], marks: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return pairs of different forms with equal marks that share enough; of many alike, each is paired with the first."""
    random = np.random.default_rng(0)
    factors = random.integers(1, 2**63, size=_HASHES, dtype=np.uint64) | np.uint64(1)
    buckets: dict[tuple[int, Hashable, bytes], int] = {}
    pairs = []
    for index, form in enumerate(forms):
        if len(form) < _SHORTEST:
            continue
        # Multiply-shift: the high bits of the product are what is well mixed.
        least = ((_shingles(form)[:, None] * factors) >> np.uint64(32)).min(axis=0)
        seen = set()
        for band, part in enumerate(np.split(least, _BANDS)):
            key = (band, marks[index], hashlib.blake2b(part.tobytes(), digest_size=8).digest())
            other = buckets.setdefault(key, index)
            if other != index and other not in seen:
                seen.add(other)
                if _shared(forms[other], form) >= _LEAST_SHARED:
                    pairs.append((other, index))
    return pairs


def _shared(left: str, right: str) -> float:
    """Return the Jaccard similarity of the pieces of two texts, 0-1."""
    first, second = _shingles(left), _shingles(right)
    both = len(np.intersect1d(first, second, assume_unique=True))
    return both / (len(first) + len(second) - both)


def _shingles(form: str) -> Any:
    """Return a number for each different piece of ``form``: shape (pieces,), uint64."""
    codes = np.frombuffer(form.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    pieces = np.zeros(len(codes) - _SHINGLE + 1, dtype=np.uint64)
    for offset in range(_SHINGLE):
        pieces = pieces * np.uint64(0x9E3779B97F4A7C15) + codes[offset : offset + len(pieces)]
    return np.unique(pieces)
