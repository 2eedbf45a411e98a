"""Bringing a data folder to the point where systems can be measured on it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from data.check import LabelReport, check_labels
from data.errors import StoreError
from data.load import DataSet, load_data_dir
from program.retrieval.embedding import DEFAULT_EMBEDDER
from program.retrieval.manifest import StoreManifest, corpus_sha256, read_manifest
from program.retrieval.retriever import Engine, engines_of
from program.retrieval.store import Store, build


def open_data(folder: Path) -> tuple[DataSet, LabelReport]:
    """Read a data folder and sort its turns into scorable and others."""
    data = load_data_dir(folder)
    return data, check_labels(data.passages, data.turns)


def open_store(
    data: DataSet,
    folder: Path | None,
    retriever: str,
    progress: Callable[[int, int], None] | None = None,
) -> Store:
    """Build the index of ``data`` where it is missing or out of date, and open it.

    A store in ``folder`` keeps the embedder and the server it was made with. Without a folder it is one under ``stores/``, apart for BM25
    alone, so that neither has to be built for the other's sake.

    Raises:
        StoreError: ``folder`` holds another corpus.
    """
    engines: Sequence[Engine] = engines_of(retriever)
    embedder, chroma_url = (DEFAULT_EMBEDDER if "vector" in engines else None), None
    there = _manifest(folder) if folder is not None else None
    if there is not None:
        if there.corpus_sha256 != corpus_sha256(data.passages):
            raise StoreError(
                f"the index in {folder} is of another corpus than {data.name}",
                advice=f"name another folder, or bring it up to date with: anaphora index CORPUS.jsonl --store {folder}",
            )
        if embedder is not None and there.embedder is not None:
            embedder, chroma_url = there.embedder, there.chroma_url
    if folder is None:
        folder = Path("stores") / (data.name if "vector" in engines else f"{data.name}-bm25")
    build(data.passages, folder, embedder_name=embedder, chroma_url=chroma_url, progress=progress)
    return Store.open(folder, engines)


def _manifest(folder: Path) -> StoreManifest | None:
    try:
        return read_manifest(folder)
    except StoreError:
        return None
