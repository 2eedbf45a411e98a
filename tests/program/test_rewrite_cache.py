import logging
import multiprocessing
import sqlite3
import stat
from pathlib import Path

import diskcache
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import ConfigError
from program.rewrite_cache import RewriteCache, key_of

MIB = 2**20


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_a_key_stands_for_its_parts_and_no_others(one: list[str], other: list[str]) -> None:
    assert (key_of(*one) == key_of(*other)) is (one == other)


@pytest.mark.parametrize(
    ("one", "other"), [(("ab", "c"), ("a", "bc")), ((), ("",)), (("", "a"), ("a", "")), (("查", "询"), ("查询",))]
)
def test_borders_and_blanks_count(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert key_of(*one) != key_of(*other)


def test_a_key_is_the_same_in_every_release_and_tells_nothing() -> None:
    assert key_of("coreference", "它的保修期多久") == (
        "19b79399660f021184f5e8da765a5facad43383069eb08adf6eaa6bab89fd29f"
    )


def test_what_is_no_unicode_has_a_key_too() -> None:
    assert key_of("\ud800") != key_of("?")


@pytest.mark.parametrize("text", ["润谷 H2 的保修期多久", "how long is the warranty of the H2\n", "x" * 100_000])
def test_what_is_put_is_there_for_the_next_process(tmp_path: Path, text: str) -> None:
    RewriteCache(tmp_path / "new" / "cache").put(key_of("a"), text)
    cache = RewriteCache(str(tmp_path / "new" / "cache"))
    assert cache.get(key_of("a")) == text
    assert cache.get(key_of("b")) is None


@pytest.mark.parametrize("blank", ["", " \n\t", "\u3000"])
def test_a_blank_completion_is_not_kept(tmp_path: Path, blank: str) -> None:
    cache = RewriteCache(tmp_path)
    cache.put("a", blank)
    assert cache.get("a") is None
    with diskcache.Cache(str(tmp_path)) as found:
        assert len(found) == 0


def test_a_blank_value_of_another_writer_is_a_miss(tmp_path: Path) -> None:
    with diskcache.Cache(str(tmp_path)) as other:
        other.set("a", " ")
    assert RewriteCache(tmp_path).get("a") is None


def test_users_text_is_for_its_owner_alone(tmp_path: Path) -> None:
    RewriteCache(tmp_path / "cache").put("a", "text")
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


@pytest.mark.parametrize("most_bytes", [-1, 0, MIB - 1])
def test_too_small_a_cache_is_a_mistake(tmp_path: Path, most_bytes: int) -> None:
    with pytest.raises(ConfigError, match="1048576 or more"):
        RewriteCache(tmp_path, most_bytes=most_bytes)


def test_it_is_bounded_and_the_oldest_go(tmp_path: Path) -> None:
    cache = RewriteCache(tmp_path, most_bytes=MIB)
    keys = [key_of(str(number)) for number in range(1000)]
    for key in keys:
        cache.put(key, key * 64)  # 4 KiB each, 4 MiB in all
    found = [cache.get(key) is not None for key in keys]
    assert found == sorted(found), "the newest are there"
    assert 100 < sum(found) < 300
    assert (
        sum(file.stat().st_size for file in tmp_path.rglob("*.val")) + (tmp_path / "cache.db").stat().st_size
        < 1.2 * MIB
    )


def test_a_folder_that_cannot_be_used_means_no_cache(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = RewriteCache(tmp_path / "file" / "cache")
    cache.put("a", "SECRET")
    assert cache.get("a") is None
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "SECRET" not in caplog.text


@pytest.mark.parametrize("damage", [b"no database" * 500, b""])
def test_a_damaged_database_means_no_cache_or_an_empty_one(tmp_path: Path, damage: bytes) -> None:
    with diskcache.Cache(str(tmp_path)) as closed:
        closed.set("a", "text")
    for file in tmp_path.iterdir():
        file.write_bytes(damage)
    cache = RewriteCache(tmp_path)
    assert cache.get("a") is None
    cache.put("b", "text")
    assert cache.get("b") in ("text", None)


def test_damage_while_it_is_open(tmp_path: Path) -> None:
    cache = RewriteCache(tmp_path)
    for number in range(200):
        cache.put(str(number), "text" * 500)
    for name in ("cache.db", "cache.db-wal"):
        with (tmp_path / name).open("r+b") as file:
            file.write(b"\xff" * (tmp_path / name).stat().st_size)
    for number in range(200):
        assert cache.get(str(number)) in ("text" * 500, None)
        cache.put(str(number), "text")


@pytest.mark.parametrize("damage", [b"\xff\xfe\xff", None])
def test_a_damaged_or_missing_file_of_a_long_value_is_a_miss(tmp_path: Path, damage: bytes | None) -> None:
    cache = RewriteCache(tmp_path)
    cache.put("a", "长" * 50_000)
    cache.put("b", "short")
    (file,) = tmp_path.rglob("*.val")
    file.write_bytes(damage) if damage else file.unlink()
    assert cache.get("a") is None
    assert cache.get("b") == "short"


class Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return pytest.fail, ("a pickle was loaded",)


@pytest.mark.parametrize("value", [Trap(), {"a": 1}, 3, b"bytes"], ids=lambda value: type(value).__name__)
def test_what_is_no_text_is_a_miss_and_no_pickle_is_loaded(tmp_path: Path, value: object) -> None:
    with diskcache.Cache(str(tmp_path)) as other:
        other.set("a", value)
    assert RewriteCache(tmp_path).get("a") is None


@pytest.mark.parametrize("method", ["get", "set"])
def test_a_disk_that_fails_later_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    cache = RewriteCache(tmp_path)

    def fail(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(diskcache.Cache, method, fail)
    for _ in range(2):
        cache.put("a", "text")
        assert cache.get("a") is None
    assert len(caplog.records) == 1


def test_while_another_process_writes_nothing_is_kept_and_what_is_there_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("program.rewrite_cache._TIMEOUT_S", 0.05)
    cache = RewriteCache(tmp_path)
    cache.put("before", "text")
    other = sqlite3.connect(tmp_path / "cache.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    cache.put("meanwhile", "text")
    assert cache.get("before") == "text"
    assert cache.get("meanwhile") is None
    other.execute("ROLLBACK")
    other.close()
    cache.put("after", "text")
    assert cache.get("after") == "text"
    assert caplog.records == []


def test_several_processes_share_it(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(4) as pool:
        assert pool.map(work, [(str(tmp_path), worker) for worker in range(4)]) == [[]] * 4
    cache = RewriteCache(tmp_path)
    assert all(cache.get(key_of(str(number))) == f"完成 {number}" for number in range(60))


def work(job: tuple[str, int]) -> list[str | None]:
    """Put the same values as the others, in another order; return what was read that nobody put."""
    folder, worker = job
    cache, wrong = RewriteCache(folder), []
    for step in range(60):
        number = (step * 7 + worker * 15) % 60
        found = cache.get(key_of(str(number)))
        if found not in (None, f"完成 {number}"):
            wrong.append(found)
        cache.put(key_of(str(number)), f"完成 {number}")
    return wrong
