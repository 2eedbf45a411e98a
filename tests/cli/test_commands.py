"""The commands that work on a corpus, called as a shell calls them, on the sample set with BM25 alone (no embeddings, no model)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "data" / "sample"
TURNS = {
    "zh": (
        [{"role": "user", "content": "润谷 H2 怎么清洗"}, {"role": "assistant", "content": "每周除垢一次。"}],
        "它的保修期多久",
        "润谷 H2",
    ),
    "en": (
        [
            {"role": "user", "content": "How do I set up the Aria 300S?"},
            {"role": "assistant", "content": "Fill the tank first."},
        ],
        "and its warranty?",
        "Aria 300S",
    ),
}

Run = Callable[..., Any]


@pytest.fixture
def run() -> Run:
    """Call the command line and return its JSON; a failure shows what was printed."""

    def call(*arguments: Any, stdin: str | None = None) -> Any:
        result = CliRunner().invoke(app, [*map(str, arguments), "--json"], input=stdin)
        assert result.exit_code == 0, (result.stdout, result.stderr, result.exception)
        return json.loads(result.stdout)

    return call


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus, BM25 alone."""
    folder = tmp_path_factory.mktemp("store")
    result = CliRunner().invoke(
        app, ["index", str(SAMPLE / "corpus.jsonl"), "--store", str(folder), "--embedder", "none", "--json"]
    )
    assert json.loads(result.stdout)["passages"] == 506, result.output
    return folder


def history_file(folder: Path, messages: Any) -> Path:
    path = folder / "history.json"
    path.write_text(json.dumps(messages, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.parametrize("language", ["zh", "en"])
def test_rewrite_names_the_entity_of_the_history(run: Run, store: Path, tmp_path: Path, language: str) -> None:
    messages, query, entity = TURNS[language]
    answer = run("rewrite", query, "--history", history_file(tmp_path, messages), "--store", store)
    assert set(answer) == {"query", "rewritten", "queries", "fallbacks", "trace"}
    assert answer["query"] == query
    assert entity in answer["rewritten"]
    assert answer["queries"][0] == {"text": query, "kind": "original", "weight": 0.3}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_retrieve_finds_the_passage_and_says_by_which_query(run: Run, store: Path, language: str) -> None:
    messages, query, _ = TURNS[language]
    answer = run("retrieve", query, "--history", "-", "--store", store, stdin=json.dumps(messages))
    first = answer["hits"][0]
    assert set(first) == {"id", "score", "source", "text", "found_by"}
    assert first["id"].endswith("-warranty")
    assert "rules" in first["found_by"]
    assert answer["degraded"] is False


def test_history_may_be_an_object_with_messages(run: Run, store: Path, tmp_path: Path) -> None:
    messages, query, entity = TURNS["zh"]
    path = history_file(tmp_path, {"messages": messages})
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


def test_chat_remembers_the_conversation_until_it_is_told_not_to(store: Path) -> None:
    lines = "润谷 H2 怎么清洗\n保修呢\n/new\n保修呢\n/quit\nnever read\n"
    result = CliRunner().invoke(app, ["chat", "--store", str(store), "--json"], input=lines)
    assert result.exit_code == 0, result.stderr
    decoder, turns, text = json.JSONDecoder(), [], result.stdout.strip()
    while text:
        turn, end = decoder.raw_decode(text)
        turns.append(turn)
        text = text[end:].strip()
    assert [turn["query"] for turn in turns] == ["润谷 H2 怎么清洗", "保修呢", "保修呢"]
    assert "润谷 H2" in turns[1]["rewritten"]
    assert turns[2]["rewritten"] == "保修呢"


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
