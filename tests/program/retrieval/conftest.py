import hashlib
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chromadb.utils import embedding_functions

from data.records import Passage
from program.retrieval.tokenize import tokenize


class Toy:
    """A deterministic embedding function for Chroma's registry: texts that share words are near. It counts what it is asked."""

    def __init__(self) -> None:
        self.dimension = 16
        self.batches: list[list[str]] = []
        self.fail_after: int | None = None
        """Number of batches that succeed."""

    @property
    def texts(self) -> list[str]:
        return [text for batch in self.batches for text in batch]

    def __call__(self, texts: list[str]) -> np.ndarray:
        if self.fail_after is not None and len(self.batches) >= self.fail_after:
            raise ConnectionError("the embedding service is gone")
        self.batches.append(list(texts))
        return np.stack(
            [sum((self._vector(term) for term in tokenize(text)), start=self._vector("")) for text in texts]
        )

    def embed_query(self, texts: list[str]) -> np.ndarray:
        return self(texts)

    def get_config(self) -> dict[str, Any]:
        return {"model_name": f"toy-{self.dimension}", "api_key_env_var": "TOY_KEY"}

    def _vector(self, term: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(term.encode()).digest()[:8])
        return np.random.default_rng(seed).normal(size=self.dimension) * (1.0 if term else 0.01)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("ANAPHORA_CACHE", str(folder))
    return folder


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Toy]:
    """Registered as ``toy``, the way any Chroma function is."""
    function = Toy()
    monkeypatch.setitem(embedding_functions.known_embedding_functions, "toy", lambda: function)
    return function


@pytest.fixture
def unused_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture
def corpus() -> list[Passage]:
    return [
        Passage(id="steam", text="清蒸鲈鱼的步骤：先腌制，再上锅", metadata={"source": "菜谱"}),
        Passage(id="braise", text="红烧排骨要先焯水", metadata={"source": "菜谱"}),
        Passage(id="phones", title="WF-1000XM4", text="Wireless headphones, warranty of two years"),
        Passage(id="printer", title="K3 Pro", text="The printer shows E-04 when paper is jammed"),
    ]
