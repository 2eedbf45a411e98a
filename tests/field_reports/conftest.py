"""Fixtures of the field reports: a turn through the public entry points, a conversation in a line, a corpus in both languages."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dspy
import numpy as np
import pytest
from chromadb.utils import embedding_functions

from data.records import Passage
from program.overrides import with_overrides
from program.result import Retrieved
from program.retrieval.store import build
from program.rewrite_program import RewriteProgram, retrieved_of
from program.settings import Settings

PASSAGES = [
    Passage(id="vac-price", title="青禾扫地机", text="青禾扫地机的价格是 1899 元。"),
    Passage(id="vac-warranty", title="青禾扫地机", text="青禾扫地机的保修期为两年，凭购买凭证。"),
    Passage(id="vac-filter", title="青禾扫地机", text="青禾扫地机的滤网每三个月更换一次。"),
    Passage(id="leave", text="试用期员工的病假每年有五天，需要医院证明。"),
    Passage(id="invoice", text="申请发票请在订单页填写抬头和税号。"),
    Passage(id="blender-price", title="Marlow blender", text="The Marlow blender costs 60 euros."),
    Passage(id="blender-warranty", title="Marlow blender", text="The Marlow blender has a warranty of three years."),
    Passage(id="blender-jar", title="Marlow blender", text="Wash the jar of the Marlow blender by hand."),
    Passage(id="sick", text="Employees on probation have five sick days a year and need a doctor's note."),
    Passage(id="receipt", text="To get an invoice, enter your company name and tax number on the order page."),
]


@pytest.fixture
def shop(toy_retriever: Callable[..., Any]) -> Any:
    """A retriever over ``PASSAGES``, BM25 in memory; it knows the two products by name."""
    return toy_retriever(PASSAGES)


@pytest.fixture
def chat() -> Callable[..., list[dict[str, str]]]:
    """``chat("user says", "assistant says", ...)`` as messages, oldest first."""

    def make(*said: str) -> list[dict[str, str]]:
        return [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(said)]

    return make


@pytest.fixture
def turn() -> Callable[..., Retrieved]:
    """Run one turn of a new program: ``turn(query, history, "name=value", ..., lm=..., rm=...)``; settings as ``--set`` takes them.

    Other keywords go to ``dspy.context``.
    """

    def run(query: str, history: Any = None, *assignments: str, **context: Any) -> Retrieved:
        program = RewriteProgram(with_overrides(Settings(), assignments))
        with dspy.context(**{"lm": None, "rm": None, **context}):
            return retrieved_of(program(query=query, history=history))

    return run


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an index of ``PASSAGES``, BM25 alone."""
    folder = tmp_path_factory.mktemp("field-reports") / "store"
    build(PASSAGES, folder, embedder_name=None)
    return folder


class Tiny:
    """An embedding function for Chroma's registry: texts that share characters are near. ``dimension`` and ``name`` may be changed."""

    def __init__(self) -> None:
        self.dimension = 32
        self.name: str | None = None
        self.down = False

    def __call__(self, texts: list[str]) -> np.ndarray:
        if self.down:
            raise ConnectionError("the embedding service is gone")
        rows = np.full((len(texts), self.dimension), 1e-3)
        for row, text in zip(rows, texts, strict=True):
            for character in text.lower():
                row[ord(character) % self.dimension] += 1
        return rows

    def embed_query(self, texts: list[str]) -> np.ndarray:
        return self(texts)

    def get_config(self) -> dict[str, Any]:
        return {"model_name": self.name or f"tiny-{self.dimension}"}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Tiny:
    """Registered as ``tiny``, the way any Chroma function is."""
    function = Tiny()
    monkeypatch.setitem(embedding_functions.known_embedding_functions, "tiny", lambda: function)
    return function
