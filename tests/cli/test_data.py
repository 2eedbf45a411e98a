"""``anaphora data``: what is printed, what is written, and the exit codes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
import typer
from typer.testing import CliRunner, Result

from cli import data
from cli.failures import FailingClearly
from data.importers import FormatName

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
app = typer.Typer(cls=FailingClearly, name="anaphora", pretty_exceptions_enable=False)
data.register(app)

Call = Callable[..., Result]


@pytest.fixture
def call() -> Call:
    return lambda *arguments: CliRunner().invoke(app, ["data", *map(str, arguments)])


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    corpus = [
        {"_id": "d1", "title": "H2", "text": "润谷 H2 整机保修两年。"},
        {"_id": "d2", "text": "The Aria has a tank."},
    ]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)))
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "H2 保修多久"}\n{"_id": "q2", "text": "zebra?"}')
    (folder / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\nq2\tgone\t1\n")
    return folder


def test_an_import_says_what_it_wrote_and_what_is_missing(call: Call, beir: Path, tmp_path: Path) -> None:
    result = call("import", "beir", beir, "--output", tmp_path / "ours")
    assert result.exit_code == 0, result.output
    assert "2 in 2 conversations" in result.stdout
    assert "1 on 1 turns: gone" in result.stdout
    assert (tmp_path / "ours/corpus.jsonl").exists()


def test_an_import_as_json(call: Call, beir: Path, tmp_path: Path) -> None:
    report = json.loads(call("import", "beir", beir, "--output", tmp_path / "ours", "--json").stdout)
    assert (report["turns"], report["labels"], report["missing_ids"]) == (2, 3, ["gone"])


@pytest.mark.parametrize("as_json", [False, True])
def test_a_bad_file_is_refused_with_every_line(call: Call, beir: Path, tmp_path: Path, as_json: bool) -> None:
    (beir / "queries.jsonl").write_text("{\n[]\n")
    result = call("import", "beir", beir, "--output", tmp_path / "ours", *(["--json"] if as_json else []))
    assert result.exit_code == 2
    if as_json:
        problems = json.loads(result.stdout)["error"]["fields"]["problems"]
        assert [problem["line"] for problem in problems] == [1, 2]
    else:
        assert result.stdout == ""
        assert "queries.jsonl:2: expected a JSON object" in result.stderr
    assert not (tmp_path / "ours").exists()


def test_the_command_knows_every_format() -> None:
    assert get_args(get_args(data.Format)[0]) == get_args(FormatName)


def test_an_unknown_format_names_the_known(call: Call, tmp_path: Path) -> None:
    result = call("import", "squad", tmp_path, "--output", tmp_path / "ours")
    assert result.exit_code == 2
    assert "kdconv" in result.stderr


def test_problems_found_are_results(call: Call, beir: Path, tmp_path: Path) -> None:
    call("import", "beir", beir, "--output", tmp_path / "ours")
    result = call("check", tmp_path / "ours")
    assert result.exit_code == 0, result.output
    assert "turns with labels that the corpus lacks" in result.stdout
    report = json.loads(call("check", tmp_path / "ours", "--json").stdout)
    assert report["findings"] == {"turns with labels that the corpus lacks": 1}
    assert report["missing"] == {"q2": ["gone"]}
    assert report["search"] is None


def test_broken_data_is_a_failure(call: Call, tmp_path: Path) -> None:
    result = call("check", tmp_path)
    assert result.exit_code == 2
    assert "corpus.jsonl" in result.stderr


def test_turns_without_a_corpus_are_counted(call: Call, beir: Path, tmp_path: Path) -> None:
    call("import", "beir", beir, "--output", tmp_path / "ours")
    (tmp_path / "ours/corpus.jsonl").unlink()
    report = json.loads(call("check", tmp_path / "ours", "--json").stdout)
    assert (report["turns"], report["passages"], sorted(report["missing"])) == (2, 0, ["q1", "q2"])
    assert "none: there is no corpus.jsonl" in call("check", tmp_path / "ours").stdout
    refused = call("check", tmp_path / "ours", "--retriever", "bm25")
    assert refused.exit_code == 2
    assert "there is no corpus to search" in refused.stderr


def test_labels_that_no_system_finds(call: Call, beir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (beir / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n")
    call("import", "beir", beir, "--output", tmp_path / "ours")
    arguments = ["check", tmp_path / "ours", "--retriever", "bm25", "--k", "1"]
    search: dict[str, Any] = json.loads(call(*arguments, "--json").stdout)["search"]
    assert (search["labels"], search["found"]) == (2, {"original": 1, "rules": 1})
    assert search["labels_found_by_none"] == [{"turn_id": "q2", "passage_id": "d2"}]
    assert search["share_found_by_none"] == 0.5
    assert "labels that no system finds (50.0%)" in call(*arguments).stdout


def test_from_logs_warns_of_what_people_said(call: Call, tmp_path: Path) -> None:
    logs = tmp_path / "logs.jsonl"
    messages = [{"role": "user", "content": "保修多久"}, {"role": "assistant", "content": "两年", "sources": ["p1"]}]
    logs.write_text(json.dumps({"id": "c", "messages": messages}))
    result = call("from-logs", logs, "--output", tmp_path / "ours", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["labelled"] == 1
    assert "holds what users said" in result.stderr
    # What was said is in the files, not on the screen.
    assert "保修" not in result.output


def test_the_sample_is_clean_of_leaks(call: Call) -> None:
    report = json.loads(call("check", SAMPLE, "--json").stdout)
    assert report["leaks"] == []
    assert report["duplicate_passages"] == []
    assert report["missing"] == {}
