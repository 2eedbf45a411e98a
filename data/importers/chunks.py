"""MTRAG's passage ids end in the offsets of their chunk: ``<document>-<start>-<end>``. Corpora that were cut otherwise have others."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable

_CHUNK = re.compile(r"(?P<document>.+)-(?P<start>\d+)-(?P<end>\d+)")
_OFFSETS = re.compile(r"(?:-\d+)+$")

# Part of the shorter of two chunks that they must share to be the same piece of the document.
_SHARED = 0.5

_Chunk = tuple[int, int, str]


def document_of(passage_id: str) -> str | None:
    """Return the id without all offsets at its end; None when it has none."""
    document = _OFFSETS.sub("", passage_id)
    return document if document and document != passage_id else None


class ChunkMatcher:
    """Finds the corpus's passages for ids of another cut.

    Attributes:
        changed: How many labels were matched by another chunk, and how many by a whole document.
    """

    def __init__(self, passage_ids: Iterable[str]) -> None:
        """Know the passages of a corpus."""
        self.changed: Counter[str] = Counter()
        self._ids = set(passage_ids)
        self._chunks: dict[str, list[_Chunk]] = defaultdict(list)
        for passage_id in self._ids:
            if found := _CHUNK.fullmatch(passage_id):
                self._chunks[found["document"]].append((int(found["start"]), int(found["end"]), passage_id))
        for chunks in self._chunks.values():
            chunks.sort()

    def match(self, labels: Iterable[str]) -> list[str]:
        """Return the passages that ``labels`` mean, each once, in their order; a label that nothing matches stays as it is."""
        return list(dict.fromkeys(passage_id for label in labels for passage_id in self._match_one(label)))

    def _match_one(self, label: str) -> list[str]:
        if label in self._ids:
            return [label]
        found = _CHUNK.fullmatch(label)
        if found is None:
            return [label]
        document, start, end = found["document"], int(found["start"]), int(found["end"])
        near = [one for first, last, one in self._around(document, end) if _share(start, end, first, last) >= _SHARED]
        if near:
            self.changed["labels matched by another chunk"] += 1
            return near
        # "page_12-90-0-50" is a chunk of "page_12-90", which may itself be a piece of "page_12".
        for whole in dict.fromkeys((document, document_of(label))):
            if whole in self._ids and whole is not None:
                self.changed["labels matched by the whole document"] += 1
                return [whole]
        return [label]

    def _around(self, document: str, end: int) -> list[_Chunk]:
        chunks = self._chunks.get(document, [])
        return chunks[: bisect_left(chunks, (end, 0, ""))]


def _share(start: int, end: int, first: int, last: int) -> float:
    """Return what part of the shorter span both have, 0-1."""
    shorter = min(end - start, last - first)
    return max(0, min(end, last) - max(start, first)) / shorter if shorter > 0 else 0.0
