"""With a stand-in for sentence-transformers: what is asked of it, and what becomes of its logits."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from data.errors import ConfigError
from program.reranking.cross_encoder import CrossEncoderReranker
from program.result import FusedHit


def hit(id_: str, text: str) -> FusedHit:
    return FusedHit(id=id_, score=0.5, source=id_, text=text, found_by=("original",))


class FakeCrossEncoder:
    """Its logit is what ``logits`` says of a pair, -4 for any other."""

    logits: ClassVar[dict[tuple[str, str], Any]] = {}
    loaded: ClassVar[list[tuple[str, dict[str, Any]]]] = []

    def __init__(self, name: str, **options: Any) -> None:
        if name == "owner/broken":
            raise OSError("no such model")
        self.loaded.append((name, options))

    def predict(self, pairs: Sequence[tuple[str, str]], **_: Any) -> list[Any]:
        return [self.logits.get(pair, -4.0) for pair in pairs]


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeCrossEncoder, "loaded", [])
    monkeypatch.setattr(FakeCrossEncoder, "logits", {})
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(CrossEncoder=FakeCrossEncoder))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(nn=SimpleNamespace(Identity=lambda: "identity")))


HITS = [hit("a", "灯的颜色"), hit("b", "灯的重量"), hit("c", "壶的重量")]


def test_the_better_fit_of_query_and_rewrite_counts() -> None:
    FakeCrossEncoder.logits = {("它多重", "壶的重量"): 0.0, ("灯多重", "灯的重量"): 3.0, ("灯多重", "壶的重量"): -9.0}
    ranked = CrossEncoderReranker("owner/model")("它多重", "灯多重", HITS)
    assert [hit.id for hit in ranked] == ["b", "c", "a"]
    assert [hit.score for hit in ranked] == pytest.approx([0.9526, 0.5, 0.018], abs=1e-3)


def test_extreme_logits_stay_within_0_and_1_and_in_order() -> None:
    FakeCrossEncoder.logits = {("q", "灯的颜色"): 800.0, ("q", "灯的重量"): 900.0, ("q", "壶的重量"): -900.0}
    ranked = CrossEncoderReranker("owner/model")("q", "q", HITS)
    assert [(hit.id, hit.score) for hit in ranked] == [("b", 1.0), ("a", 1.0), ("c", 0.0)]


def test_ties_keep_their_order_and_nothing_asks_nothing() -> None:
    reranker = CrossEncoderReranker("owner/model")
    assert [hit.id for hit in reranker("q", "", HITS)] == ["a", "b", "c"]
    assert reranker("q", "r", []) == []
    assert reranker(" ", "", HITS) == HITS


def test_bare_logits_are_asked_for(tmp_path: Path) -> None:
    CrossEncoderReranker("owner/model", device="cpu")
    CrossEncoderReranker(str(tmp_path))
    assert FakeCrossEncoder.loaded == [
        ("owner/model", {"device": "cpu", "activation_fn": "identity"}),
        (str(tmp_path), {"device": None, "activation_fn": "identity"}),
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (" ", "no model is named"),
        ("./nowhere", "no folder nowhere"),
        ("/no/such/folder", "no folder"),
        ("owner/broken", "cannot|no cross-encoder"),
    ],
)
def test_a_model_that_is_not_there_is_said_at_once(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CrossEncoderReranker(name)
    assert FakeCrossEncoder.loaded == []


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigError, match=r"anaphora\[rerank\]"):
        CrossEncoderReranker("owner/model")


@pytest.mark.parametrize(("logit", "error"), [([0.1, 0.9], ConfigError), (float("nan"), ValueError)])
def test_scores_that_are_none(logit: Any, error: type[Exception]) -> None:
    FakeCrossEncoder.logits = {("q", "灯的颜色"): logit}
    with pytest.raises(error):
        CrossEncoderReranker("owner/model")("q", "q", HITS)
