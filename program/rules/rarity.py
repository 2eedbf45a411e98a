"""How rare a word is in a corpus, in few and small numbers: which words stand in half of the passages, in a quarter, and so on."""

from collections import Counter
from collections.abc import Sequence

from program.retrieval.tokenize import words

RAREST = 7
"""Rarity of a word in fewer than one of 128 passages; a corpus names its topics with such words, and there are too many to keep."""
_READ = 2000
"""Passages that are counted, evenly spread over the corpus: enough for a share of 1 in 128."""


def frequent_words(texts: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the words that are not rarest, by rarity: at place ``i`` those in at most ``2**-i`` of the texts and more than half that.

    Args:
        texts: The passages. Of a long list about 2,000 are read.

    Returns:
        ``RAREST`` sorted lists of stems (see :func:`stem`); no lists for no texts.
    """
    read = texts[:: max(1, len(texts) // _READ)]
    used = Counter(one for text in read for one in {stem(word) for word in words(text)})
    levels: list[list[str]] = [[] for _ in range(RAREST)] if read else []
    for word, passages in used.items():
        level = (len(read) // passages).bit_length() - 1
        if level < RAREST:
            levels[level].append(word)
    return tuple(tuple(sorted(level)) for level in levels)


def stem(word: str) -> str:
    """Return an English noun without its plural ending, anything else as it is."""
    return word[:-1] if word.isascii() and word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
