import ctypes
import logging
import os
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import diskcache
import pytest

from program.retrieval.cache import VectorCache, cache_folder

ROOT = Path(__file__).parents[3]


def test_the_cache_folder_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANAPHORA_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ANAPHORA_CACHE", "~/there")
    assert cache_folder() == tmp_path / "there"
    monkeypatch.delenv("ANAPHORA_CACHE")
    assert tmp_path in cache_folder().parents


def test_what_is_put_is_there_in_the_next_process(tmp_path: Path) -> None:
    VectorCache(tmp_path / "new").put({"a": b"1", "b": b"2"})
    assert VectorCache(tmp_path / "new").get(["b", "absent", "a"]) == {"b": b"2", "a": b"1"}


def test_a_folder_that_cannot_be_made_means_no_cache(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = VectorCache(tmp_path / "file" / "cache")
    cache.put({"a": b"1"})
    assert cache.get(["a"]) == {}
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "ANAPHORA_CACHE" in caplog.text


def test_a_damaged_file_means_no_cache(tmp_path: Path) -> None:
    (tmp_path / "cache.db").write_bytes(b"no database" * 500)
    cache = VectorCache(tmp_path)
    cache.put({"a": b"1"})
    assert cache.get(["a"]) == {}


@pytest.mark.parametrize("error", [sqlite3.OperationalError("disk is full"), OSError("gone"), diskcache.Timeout()])
@pytest.mark.parametrize("method", ["get", "set"])
def test_a_disk_that_fails_later_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception, method: str
) -> None:
    cache = VectorCache(tmp_path)

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(diskcache.Cache, method, fail)
    for _ in range(2):
        cache.put({"a": b"1"})
        assert cache.get(["a"]) == {}
    assert len(caplog.records) == 1


def test_bm25_and_vectors_work_with_nowhere_to_write_but_the_store(tmp_path: Path) -> None:
    """A container with a read-only home, temporary folder and working folder."""
    shut, store = tmp_path / "shut", tmp_path / "store"
    shut.mkdir(mode=0o555)
    script = """
        import sys
        from pathlib import Path
        from data.records import Passage
        from program.retrieval.store import Store, build
        corpus = [Passage(id="steam", text="清蒸鲈鱼的步骤"), Passage(id="paper", text="E-04 means a paper jam")]
        build(corpus, Path(sys.argv[1]))
        for lists in Store.open(Path(sys.argv[1])).search(["清蒸", "E04"], 1):
            print(*(f"{ranked.engine}:{ranked.hits[0].id}" for ranked in lists))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(store)],
        cwd=shut,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(shut), "TMPDIR": str(shut)},
        check=False,
        preexec_fn=_obey_permissions,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "bm25:steam vector:steam\nbm25:paper vector:paper\n"
    assert "ANAPHORA_CACHE" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(shut.iterdir()) == []


def test_a_user_without_a_home_gets_no_folder_called_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: int) -> None:
        raise KeyError

    for name in ("ANAPHORA_CACHE", "HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    monkeypatch.chdir(tmp_path)
    VectorCache(cache_folder() / "embeddings").put({"a": b"1"})
    assert list(tmp_path.iterdir()) == []


def _obey_permissions() -> None:
    """Give up root's right to write everywhere (CAP_DAC_OVERRIDE, PR_CAPBSET_DROP); for other users there is nothing to give up."""
    ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)
