"""A matrix on two tiny sets without a language model: real compiles, BM25 on disk, MLflow on SQLite."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from cli.main import app
from data.errors import ConfigError
from experiments.matrix import CellResult
from experiments.matrix_file import chosen, load_matrix

Write = Callable[..., Path]
Call = Callable[..., Result]


@pytest.fixture
def write(tiny_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a matrix file; keywords replace parts of it. Commands run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path / 'mlflow.db'}")
    for language in ("zh", "en"):
        folder = tmp_path / f"tiny_{language}"
        shutil.copytree(tiny_data, folder)
        rows = (tiny_data / "turns.jsonl").read_text(encoding="utf-8").splitlines()
        kept = [row for row in rows if json.loads(row)["metadata"]["language"] == language]
        (folder / "turns.jsonl").write_text("\n".join(kept), encoding="utf-8")

    def run(**parts: Any) -> Path:
        matrix: dict[str, Any] = {
            "name": "both",
            "output": str(tmp_path / "matrix"),
            "shared": {"retriever": "bm25", "tune": {"trials": 3}, "split": {"dev": 0.4, "test": 0.3}},
            "sets": {language: {"data": f"tiny_{language}"} for language in ("zh", "en")},
            "lms": {"rules": None},
            "optimizers": {"none": {"name": "none"}, "labeled": {"name": "labeled_few_shot", "max_demos": 2}},
        }
        path = tmp_path / "matrix.yaml"
        path.write_text(yaml.safe_dump(matrix | parts, allow_unicode=True, sort_keys=False), encoding="utf-8")
        return path

    return run


@pytest.fixture
def call() -> Call:
    """Run ``anaphora matrix``."""
    return lambda *arguments: CliRunner().invoke(app, ["matrix", *map(str, arguments)])


def test_every_combination_is_run_once_and_shown_together(write: Write, call: Call, tmp_path: Path) -> None:
    path = write()
    first = call(path, "--json")
    assert first.exit_code == 0, first.output
    cells = json.loads(first.stdout)["cells"]
    assert [(cell["set"], cell["optimizer"]) for cell in cells] == [
        ("zh", "none"),
        ("zh", "labeled"),
        ("en", "none"),
        ("en", "labeled"),
    ]
    assert all(cell["test"]["compiled"]["n"] > 0 and cell["run_id"] for cell in cells)
    assert "4 of 4: en/rules/labeled/default" in first.stderr
    again = call(path, "--json")
    assert json.loads(again.stdout) == json.loads(first.stdout)
    assert "of 4:" not in again.stderr
    table = (tmp_path / "matrix" / "matrix.md").read_text(encoding="utf-8")
    assert len([line for line in table.splitlines() if line.startswith(("| zh", "| en"))]) == 4
    assert all((tmp_path / "matrix" / f"{name}.png").read_bytes()[:4] == b"\x89PNG" for name in ("matrix", "pareto"))


def test_only_what_changed_runs_again(write: Write, call: Call) -> None:
    call(write())
    path = write(optimizers={"none": {"name": "none"}, "labeled": {"name": "labeled_few_shot", "max_demos": 3}})
    listed = json.loads(call(path, "--list", "--json").stdout)["cells"]
    assert [name for name, done in listed.items() if not done] == [
        "zh/rules/labeled/default",
        "en/rules/labeled/default",
    ]
    text = call(path, "--only", "zh/*", "--json")
    assert "of 2: zh/rules/labeled" in text.stderr
    assert "none" not in text.stderr


def test_new_data_under_the_same_name_is_another_cell(write: Write, call: Call, tmp_path: Path) -> None:
    path = write()
    call(path)
    turns = tmp_path / "tiny_en" / "turns.jsonl"
    turns.write_text(turns.read_text(encoding="utf-8").replace("Tell me about", "Say more about"), encoding="utf-8")
    listed = json.loads(call(path, "--list", "--json").stdout)["cells"]
    assert {name.partition("/")[0] for name, done in listed.items() if not done} == {"en"}


def test_a_cell_that_fails_is_named_and_the_others_run(write: Write, call: Call) -> None:
    path = write(sets={"gone": {"data": "nowhere"}, "zh": {"data": "tiny_zh"}})
    found = call(path, "--json")
    assert found.exit_code == 0, found.output
    failed = {cell["set"]: cell["failed"] for cell in json.loads(found.stdout)["cells"]}
    assert "nowhere" in failed["gone"]
    assert failed["zh"] is None
    listed = json.loads(call(path, "--list", "--json").stdout)["cells"]
    assert {name.partition("/")[0] for name, done in listed.items() if not done} == {"gone"}


def test_a_result_that_was_cut_short_is_run_again(write: Write, call: Call, tmp_path: Path) -> None:
    path = write(sets={"zh": {"data": "tiny_zh"}}, optimizers={"none": {"name": "none"}})
    call(path)
    (file,) = (tmp_path / "matrix" / "cells").glob("*.json")
    file.write_bytes(file.read_bytes()[:50])
    assert "1 of 1" in call(path).stderr
    CellResult.model_validate_json(file.read_bytes())


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"optimizers": {"none": {"name": "none", "demos": 3}}}, "zh/rules/none/default: optimizer.none.demos"),
        ({"sets": {"zh": {"data": "tiny_zh", "retreiver": "bm25"}}}, "retreiver"),
        ({"sets": {}}, "sets"),
        ({"lm": "local"}, "lm: Extra inputs"),
        ({"stages": {"guards off": {}}}, "stages"),
    ],
    ids=["optimizer", "set", "no sets", "top level", "name of a stage"],
)
def test_a_mistake_is_said_with_file_cell_and_key_before_anything_runs(
    write: Write, call: Call, parts: dict[str, Any], said: str
) -> None:
    found = call(write(**parts))
    assert found.exit_code == 2
    assert found.stdout == ""
    assert "matrix.yaml: " in found.stderr
    assert said in found.stderr


def test_stages_change_settings_under_what_all_share(write: Write) -> None:
    path = write(
        shared={"settings": {"fusion": {"depth": 30}}},
        stages={"default": {}, "deeper": {"fusion": {"depth": 40}}},
    )
    _, cells = load_matrix(path)
    assert {cell.stage: cell.experiment.settings.fusion.depth for cell in cells} == {"default": 30, "deeper": 40}
    assert len({cell.experiment.output for cell in cells}) == len(cells) == 8


def test_a_pattern_that_matches_nothing_shows_how_names_look(write: Write) -> None:
    _, cells = load_matrix(write())
    with pytest.raises(ConfigError, match="no cell matches") as caught:
        chosen(cells, "kdconv/*")
    assert "zh/rules/none/default" in str(caught.value)


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[2] / "experiments/matrices").glob("*.yaml")), ids=str)
def test_shipped_matrices_are_valid(path: Path) -> None:
    matrix, cells = load_matrix(path)
    assert matrix.output.parts[0] == "artefacts"
    assert len({cell.name for cell in cells}) == len(cells)
