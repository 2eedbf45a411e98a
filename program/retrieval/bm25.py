"""BM25 over a corpus, kept on disk (bm25s)."""

from collections.abc import Sequence
from pathlib import Path

import bm25s
import numpy as np

from program.retrieval.tokenize import tokenize

# Robertson's usual values, also those of the reference tables in the data sets' own documentation.
K1 = 1.2
B = 0.75


class BM25Index:
    """Scores passages by position: row ``i`` is the ``i``-th text that was indexed. Safe for threads."""

    def __init__(self, index: bm25s.BM25) -> None:
        self._index = index

    @classmethod
    def build(cls, texts: Sequence[str]) -> "BM25Index":
        """Index ``texts`` (at least one)."""
        index = bm25s.BM25(k1=K1, b=B)
        # A corpus without a single term (only punctuation) still needs a vocabulary: bm25s divides by the mean length.
        index.index([tokenize(text) or ["\0"] for text in texts], show_progress=False)
        return cls(index)

    @classmethod
    def load(cls, folder: Path) -> "BM25Index":
        """Read an index written by ``save``.

        Raises:
            OSError, ValueError: A file is missing or damaged.
        """
        return cls(bm25s.BM25.load(folder, load_corpus=False))

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``, made when missing."""
        self._index.save(folder, corpus=None, show_progress=False)

    def search(self, queries: Sequence[str], depth: int) -> list[list[tuple[int, float]]]:
        """Return for each query the rows that match, best first, as ``(row, score)`` with ``score > 0``; ties go to the lower row."""
        return [self._search(tokenize(query), depth) for query in queries]

    def _search(self, terms: list[str], depth: int) -> list[tuple[int, float]]:
        known = [term for term in terms if term in self._index.vocab_dict]
        if not known:
            return []
        scores = self._index.get_scores(known)
        rows = np.flatnonzero(scores > 0)
        order = rows[np.lexsort((rows, -scores[rows]))][:depth]
        return [(int(row), float(scores[row])) for row in order]
