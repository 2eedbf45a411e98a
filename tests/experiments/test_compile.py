"""Compiling for real on a tiny set: BM25 on disk, MLflow on SQLite, a scripted model in the place of a language model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlflow
import pytest

from data.errors import BudgetError, ConfigError, LanguageModelError
from experiments.compile import CompileResult, compile_program
from experiments.experiment import Experiment
from experiments.tracking import MlflowTracker
from program import artefact

Compile = Callable[..., CompileResult]


def quiet(stage: str, done: int, total: int) -> None:
    assert 0 < done <= total, stage


@pytest.fixture
def compile_tiny(tiny_data: Path, tmp_path: Path) -> Compile:
    """Compile on the tiny set; keywords replace fields of the experiment."""

    def run(model: Any, **fields: Any) -> CompileResult:
        defaults: dict[str, Any] = {
            "name": "tiny",
            "data": tiny_data,
            "store": tmp_path / "store",
            "retriever": "bm25",
            "optimizer": {"name": "random_search", "candidates": 3, "max_demos": 3},
            "tune": {"trials": 20},
            "output": tmp_path / "out",
        }
        experiment = Experiment.model_validate(defaults | fields)
        return compile_program(
            experiment, model, {}, MlflowTracker("tests", f"sqlite:///{tmp_path / 'mlflow.db'}"), quiet
        )

    return run


def test_recall_rises_and_the_saved_program_gives_it_again(
    compile_tiny: Compile, scripted_lm: Any, resolving: Any
) -> None:
    result = compile_tiny(scripted_lm(reply=resolving))
    assert result.test["compiled"].recall_at_5.mean > result.test["original"].recall_at_5.mean
    assert set(result.test) == {"original", "rules", "compiled", "gold"}
    assert result.program is not None
    program = artefact.load(result.program)
    assert (
        artefact.read_manifest(result.program).scores["test"]["compiled"]["mean"]
        == result.test["compiled"].recall_at_5.mean
    )
    assert program.settings.fusion.vector_share == 0.0


def test_demos_appear_in_the_winner_or_cost_nothing(compile_tiny: Compile, scripted_lm: Any, resolving: Any) -> None:
    result = compile_tiny(scripted_lm(reply=resolving), optimizer={"name": "labeled_few_shot", "max_demos": 3})
    assert result.program is not None
    state = json.loads((result.program / "program.json").read_text(encoding="utf-8"))
    assert len(state["coreference"]["demos"]) == 3
    assert all({"history", "entities", "query", "rewrite"} <= set(demo) for demo in state["coreference"]["demos"])


def test_the_same_seed_gives_the_same_program(
    compile_tiny: Compile, scripted_lm: Any, resolving: Any, tmp_path: Path
) -> None:
    files = []
    for name in ("one", "two"):
        compile_tiny(scripted_lm(reply=resolving), output=tmp_path / name)
        files.append([(tmp_path / name / file).read_text() for file in ("program.json", "settings.yaml")])
    assert files[0] == files[1]


def test_the_run_is_in_mlflow_with_a_child_for_each_candidate(
    compile_tiny: Compile, scripted_lm: Any, resolving: Any, tmp_path: Path
) -> None:
    result = compile_tiny(scripted_lm(reply=resolving))
    client = mlflow.MlflowClient(f"sqlite:///{tmp_path / 'mlflow.db'}")
    run = client.get_run(result.run_id)
    children = client.search_runs([run.info.experiment_id], f"tags.mlflow.parentRunId = '{result.run_id}'")
    assert {child.info.run_name for child in children} == {"no-demos", "taught-0", "labeled-1", "bootstrap-2"}
    assert run.data.metrics["test.compiled.recall_at_5"] == result.test["compiled"].recall_at_5.mean
    names = {one.path for one in client.list_artifacts(result.run_id)}
    assert {"turns.json", "prompt.md", "program", "recall_by_turn.png", "recall_by_system.png"} <= names
    table = Path(client.download_artifacts(result.run_id, "turns.json", str(tmp_path))).read_text(encoding="utf-8")
    assert "保修期" not in table, "the table speaks of turns by id, not by text"
    assert "warranty" not in table


def test_without_a_model_the_parameters_of_the_rules_are_tuned(compile_tiny: Compile) -> None:
    result = compile_tiny(None, lm=None, optimizer={"name": "none"})
    assert result.test["compiled"].lm_share == 0
    assert result.test["compiled"].recall_at_5.mean > result.test["original"].recall_at_5.mean


def test_a_spent_budget_keeps_the_best_and_leaves_test_alone(
    compile_tiny: Compile, scripted_lm: Any, resolving: Any
) -> None:
    counted = scripted_lm(reply=resolving)
    compile_tiny(counted, optimizer={"name": "none"})
    one_candidate = len(counted.script.prompts)
    lm = scripted_lm(reply=resolving)
    result = compile_tiny(lm, budget={"lm_calls": one_candidate})
    assert "budget" in (result.stopped or "")
    assert result.program is not None
    assert result.test == {}
    assert result.spent["lm_calls"] <= one_candidate


def test_a_budget_too_small_for_one_candidate_is_an_error(
    compile_tiny: Compile, scripted_lm: Any, resolving: Any
) -> None:
    with pytest.raises(BudgetError, match="before one candidate"):
        compile_tiny(scripted_lm(reply=resolving), budget={"lm_calls": 1})


def test_ctrl_c_keeps_the_best_so_far(compile_tiny: Compile, scripted_lm: Any, resolving: Any) -> None:
    calls = 0

    def interrupted(prompt: str) -> str:
        nonlocal calls
        calls += 1
        if calls > 20:
            raise KeyboardInterrupt
        return str(resolving(prompt))

    result = compile_tiny(scripted_lm(reply=interrupted))
    assert result.stopped == "interrupted"
    assert result.program is not None


def test_ctrl_c_before_anything_is_scored_is_ctrl_c(compile_tiny: Compile, scripted_lm: Any) -> None:
    def interrupted(prompt: str) -> str:
        if "query:" in prompt:
            raise KeyboardInterrupt
        return "ok"

    with pytest.raises(KeyboardInterrupt):
        compile_tiny(scripted_lm(reply=interrupted))


def test_a_model_that_does_not_answer_stops_the_run_before_it_starts(compile_tiny: Compile, scripted_lm: Any) -> None:
    def down(prompt: str) -> str:
        raise ConnectionError("refused")

    with pytest.raises(LanguageModelError, match="does not answer"):
        compile_tiny(scripted_lm(reply=down))


def test_a_program_no_better_than_the_original_is_not_saved(compile_tiny: Compile, tmp_path: Path) -> None:
    settings = {"rewrite": {"rules": False, "ask_lm": "never"}}
    result = compile_tiny(None, lm=None, optimizer={"name": "none"}, tune={"trials": 0}, settings=settings)
    assert result.program is None
    assert not (tmp_path / "out").exists()


def test_too_few_turns_are_refused_with_advice(compile_tiny: Compile, tiny_data: Path) -> None:
    lines = (tiny_data / "turns.jsonl").read_text(encoding="utf-8").splitlines()
    (tiny_data / "turns.jsonl").write_text("\n".join(lines[:6]), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"too few labelled turns.*label more"):
        compile_tiny(None, lm=None)


def test_labelled_demos_without_gold_are_refused_with_advice(
    compile_tiny: Compile, tiny_data: Path, scripted_lm: Any, resolving: Any
) -> None:
    rows = [json.loads(line) for line in (tiny_data / "turns.jsonl").read_text(encoding="utf-8").splitlines()]
    text = "\n".join(json.dumps(row | {"gold_rewrite": None}, ensure_ascii=False) for row in rows)
    (tiny_data / "turns.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="gold_rewrite"):
        compile_tiny(scripted_lm(reply=resolving), optimizer={"name": "labeled_few_shot"})


def test_ctrl_c_during_test_keeps_the_program(
    compile_tiny: Compile, scripted_lm: Any, resolving: Any, tiny_data: Path
) -> None:
    """Test is the last and longest part: what was compiled before must not be lost with it."""
    scored = scripted_lm(reply=resolving)
    compile_tiny(scored, optimizer={"name": "none"}, tune={"trials": 0}, settings={"rewrite": {"ask_lm": "follow_ups"}})
    calls_in_all = len(scored.script.prompts)
    calls = 0

    def interrupted(prompt: str) -> str:
        nonlocal calls
        calls += 1
        if calls == calls_in_all:
            raise KeyboardInterrupt
        return str(resolving(prompt))

    result = compile_tiny(
        scripted_lm(reply=interrupted),
        optimizer={"name": "none"},
        tune={"trials": 0},
        settings={"rewrite": {"ask_lm": "follow_ups"}},
    )
    assert result.stopped == "interrupted"
    assert result.test == {}
    assert result.program is not None


def test_a_kind_of_demos_without_material_does_not_end_the_search(
    compile_tiny: Compile, scripted_lm: Any, resolving: Any, tiny_data: Path
) -> None:
    """Titles without names leave the rules nothing to teach; the other kinds go on."""
    rows = [json.loads(line) for line in (tiny_data / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    text = "\n".join(
        json.dumps(row | {"title": None, "text": f"无名 {number}"}, ensure_ascii=False)
        for number, row in enumerate(rows)
    )
    (tiny_data / "corpus.jsonl").write_text(text, encoding="utf-8")
    result = compile_tiny(
        scripted_lm(reply=resolving), optimizer={"name": "random_search", "candidates": 2, "max_demos": 2}
    )
    assert result.stopped is None
