import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from data.errors import DataError
from data.load import load_data_dir, load_passages, load_turns


def turn(**changes: Any) -> dict[str, Any]:
    fields = {"id": "t1", "conversation_id": "c1", "turn": 1, "query": "保修多久?", "relevant_ids": ["p1"]}
    return fields | changes


def written(path: Path, *lines: dict[str, Any] | str | bytes) -> Path:
    as_bytes = [
        line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    ]
    path.write_bytes(b"\n".join(as_bytes))
    return path


def messages(path: Path, *lines: dict[str, Any] | str | bytes) -> list[str]:
    with pytest.raises(DataError) as caught:
        load_turns(written(path, *lines))
    return str(caught.value).split("\n")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "turns.jsonl"


def test_turns_keep_order_and_metadata_of_any_shape(path: Path) -> None:
    written(
        path,
        turn(history=[{"role": "user", "content": "K3 打印机"}], metadata={"phenomena": ["ellipsis"], "n": 1}),
        turn(id="t2", query="How long is its warranty?", metadata={"n": "one", "deep": [{"a": None}]}),
    )
    first, second = load_turns(path)
    assert first.history[0].content == "K3 打印机"
    assert first.phenomena == ("ellipsis",)
    assert (first.language, second.language) == ("zh", "en")
    assert second.metadata == {"n": "one", "deep": [{"a": None}]}


def test_every_bad_line_is_reported_with_its_own_line(path: Path) -> None:
    lines = messages(path, turn(relevant_ids=[3]), turn(id="t2"), "", '{"id": ', turn(id="t4", turn=0, quer="x"))
    assert lines[0] == "turns.jsonl:1: field relevant_ids.0: expected a string, got 3"
    assert lines[1].startswith("turns.jsonl:4: expected JSON in UTF-8 (EOF")
    assert lines[2:] == [
        "turns.jsonl:5: field turn: expected greater than or equal to 1, got 0",
        'turns.jsonl:5: field quer: expected no field of this name, got "x"',
    ]


@pytest.mark.parametrize(
    ("changes", "field", "expected", "got"),
    [
        ({"turn": "3"}, "turn", "a whole number", '"3"'),
        ({"turn": 1.5}, "turn", "a whole number", "1.5"),
        ({"answerable": 1}, "answerable", "a boolean", "1"),
        ({"relevant_ids": "p1"}, "relevant_ids", "a list", '"p1"'),
        ({"metadata": []}, "metadata", "an object", "[]"),
        ({"history": [{"role": "system", "content": "x"}]}, "history.0.role", "'user' or 'assistant'", '"system"'),
        ({"history": [{"role": "user"}]}, "history.0.content", "a value", "nothing"),
        ({"query": " \u3000"}, "query", "text that is not blank", '" \u3000"'),
        ({"id": ""}, "id", "a string that is not empty", '""'),
        ({"conversation_id": "  "}, "conversation_id", "a name that is not blank", '"  "'),
        ({"metadata": {"phenomena": "ellipsis"}}, "metadata.phenomena", "a list of strings", '"ellipsis"'),
        ({"metadata": {"phenomena": None}}, "metadata.phenomena", "a list of strings", "null"),
        ({"metadata": {"split": 1}}, "metadata.split", "a string", "1"),
    ],
)
def test_a_field_of_the_wrong_kind(path: Path, changes: dict[str, Any], field: str, expected: str, got: str) -> None:
    assert messages(path, turn(**changes)) == [f"turns.jsonl:1: field {field}: expected {expected}, got {got}"]


@pytest.mark.parametrize("line", ["[1]", "null", '"words"'])
def test_a_line_that_is_no_object(path: Path, line: str) -> None:
    assert messages(path, line) == [f"turns.jsonl:1: expected a JSON object, got {line}"]


@pytest.mark.parametrize(
    "line",
    [
        json.dumps(turn(metadata={"score": float("nan")})),
        json.dumps(turn(query="\ud800")),
        json.dumps(turn(), ensure_ascii=False).encode("gbk"),
    ],
    ids=["NaN", "lone surrogate", "GBK"],
)
def test_what_only_looks_like_json_in_utf8(path: Path, line: str | bytes) -> None:
    (problem,) = messages(path, line)
    assert problem.startswith("turns.jsonl:1: expected JSON in UTF-8 (")


