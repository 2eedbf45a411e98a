"""How well a ranking finds the relevant passages: recall, success, reciprocal rank and nDCG.

All take the ids that are relevant and the ids that were retrieved, best first, and return a number from 0 to 1.

A passage retrieved twice counts once, at its first position, and frees the later one: duplicates are removed *before*
the cut at k. A ranking thus cannot pass 1, nor be punished for naming one passage in two ways of searching.

A turn without relevant ids has no score. That is a ValueError and never a 0, which would pull a mean down unseen.
"""

from collections.abc import Collection, Iterable
from math import log2


def recall_at_k(relevant_ids: Collection[str], retrieved_ids: Iterable[str], k: int = 5) -> float:
    """Return the share of the relevant passages that stand among the first ``k``.

    With more than ``k`` relevant passages even a perfect ranking stays below 1. TREC's R@k; some tasks use the name for
    what ``success_at_k`` is.

    Raises:
        ValueError: No relevant ids, or ``k`` below 1.
    """
    relevant = _relevant(relevant_ids)
    return len(relevant.intersection(_first(k, retrieved_ids))) / len(relevant)


def success_at_k(relevant_ids: Collection[str], retrieved_ids: Iterable[str], k: int = 5) -> float:
    """Return 1.0 when any relevant passage stands among the first ``k``, else 0.0.

    Raises:
        ValueError: No relevant ids, or ``k`` below 1.
    """
    return float(recall_at_k(relevant_ids, retrieved_ids, k) > 0)


def reciprocal_rank(relevant_ids: Collection[str], retrieved_ids: Iterable[str]) -> float:
    """Return 1 / rank of the first relevant passage, ranks from 1, or 0.0 when none was retrieved.

    There is no cut: the list that is given counts whole. Its mean over turns is MRR (Kantor and Voorhees, "The TREC-5
    Confusion Track", 2000).

    Raises:
        ValueError: No relevant ids.
    """
    relevant = _relevant(relevant_ids)
    ranks = (rank for rank, found in enumerate(dict.fromkeys(retrieved_ids), start=1) if found in relevant)
    first = next(ranks, None)
    return 0.0 if first is None else 1 / first


def ndcg_at_k(relevant_ids: Collection[str], retrieved_ids: Iterable[str], k: int = 5) -> float:
    """Return normalised discounted cumulative gain with gain 1 for a relevant passage and 0 for any other.

    DCG is the sum of 1 / log2(rank + 1) over the relevant among the first ``k``; it is divided by the DCG of a ranking
    that has min(k, number of relevant) of them on top (Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, with the
    discount that trec_eval uses).

    Raises:
        ValueError: No relevant ids, or ``k`` below 1.
    """
    relevant = _relevant(relevant_ids)
    hits = [rank for rank, found in enumerate(_first(k, retrieved_ids), start=1) if found in relevant]
    return _dcg(hits) / _dcg(range(1, min(k, len(relevant)) + 1))


def _relevant(relevant_ids: Collection[str]) -> frozenset[str]:
    if not relevant_ids:
        raise ValueError("no relevant ids: an unlabelled turn cannot be scored")
    return frozenset(relevant_ids)


def _first(k: int, retrieved_ids: Iterable[str]) -> list[str]:
    if k < 1:
        raise ValueError(f"k is {k}: expected 1 or more")
    return list(dict.fromkeys(retrieved_ids))[:k]


def _dcg(ranks: Iterable[int]) -> float:
    return sum(1 / log2(rank + 1) for rank in ranks)
