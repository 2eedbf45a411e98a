"""What holds for every format: whole or not at all, the same bytes each time, nothing that our own reader would refuse."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import ConfigError, DataError
from data.importers import FormatName, import_data
from data.load import load_data_dir, load_turns

Write = Callable[..., Path]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
said = st.text("ab 问答?\u2028\n😀", min_size=1, max_size=8)
FIELDS = [
    "History",
    "Question",
    "Rewrite",
    "QuAC_dialog_id",
    "Question_no",
    "Context",
    "Conversation_no",
    "Turn_no",
    "Truth_passages",
    "Answer_URL",
    "Rationale",
    "Topic",
    "Gold_passage",
    "messages",
    "number",
    "turn",
    "_id",
    "text",
    "title",
    "metadata",
    "url",
    "task_id",
    "input",
    "contexts",
]


def beir(folder: Path) -> None:
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text(
        json.dumps({"_id": "d1", "text": "整机两年。", "metadata": {"n": float("nan")}})
    )
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "保修多久"}))
    (folder / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")


def test_our_reader_takes_what_was_written(tmp_path: Path) -> None:
    beir(tmp_path / "in")
    import_data("beir", tmp_path / "in", tmp_path / "a/b/out")
    data = load_data_dir(tmp_path / "a/b/out")
    assert data.turns[0].relevant_ids == ("d1",)
    # JSON cannot hold the number.
    assert data.passages[0].metadata == {"n": None}


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    beir(tmp_path / "in")
    for name in ("one", "two"):
        import_data("beir", tmp_path / "in", tmp_path / name)
    for file in ("corpus.jsonl", "turns.jsonl"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    beir(tmp_path / "in")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.txt").write_text("mine")
    with pytest.raises(DataError, match="is there already; name a new folder"):
        import_data("beir", tmp_path / "in", tmp_path / "out")
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["mine.txt"]
    (tmp_path / "out/mine.txt").unlink()
    assert import_data("beir", tmp_path / "in", tmp_path / "out").turns == 1


def test_nothing_is_left_when_reading_breaks_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beir(tmp_path / "in")

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("data.importers.beir.relevant", stop)
    with pytest.raises(KeyboardInterrupt):
        import_data("beir", tmp_path / "in", tmp_path / "out")
    assert [one.name for one in tmp_path.iterdir()] == ["in"]


def test_what_cannot_be_imported_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="format 'squad' is not known; one of mtrag, canard"):
        import_data("squad", tmp_path, tmp_path / "out")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no such file or folder"):
        import_data("beir", tmp_path / "none", tmp_path / "out")
    (tmp_path / "in").mkdir()
    with pytest.raises(DataError, match=r"holds none of the files of this format; expected train.json"):
        import_data("canard", tmp_path / "in", tmp_path / "out")
    assert [one.name for one in tmp_path.iterdir()] == ["in"]


@given(st.data(), st.sampled_from(get_args(FormatName)))
def test_no_file_breaks_an_importer(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, name: FormatName
) -> None:
    """Whatever stands in the fields: it is converted to what our reader takes, or refused with the place."""
    folder = tmp_path_factory.mktemp("any")
    rows = data.draw(
        st.lists(
            st.dictionaries(st.sampled_from(FIELDS), anything | said | st.lists(said, max_size=4)),
            min_size=1,
            max_size=4,
        )
    )
    file = folder / "in/train.json"
    file.parent.mkdir()
    file.write_text(json.dumps(rows if name != "crosswoz" else {str(at): row for at, row in enumerate(rows)}))
    source = file
    if name == "beir":
        file.rename(folder / "in/queries.jsonl")
        (folder / "in/queries.jsonl").write_text("\n".join(map(json.dumps, rows)))
        source = file.parent
    try:
        import_data(name, source, folder / "out")
    except DataError:
        assert not (folder / "out").exists()
    else:
        assert load_turns(folder / "out/turns.jsonl")


@given(
    st.lists(st.tuples(said, said, said).filter(lambda row: all(one.strip() for one in row)), min_size=1, max_size=4)
)
def test_a_good_conversation_comes_through_whole(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("good")
    context: list[str] = []
    objects = []
    for turn, (question, answer, rewrite) in enumerate(rows, start=1):
        fields = {
            "Context": list(context),
            "Question": question,
            "Rewrite": rewrite,
            "Turn_no": turn,
            "Conversation_no": 1,
        }
        objects.append(fields)
        context += [question, answer]
    (folder / "qrecc_test.json").write_text(json.dumps(objects))
    import_data("qrecc", folder, folder / "out")
    turns = load_turns(folder / "out/turns.jsonl")
    assert [turn.query for turn in turns] == [question.strip() for question, _, _ in rows]
    assert [turn.gold_rewrite for turn in turns] == [rewrite.strip() for _, _, rewrite in rows]
    assert [one.content for one in turns[-1].history] == [text.strip() for text in context[:-2]]
