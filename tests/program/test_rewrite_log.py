import json
import logging
import multiprocessing
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from data.errors import ConfigError, DataError
from program import rewrite_log
from program.result import Fallback, Query, Rewritten
from program.rewrite_log import RewriteLog, read_log
from program.trace import Step


def result(query: str = "它的保修期多久", rewritten: str = "润谷 H2 的保修期多久") -> Rewritten:
    return Rewritten(
        query=query,
        rewritten=rewritten,
        queries=(
            Query(text=query, kind="original", weight=0.3),
            Query(text=rewritten, kind="rewrite", weight=1.0, route="keyword"),
        ),
        fallbacks=(Fallback(stage="route", reason="no time was left"),),
        trace=(
            Step(stage="coreference", started_ms=1, elapsed_ms=800, lm_calls=1, lm_tokens=120),
            Step(stage="decomposition", started_ms=5, elapsed_ms=500, lm_calls=2, lm_tokens=30),
        ),
    )


@pytest.mark.parametrize(
    ("query", "rewritten"),
    [
        ("它的保修期多久", "润谷 H2 的保修期多久"),
        ("and its warranty?\n\u2028", "how long is the warranty of the “H2”?"),
    ],
)
def test_a_line_says_what_a_turn_became_and_what_it_cost(tmp_path: Path, query: str, rewritten: str) -> None:
    log = RewriteLog(tmp_path / "rewrites.jsonl")
    before = datetime.now(UTC)
    assert log.record(result(query, rewritten), conversation_id="c1")
    assert log.record(result(query, rewritten))
    first, second = read_log(tmp_path / "rewrites.jsonl")
    assert first.model_dump(exclude={"time"}) == {
        "schema_version": 1,
        "conversation_id": "c1",
        "query": query,
        "rewritten": rewritten,
        "intent": "retrieval",
        "queries": (
            {"text": query, "kind": "original", "weight": 0.3, "route": "hybrid"},
            {"text": rewritten, "kind": "rewrite", "weight": 1.0, "route": "keyword"},
        ),
        "fallbacks": ({"stage": "route", "reason": "no time was left"},),
        "lm_calls": 3,
        "lm_tokens": 150,
        "elapsed_ms": 801.0,
    }
    assert before <= first.time <= datetime.now(UTC)
    assert first.time.utcoffset() == timedelta(0)
    assert second.conversation_id is None


def test_a_line_is_plain_json_that_other_tools_read(tmp_path: Path) -> None:
    RewriteLog(tmp_path / "log").record(result())
    (line,) = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    raw = json.loads(line)
    assert raw["query"] == "它的保修期多久"
    assert "保修期" in line, "readable without a decoder"
    assert datetime.fromisoformat(raw["time"]).utcoffset() == timedelta(0)


def test_a_turn_without_stages_took_no_time(tmp_path: Path) -> None:
    RewriteLog(tmp_path / "log").record(result().model_copy(update={"trace": ()}))
    assert next(read_log(tmp_path / "log")).elapsed_ms == 0


def test_long_texts_are_cut(tmp_path: Path) -> None:
    RewriteLog(tmp_path / "log").record(result("长" * 100_000, "x" * 100_000))
    (line,) = read_log(tmp_path / "log")
    assert {len(line.query), len(line.rewritten), *(len(one.text) for one in line.queries)} == {2000}


def test_users_text_is_for_its_owner_alone(tmp_path: Path) -> None:
    RewriteLog(tmp_path / "log").record(result())
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_share_is_between_0_and_1(tmp_path: Path, share: float) -> None:
    with pytest.raises(ConfigError, match="from 0 to 1"):
        RewriteLog(tmp_path / "log", share=share)


def sample(path: Path, share: float, seed: int = 0) -> list[str]:
    log = RewriteLog(path, share=share, seed=seed)
    return [query for number in range(400) if log.record(result(query := f"问题 {number}"))]