def test_one_fault_does_not_hide_another_of_the_same_line(path: Path) -> None:
    lines = messages(path, turn(turn=0, query="", metadata={"phenomena": 1}))
    assert [line.split(": ")[1] for line in lines] == ["field turn", "field query", "field metadata.phenomena"]


def test_a_repeated_id_names_the_first_line_even_beside_another_fault(path: Path) -> None:
    lines = messages(path, turn(), turn(id="t2"), turn(query=""))
    assert lines == [
        'turns.jsonl:3: field query: expected text that is not blank, got ""',
        'turns.jsonl:3: field id: expected an id of its own (line 1 has it already), got "t1"',
    ]


def test_blank_passage(tmp_path: Path) -> None:
    path = written(tmp_path / "corpus.jsonl", {"id": "p1", "text": "A"}, {"id": "p2", "text": "\u3000"})
    with pytest.raises(DataError, match=r"^corpus.jsonl:2: field text: expected a value that must not be blank"):
        load_passages(path)


def test_twenty_are_printed_and_all_are_in_the_fields(path: Path) -> None:
    written(path, *(turn(id=f"t{number}", turn=-number, query="长" * 60) for number in range(25)), turn(id="long"))
    with pytest.raises(DataError) as caught:
        load_turns(path)
    lines = str(caught.value).split("\n")
    assert len(lines) == 21
    assert lines[-1] == "… and 5 more"
    problems = caught.value.fields["problems"]
    assert [problem["line"] for problem in problems] == list(range(1, 26))
    assert problems[3] == {
        "file": "turns.jsonl",
        "line": 4,
        "field": "turn",
        "expected": "greater than or equal to 1",
        "got": "-3",
    }


def test_what_was_found_is_cut_to_forty_characters(path: Path) -> None:
    (line,) = messages(path, turn(turn="长" * 60))
    assert line.endswith("got " + '"' + "长" * 38 + "…")


def test_bom_blank_lines_windows_ends_and_unicode_line_separators_are_accepted(path: Path) -> None:
    text = json.dumps(turn(query="前\u2028后"), ensure_ascii=False) + "\r\n\r\n" + json.dumps(turn(id="t2")) + "\r\n"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert [loaded.query for loaded in load_turns(path)] == ["前\u2028后", "保修多久?"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "turns.jsonl: expected JSON lines, got an empty file"),
        (b"\xef\xbb\xbf\n \n", "turns.jsonl: expected JSON lines, got an empty file"),
        (json.dumps(turn()).encode("utf-16"), "turns.jsonl:1: expected UTF-8, got UTF-16"),
    ],
)
def test_a_file_without_lines_for_us(path: Path, content: bytes, message: str) -> None:
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        load_turns(path)
    assert str(caught.value) == message


def test_a_missing_file_is_named_with_its_path(path: Path) -> None:
    with pytest.raises(DataError) as caught:
        load_turns(path)
    assert str(caught.value) == f"{path}: expected a file to read, got no such file or directory"


def test_a_folder_is_read_whole_and_hashed(tmp_path: Path) -> None:
    folder = tmp_path / "support"
    folder.mkdir()
    corpus = written(folder / "corpus.jsonl", {"id": "p1", "text": "K3 保修两年。", "metadata": {"source": "k3"}})
    turns = written(folder / "turns.jsonl", turn())
    loaded = load_data_dir(folder)
    assert loaded.name == "support"
    assert [passage.source for passage in loaded.passages] == ["k3"]
    assert [one.id for one in loaded.turns] == ["t1"]
    assert loaded.content_sha256 == hashlib.sha256(corpus.read_bytes() + turns.read_bytes()).hexdigest()


def test_problems_of_both_files_come_together(tmp_path: Path) -> None:
    written(tmp_path / "turns.jsonl", turn(turn=0))
    with pytest.raises(DataError) as caught:
        load_data_dir(tmp_path)
    assert [problem["line"] for problem in caught.value.fields["problems"]] == [None, 1]


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no such folder; give one that holds corpus.jsonl and turns.jsonl"):
        load_data_dir(tmp_path / "nowhere")
