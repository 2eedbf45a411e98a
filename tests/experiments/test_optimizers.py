"""Each optimizer has an effect, keeps its promise on demos, and leaves the student alone."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dspy
import pytest

from data.errors import ConfigError
from data.load import load_data_dir
from data.records import Message, Turn
from experiments.optimizers.bootstrap_few_shot import BootstrappedDemos, strict_pass
from experiments.optimizers.gain_demos import Gain, GainDemos, gains, varied
from experiments.optimizers.knn_few_shot import KnnDemos
from experiments.optimizers.labeled_few_shot import LabeledDemos
from experiments.optimizers.optimizer import Task
from experiments.optimizers.random_search import RandomSearch
from experiments.optimizers.rule_taught import RuleTaughtDemos
from program import artefact
from program.result import FusedHit, Retrieved
from program.rewrite_program import RewriteProgram
from program.settings import FusionSettings, RewriteSettings, Settings
from program.trace import Step


@pytest.fixture
def task(tiny_data: Path, toy_retriever: Any, scripted_lm: Any, resolving: Any) -> Iterator[Task]:
    data = load_data_dir(tiny_data)
    retriever = toy_retriever(data.passages)
    student = RewriteProgram(
        Settings(fusion=FusionSettings(vector_share=0.0), rewrite=RewriteSettings(ask_lm="follow_ups"))
    )
    recalls = {turn.id: 1.0 if turn.turn == 1 else 0.0 for turn in data.turns}
    with dspy.context(lm=scripted_lm(reply=resolving), lms={}, rm=retriever):
        yield Task(student, data.turns, recalls, retriever, seed=3, charge=lambda calls, tokens: None)


OPTIMIZERS = [LabeledDemos, RuleTaughtDemos, BootstrappedDemos]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("most", [1, 4])
def test_as_many_demos_as_asked_and_the_student_untouched(task: Task, optimizer: Any, most: int) -> None:
    before = task.student.dump_state()
    (candidate,) = optimizer(max_demos=most, unchanged_share=0.0).candidates(task)
    assert len(candidate.program.coreference.demos) == most
    assert task.student.dump_state() == before
    assert candidate.program is not task.student


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_no_demos_means_none(task: Task, optimizer: Any) -> None:
    (candidate,) = optimizer(max_demos=0, unchanged_share=0.0).candidates(task)
    assert candidate.program.coreference.demos == []


def test_other_signatures_get_no_demos(task: Task) -> None:
    for candidate in RandomSearch(max_demos=3, candidate_count=3, unchanged_share=0.0).candidates(task):
        assert candidate.program.decomposition.demos == []
        assert candidate.program.step_back.demos == []


def test_random_search_gives_the_same_candidates_for_the_same_seed(task: Task) -> None:
    search = RandomSearch(max_demos=4, candidate_count=3, unchanged_share=0.0)
    first, second = ([(one.name, one.program.dump_state()) for one in search.candidates(task)] for _ in range(2))
    assert first == second
    assert [name for name, _ in first] == ["no-demos", "taught-0", "labeled-1", "bootstrap-2"]


def test_rule_taught_demos_cost_no_model_call(task: Task, scripted_lm: Any) -> None:
    silent = scripted_lm()
    with dspy.context(lm=silent):
        (candidate,) = RuleTaughtDemos(max_demos=4, unchanged_share=0.0).candidates(task)
    assert silent.script.prompts == []
    assert all(demo.rewrite for demo in candidate.program.coreference.demos)


def test_bootstrapping_tells_what_it_costs(task: Task) -> None:
    charged: list[int] = []
    watched = Task(
        task.student,
        task.trainset,
        task.original_recall,
        task.retriever,
        3,
        lambda calls, tokens: charged.append(calls),
    )
    list(BootstrappedDemos(max_demos=2, unchanged_share=0.0).candidates(watched))
    assert sum(charged) >= 2


def retrieved(
    *, found_by: tuple[Any, ...], relevant_at: int, lm_calls: int = 1, status: str = "done"
) -> dspy.Prediction:
    hits = [FusedHit(id=f"n{place}", score=0.5, source="s", text="t", found_by=("original",)) for place in range(6)]
    hits[relevant_at] = FusedHit(id="gold", score=0.5, source="s", text="t", found_by=found_by)
    step = Step(
        stage="rewrite", status=status, reason="guard: empty" if status == "fallback" else "", lm_calls=lm_calls
    )  # type: ignore[arg-type]
    fallbacks = ({"stage": "rewrite", "reason": step.reason},) if status == "fallback" else ()
    fields = Retrieved(
        query="q", rewritten="r", queries=(), fallbacks=fallbacks, trace=(step,), hits=tuple(hits), degraded=False
    )  # type: ignore[arg-type]
    return dspy.Prediction(**dict(fields))


@pytest.mark.parametrize(
    ("prediction", "passes"),
    [
        (retrieved(found_by=("rewrite", "rules"), relevant_at=0), True),
        (retrieved(found_by=("rewrite",), relevant_at=5), False),
        (retrieved(found_by=("rules", "rewrite"), relevant_at=0), False),
        (retrieved(found_by=("rewrite",), relevant_at=0, lm_calls=0), False),
        (retrieved(found_by=("rewrite",), relevant_at=0, status="fallback"), False),
    ],
    ids=[
        "found by the rewrite",
        "below the fifth place",
        "found by the rules",
        "the model was not asked",
        "refused by a guard",
    ],
)
def test_a_demo_must_have_found_everything_itself(prediction: dspy.Prediction, passes: bool) -> None:
    assert strict_pass(dspy.Example(relevant_ids=("gold",)), prediction) is passes


def test_a_part_of_the_relevant_passages_is_no_pass() -> None:
    prediction = retrieved(found_by=("rewrite",), relevant_at=0)
    assert strict_pass(dspy.Example(relevant_ids=("gold", "missing")), prediction) is False


def gained(
    name: str,
    *,
    gain: float = 1.0,
    language: str = "en",
    phenomena: tuple[str, ...] = (),
    unchanged: bool = False,
    more: str = "",
) -> Gain:
    history = (Message(role="user", content="Aria"), Message(role="assistant", content="Yes."))
    metadata = {"language": language, "phenomena": list(phenomena)}
    turn = Turn(id=name, conversation_id=name, turn=2, history=history, query="price?", metadata=metadata)
    rewrite = "price?" if unchanged else f"Aria price{more}"
    return Gain(turn, dspy.Example(query="price?", rewrite=rewrite), gain, 1.0)


def ids(chosen: list[Gain]) -> list[str]:
    return [one.turn.id for one in chosen]


def test_the_largest_gain_comes_first_then_the_shortest() -> None:
    pool = [gained("half", gain=0.5), gained("long", more=" and size"), gained("short")]
    assert ids(varied(pool, 3, 0.0)) == ["short", "long", "half"]


def test_demos_vary_over_phenomena_before_they_are_short() -> None:
    pool = [
        gained("a", phenomena=("pronoun",)),
        gained("b", phenomena=("pronoun",)),
        gained("c", phenomena=("ellipsis",), more=" and size"),
    ]
    assert ids(varied(pool, 2, 0.0)) == ["a", "c"]


def test_languages_have_the_share_that_they_have_among_the_turns() -> None:
    pool = [gained(f"en{n}") for n in range(8)] + [gained(f"zh{n}", language="zh", gain=0.5) for n in range(4)]
    languages = Counter(one.turn.language for one in varied(pool, 6, 0.0))
    assert languages == {"en": 4, "zh": 2}


def test_another_conversation_is_better_than_the_same_again() -> None:
    first, again, other = gained("a"), gained("b"), gained("c", gain=0.5)
    again = replace(again, turn=again.turn.model_copy(update={"conversation_id": "a"}))
    assert ids(varied([first, again, other], 2, 0.0)) == ["a", "c"]


@pytest.mark.parametrize(("share", "left_alone"), [(0.0, 0), (0.25, 1), (0.5, 2), (1.0, 4)])
def test_a_share_of_demos_stays_as_it_is(share: float, left_alone: int) -> None:
    pool = [gained(f"c{n}") for n in range(6)] + [gained(f"u{n}", unchanged=True, gain=0.0) for n in range(6)]
    chosen = varied(pool, 4, share)
    assert len(chosen) == 4
    assert sum(one.unchanged for one in chosen) == left_alone


def test_gain_is_measured_by_searching_the_rewrite(task: Task) -> None:
    found = gains(task)
    assert found
    assert all(one.gain == 1 and one.recall == 1 and one.turn.history for one in found)
    lost = replace(task, trainset=[turn.model_copy(update={"gold_rewrite": "nothing"}) for turn in task.trainset])
    assert gains(lost) == []


def test_gain_demos_cost_no_model_call_and_come_in_both_languages(task: Task, scripted_lm: Any) -> None:
    silent, before = scripted_lm(), task.student.dump_state()
    with dspy.context(lm=silent):
        candidates = list(GainDemos(4, (0.0, 0.5)).candidates(task))
    assert silent.script.prompts == []
    assert [one.name for one in candidates] == ["gain-0"], (
        "no turn is to be left alone: both shares give the same demos"
    )
    demos = candidates[0].program.coreference.demos
    assert len(demos) == 4
    assert Counter("保修" in demo.query or "清洁" in demo.query for demo in demos) == {True: 2, False: 2}
    assert task.student.dump_state() == before


def test_each_share_of_unchanged_demos_is_a_candidate(task: Task) -> None:
    alone = [turn.model_copy(update={"query": turn.gold_rewrite}) if turn.turn == 3 else turn for turn in task.trainset]
    recalls = {turn.id: float(turn.turn == 3) for turn in alone}
    mixed = replace(task, trainset=alone, original_recall=recalls)
    candidates = list(GainDemos(4, (0.0, 0.25, 0.5)).candidates(mixed))
    unchanged = [sum(demo.query == demo.rewrite for demo in one.program.coreference.demos) for one in candidates]
    assert unchanged == [0, 1, 2]


def test_gain_demos_do_not_depend_on_the_order_of_turns_or_the_seed(task: Task) -> None:
    shuffled = replace(task, trainset=list(reversed(task.trainset)), seed=99)
    first, second = ([one.program.dump_state() for one in GainDemos(4, (0.0,)).candidates(t)] for t in (task, shuffled))
    assert first == second


def test_without_gold_the_rules_give_the_rewrites(task: Task) -> None:
    bare = replace(task, trainset=[turn.model_copy(update={"gold_rewrite": None}) for turn in task.trainset])
    (candidate,) = GainDemos(4, (0.0,)).candidates(bare)
    assert len(candidate.program.coreference.demos) == 4


@pytest.mark.parametrize("optimizer", [GainDemos(3, (0.0,)), KnnDemos(3, 9, 0.0)], ids=["gain", "knn"])
def test_no_rewrite_that_finds_anything_is_refused_with_advice(task: Task, optimizer: Any) -> None:
    lost = replace(task, trainset=[turn.model_copy(update={"gold_rewrite": "nothing"}) for turn in task.trainset])
    with pytest.raises(ConfigError, match="bootstrap_few_shot"):
        list(optimizer.candidates(lost))


@pytest.mark.parametrize("optimizer", [GainDemos(0, (0.0, 0.5)), KnnDemos(0, 9, 0.0)], ids=["gain", "knn"])
def test_zero_demos_stay_zero(task: Task, optimizer: Any) -> None:
    (candidate,) = optimizer.candidates(task)
    assert candidate.program.coreference.demos == []


def test_knn_saves_a_pool_and_shows_each_turn_the_nearest(
    task: Task, scripted_lm: Any, resolving: Any, tmp_path: Path
) -> None:
    (candidate,) = KnnDemos(max_demos=2, pool=40, unchanged_share=0.0).candidates(task)
    assert task.student.settings.rewrite.demos_per_turn is None
    program = artefact.load(artefact.save(candidate.program, tmp_path / "knn"))
    assert len(program.coreference.demos) == 40
    watched = scripted_lm(reply=resolving)
    history = [{"role": "user", "content": "青榕 A1 台灯 怎么样"}, {"role": "assistant", "content": "好的。"}]
    english = [
        {"role": "user", "content": "Tell me about the Alder L1 lamp"},
        {"role": "assistant", "content": "Sure."},
    ]
    with dspy.context(lm=watched):
        program(query="它的保修多久啊", history=history)
        program(query="how long is its warranty then?", history=english)
    chinese_prompt, english_prompt = watched.script.prompts
    assert [prompt.count("[assistant]") for prompt in watched.script.prompts] == [2, 2]
    assert "它的保修期多久" in chinese_prompt
    assert "warranty" not in chinese_prompt
    assert "how long is its warranty?" in english_prompt
    assert "保修" not in english_prompt
