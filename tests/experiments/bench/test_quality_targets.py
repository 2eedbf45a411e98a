import pytest

from experiments.bench.quality_results import Conditions, Difference, Results, Row, SetFacts
from experiments.bench.quality_targets import TARGETS, verdicts
from metrics.interval import Interval
from metrics.outcome import TurnOutcome
from metrics.summary import GroupSummary, summarise


def summary(recall, *, harmed=False):
    """A summary of 100 conversations with this recall."""
    turns = [
        TurnOutcome(
            turn_id=str(number),
            conversation_id=str(number),
            turn=2,
            language="en",
            has_history=True,
            relevant_ids=("p",),
            retrieved_ids=("p",) if number < round(recall * 100) else (),
        )
        for number in range(100)
    ]
    before = [turn.model_copy(update={"retrieved_ids": ("p",) if harmed else ()}) for turn in turns]
    return summarise(turns, before, resamples=10)


def row(data, retriever, system, recall, *, turns="all", complete=None, harmed=False):
    return Row(
        data=data,
        retriever=retriever,
        turns=turns,
        system=system,
        summary=summary(recall, harmed=harmed),
        complete=complete,
    )


def results(data, *rows, differences=(), turns=("all",), retrievers=("bm25", "vector", "hybrid")):
    facts = SetFacts(
        data=data,
        sha256="0" * 64,
        passages=1,
        retrievers=retrievers,
        turns=dict.fromkeys(turns, 100),
        reference="gold",
        program=None,
        program_sha256={},
        program_lm=None,
        fusion={},
    )
    conditions = Conditions(command="", lm="", seed=0, versions={}, machine="")
    return Results(conditions=conditions, sets=[facts], rows=list(rows), differences=list(differences))


def difference(data, retriever, than, mean):
    interval = Interval(mean=mean, low=mean - 0.05, high=mean + 0.05, n=100)
    return Difference(data=data, retriever=retriever, than=than, difference=interval)


def reached(found, words):
    (verdict,) = [one for one in verdicts(found) if one.target == words]
    return verdict.reached


@pytest.mark.parametrize(("recall", "expected"), [(0.79, False), (0.80, True), (0.81, True)])
def test_a_number_is_reached_from_that_number_on(recall, expected):
    found = results("canard_dev", row("canard_dev", "bm25", "compiled", recall))

    assert reached(found, "compiled, bm25: ≥ 0.80") is expected


def test_the_better_of_two_retrievers_counts():
    words = "compiled, vector or hybrid, turns with history: ≥ 0.85"
    rows = [row("kdconv_travel", name, "compiled", recall) for name, recall in (("vector", 0.9), ("hybrid", 0.8))]

    assert reached(results("kdconv_travel", *rows), words) is True
    assert reached(results("kdconv_travel", rows[1]), words) is False


def test_slow_systems_are_judged_on_the_sample_and_quick_ones_on_all_turns():
    rows = [
        row("kdconv_travel", "bm25", "rules", 0.5, turns="all"),
        row("kdconv_travel", "bm25", "rules", 0.1, turns="sample"),
        row("kdconv_travel", "bm25", "compiled", 0.5, turns="sample"),
    ]
    found = results("kdconv_travel", *rows, turns=("all", "sample"))

    assert reached(found, "rules, bm25: ≥ 0.34") is True
    assert reached(found, "compiled, bm25: ≥ 0.46") is True


@pytest.mark.parametrize(("recall", "expected"), [(0.71, False), (0.72, True)])
def test_a_share_of_the_reference(recall, expected):
    rows = [row("sample", "hybrid", "compiled", recall), row("sample", "hybrid", "reference", 0.8)]

    assert reached(results("sample", *rows), "compiled, hybrid: ≥ 90% of gold rewrite") is expected


@pytest.mark.parametrize(("mean", "expected"), [(-0.01, False), (0.0, False), (0.001, True)])
def test_ahead_means_above(mean, expected):
    gap = difference("mtrag_clapnq", "bm25", "llama_index", mean)
    found = results("mtrag_clapnq", row("mtrag_clapnq", "bm25", "compiled", 0.3), differences=[gap])

    assert reached(found, "compiled, bm25: ahead of llama_index") is expected


@pytest.mark.parametrize(("harm", "expected"), [(0.0, True), (0.02, False), (None, True)])
def test_losing_nothing_means_no_turn_at_all(harm, expected):
    interval = Interval(mean=0.9, low=0.8, high=1.0, n=10)
    complete = GroupSummary(n=10, recall_at_5=interval, gain=None, harm_rate=harm)
    found = results("sample", row("sample", "hybrid", "compiled", 0.9, complete=complete))

    assert reached(found, "compiled, hybrid, complete turns: loses nothing") is expected


@pytest.mark.parametrize(("worst", "expected"), [(-0.02, False), (-0.01, True), (0.2, True)])
def test_the_best_part_is_the_one_that_leaves_least(worst, expected):
    gaps = [difference("sample", "hybrid", "part: rewrite alone", worst)]
    gaps.append(difference("sample", "hybrid", "part: original alone", 0.5))
    gaps.append(difference("sample", "hybrid", "llama_index", -0.9))
    found = results("sample", differences=gaps, retrievers=("hybrid",))

    assert reached(found, "compiled, hybrid: at most 0.01 below its best part") is expected


def test_what_was_not_measured_is_neither_reached_nor_missed():
    judged = verdicts(results("sample", retrievers=("hybrid",)))

    assert len(judged) == 6  # five targets and the parts
    assert {one.reached for one in judged} == {None}


def test_every_set_has_to_be_ahead_of_the_peer_with_each_of_its_retrievers():
    ahead = {(one.data, *one.retrievers) for one in TARGETS if one.ahead_of == "llama_index"}

    assert ahead == {
        ("sample", "hybrid"),
        ("kdconv_travel", "bm25"),
        ("kdconv_travel", "vector"),
        ("kdconv_travel", "hybrid"),
        ("canard_dev", "bm25"),
        ("canard_dev", "hybrid"),
        ("mtrag_clapnq", "bm25"),
        ("mtrag_clapnq", "vector"),
        ("mtrag_clapnq", "hybrid"),
    }
