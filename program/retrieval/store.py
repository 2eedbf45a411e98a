"""An indexed corpus in a folder: passages, BM25, vectors in Chroma, the gazetteer, and a manifest that says what it was built from.

Indexing again is safe: an unchanged corpus costs nothing, a changed one is brought up to date, an interrupted run goes on where it stopped
and leaves the old index usable until the new vectors are there.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from data.errors import StoreError
from data.records import Passage
from program.retrieval.bm25 import BM25Index
from program.retrieval.cache import cache_folder
from program.retrieval.chroma import ChromaCollection, make_embedder
from program.retrieval.embedding import DEFAULT_EMBEDDER, CachedEmbedder, Embedder
from program.retrieval.manifest import (
    StoreManifest,
    make_manifest,
    read_manifest,
    remove_manifest,
    write_atomically,
    write_manifest,
)
from program.retrieval.retriever import Engine, EngineError, Hit, RankedList
from program.retrieval.tokenize import words
from program.retrieval.vectors import VectorIndex
from program.rules.gazetteer import Gazetteer


class Store:
    """Searches an indexed corpus; implements ``Retriever``. Open one with ``Store.open``."""

    def __init__(
        self,
        *,
        passages: Sequence[Passage],
        gazetteer: Gazetteer,
        manifest: StoreManifest,
        bm25: BM25Index | None,
        vectors: VectorIndex | None,
    ) -> None:
        self._passages = passages
        self._bm25 = bm25
        self._vectors = vectors
        self.gazetteer = gazetteer
        self.manifest = manifest
        self.embedder: Embedder | None = vectors.embedder if vectors is not None else None
        """The one of the vector engine; also measures how far a rewrite drifts."""

    @classmethod
    def open(cls, folder: Path, engines: Sequence[Engine] = ("bm25", "vector")) -> "Store":
        """Open a store for searching with ``engines``; of several, the vector engine is left out where the store has no vectors.

        An open store does not see later changes: open it again, then close the old one.

        Raises:
            StoreError: There is no complete store in ``folder``, another version built it, or its vectors are missing or of another
                embedder (BM25 alone can still be opened then).
        """
        manifest = read_manifest(folder)
        try:
            lines = (folder / "passages.jsonl").read_text(encoding="utf-8").split("\n")
            passages = [Passage.model_validate_json(line) for line in lines if line]
            gazetteer = Gazetteer.from_json((folder / "gazetteer.json").read_text(encoding="utf-8"))
            bm25 = BM25Index.load(folder / "bm25") if "bm25" in engines else None
        except (OSError, ValueError) as error:
            raise StoreError(
                f"the index in {folder} is damaged", advice="build it again with: anaphora index"
            ) from error
        words("预热")  # jieba loads its words now, not within the time of the first turn
        vectors = _open_vectors(folder, manifest, passages) if "vector" in engines and manifest.embedder else None
        if bm25 is None and vectors is None:
            raise StoreError(f"the index in {folder} has no vectors", advice="build it with an embedder, or use bm25")
        return cls(passages=passages, gazetteer=gazetteer, manifest=manifest, bm25=bm25, vectors=vectors)

    def search(self, queries: Sequence[str], depth: int) -> list[list[RankedList]]:
        """See ``Retriever.search``: BM25's list first; one embedding batch and one Chroma call for all queries."""
        results: list[list[RankedList]] = [[] for _ in queries]
        if self._bm25 is not None:
            self._add("bm25", self._bm25.search(queries, depth), results)
        if self._vectors is not None:
            try:
                found = self._vectors.search(queries, depth)
            except Exception as error:
                reason = (str(error).splitlines() or ["no message"])[0]
                raise EngineError("vector", f"{type(error).__name__}: {reason}", results) from error
            self._add("vector", found, results)
        return results

    def _add(self, engine: Engine, found: list[list[tuple[int, float]]], results: list[list[RankedList]]) -> None:
        for lists, rows in zip(results, found, strict=True):
            pairs = [(self._passages[row], score) for row, score in rows]
            hits = [Hit(id=one.id, score=score, source=one.source, text=one.indexed_text) for one, score in pairs]
            lists.append(RankedList(engine=engine, hits=tuple(hits)))

    def close(self) -> None:
        """Let go of files and connections."""
        if self._vectors is not None:
            self._vectors.close()


