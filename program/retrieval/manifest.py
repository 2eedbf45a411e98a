"""What an index was built from, and when it may be used."""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from data.errors import StoreError
from data.records import Passage, Record
from program.retrieval import tokenize

SCHEMA = 3
_FILE = "store.json"


class StoreManifest(Record):
    """What a store was built from; written last, so that its presence means the store is complete."""

    schema_version: int
    corpus_sha256: str
    passages: int
    tokenizer_version: str
    embedder: str | None
    """Embedder name as asked for, or None for a store without vectors."""
    embedder_identity: str | None
    chroma_url: str | None
    collection: str = "passages"
    """Name in Chroma."""


def make_manifest(
    passages: Sequence[Passage], embedder: str | None, embedder_identity: str | None, chroma_url: str | None
) -> StoreManifest:
    """Describe a store of ``passages``. A server holds many: there the collection is named after corpus and embedder."""
    corpus = corpus_sha256(passages)
    owner = hashlib.sha256(f"{corpus}\0{embedder_identity}".encode()).hexdigest()[:16]
    return StoreManifest(
        schema_version=SCHEMA,
        corpus_sha256=corpus,
        passages=len(passages),
        tokenizer_version=tokenize.VERSION,
        embedder=embedder,
        embedder_identity=embedder_identity,
        chroma_url=chroma_url,
        collection=f"anaphora-{owner}" if chroma_url else "passages",
    )


def corpus_sha256(passages: Sequence[Passage]) -> str:
    """Hash of the passages in order, metadata included (names of entities are read from it): the identity of a corpus."""
    digest = hashlib.sha256()
    for passage in passages:
        digest.update(json.dumps(passage.model_dump(mode="json"), sort_keys=True).encode() + b"\n")
    return digest.hexdigest()


def read_manifest(folder: Path) -> StoreManifest:
    """Return the manifest of a complete store of this version.

    Raises:
        StoreError: There is none.
    """
    path = folder / _FILE
    try:
        manifest = StoreManifest.model_validate_json(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StoreError(
            f"there is no complete index in {folder}",
            advice=f"build it with: anaphora index CORPUS.jsonl --store {folder}",
        ) from error
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} cannot be read", advice="build it again with: anaphora index") from error
    if (manifest.schema_version, manifest.tokenizer_version) != (SCHEMA, tokenize.VERSION):
        raise StoreError(
            f"the index in {folder} was built by another version", advice="build it again with: anaphora index"
        )
    return manifest


def remove_manifest(folder: Path) -> None:
    """Mark the store in ``folder`` as incomplete."""
    (folder / _FILE).unlink(missing_ok=True)


def write_manifest(folder: Path, manifest: StoreManifest) -> None:
    """Mark the store in ``folder`` as complete."""
    write_atomically(folder / _FILE, manifest.model_dump_json(indent=2))


def write_atomically(path: Path, text: str) -> None:
    """Write ``text`` so that ``path`` holds the old text or the new, never a part."""
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
