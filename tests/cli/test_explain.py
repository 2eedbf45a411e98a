"""``anaphora explain``: the whole turn, for people and as data."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app

Run = Callable[..., Any]
Turn = tuple[list[dict[str, str]], str, str]


def tree(*arguments: Any) -> str:
    result = CliRunner().invoke(app, ["explain", *map(str, arguments)])
    assert result.exit_code == 0, (result.stderr, result.exception)
    return result.stdout


def test_every_stage_is_there_with_what_it_did(turn: Turn, history: Run, store: Path) -> None:
    from program.pipeline import PIPELINE

    messages, query, entity = turn
    shown = tree(query, "--history", history(messages), "--store", store)
    assert shown.startswith(query)
    assert "0 LM calls, 0 tokens" in shown
    assert [stage.name for stage in PIPELINE if stage.name not in shown] == []
    off = next(line for line in shown.splitlines() if "switched off" in line)
    assert "hyde" in off
    assert "rules" not in off
    rewrites = next(line for line in shown.splitlines() if "rewrites " in line)
    assert entity in rewrites
    assert "– guard" in shown
    assert "nothing was proposed" in shown


def test_each_hit_names_its_queries(turn: Turn, history: Run, store: Path, run: Run) -> None:
    messages, query, _ = turn
    common = (query, "--history", history(messages), "--store", store)
    shown, data = tree(*common), run("explain", *common)
    for hit in data["hits"]:
        assert f"{hit['id']} by {', '.join(hit['found_by'])}: " in shown
    for one in data["queries"]:
        assert f"{one['weight']:.2f} {one['kind']}" in shown


def test_as_json_it_is_what_retrieve_prints(turn: Turn, history: Run, store: Path, run: Run) -> None:
    messages, query, _ = turn
    common = (query, "--history", history(messages), "--store", store)
    explained, retrieved = run("explain", *common), run("retrieve", *common)
    assert explained.keys() == retrieved.keys()
    assert explained["hits"] == retrieved["hits"]
    assert [step["details"] for step in explained["trace"]] == [step["details"] for step in retrieved["trace"]]


def test_a_fallback_shows_its_reason(turn: Turn, history: Run, store: Path, model_server: Any) -> None:
    messages, query, _ = turn
    model_server.answer = lambda _: "2024 年的天气 42.195 how is the weather in 1999"
    shown = tree(
        *(query, "--history", history(messages), "--store", store, "--set", "rewrite.ask_lm=follow_ups"),
        *("--lm", "openai/x", "--api-base", model_server.api_base),
    )
    guard = next(line for line in shown.splitlines() if "guard" in line)
    assert "✗ guard" in guard
    assert "rewrite: " in guard
    assert "1 LM calls, 25 tokens" in shown.splitlines()[0]


@pytest.mark.parametrize("query", ["你好", "hello"])
def test_a_greeting_says_why_nothing_was_searched(query: str, store: Path) -> None:
    shown = tree(query, "--store", store)
    assert "no query (greeting)" in shown
    assert "nothing was searched" in shown


def test_without_an_index_nothing_is_searched(run: Run) -> None:
    shown = tree("保修多久")
    assert "no retriever" in shown
    assert "no hits" not in shown
    assert run("explain", "保修多久")["hits"] == []


def test_what_people_type_is_text(store: Path) -> None:
    text = "[/bold] 保修 [red]多久"
    assert text in tree(text, "--store", store)
    assert json.loads(CliRunner().invoke(app, ["explain", text, "--json"]).stdout)["query"] == text
