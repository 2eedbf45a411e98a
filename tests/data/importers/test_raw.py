"""Any file, read a piece at a time, gives what reading it whole would give."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import DataError
from data.importers import raw
from data.importers.raw import read_items, read_lines, read_members, read_objects
from data.problems import Problem

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab好😀"\\', max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(
    items=st.lists(values, max_size=6),
    piece=st.integers(1, 9),
    indent=st.sampled_from([None, 1]),
    ascii_only=st.booleans(),
    bom=st.booleans(),
)
def test_an_array_is_read_in_pieces_of_any_size(
    tmp_path_factory: pytest.TempPathFactory,
    items: list[Any],
    *,
    piece: int,
    indent: int | None,
    ascii_only: bool,
    bom: bool,
) -> None:
    path = tmp_path_factory.mktemp("raw") / "a.json"
    text = json.dumps(items, indent=indent, ensure_ascii=ascii_only)
    path.write_text(("\ufeff" if bom else "") + text, encoding="utf-8")
    found: list[Problem] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raw, "_PIECE", piece)
        assert [value for _, value in read_items(path, found)] == items
    assert found == []


@given(st.dictionaries(st.text("键ab", min_size=1), values, max_size=5), st.integers(3, 9))
def test_members_come_with_their_keys(
    tmp_path_factory: pytest.TempPathFactory, members: dict[str, Any], piece: int
) -> None:
    path = tmp_path_factory.mktemp("raw") / "o.json"
    path.write_text(json.dumps(members, ensure_ascii=False), encoding="utf-8")
    found: list[Problem] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raw, "_PIECE", piece)
        assert {key: value for _, key, value in read_members(path, found)} == members
    assert found == []


def test_places_are_the_lines_that_items_begin_on(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[\n {"a": "x\\ny"},\n\n {"a":\n  2}, {"a": 3}\n]')
    assert [place.line for place, _ in read_objects(path, [])] == [2, 4, 5]


@pytest.mark.parametrize("name", ["q.jsonl", "q.jsonl.gz", "q.jsonl.zip"])
def test_packed_files_are_the_same(write: Callable[..., Path], name: str) -> None:
    path = write(name, "\ufeff".encode() + '{"a": "前\u2028后"}\r\n\r\n{"a": 2}'.encode())
    found: list[Problem] = []
    assert [(place.line, row["a"]) for place, row in read_objects(path, found)] == [(1, "前\u2028后"), (3, 2)]
    assert found == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            b'{"a": 1}\n{"a": \n{"a": 2}\n[3]\n',
            ["q.json:2: expected JSON (", "q.json:4: expected a JSON object, got [3]"],
        ),
        (b'[{"a": 1},\n{"a" 2}]', ["q.json:2: expected JSON (Expecting ':' delimiter)"]),
        (b'[{"a": 1}\n{"a": 2}]', ["q.json:2: expected JSON (Expecting ',' or ']')"]),
        (b'[{"a": 1},', ["q.json:1: expected JSON (Expecting ']'), got the end"]),
        (b'[{"a": 1},\n"\xff"]', ["q.json:1: expected UTF-8 ("]),
        ('{"a": "问题"}\n'.encode("gbk"), ["q.json:1: expected UTF-8 ("]),
        ('{"a": "值"}\n'.encode("utf-16"), ["q.json:1: expected UTF-8, got UTF-16"]),
        (b" \n", ["q.json: expected JSON, got an empty file"]),
    ],
    ids=["lines", "bad item", "no comma", "cut off", "bytes in an array", "GBK", "UTF-16", "empty"],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, content: bytes, expected: list[str]) -> None:
    path = tmp_path / "q.json"
    path.write_bytes(content)
    found: list[Problem] = []
    list(read_objects(path, found))
    assert len(found) == len(expected)
    for problem, start in zip(found, expected, strict=True):
        assert str(problem).startswith(start)


def test_a_cut_gz_and_a_zip_of_two_are_refused(tmp_path: Path, write: Callable[..., Path]) -> None:
    whole = write("a.jsonl.gz", [{"a": number} for number in range(1000)])
    whole.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"a.jsonl.gz: cannot be read"):
        list(read_lines(whole, []))
    import zipfile

    two = tmp_path / "two.zip"
    with zipfile.ZipFile(two, "w") as archive:
        archive.writestr("a.json", "[]")
        archive.writestr("b.json", "[]")
    with pytest.raises(DataError, match=r"expected a .zip with one file, got 2; unpack it"):
        list(read_items(two, []))
