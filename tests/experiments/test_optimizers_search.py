"""MIPROv2, GEPA and sequences: a new instruction appears, within the budget, and a search that cannot run says so."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dspy
import pytest

from data.errors import BudgetError, ConfigError, LanguageModelError
from data.load import load_data_dir
from experiments.optimizers.gepa import Gepa
from experiments.optimizers.held_out import divide
from experiments.optimizers.labeled_few_shot import LabeledDemos
from experiments.optimizers.mipro import Mipro
from experiments.optimizers.optimizer import Candidate, Optimizer, Task
from experiments.optimizers.rule_taught import RuleTaughtDemos
from experiments.optimizers.sequence import OptimizerSequence
from program import artefact
from program.rewrite_program import RewriteProgram
from program.settings import FusionSettings, RewriteSettings, Settings

WRITTEN = "Put the NAME in."
_CHAT = "".join(f"[[ ## {name} ## ]]\n{WRITTEN}\n\n" for name in ("observations", "summary", "proposed_instruction"))


def writes(prompt: str) -> str:
    """What a reflection model says: MIPROv2 asks for fields between marks, GEPA for JSON."""
    return f'{{"new_instruction": "{WRITTEN}"}}' if "new_instruction" in prompt else f"{_CHAT}[[ ## completed ## ]]"


@pytest.fixture
def obedient(resolving: Callable[[str], str]) -> Callable[[str], str]:
    """A model that resolves references only when the instruction says so."""

    def reply(prompt: str) -> str:
        query = prompt.rpartition("\nquery: ")[2].partition("\n")[0]
        return resolving(prompt) if WRITTEN in prompt else query

    return reply


@pytest.fixture
def task(tiny_data: Path, toy_retriever: Any, scripted_lm: Any, obedient: Any) -> Iterator[Task]:
    data = load_data_dir(tiny_data)
    retriever = toy_retriever(data.passages)
    student = RewriteProgram(
        Settings(fusion=FusionSettings(vector_share=0.0), rewrite=RewriteSettings(ask_lm="follow_ups", rules=False))
    )
    recalls = {turn.id: 1.0 if turn.turn == 1 else 0.0 for turn in data.turns}
    with dspy.context(lm=scripted_lm(reply=obedient), lms={}, rm=retriever):
        yield Task(
            student,
            data.turns,
            recalls,
            retriever,
            seed=3,
            charge=lambda calls, tokens: None,
            reflection_lms={"writer": scripted_lm(reply=writes)},
        )


def mipro(**fields: Any) -> Mipro:
    defaults: dict[str, Any] = {
        "max_demos": 2,
        "candidate_count": 3,
        "trials": 4,
        "check_turns": 6,
        "reflection_lm": "writer",
    }
    return Mipro(**defaults | fields)


def gepa(**fields: Any) -> Gepa:
    return Gepa(**{"reflection_lm": "writer", "metric_calls": 40, "check_turns": 6} | fields)


SEARCHES = pytest.mark.parametrize("search", [mipro(), gepa()], ids=["mipro", "gepa"])


def instructions(candidate: Candidate) -> str:
    return str(candidate.program.coreference.signature.instructions)


@SEARCHES
def test_a_better_instruction_is_found_and_the_student_untouched(
    task: Task, search: Optimizer, capsys: pytest.CaptureFixture[str]
) -> None:
    before = task.student.dump_state()
    start, found = search.candidates(task)
    assert instructions(start) == task.student.coreference.signature.instructions
    assert instructions(found) == WRITTEN
    assert task.student.dump_state() == before
    assert found.program.decomposition.signature.instructions == task.student.decomposition.signature.instructions
    assert capsys.readouterr().out == ""


@SEARCHES
def test_the_same_seed_gives_the_same_candidates(task: Task, search: Optimizer) -> None:
    first, second = ([one.program.dump_state() for one in search.candidates(task)] for _ in range(2))
    assert first == second


@SEARCHES
def test_what_is_found_is_saved_as_plain_text(task: Task, search: Optimizer, tmp_path: Path) -> None:
    *_, found = search.candidates(task)
    loaded = artefact.load(artefact.save(found.program, tmp_path / "found"))
    assert loaded.coreference.signature.instructions == WRITTEN
    assert len(loaded.coreference.demos) == len(found.program.coreference.demos)


@SEARCHES
def test_every_call_is_charged_also_those_of_the_reflection_model(
    task: Task, search: Optimizer, scripted_lm: Any, obedient: Any
) -> None:
    charged: list[int] = []
    asked, writer = scripted_lm(reply=obedient), scripted_lm(reply=writes)
    watched = replace(
        task, charge=lambda calls, tokens: charged.append(calls if tokens else 0), reflection_lms={"writer": writer}
    )
    with dspy.context(lm=asked):
        list(search.candidates(watched))
    assert writer.script.prompts
    assert sum(charged) == len(asked.script.prompts) + len(writer.script.prompts)


@SEARCHES
def test_a_spent_budget_ends_the_search_at_once_and_leaves_the_start(
    task: Task, search: Optimizer, scripted_lm: Any, obedient: Any
) -> None:
    left = 8

    def charge(calls: int, tokens: int) -> None:
        nonlocal left
        left -= calls
        if left <= 0:
            raise BudgetError("spent")

    asked = scripted_lm(reply=obedient)
    candidates = search.candidates(replace(task, charge=charge))
    assert next(candidates).name == "start"
    with dspy.context(lm=asked), pytest.raises(BudgetError, match="spent"):
        next(candidates)
    assert len(asked.script.prompts) <= 8


@SEARCHES
def test_ctrl_c_is_ctrl_c(task: Task, search: Optimizer, scripted_lm: Any) -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    with dspy.context(lm=scripted_lm(reply=interrupted)), pytest.raises(KeyboardInterrupt):
        list(search.candidates(task))


@SEARCHES
def test_a_reflection_model_that_is_down_is_said_and_not_worked_around(
    task: Task, search: Optimizer, scripted_lm: Any
) -> None:
    def down(prompt: str) -> str:
        raise ConnectionError("refused")

    candidates = search.candidates(replace(task, reflection_lms={"writer": scripted_lm(reply=down)}))
    assert next(candidates).name == "start"
    with pytest.raises(LanguageModelError, match=r"could not run: .*reflection_lm"):
        next(candidates)


@SEARCHES
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda task: replace(task, reflection_lms={}), r"no reflection model 'writer'.*optimizer\.reflection_lm"),
        (lambda task: replace(task, trainset=task.trainset[:9]), r"too few training turns.*label more"),
        (lambda task: replace(task, trainset=[one for one in task.trainset if not one.history]), "too few"),
    ],
    ids=["no reflection model", "too few turns", "no follow-ups"],
)
def test_what_it_cannot_work_with_is_refused_with_advice(
    task: Task, search: Optimizer, change: Callable[[Task], Task], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        list(search.candidates(change(task)))


@SEARCHES
def test_without_a_language_model_there_is_nothing_to_search(task: Task, search: Optimizer) -> None:
    with dspy.context(lm=None), pytest.raises(ConfigError, match="needs a language model"):
        list(search.candidates(task))


def test_gepa_has_no_reflection_model_by_default(task: Task) -> None:
    with pytest.raises(ConfigError, match=r"needs a reflection model.*optimizer\.reflection_lm"):
        list(gepa(reflection_lm=None).candidates(task))


def test_gepa_with_too_few_turns_to_run_is_refused(task: Task) -> None:
    with pytest.raises(ConfigError, match="metric_calls"):
        list(gepa(metric_calls=6).candidates(task))


def test_gepa_runs_as_many_turns_as_allowed(task: Task, scripted_lm: Any, obedient: Any) -> None:
    asked = scripted_lm(reply=obedient)
    with dspy.context(lm=asked):
        list(gepa(metric_calls=20).candidates(task))
    assert len(asked.script.prompts) <= 20 + 6 + 3, "GEPA ends the round that it has begun"


def test_gepa_is_told_in_words_what_went_wrong(task: Task, scripted_lm: Any) -> None:
    writer = scripted_lm(reply=writes)
    list(gepa().candidates(replace(task, reflection_lms={"writer": writer})))
    first = writer.script.prompts[0]
    assert "out of the first five" in first
    assert "Missed: " in first
    assert "found by the query" in first
    assert "leaves out what the question is about" in first
    assert "take no name, product or number" in first


def test_gepa_keeps_the_demos_that_are_there(task: Task) -> None:
    (taught,) = LabeledDemos(2, 0.0).candidates(task)
    *_, found = gepa().candidates(replace(task, student=taught.program))
    assert instructions(found) == WRITTEN
    assert found.program.coreference.demos == taught.program.coreference.demos


@pytest.mark.parametrize("most", [1, 3])
def test_mipro_finds_demos_and_respects_their_number(task: Task, resolving: Any, scripted_lm: Any, most: int) -> None:
    """A model that is lost without an example, and makes one by luck where it sees a name that it knows."""

    def imitates(prompt: str) -> str:
        shown = "[assistant]" in prompt or "L1 lamp" in prompt or "A1" in prompt
        return str(resolving(prompt)) if shown else prompt.rpartition("\nquery: ")[2].partition("\n")[0]

    with dspy.context(lm=scripted_lm(reply=imitates)):
        *_, found = mipro(max_demos=most).candidates(task)
    demos = found.program.coreference.demos
    assert 1 <= len(demos) <= most
    assert all({"history", "entities", "query", "rewrite"} <= set(demo) for demo in demos)


def test_mipro_without_demos_leaves_those_that_are_there(task: Task) -> None:
    (taught,) = LabeledDemos(2, 0.0).candidates(task)
    *_, found = mipro(max_demos=0).candidates(replace(task, student=taught.program))
    assert instructions(found) == WRITTEN
    assert found.program.coreference.demos == taught.program.coreference.demos


def test_mipro_writes_with_the_programs_own_model_where_no_other_is_named(
    task: Task, scripted_lm: Any, obedient: Any
) -> None:
    both = scripted_lm(reply=lambda prompt: writes(prompt) if "[[ ##" in prompt else obedient(prompt))
    with dspy.context(lm=both):
        *_, found = mipro(reflection_lm=None).candidates(replace(task, reflection_lms={}))
    assert instructions(found) == WRITTEN


def test_what_is_checked_on_is_never_what_is_learnt_from(task: Task) -> None:
    learn, check = divide(task, "mipro", 8)
    assert len(check) == 8
    assert not {one.conversation_id for one in learn} & {one.conversation_id for one in check}
    assert all(one.history for one in [*learn, *check])
    assert {one.language for one in check} == {"zh", "en"}


def test_a_sequence_goes_on_from_the_last_where_nobody_scores(task: Task) -> None:
    steps = OptimizerSequence([gepa(), LabeledDemos(2, 0.0)])
    names = {one.name: one for one in steps.candidates(task)}
    assert list(names) == ["1-start", "1-gepa", "2-labeled"]
    assert instructions(names["2-labeled"]) == WRITTEN
    assert len(names["2-labeled"].program.coreference.demos) == 2


def test_a_sequence_goes_on_from_the_best_that_was_scored(task: Task) -> None:
    scored: list[Candidate] = []
    steps = OptimizerSequence([gepa(), LabeledDemos(2, 0.0)])
    for candidate in steps.candidates(replace(task, best=lambda: scored[0].program)):
        scored.append(candidate)
    assert instructions(scored[-1]) == instructions(scored[0]), "the start was the best, not what GEPA found"


def test_a_sequence_may_bootstrap_what_was_bootstrapped(task: Task, scripted_lm: Any, resolving: Any) -> None:
    """DSPy refuses a student that it has marked as compiled."""
    from experiments.optimizers.bootstrap_few_shot import BootstrappedDemos

    with dspy.context(lm=scripted_lm(reply=resolving)):
        names = [
            one.name
            for one in OptimizerSequence([BootstrappedDemos(1, 0.0), BootstrappedDemos(2, 0.0)]).candidates(task)
        ]
    assert names == ["1-bootstrap", "2-bootstrap"]


def test_a_step_without_material_ends_the_sequence(task: Task) -> None:
    """The task has the rules switched off: they teach nothing."""
    with pytest.raises(ConfigError, match="rules"):
        list(OptimizerSequence([RuleTaughtDemos(2, 0.0), LabeledDemos(2, 0.0)]).candidates(task))
