"""Calibrating the drift threshold on turns whose similarities are known."""

from collections.abc import Sequence

import numpy as np
import pytest

from data.errors import ConfigError, DataError
from data.records import Message, Turn
from experiments.calibrate import FEWEST_TURNS, Calibration, calibrate, pairs
from program.retrieval.embedding import Role, Vectors
from program.rules.gazetteer import Gazetteer


class OfNumbers:
    """A text that ends in "@x" lies at x degrees, any other at 0."""

    identity = "numbers/1"

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        angles = np.radians([float(text.rpartition("@")[2]) if "@" in text else 0.0 for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def make_turns(angles: Sequence[float], language: str = "zh") -> list[Turn]:
    """One conversation a turn; its gold rewrite lies ``angle`` degrees from its query."""
    return [
        Turn(
            id=f"{language}-{index}",
            conversation_id=f"{language}-c{index}",
            turn=2,
            history=(Message(role="user", content="台灯"),),
            query="它呢",
            gold_rewrite=f"台灯 {index} @{angle}",
            metadata={"language": language},
        )
        for index, angle in enumerate(angles)
    ]


def run(turns: Sequence[Turn], **options: float) -> Calibration:
    return calibrate(turns, OfNumbers(), Gazetteer(), seed=7, **options)  # type: ignore[arg-type]


def test_the_threshold_keeps_the_share_asked_for() -> None:
    turns = make_turns([10.0] * 98 + [40.0, 50.0])
    found = run(turns)
    assert found.threshold == pytest.approx(np.cos(np.radians(10)), abs=0.001)
    assert found.good_kept.mean == 0.98
    assert found.n == 100
    assert found.embedder == "numbers/1"
    assert found.low <= found.threshold <= found.high
    assert run(turns, good_kept=0.99).threshold == pytest.approx(np.cos(np.radians(40)), abs=0.001)
    assert run(turns, good_kept=1.0).good_kept.mean == 1


def test_no_language_pays_for_the_other() -> None:
    found = run([*make_turns([5.0] * 100), *make_turns([30.0] * 50, "en")])
    assert found.threshold == pytest.approx(np.cos(np.radians(30)), abs=0.001)
    assert found.languages == {"en": 50, "zh": 100}


def test_the_same_turns_in_any_order_give_the_same() -> None:
    turns = make_turns([float(angle) for angle in range(60)])
    assert run(turns) == run(turns[::-1])


def test_bad_rewrites_are_of_another_conversation_and_the_same_language() -> None:
    turns = [*make_turns([1.0] * 30), *make_turns([2.0] * 30, "en")]
    by_rewrite = {(turn.language, turn.gold_rewrite): turn for turn in turns}
    found = pairs(turns, seed=7, most=500)
    assert len(found) == 60
    for turn, bad in found:
        assert by_rewrite[turn.language, bad].conversation_id != turn.conversation_id
    assert len(pairs(turns, seed=7, most=10)) == 10


def test_too_few_turns_are_said_with_a_way_out() -> None:
    first_turn = make_turns([1.0])[0].model_copy(update={"history": (), "id": "x"})
    with pytest.raises(DataError, match=rf"^{FEWEST_TURNS - 1} turns .* expected 50 or more; label gold_rewrite"):
        run([*make_turns([1.0] * (FEWEST_TURNS - 1)), first_turn])


def test_one_conversation_has_nothing_to_compare_with() -> None:
    turns = [turn.model_copy(update={"conversation_id": "one"}) for turn in make_turns([1.0] * 60)]
    with pytest.raises(DataError, match=r"^0 turns"):
        run(turns)


@pytest.mark.parametrize("good_kept", [0.0, 0.49, 1.01, float("nan")])
def test_a_share_out_of_range_is_refused(good_kept: float) -> None:
    with pytest.raises(ConfigError, match=r"expected 0\.5 to 1"):
        run(make_turns([1.0] * 60), good_kept=good_kept)
