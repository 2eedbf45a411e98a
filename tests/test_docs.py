"""What the documents say exists, parses and runs."""

import ast
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from cli.settings_page import settings_page
from data.records import Passage, Turn
from experiments.experiment import Experiment, load_experiment

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("data/sample/*.md")])
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PATH = re.compile(r"\b(?:program|signatures|metrics|data|experiments|cli|tests|docs)/[\w/.*-]*\w")
# Written by commands, so absent from a fresh clone.
_MADE_BY_COMMANDS = ("data/sample/parts",)


def fences(page: Path, language: str) -> list[str]:
    return [body for name, body in _FENCE.findall(page.read_text(encoding="utf-8")) if name == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_paths_exist(page: Path) -> None:
    named = set(_PATH.findall(page.read_text(encoding="utf-8"))) - set(_MADE_BY_COMMANDS)
    missing = [name for name in sorted(named) if not list(ROOT.glob(name)) and not list(ROOT.glob(f"{name}.*"))]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_examples_parse_and_import_what_exists(page: Path) -> None:
    for source in fences(page, "python"):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and node.module:
                module = importlib.import_module(node.module)
                assert [alias.name for alias in node.names if not _has(module, node.module, alias.name)] == []


def _has(module: object, module_name: str, name: str) -> bool:
    if hasattr(module, name):
        return True
    return importlib.util.find_spec(f"{module_name}.{name}") is not None


def test_experiment_examples_are_valid() -> None:
    examples = [body for page in PAGES for body in fences(page, "yaml")]
    assert examples
    for body in examples:
        Experiment.model_validate(yaml.safe_load(body))


@pytest.mark.parametrize("path", sorted(ROOT.glob("experiments/*.yaml")), ids=lambda path: path.name)
def test_shipped_experiments_are_valid(path: Path) -> None:
    assert load_experiment(path).name == path.stem


def test_data_examples_are_valid_records() -> None:
    text = (ROOT / "docs/data.md").read_text(encoding="utf-8")
    objects = re.findall(r"^    (\{.*?\})\n\n", text, re.MULTILINE | re.DOTALL)
    passage, turn = (json.loads(" ".join(one.split())) for one in objects)
    assert Passage.model_validate(passage).source == "h2-manual"
    assert Turn.model_validate(turn).language == "zh"


def test_cli_page_is_what_the_commands_say(tmp_path: Path) -> None:
    made = tmp_path / "cli.md"
    command = [
        sys.executable,
        "-m",
        "typer",
        "cli.main",
        "utils",
        "docs",
        "--name",
        "anaphora",
        "--title",
        "Command line",
    ]
    subprocess.run([*command, "--output", str(made)], cwd=ROOT, check=True, capture_output=True)
    assert made.read_text() == (ROOT / "docs/cli.md").read_text(), "run: make docs"


def test_settings_page_is_what_the_settings_say() -> None:
    assert settings_page() == (ROOT / "docs/settings.md").read_text(encoding="utf-8"), "run: make docs"


def test_every_setting_says_what_it_does() -> None:
    rows = [line for line in settings_page().splitlines() if line.startswith("| `")]
    assert len(rows) > 50
    assert [row for row in rows if row.endswith("|  |")] == []


def test_make_targets_named_in_documents_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {name for page in PAGES for name in re.findall(r"`make ([a-z-]+)`", page.read_text(encoding="utf-8"))}
    assert named - targets == set()


def test_no_committed_file_names_an_index_host() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    hosts = re.compile(r"https?://[\w.-]*(?:pypi|pythonhosted|npmjs|huggingface|debian)[\w.-]*", re.IGNORECASE)
    texts = [name for name in listed if not name.endswith((".png", ".jsonl"))]
    assert [name for name in texts if hosts.search((ROOT / name).read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_every_recall_in_a_readme_stands_in_the_results(name: str) -> None:
    results = [
        json.loads(path.read_text(encoding="utf-8")) for path in ROOT.glob("experiments/results/**/quality.json")
    ]
    groups = [
        group
        for one in results
        for row in one["rows"]
        for group in (row["summary"], *row["summary"]["by_history"].values())
    ]
    # The results have four digits: what they call .9295 may round up or down.
    exact = [group["recall_at_5"]["mean"] + shift for group in groups for shift in (-0.00004, 0, 0.00004)]
    means = {f"{mean:.3f}"[1:] for mean in exact}
    quoted = re.findall(r"(?<![\d.])\.\d{3}\b", (ROOT / name).read_text(encoding="utf-8"))
    assert quoted
    assert [number for number in quoted if number not in means] == []
