from typing import Any

import pytest
from pydantic import ValidationError

from metrics.outcome import TurnOutcome
from metrics.summary import Summary, summarise


def outcome(name: str, *retrieved: str, **changes: Any) -> TurnOutcome:
    fields: dict[str, Any] = {
        "turn_id": name,
        "conversation_id": name[0],
        "turn": 1,
        "language": "en",
        "has_history": False,
        "relevant_ids": ("p",),
        "retrieved_ids": retrieved,
    }
    return TurnOutcome(**(fields | changes))


# Recall of the original: 1, 0, 1, 0; of the program: 1, 1, 0, 0.
ORIGINAL = [
    outcome("a1", "p"),
    outcome("a2", "x", turn=2, has_history=True, phenomena=("anaphora", "ellipsis")),
    outcome("b1", "p", language="zh", turn=8, has_history=True, phenomena=("ellipsis",)),
    outcome("c1", "x", language="zh", turn=12, has_history=True),
]
PROGRAM = [
    ORIGINAL[0].model_copy(update={"elapsed_ms": 2.0}),
    ORIGINAL[1].model_copy(
        update={"retrieved_ids": ("x", "p"), "rewritten": True, "lm_calls": 2, "lm_tokens": 300, "elapsed_ms": 90.0}
    ),
    ORIGINAL[2].model_copy(
        update={"retrieved_ids": ("x",), "rewritten": True, "lm_calls": 1, "lm_tokens": 100, "elapsed_ms": 8.0}
    ),
    ORIGINAL[3].model_copy(update={"fallbacks": ("rewrite: timeout", "expand: timeout")}),
]


def test_the_whole_run() -> None:
    summary = summarise(PROGRAM, ORIGINAL)
    assert summary.n == 4
    assert summary.recall_at_5.mean == summary.success_at_5 == 0.5
    assert summary.mrr == (1 + 0.5) / 4
    assert summary.ndcg_at_5 == pytest.approx((1 + 0.63093) / 4, abs=1e-5)
    assert summary.gain is not None
    assert summary.gain.mean == 0
    assert summary.harm_rate == 0.5
    assert (summary.rewritten_share, summary.lm_share, summary.fallback_rate) == (0.5, 0.5, 0.25)
    assert (summary.lm_tokens_per_turn, summary.elapsed_ms_per_turn) == (100, 25)


def test_groups_hold_their_own_turns() -> None:
    summary = summarise(PROGRAM, ORIGINAL)
    assert {key: group.n for key, group in summary.by_turn.items()} == {"1": 1, "2": 1, "8+": 2}
    assert {key: group.n for key, group in summary.by_language.items()} == {"en": 2, "zh": 2}
    assert {key: group.n for key, group in summary.by_phenomenon.items()} == {"anaphora": 1, "ellipsis": 2}
    assert {key: group.n for key, group in summary.by_history.items()} == {"first": 1, "with_history": 3}
    chinese, english = summary.by_language["zh"], summary.by_language["en"]
    assert (chinese.recall_at_5.mean, english.recall_at_5.mean) == (0, 1)
    assert chinese.gain is not None
    assert english.gain is not None
    assert (chinese.gain.mean, english.gain.mean) == (-0.5, 0.5)
    assert (chinese.harm_rate, english.harm_rate) == (1, 0)
    assert summary.by_phenomenon["anaphora"].harm_rate is None


def test_buckets_stand_in_the_order_of_turns() -> None:
    turns = [outcome(f"a{number}", "p", turn=number) for number in (12, 8, 7, 2, 10, 1)]
    assert list(summarise(turns).by_turn) == ["1", "2", "7", "8+"]


def test_intervals_follow_conversations() -> None:
    turns = [outcome(f"a{number}", "p") for number in range(9)]
    assert (summarise(turns).recall_at_5.low, summarise(turns).recall_at_5.high) == (0, 1)
    assert summarise([*turns, outcome("b1", "p")]).recall_at_5.low == 1


def test_only_the_first_five_count() -> None:
    summary = summarise([outcome("a1", *"vwxyz", "p")])
    assert (summary.recall_at_5.mean, summary.ndcg_at_5, summary.mrr) == (0, 0, 1 / 6)


def test_without_a_baseline_nothing_is_compared() -> None:
    summary = summarise(PROGRAM)
    assert (summary.gain, summary.harm_rate, summary.by_turn["1"].gain) == (None, None, None)


def test_the_order_of_either_side_plays_no_part() -> None:
    assert summarise(PROGRAM[::-1], ORIGINAL[1:] + ORIGINAL[:1]) == summarise(PROGRAM, ORIGINAL)


def test_a_summary_survives_json() -> None:
    summary = summarise(PROGRAM, ORIGINAL)
    assert Summary.model_validate_json(summary.model_dump_json()) == summary


@pytest.mark.parametrize(
    ("outcomes", "baseline", "message"),
    [
        ([], None, r"^no outcomes"),
        ([PROGRAM[0], PROGRAM[0]], None, r"^repeated turns: a1$"),
        ([PROGRAM[0], outcome("d9", "p", relevant_ids=())], None, r"^turns without relevant ids: d9$"),
        (PROGRAM, ORIGINAL[:2], r"^turns the baseline lacks: b1, c1$"),
        (PROGRAM[:3], ORIGINAL, r"^turns only the baseline has: c1$"),
        (PROGRAM[:1], [ORIGINAL[0], ORIGINAL[0]], r"^repeated turns in the baseline: a1$"),
        (PROGRAM[:1], [outcome("a1", "p", relevant_ids=("q",))], r"^turns labelled otherwise in the baseline: a1$"),
        (PROGRAM, [], r"^turns the baseline lacks: a1, a2, b1, c1$"),
    ],
)
def test_what_cannot_be_summarised(
    outcomes: list[TurnOutcome], baseline: list[TurnOutcome] | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        summarise(outcomes, baseline)


def test_many_ids_are_cut_short() -> None:
    with pytest.raises(ValueError, match=r"m10 and 2 more$"):
        summarise([outcome(f"m{number:02}", "p") for number in range(1, 13)], [])


def test_another_cut_would_carry_the_wrong_name() -> None:
    with pytest.raises(ValueError, match="k is 10"):
        summarise(PROGRAM, k=10)  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["lm_calls", "lm_tokens", "elapsed_ms"])
def test_costs_are_not_negative(field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        outcome("a1", **{field: -1})
