import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import datasets
import pytest

from data.errors import DataError
from data.hub import as_dataset, from_hub_or_file, turns_of
from data.records import Message, Turn

TURNS = [
    Turn(
        id="t1",
        conversation_id="c1",
        turn=2,
        history=(Message(role="user", content="K3 打印机"), Message(role="assistant", content="好的")),
        query="保修多久?",
        relevant_ids=("p1", "p2"),
        metadata={"split": "dev", "phenomena": ["ellipsis"], "n": 1},
    ),
    Turn(id="t2", conversation_id="c2", turn=1, query="Who made it?", gold_rewrite="Who made K3?", answerable=False),
    Turn(id="t3", conversation_id="c2", turn=2, query="And when?", metadata={"n": "three", "deep": [{"a": 1}, "b"]}),
]


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> NoReturn:
        # Not an AssertionError: the library swallows every Exception of its download counter.
        pytest.fail("a file was read, and yet the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(params=[True, False])
def bars(request: pytest.FixtureRequest) -> Iterator[bool]:
    switches = {True: datasets.utils.enable_progress_bars, False: datasets.utils.disable_progress_bars}
    before = not datasets.utils.are_progress_bars_disabled()
    switches[request.param]()
    yield request.param
    switches[before]()


def test_turns_survive_the_library(no_network: None) -> None:
    assert turns_of(as_dataset(TURNS), "memory") == TURNS


@pytest.mark.parametrize("split", ["train", "test"])
def test_turns_survive_a_file(
    tmp_path: Path, split: str, bars: bool, no_network: None, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text("\n".join(turn.model_dump_json() for turn in TURNS), encoding="utf-8")
    assert turns_of(from_hub_or_file(str(path), split), "turns") == TURNS
    assert capfd.readouterr().err == ""


def test_reading_a_file_leaves_the_library_and_the_disk_as_they_were(tmp_path: Path, bars: bool) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text(TURNS[0].model_dump_json(), encoding="utf-8")
    counting = datasets.config.HF_UPDATE_DOWNLOAD_COUNTS
    assert from_hub_or_file(str(path)).cache_files == []
    assert counting is datasets.config.HF_UPDATE_DOWNLOAD_COUNTS
    assert datasets.utils.are_progress_bars_disabled() is not bars


def test_rows_are_checked_like_lines() -> None:
    rows = as_dataset([TURNS[0], TURNS[1].model_copy(update={"query": " "})])
    with pytest.raises(DataError, match=r'^my/set:2: field query: expected text that is not blank, got " "$'):
        turns_of(rows, "my/set")


@pytest.mark.parametrize("name", ["nowhere/turns.jsonl", "/nowhere/turns", "./turns"])
def test_a_path_without_a_file_is_not_looked_up_on_the_hub(name: str, no_network: None) -> None:
    with pytest.raises(DataError, match=r"no such file$"):
        from_hub_or_file(name)


def test_a_broken_file_points_to_the_loader_that_names_lines(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text('{"id": 1}\n{"id', encoding="utf-8")
    with pytest.raises(DataError, match=r"load_turns names the bad lines"):
        from_hub_or_file(str(path))


def test_a_hub_out_of_reach_is_one_clear_error(monkeypatch: pytest.MonkeyPatch, no_network: None) -> None:
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    with pytest.raises(DataError, match=r"^someone/turns, split dev: cannot be loaded \(.+\); check name and split"):
        from_hub_or_file("someone/turns", "dev")
