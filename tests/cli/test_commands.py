"""The commands that work on a corpus, called as a shell calls them, on the sample set with BM25 alone (no embeddings, no model)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
Run = Callable[..., Any]
Turn = tuple[list[dict[str, str]], str, str]


def test_rewrite_names_the_entity_of_the_history(run: Run, store: Path, history: Run, turn: Turn) -> None:
    messages, query, entity = turn
    answer = run("rewrite", query, "--history", history(messages), "--store", store)
    assert set(answer) == {"query", "rewritten", "intent", "queries", "fallbacks", "trace"}
    assert answer["query"] == query
    assert answer["intent"] == "retrieval"
    assert entity in answer["rewritten"]
    assert answer["queries"][0] == {"text": query, "kind": "original", "weight": 0.3, "route": "hybrid"}
    assert answer["fallbacks"] == []


def test_the_trace_has_every_stage_in_order(run: Run, store: Path) -> None:
    from program.pipeline import PIPELINE

    answer = run("retrieve", "保修多久", "--store", store)
    assert [step["stage"] for step in answer["trace"]] == [stage.name for stage in PIPELINE]


def test_retrieve_finds_the_passage_and_says_by_which_query(run: Run, store: Path, turn: Turn) -> None:
    messages, query, _ = turn
    answer = run("retrieve", query, "--history", "-", "--store", store, stdin=json.dumps(messages))
    first = answer["hits"][0]
    assert set(first) == {"id", "score", "source", "text", "found_by"}
    assert first["id"].endswith("-warranty")
    assert "rules" in first["found_by"]
    assert answer["degraded"] is False


def test_history_may_be_an_object_with_messages(run: Run, store: Path, history: Run, turn: Turn) -> None:
    messages, query, entity = turn
    path = history({"messages": messages})
    assert entity in run("rewrite", query, "--history", path, "--store", store)["rewritten"]


@pytest.mark.parametrize("query", ["", "   ", "？！"])
def test_a_query_without_words_finds_nothing_and_is_no_error(run: Run, store: Path, query: str) -> None:
    assert run("retrieve", query, "--store", store)["hits"] == []


def test_a_very_long_query_still_returns_hits(run: Run, store: Path) -> None:
    assert run("retrieve", "润谷 H2 的保修期多久 " * 4000, "--store", store)["hits"]


@pytest.mark.parametrize(
    ("content", "says"),
    [("{not json", "not JSON"), ('"text"', "expected a list"), ("", "not JSON")],
    ids=["broken", "no list", "empty"],
)
def test_bad_history_is_one_clear_line(store: Path, tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "history.json"
    path.write_text(content, encoding="utf-8")
    result = CliRunner().invoke(app, ["rewrite", "它呢", "--history", str(path), "--store", str(store)])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert says in result.stderr
    assert str(path) in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_missing_index_says_how_to_make_one(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["retrieve", "保修", "--store", str(tmp_path / "none"), "--json"])
    assert result.exit_code == 2
    error = json.loads(result.stdout)["error"]
    assert error["code"] == "bad_store"
    assert "anaphora index" in error["advice"]


def test_an_unknown_signature_is_refused_before_anything_is_loaded(store: Path) -> None:
    result = CliRunner().invoke(app, ["rewrite", "它呢", "--store", str(store), "--lm-for", "sumary=local"])
    assert result.exit_code == 2
    assert "coreference" in result.stderr


def test_evaluate_compares_systems_on_the_same_turns(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = run("evaluate", SAMPLE, "--split", "dev", "--sample", 40, "--seed", 3, "--retriever", "bm25")
    assert {"data", "split", "n", "systems"} <= set(answer)
    assert answer["n"] == 40
    systems = answer["systems"]
    assert list(systems) == ["original", "rules", "gold"]
    recall = {name: summary["recall_at_5"]["mean"] for name, summary in systems.items()}
    assert recall["original"] < recall["rules"] <= recall["gold"]
    assert {"by_turn", "by_language", "by_phenomenon", "by_history"} <= set(systems["rules"])
    assert set(systems["rules"]["by_language"]) == {"zh", "en"}


def test_evaluate_measures_the_program_where_there_is_a_model(
    run: Run, tmp_path: Path, model_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked for a model, nobody means the systems without one alone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus.jsonl").write_text('{"id": "a", "text": "保修两年"}\n', encoding="utf-8")
    turn = {"id": "t", "conversation_id": "c", "turn": 1, "query": "保修", "relevant_ids": ["a"]}
    (tmp_path / "turns.jsonl").write_text(json.dumps(turn), encoding="utf-8")
    model_server.answer = lambda _: "保修多久"
    common = ("evaluate", tmp_path, "--retriever", "bm25")
    answer = run(*common, "--lm", "openai/x", "--api-base", model_server.api_base)
    assert list(answer["systems"]) == ["original", "rules", "program"]
    assert list(run(*common)["systems"]) == ["original", "rules"]


def test_evaluate_reports_labels_that_the_corpus_lacks(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus.jsonl").write_text((SAMPLE / "corpus.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    rows = [json.loads(line) for line in (SAMPLE / "turns.jsonl").read_text(encoding="utf-8").splitlines()[:30]]
    rows[3]["relevant_ids"] = ["gone-1"]
    (tmp_path / "turns.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    answer = run("evaluate", tmp_path, "--retriever", "bm25", "--system", "original")
    assert answer["left_out"]["missing_labels"] == [{"turn_id": rows[3]["id"], "passage_ids": ["gone-1"]}]


def test_every_bad_line_is_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"id": "a", "text": "保修"}\n{"id": "b"}\n', encoding="utf-8")
    (tmp_path / "turns.jsonl").write_text('{"id": "t"}\n{oops\n', encoding="utf-8")
    result = CliRunner().invoke(app, ["evaluate", str(tmp_path)])
    assert result.exit_code == 2
    for place in ("corpus.jsonl:2", "turns.jsonl:1", "turns.jsonl:2"):
        assert place in result.stderr


def test_compile_without_a_model_tunes_the_rules(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    experiment = tmp_path / "rules.yaml"
    experiment.write_text(
        f"name: rules\ndata: {SAMPLE}\nretriever: bm25\nlm: null\noptimizer: {{name: none}}\nlimits: {{train: 20, dev: 30, test: 30}}\n"
        "tune: {trials: 5}\noutput: artefacts/rules\n",
        encoding="utf-8",
    )
    answer = run("compile", experiment)
    assert {"run_id", "program", "dev", "test"} <= set(answer)
    assert answer["program"] == "artefacts/rules"
    again = run(
        "retrieve", "润谷 H2 保修多久", "--store", tmp_path / "stores" / "sample-bm25", "--program", answer["program"]
    )
    assert again["hits"]


def test_a_dead_tracking_server_stops_compile_before_it_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    (tmp_path / "x.yaml").write_text(f"name: x\ndata: {SAMPLE}\nlm: null\noutput: out\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["compile", "x.yaml", "--json"])
    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"]["code"] == "tracking_down"
    assert not (tmp_path / "stores").exists()


@pytest.mark.parametrize("command", ["rewrite", "retrieve", "explain"])
def test_nothing_is_cut_off_in_a_pipe(store: Path, command: str) -> None:
    query = "润谷 H2 加湿器的保修条款里水垢造成的雾化片失效究竟算不算在保修范围之内而运费又由谁来承担 and who pays for the return"
    result = CliRunner().invoke(app, [command, query, "--store", str(store)])
    assert any(query in line for line in result.stdout.splitlines()), result.stdout


@pytest.mark.parametrize("text", ["[/INST] 保修多久", "what is [bold]this[/x]?"])
def test_brackets_in_what_people_type_are_text(store: Path, text: str) -> None:
    result = CliRunner().invoke(app, ["retrieve", text, "--store", str(store)])
    assert result.exit_code == 0, result.exception
    assert text.split(maxsplit=1)[0] in result.stdout


def test_evaluate_does_not_touch_an_index_of_another_corpus(store: Path, tmp_path: Path) -> None:
    before = sorted((path.name, path.stat().st_mtime_ns) for path in store.rglob("*") if path.is_file())
    (tmp_path / "corpus.jsonl").write_text('{"id": "a", "text": "保修两年"}\n', encoding="utf-8")
    turn = {"id": "t", "conversation_id": "c", "turn": 1, "query": "保修", "relevant_ids": ["a"]}
    (tmp_path / "turns.jsonl").write_text(json.dumps(turn), encoding="utf-8")
    result = CliRunner().invoke(app, ["evaluate", str(tmp_path), "--store", str(store), "--retriever", "bm25"])
    assert result.exit_code == 2
    assert "another corpus" in result.stderr
    assert sorted((path.name, path.stat().st_mtime_ns) for path in store.rglob("*") if path.is_file()) == before


def test_hits_that_a_failing_engine_left_are_shown_with_a_notice() -> None:
    """Degraded is not empty: hiding what BM25 found because vectors are down would lose the turn."""
    from rich.console import Console

    from cli.rewrite import render_hits
    from program.result import FusedHit, Retrieved

    hit = FusedHit(id="a-1", score=1.0, source="a", text="保修两年", found_by=("original",))
    common = {"query": "保修", "rewritten": "保修", "queries": (), "fallbacks": (), "trace": (), "degraded": True}
    console = Console(width=100)
    with console.capture() as shown:
        console.print(render_hits(Retrieved(**common, hits=(hit,))))
        console.print(render_hits(Retrieved(**common, hits=())))
    assert "a-1" in shown.get()
    assert shown.get().count("failed") == 2
