"""Optimizers through a whole compile run: what they chose is what is saved."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.errors import ConfigError
from experiments.compile import CompileResult, compile_program
from experiments.experiment import Experiment
from experiments.tracking import MlflowTracker
from program import artefact

WRITTEN = "Put the NAME in."


@pytest.fixture
def compile_tiny(tiny_data: Path, tmp_path: Path) -> Callable[..., CompileResult]:
    """Compile on the tiny set without the rules, so that all depends on the prompt."""

    def run(
        model: Any, optimizer: dict[str, Any], writers: dict[str, Any] | None = None, **fields: Any
    ) -> CompileResult:
        experiment = Experiment.model_validate(
            {
                "name": "tiny",
                "data": tiny_data,
                "store": tmp_path / "store",
                "retriever": "bm25",
                "optimizer": optimizer,
                "settings": {"rewrite": {"rules": False, "ask_lm": "follow_ups"}},
                "tune": {"trials": 5},
                "output": tmp_path / "out",
            }
            | fields
        )
        tracker = MlflowTracker("tests", f"sqlite:///{tmp_path / 'mlflow.db'}")
        return compile_program(experiment, model, {}, tracker, lambda stage, done, total: None, reflection_lms=writers)

    return run


def test_knn_is_still_knn_after_tuning(compile_tiny: Any, scripted_lm: Any, resolving: Any) -> None:
    result = compile_tiny(scripted_lm(reply=resolving), {"name": "knn_few_shot", "max_demos": 2, "pool": 8})
    assert result.program is not None
    program = artefact.load(result.program)
    assert program.settings.rewrite.demos_per_turn == 2
    assert len(program.coreference.demos) == 8


def test_a_sequence_scores_each_step_and_saves_the_best(compile_tiny: Any, scripted_lm: Any, resolving: Any) -> None:
    """The model resolves references only when the instruction says so; demos alone do not help."""

    def obedient(prompt: str) -> str:
        query = prompt.rpartition("\nquery: ")[2].partition("\n")[0]
        return str(resolving(prompt)) if WRITTEN in prompt else query

    writer = scripted_lm(reply=lambda prompt: f'{{"new_instruction": "{WRITTEN}"}}')
    steps = [
        {"name": "gain_demos", "max_demos": 2, "unchanged_shares": [0]},
        {"name": "gepa", "reflection_lm": "writer", "metric_calls": 30, "check_turns": 5},
        {"name": "labeled_few_shot", "max_demos": 1},
    ]
    result = compile_tiny(scripted_lm(reply=obedient), {"name": "sequence", "steps": steps}, {"writer": writer})
    assert result.program is not None
    saved = artefact.load(result.program)
    assert saved.coreference.signature.instructions == WRITTEN
    assert len(saved.coreference.demos) == 1, "as good as two, and shorter"


def test_a_sequence_that_is_stopped_keeps_what_was_best(compile_tiny: Any, scripted_lm: Any, resolving: Any) -> None:
    """The second step's own search spends the budget: the first step's program is there."""
    steps = [{"name": "gain_demos", "max_demos": 2, "unchanged_shares": [0]}, {"name": "mipro", "trials": 20}]
    lm = scripted_lm(reply=resolving)
    result = compile_tiny(lm, {"name": "sequence", "steps": steps}, budget={"lm_calls": 30})
    assert "budget of 30 lm_calls" in (result.stopped or "")
    assert result.program is not None
    assert result.spent["lm_calls"] <= 31
    assert len(artefact.load(result.program).coreference.demos) == 2


def test_a_reflection_model_that_nobody_set_up_ends_the_run(
    compile_tiny: Any, scripted_lm: Any, resolving: Any
) -> None:
    with pytest.raises(ConfigError, match="no reflection model"):
        compile_tiny(scripted_lm(reply=resolving), {"name": "gepa", "reflection_lm": "writer"})