def test_the_sample_is_a_share_the_same_each_time_and_nested(tmp_path: Path) -> None:
    half = sample(tmp_path / "a", 0.5)
    assert 160 < len(half) < 240
    assert sample(tmp_path / "b", 0.5) == half
    assert [line.query for line in read_log(tmp_path / "a")] == half
    assert set(sample(tmp_path / "c", 0.1)) < set(half)
    assert sample(tmp_path / "d", 0.5, seed=1) != half
    assert len(sample(tmp_path / "e", 1)) == 400
    assert sample(tmp_path / "f", 0) == []
    assert not (tmp_path / "f").exists()


def test_the_same_words_in_other_conversations_are_drawn_anew(tmp_path: Path) -> None:
    log = RewriteLog(tmp_path / "log", share=0.5)
    drawn = {log.record(result("好的"), conversation_id=f"c{number}") for number in range(30)}
    assert drawn == {True, False}


@pytest.mark.parametrize("place", ["absent/log", "folder", "file/log", "/dev/full"])
def test_a_file_that_cannot_be_written_never_fails_a_turn(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    log = RewriteLog(tmp_path / place)
    assert not any(log.record(result("SECRET", "SECRET")) for _ in range(3))
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "SECRET" not in caplog.text
    assert place in caplog.text


def test_logging_goes_on_when_the_folder_is_back(tmp_path: Path) -> None:
    log = RewriteLog(tmp_path / "folder" / "log")
    assert not log.record(result())
    (tmp_path / "folder").mkdir()
    assert log.record(result())


def test_a_write_that_was_cut_short_takes_no_other_line_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path, write = tmp_path / "log", rewrite_log.os.write
    log = RewriteLog(path)
    assert log.record(result("第一"))
    with monkeypatch.context() as patch:
        patch.setattr(rewrite_log.os, "write", lambda file, data: write(file, data[:40]))
        assert not log.record(result("第二"))
    assert "full" in caplog.text
    assert RewriteLog(path).record(result("第三"))
    assert [line.query for line in read_log(path)] == ["第一", "第三"]


def test_a_line_cut_anywhere_is_skipped(tmp_path: Path) -> None:
    log = RewriteLog(tmp_path / "log")
    log.record(result("first"))
    whole = (tmp_path / "log").read_bytes()
    log.record(result("最后"))
    both = (tmp_path / "log").read_bytes()
    for end in range(len(whole), len(both) - 1):
        (tmp_path / "cut").write_bytes(both[:end])
        assert [line.query for line in read_log(tmp_path / "cut")] == ["first"]
    (tmp_path / "cut").write_bytes(both[:-1])
    assert [line.query for line in read_log(tmp_path / "cut")] == ["first", "最后"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema_version": 2, "new": 1}, r"line 2: schema_version"),
        ({"lm_calls": -1}, r"line 2: lm_calls"),
        ({"time": "2026-01-01T00:00:00"}, r"line 2: time"),
        ({"mood": "SECRET"}, r"line 2: mood"),
    ],
)
def test_a_whole_line_of_something_else_is_an_error(tmp_path: Path, change: dict[str, object], said: str) -> None:
    RewriteLog(tmp_path / "log").record(result())
    raw = (tmp_path / "log").read_text(encoding="utf-8")
    (tmp_path / "log").write_text(raw + json.dumps(json.loads(raw) | change) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=said) as caught:
        list(read_log(tmp_path / "log"))
    assert len(str(caught.value).splitlines()) == 1
    assert "SECRET" not in str(caught.value)


def test_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read"):
        list(read_log(tmp_path / "absent"))


def test_several_processes_share_a_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(4) as pool:
        assert pool.map(work, [(str(tmp_path / "log"), worker) for worker in range(4)]) == [100] * 4
    lines = list(read_log(tmp_path / "log"))
    assert {line.query.split("-")[0] for line in lines} == {"0", "1", "2", "3"}
    assert len({line.query for line in lines}) == len(lines) == 400


def work(job: tuple[str, int]) -> int:
    path, worker = job
    log = RewriteLog(path)
    return sum(log.record(result(f"{worker}-{number} " + "长" * (number * 20))) for number in range(100))
