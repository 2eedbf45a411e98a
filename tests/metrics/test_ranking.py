from math import log2

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.ranking import ndcg_at_k, recall_at_k, reciprocal_rank, success_at_k

IDS = st.sampled_from([f"段{number}" for number in range(12)])
RELEVANT = st.frozensets(IDS, min_size=1, max_size=8)
RETRIEVED = st.lists(IDS, max_size=15)
CUT = st.integers(1, 12)
AT_K = [recall_at_k, success_at_k, ndcg_at_k]


@pytest.mark.parametrize(
    ("relevant", "retrieved", "expected"),
    [
        (["a"], ["a", "b"], (1, 1, 1, 1)),
        (["a", "b"], ["x", "b"], (0.5, 1, 0.5, (1 / log2(3)) / (1 + 1 / log2(3)))),
        (["a"], [], (0, 0, 0, 0)),
        (["a"], list("vwxyza"), (0, 0, 1 / 6, 0)),
        (list("abcdef"), list("abcdef"), (5 / 6, 1, 1, 1)),
    ],
    ids=["on top", "one of two, second", "nothing retrieved", "behind the cut", "more relevant than fit"],
)
def test_by_hand(relevant: list[str], retrieved: list[str], expected: tuple[float, ...]) -> None:
    scores = (
        recall_at_k(relevant, retrieved),
        success_at_k(relevant, retrieved),
        reciprocal_rank(relevant, retrieved),
        ndcg_at_k(relevant, retrieved),
    )
    assert scores == pytest.approx(expected)


@given(
    runs=st.lists(st.tuples(RELEVANT, st.lists(IDS, min_size=1, max_size=12, unique=True)), min_size=1, max_size=5),
    k=CUT,
)
def test_agrees_with_ir_measures(runs: list[tuple[frozenset[str], list[str]]], k: int) -> None:
    qrels = [ir_measures.Qrel(str(query), name, 1) for query, (relevant, _) in enumerate(runs) for name in relevant]
    scored = [
        ir_measures.ScoredDoc(str(query), name, -float(rank))
        for query, (_, retrieved) in enumerate(runs)
        for rank, name in enumerate(retrieved)
    ]
    ours = {
        ir_measures.R @ k: lambda relevant, retrieved: recall_at_k(relevant, retrieved, k),
        ir_measures.Success @ k: lambda relevant, retrieved: success_at_k(relevant, retrieved, k),
        ir_measures.nDCG @ k: lambda relevant, retrieved: ndcg_at_k(relevant, retrieved, k),
        ir_measures.RR: reciprocal_rank,
    }
    theirs = list(ir_measures.iter_calc(list(ours), qrels, scored))
    assert len(theirs) == len(ours) * len(runs)
    for metric in theirs:
        assert ours[metric.measure](*runs[int(metric.query_id)]) == pytest.approx(metric.value), metric


@given(relevant=RELEVANT, retrieved=RETRIEVED, k=CUT)
def test_scores_stay_between_0_and_1(relevant: frozenset[str], retrieved: list[str], k: int) -> None:
    for score in [*(metric(relevant, retrieved, k) for metric in AT_K), reciprocal_rank(relevant, retrieved)]:
        assert 0 <= score <= 1


@given(relevant=RELEVANT, retrieved=RETRIEVED, k=CUT)
def test_a_deeper_cut_never_loses(relevant: frozenset[str], retrieved: list[str], k: int) -> None:
    assert recall_at_k(relevant, retrieved, k + 1) >= recall_at_k(relevant, retrieved, k)
    assert success_at_k(relevant, retrieved, k + 1) >= success_at_k(relevant, retrieved, k)


@given(relevant=RELEVANT, retrieved=st.lists(IDS, unique=True, max_size=12), k=CUT, data=st.data())
def test_recall_ignores_the_order_above_the_cut(
    relevant: frozenset[str], retrieved: list[str], k: int, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(retrieved[:k])) + retrieved[k:]
    assert recall_at_k(relevant, shuffled, k) == recall_at_k(relevant, retrieved, k)


@given(relevant=RELEVANT, retrieved=RETRIEVED, k=CUT)
def test_duplicates_are_removed_before_the_cut(relevant: frozenset[str], retrieved: list[str], k: int) -> None:
    unique = list(dict.fromkeys(retrieved))
    for metric in AT_K:
        assert metric(relevant, retrieved, k) == metric(relevant, unique, k)
    assert reciprocal_rank(relevant, retrieved) == reciprocal_rank(relevant, unique)


def test_a_duplicate_frees_its_place_and_a_label_given_twice_counts_once() -> None:
    assert recall_at_k(["a", "a"], ["x", "x", "a"], k=2) == 1.0


def test_a_turn_without_labels_has_no_score() -> None:
    for metric in [*AT_K, reciprocal_rank]:
        with pytest.raises(ValueError, match="no relevant ids"):
            metric([], ["a"])


@pytest.mark.parametrize("k", [0, -1])
def test_a_cut_below_one(k: int) -> None:
    for metric in AT_K:
        with pytest.raises(ValueError, match="expected 1 or more"):
            metric(["a"], ["a"], k)
