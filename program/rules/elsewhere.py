"""Which words a corpus uses only where it speaks of none of its entities: its other topics."""

from collections.abc import Callable, Sequence

from program.retrieval.tokenize import words
from program.rules.rarity import stem

_READ = 2000
_MOST = 5000


def words_elsewhere(texts: Sequence[tuple[str, str]], names_entity: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the stems of words in documents without an entity that no document with one has, sorted.

    Args:
        texts: Title and text of each passage. Of a long list about 2,000 are read, evenly spread.
        names_entity: Whether a text names an entity.

    Returns:
        At most 5,000; none where there are more: such a corpus speaks of its entities by other words.
    """
    read = texts[:: max(1, len(texts) // _READ)]
    within: set[str] = set()
    without: set[str] = set()
    for title, text in read:
        # Most documents of an entity say so in the title, which is quicker to read.
        named = (title and names_entity(title)) or names_entity(text)
        (within if named else without).update(stem(word) for word in words(f"{title}\n{text}"))
    found = sorted(without - within)
    return tuple(found) if len(found) <= _MOST else ()
