"""Compiling with the real embedded model: a handful of turns, demos appear, the saved program gives the same outputs again."""

from pathlib import Path
from typing import Any

import dspy
import pytest

from data.load import load_data_dir
from experiments.compile import compile_program
from experiments.experiment import Experiment
from experiments.tracking import MlflowTracker
from program import artefact
from program.retrieval.store import Store
from program.rewrite_program import retrieved_of


@pytest.mark.lm
def test_compile_save_load_with_the_real_model(tiny_data: Path, tmp_path: Path, small_lm: Any) -> None:
    experiment = Experiment.model_validate(
        {
            "name": "tiny",
            "data": tiny_data,
            "store": tmp_path / "store",
            "retriever": "bm25",
            "limits": {"train": 20, "dev": 6, "test": 6},
            "optimizer": {"name": "bootstrap_few_shot", "max_demos": 2, "unchanged_share": 0.0},
            "tune": {"trials": 0},
            "settings": {"rewrite": {"ask_lm": "follow_ups", "rules": False}},
            "output": tmp_path / "out",
        }
    )
    tracker = MlflowTracker("tests", f"sqlite:///{tmp_path / 'mlflow.db'}")
    result = compile_program(experiment, small_lm, {}, tracker, lambda *_: None)
    assert result.program is not None
    assert result.dev["compiled"].recall_at_5.mean > result.dev["original"].recall_at_5.mean
    assert result.spent["lm_tokens"] > 0

    first, second = artefact.load(result.program), artefact.load(result.program)
    assert 1 <= len(first.coreference.demos) <= 2
    turns = [turn for turn in load_data_dir(tiny_data).turns if turn.history][:3]
    with dspy.context(lm=small_lm, lms={}, rm=Store.open(tmp_path / "store", ("bm25",))):
        outputs = [
            [retrieved_of(program(query=turn.query, history=turn.history)) for turn in turns]
            for program in (first, second)
        ]
    assert [one.queries for one in outputs[0]] == [one.queries for one in outputs[1]]
    assert [one.hits for one in outputs[0]] == [one.hits for one in outputs[1]]
    assert any(step.lm_calls for row in outputs for one in row for step in one.trace)
