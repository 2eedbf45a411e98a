import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.harm import gain, harm_rate

RECALL = st.sampled_from([0.0, 1 / 3, 0.5, 1.0])
PAIRS = st.lists(st.tuples(RECALL, RECALL), min_size=1, max_size=30)


def test_gain_is_the_mean_difference() -> None:
    assert gain([0.0, 1.0, 0.5], [1.0, 0.0, 1.0]) == pytest.approx(0.5 / 3)


def test_harm_counts_only_what_the_original_had_found() -> None:
    original = [1.0, 1.0, 0.5, 0.5, 0.0]
    program = [0.5, 1.0, 0.0, 1.0, 0.0]
    assert harm_rate(original, program) == 0.5


def test_nothing_to_lose_is_not_harmless() -> None:
    assert harm_rate([0.0, 0.0], [1.0, 0.0]) is None


@given(pairs=PAIRS)
def test_no_change_neither_gains_nor_harms(pairs: list[tuple[float, float]]) -> None:
    original = [before for before, _ in pairs]
    assert gain(original, original) == 0
    assert harm_rate(original, original) in (0, None)


@given(pairs=PAIRS)
def test_gain_turns_with_the_pair_and_a_loss_is_somebodys_harm(pairs: list[tuple[float, float]]) -> None:
    original, program = zip(*pairs, strict=True)
    assert gain(original, program) == pytest.approx(-gain(program, original))
    harm = harm_rate(original, program)
    assert bool(harm) == any(after < before for before, after in pairs)
    assert harm is None or 0 <= harm <= 1


@pytest.mark.parametrize("compare", [gain, harm_rate])
def test_pairs_are_needed(compare: object) -> None:
    assert callable(compare)
    with pytest.raises(ValueError, match="expected pairs"):
        compare([1.0], [1.0, 0.0])
    with pytest.raises(ValueError, match="no turns"):
        compare([], [])
