import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from program.retrieval.bm25 import K1, B, BM25Index
from program.retrieval.tokenize import tokenize

WORDS = ["保修", "打印机", "鲈鱼", "K3", "Pro", "warranty", "paper", "E-04"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("texts", "query"),
    [
        (["红烧排骨要焯水", "清蒸鲈鱼的步骤", "麻婆豆腐", "白切鸡"], "清蒸"),
        (["退货流程", "保修期两年", "发票抬头", "配送范围"], "保修"),
        (["return it", "warranty of two years", "invoices", "delivery"], "warranty"),
        (["K2 打印机", "K3 Pro", "K4 Pro", "墨盒"], "K3Pro多少钱"),
    ],
)
def test_the_right_text_is_first_and_scores(texts: list[str], query: str) -> None:
    best, *_ = BM25Index.build(texts).search([query], 4)[0]
    assert query[:2].lower() in texts[best[0]].lower()
    assert best[1] > 0


def test_the_exact_code_comes_before_its_relatives() -> None:
    texts = ["WF-1000XM5 耳机", "WF-1000XM4 耳机", "WH-1000XM4 耳机", "XM4"]
    assert BM25Index.build(texts).search(["wf-1000xm4"], 1)[0][0][0] == 1


@given(TEXTS, st.data())
@settings(max_examples=30, deadline=None)
def test_every_text_is_found_by_its_own_words(texts: list[str], data: st.DataObject) -> None:
    index = BM25Index.build(texts)
    row = data.draw(st.integers(0, len(texts) - 1))
    assert row in [found for found, score in index.search([texts[row]], len(texts))[0] if score > 0]


@given(TEXTS, st.lists(st.sampled_from([*WORDS, "unknown", "的"]), max_size=4).map(" ".join), st.integers(0, 9))
@settings(max_examples=30, deadline=None)
def test_the_top_is_that_of_the_written_out_formula(texts: list[str], query: str, depth: int) -> None:
    documents = [tokenize(text) for text in texts]
    mean = sum(map(len, documents)) / len(documents)

    def score(document: list[str]) -> float:
        total = 0.0
        for term in tokenize(query):
            holders = sum(term in other for other in documents)
            times = document.count(term)
            # Lucene's variant (Kamphuis et al. 2020): idf is never negative, no (k1 + 1) above the line.
            idf = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
            total += idf * times / (times + K1 * (1 - B + B * len(document) / mean)) if times else 0.0
        return total

    found = BM25Index.build(texts).search([query], depth)[0]
    scores = [score(document) for document in documents]
    best = sorted((value for value in scores if value > 0), reverse=True)[:depth]
    assert [value for _, value in found] == pytest.approx(best, rel=1e-5)
    assert [scores[row] for row, _ in found] == pytest.approx([value for _, value in found], rel=1e-5)


def test_ties_go_to_the_lower_row_and_depth_is_kept() -> None:
    assert [row for row, _ in BM25Index.build(["保修"] * 5).search(["保修"], 3)[0]] == [0, 1, 2]


def test_nothing_is_found_for_nothing() -> None:
    index = BM25Index.build(["保修两年", "?!", "paper"])
    assert index.search(["", "它的呢", "absent", "?!"], 5) == [[], [], [], []]
    assert index.search([], 5) == []
    assert BM25Index.build(["?!", "……"]).search(["?!", "paper"], 5) == [[], []]


def test_a_saved_index_answers_alike(tmp_path: Path) -> None:
    index = BM25Index.build(["K3 Pro 打印机", "保修期两年", "two years"])
    index.save(tmp_path / "deep" / "bm25")
    queries = ["k3", "保修", "years"]
    assert BM25Index.load(tmp_path / "deep" / "bm25").search(queries, 3) == index.search(queries, 3)