def build(
    passages: Sequence[Passage],
    folder: Path,
    *,
    embedder_name: str | None = DEFAULT_EMBEDDER,
    chroma_url: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> StoreManifest:
    """Index ``passages`` into ``folder`` and return what was written; nothing is done when the same corpus is there already.

    Args:
        passages: At least one, ids unique.
        folder: Made when missing. One writer at a time.
        embedder_name: See ``make_embedder``; ``None`` builds BM25 alone.
        chroma_url: Keep the vectors on this Chroma server instead of in the folder. What an earlier corpus left there stays.
        progress: Receives (texts embedded, texts in all); equal texts count once.

    Raises:
        StoreError: ``passages`` is empty or repeats an id, or the folder's vectors were made by another embedder: then the store stays as
            it was.
    """
    _check(passages)
    folder.mkdir(parents=True, exist_ok=True)
    embedder = _embedder(embedder_name) if embedder_name else None
    manifest = make_manifest(passages, embedder_name, embedder.identity if embedder else None, chroma_url)
    if embedder is None:
        there = _texts_of(folder, manifest)
        if there is None:
            _write_texts(passages, folder, manifest)
        return there or manifest
    with closing(_vectors(folder, manifest, passages, embedder)) as vectors:
        vectors.create()
        # The manifest alone does not tell: a server may have lost its collections since.
        if not (_is_complete(folder, manifest) and vectors.is_complete()):
            vectors.add_missing(progress)  # long; the old index is good until the texts are changed
            _write_texts(passages, folder, manifest)
            vectors.remove_others()
    return manifest


def _check(passages: Sequence[Passage]) -> None:
    if not passages:
        raise StoreError("the corpus has no passages", advice="check the corpus file")
    repeated = sorted(id_ for id_, times in Counter(passage.id for passage in passages).items() if times > 1)
    if repeated:
        raise StoreError(
            f"{len(repeated)} passage ids stand for several passages, the first is {repeated[0]!r}",
            advice="make the ids unique",
            ids=repeated,
        )


def _embedder(name: str) -> CachedEmbedder:
    return CachedEmbedder(make_embedder(name), cache_folder() / "embeddings")


def _vectors(
    folder: Path, manifest: StoreManifest, passages: Sequence[Passage], embedder: CachedEmbedder
) -> VectorIndex:
    collection = ChromaCollection(manifest.chroma_url or folder / "chroma", manifest.collection)
    return VectorIndex(collection, embedder, [passage.indexed_text for passage in passages])


def _open_vectors(folder: Path, manifest: StoreManifest, passages: Sequence[Passage]) -> VectorIndex:
    vectors = _vectors(folder, manifest, passages, _embedder(manifest.embedder or DEFAULT_EMBEDDER))
    try:
        vectors.check()
    except StoreError:
        vectors.close()
        raise
    return vectors


def _is_complete(folder: Path, manifest: StoreManifest) -> bool:
    return _texts_of(folder, manifest) == manifest


def _texts_of(folder: Path, manifest: StoreManifest) -> StoreManifest | None:
    """The manifest of a complete store of the same corpus, with vectors or without: for BM25 either serves as it is."""
    try:
        there = read_manifest(folder)
    except StoreError:
        return None
    complete = all((folder / name).exists() for name in ("passages.jsonl", "gazetteer.json", "bm25/params.index.json"))
    vectors = {"embedder", "embedder_identity", "chroma_url", "collection"}
    same = there.model_dump(exclude=vectors) == manifest.model_dump(exclude=vectors)
    return there if complete and same else None


def _write_texts(passages: Sequence[Passage], folder: Path, manifest: StoreManifest) -> None:
    remove_manifest(folder)
    shutil.rmtree(folder / "bm25", ignore_errors=True)
    BM25Index.build([passage.indexed_text for passage in passages]).save(folder / "bm25")
    write_atomically(folder / "gazetteer.json", Gazetteer.from_passages(passages).to_json())
    write_atomically(folder / "passages.jsonl", "\n".join(passage.model_dump_json() for passage in passages))
    write_manifest(folder, manifest)
