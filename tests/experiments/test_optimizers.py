"""Each optimizer has an effect, keeps its promise on demos, and leaves the student alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dspy
import pytest

from data.load import load_data_dir
from experiments.optimizers.bootstrap_few_shot import BootstrappedDemos, strict_pass
from experiments.optimizers.labeled_few_shot import LabeledDemos
from experiments.optimizers.optimizer import Task
from experiments.optimizers.random_search import RandomSearch
from experiments.optimizers.rule_taught import RuleTaughtDemos
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
