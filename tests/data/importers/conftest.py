"""Files in public formats, with invented text, and what an import makes of them."""

import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.errors import DataError
from data.importers import FormatName, import_data
from data.importers.draft import ImportReport
from data.load import CORPUS_FILE, TURNS_FILE, load_passages, load_turns
from data.records import Passage, Turn

Write = Callable[..., Path]


class Imported:
    """What an import left in its folder."""

    def __init__(self, report: ImportReport) -> None:
        folder = Path(report.output)
        self.report = report
        self.turns: dict[str, Turn] = {turn.id: turn for turn in load_turns(folder / TURNS_FILE)}
        corpus = folder / CORPUS_FILE
        self.passages: dict[str, Passage] = {one.id: one for one in load_passages(corpus)} if corpus.exists() else {}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "public"
    folder.mkdir()
    return folder


@pytest.fixture
def write(source: Path) -> Write:
    """Write a file of the public set: text as it is, a list as JSON Lines where the name says so, anything else as JSON; packed by name."""

    def call(name: str, content: Any) -> Path:
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            raw = content
        elif isinstance(content, str):
            raw = content.encode()
        elif ".jsonl" in name:
            raw = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in content).encode()
        else:
            raw = json.dumps(content, ensure_ascii=False, indent=1).encode()
        if name.endswith(".gz"):
            path.write_bytes(gzip.compress(raw))
        elif name.endswith(".zip"):
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(path.name.removesuffix(".zip"), raw)
                archive.writestr("__MACOSX/._x", b"\0")
        else:
            path.write_bytes(raw)
        return path

    return call


@pytest.fixture
def run(source: Path, tmp_path: Path) -> Callable[..., Imported]:
    """Import the public set, or one file of it."""

    def call(format_name: FormatName, path: Path | None = None, **options: Any) -> Imported:
        return Imported(import_data(format_name, path or source, tmp_path / "ours", **options))

    return call


@pytest.fixture
def problems(source: Path, tmp_path: Path) -> Callable[..., list[str]]:
    """Import, expect a refusal, and return the problems, one a line; nothing may be left of the import."""

    def call(format_name: FormatName, path: Path | None = None) -> list[str]:
        with pytest.raises(DataError) as caught:
            import_data(format_name, path or source, tmp_path / "ours")
        assert sorted(one.name for one in tmp_path.iterdir() if "ours" in one.name) == []
        return str(caught.value).split("\n")

    return call
