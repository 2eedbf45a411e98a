"""How far the leading rewrite of a turn can be trusted, from what is known before anybody has read a passage.

Three signs, each 0 to 1, mixed by fixed weights:

- what the rules or the guards say of the rewrite (``sure``);
- agreement of the original's and the rewrite's lists: the mean of overlap@5 and rank-biased overlap (Webber et al., "A Similarity Measure for
  Indefinite Rankings", 2010; p = 0.9, over the depth of the longer list, divided by what identical lists of that depth would have);
- score shape: how far the best hit stands above the median of its list, the rewrite's against the original's.

The weights are set, not fitted: on the sample's train and dev turns the rules' rewrites lose three finds of the original, too few to fit
anything to (``docs/stages/fuse.md``).
"""

from collections.abc import Sequence
from math import fsum
from statistics import median

from program.fusion.fuse_strategies import Ballot, Ranking, leading, mix
from program.rules.resolution import Resolution

SURE, AGREEMENT, SHAPE = 0.6, 0.2, 0.2
GUARDED = 0.8
"""The rules' mean confidence in rewrites that found something the original did not: .82 on the sample's train and dev turns."""
_TOP = 5
_PERSISTENCE = 0.9


def confidence(ballots: Sequence[Ballot], sure: float | None) -> float | None:
    """Return the trust in the leading rewrite, 0 to 1, or ``None`` where there is no rewrite among ``ballots``.

    Without ``sure`` the other two signs decide, and they alone rarely reach 0.6: what nobody vouches for is not trusted. An original that found
    nothing agrees with nothing and has no shape. The order of ballots and rankings does not matter.
    """
    lead = leading(ballots)
    if lead is None:
        return None
    own = next((ballot for ballot in ballots if ballot.query.kind == "original"), None)
    signs = [(AGREEMENT, agreement(_order(own), _order(lead))), (SHAPE, _shape(own, lead))]
    if sure is not None:
        signs.append((SURE, min(1.0, max(0.0, sure))))
    total = fsum(weight for weight, _ in signs)
    return min(1.0, fsum(weight * sign for weight, sign in signs) / total)


def sure_of(resolution: Resolution, *, by_model: bool) -> float:
    """How sure of the leading rewrite is whoever made it, 0 to 1.

    Args:
        resolution: Of the turn; the rules' confidence counts where they lead.
        by_model: Whether a language model's rewrite leads. Having passed the guards it is taken for as good as the rules' average one.
    """
    return GUARDED if by_model else resolution.confidence


def agreement(one: Sequence[str], other: Sequence[str]) -> float:
    """Mean of overlap@5 and rank-biased overlap of two rankings, 0 to 1; 0 where one is empty."""
    if not one or not other:
        return 0.0
    return (_overlap(one, other) + _rank_biased_overlap(one, other)) / 2


def gap(ranking: Ranking) -> float:
    """How far the best score stands above the list's median, as a part of its distance from the floor; 0 to 1, 0 for a flat list.

    The floor is 0 for BM25 and the last score for cosines, which differ in the second digit.
    """
    scores = [score for _, score in ranking.found]
    floor = scores[-1] if ranking.is_vector else 0.0
    span = scores[0] - floor
    return (scores[0] - median(scores)) / span if span > 0 else 0.0


def _order(ballot: Ballot | None) -> list[str]:
    mixed = mix(ballot.rankings) if ballot else {}
    return sorted(mixed, key=lambda key: (-mixed[key], key))


def _overlap(one: Sequence[str], other: Sequence[str]) -> float:
    return len({*one[:_TOP]} & {*other[:_TOP]}) / min(_TOP, max(len(one), len(other)))


def _rank_biased_overlap(one: Sequence[str], other: Sequence[str]) -> float:
    depths = range(1, max(len(one), len(other)) + 1)
    weights = [_PERSISTENCE ** (depth - 1) for depth in depths]
    shared = [len({*one[:depth]} & {*other[:depth]}) / depth for depth in depths]
    return fsum(weight * part for weight, part in zip(weights, shared, strict=True)) / fsum(weights)


def _shape(own: Ballot | None, lead: Ballot) -> float:
    """The lead's part of the two gaps, so that 0.5 is even; the engines by their shares."""
    here, there = _mean_gap(lead), _mean_gap(own) if own else 0.0
    return here / (here + there) if here + there > 0 else 0.5


def _mean_gap(ballot: Ballot) -> float:
    total = fsum(ranking.share for ranking in ballot.rankings)
    return fsum(ranking.share / total * gap(ranking) for ranking in ballot.rankings)
