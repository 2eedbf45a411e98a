"""Vector search over a corpus: an embedder and the collection that holds what it made."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence

from program.retrieval.chroma import ChromaCollection
from program.retrieval.embedding import CachedEmbedder

_PART = 256


class VectorIndex:
    """Scores passages by position: row ``i`` is the ``i``-th text. Safe for threads.

    A vector is stored under the hash of its text, so equal texts share one, a changed text is a new one, and what an interrupted run has
    stored needs no second look.
    """

    def __init__(self, collection: ChromaCollection, embedder: CachedEmbedder, texts: Sequence[str]) -> None:
        """Prepare to index or search ``texts``; nothing is read or written.

        Args:
            collection: Where the vectors are, or will be.
            embedder: The one that made or will make them.
            texts: The whole corpus, in the order of the rows.
        """
        self._collection = collection
        self.embedder = embedder
        self._texts: dict[str, str] = {}
        self._rows: dict[str, list[int]] = defaultdict(list)
        for row, text in enumerate(texts):
            key = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
            self._texts.setdefault(key, text)
            self._rows[key].append(row)

    def create(self) -> None:
        """Make the collection when missing.

        Raises:
            StoreError: It is there, and of another embedder or distance.
        """
        self._collection.create(self.embedder)

    def check(self) -> None:
        """Make sure that the collection is there and fits.

        Raises:
            StoreError: It is not, or is of another embedder or distance.
        """
        self._collection.check(self.embedder)

    def is_complete(self) -> bool:
        """Whether as many vectors are stored as there are texts."""
        return self._collection.count() == len(self._texts)

    def add_missing(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Store what is missing, part by part; what is there is neither embedded nor written again.

        Args:
            progress: Receives (different texts done, different texts in all), first with what was there already.
        """
        todo = self._collection.missing(list(self._texts))
        known = len(self._texts) - len(todo)
        for start in range(0, len(todo), _PART):
            part = todo[start : start + _PART]

            def report(done: int, before: int = known + start) -> None:
                if progress:
                    progress(before + done, len(self._texts))

            vectors = self.embedder.embed([self._texts[key] for key in part], "passage", report)
            self._collection.upsert(part, vectors)

    def remove_others(self) -> None:
        """Remove the vectors that no text needs."""
        self._collection.delete_others(list(self._texts))

    def search(self, queries: Sequence[str], depth: int) -> list[list[tuple[int, float]]]:
        """Return for each query ``(row, cosine)`` pairs, best first; ties go to the lower row.

        One embedding batch and one Chroma call for all queries. A blank query finds nothing.
        """
        asked = [query for query in queries if query.strip()]
        if not asked:
            return [[] for _ in queries]
        found = iter(self._collection.search(self.embedder.embed(asked, "query"), depth))
        return [self._ranked(next(found), depth) if query.strip() else [] for query in queries]

    def _ranked(self, found: list[tuple[str, float]], depth: int) -> list[tuple[int, float]]:
        # A vector of no text here was left by a writer that was interrupted, or written since this index was opened.
        hits = [(row, score) for key, score in found for row in self._rows.get(key, ())]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:depth]

    def close(self) -> None:
        """Let go of files and connections."""
        self._collection.close()
