import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.errors import StoreError
from data.records import Passage
from program.retrieval.retriever import EngineError
from program.retrieval.store import Store, build


@pytest.fixture
def server(tmp_path: Path, unused_port: int) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """A real server on loopback; the test is skipped where it does not come up within 20 s."""
    program = Path(sys.executable).with_name("chroma")
    if not program.exists():
        pytest.skip("there is no chroma program")
    command = [
        str(program),
        "run",
        "--path",
        str(tmp_path / "served"),
        "--host",
        "127.0.0.1",
        "--port",
        str(unused_port),
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | {"NO_COLOR": "1"}
    )
    try:
        if not _comes_up(process, unused_port):
            pytest.skip("the Chroma server did not come up")
        yield f"http://127.0.0.1:{unused_port}", process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()


def _comes_up(process: "subprocess.Popen[bytes]", port: int) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.5):
            return True
        time.sleep(0.1)
    return False


def test_a_store_on_a_server(
    tmp_path: Path,
    corpus: list[Passage],
    toy: Any,
    server: tuple[str, "subprocess.Popen[bytes]"],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url, process = server
    monkeypatch.setattr("program.retrieval.chroma._SERVER_SECONDS", 2.0)
    here, moved = tmp_path / "s", tmp_path / "moved"
    build(corpus, here, embedder_name="toy", chroma_url=url)
    assert not (here / "chroma").exists()
    # Another corpus on the same server stays out of it, and so does another embedder.
    other = [Passage(id="steam", text="天气预报 weather")]
    build(other, tmp_path / "other", embedder_name="toy", chroma_url=url)
    toy.dimension = 24
    build(corpus, tmp_path / "wider", embedder_name="toy", chroma_url=url)
    toy.dimension = 16
    shutil.copytree(here, moved)
    toy.batches.clear()
    build(corpus, here, embedder_name="toy", chroma_url=url)
    assert toy.batches == []
    store = Store.open(moved)
    found = store.search(["清蒸鲈鱼", "K3Pro E-04"], 10)
    assert [lists[1].hits[0].id for lists in found] == ["steam", "printer"]
    assert all(len(lists[1].hits) == len(corpus) for lists in found)
    assert Store.open(tmp_path / "other").search(["weather"], 10)[0][1].hits[0].text == "天气预报 weather"

    process.send_signal(signal.SIGSTOP)  # it hangs
    with pytest.raises(EngineError, match="does not answer") as caught:
        store.search(["清蒸"], 1)
    assert [hit.id for hit in caught.value.lists[0][0].hits] == ["steam"]
    process.send_signal(signal.SIGCONT)
    assert store.search(["清蒸鲈鱼"], 1)[0][1].hits[0].id == "steam"  # and is well again

    process.kill()  # it is gone
    process.wait()
    with pytest.raises(EngineError, match="does not answer"):
        store.search(["清蒸"], 1)
    with pytest.raises(StoreError, match="does not answer"):
        Store.open(here)
    assert Store.open(here, ("bm25",)).search(["清蒸"], 1)[0][0].hits[0].id == "steam"


def test_a_server_that_lost_its_data_is_filled_again(
    tmp_path: Path, corpus: list[Passage], toy: Any, server: tuple[str, "subprocess.Popen[bytes]"]
) -> None:
    import chromadb

    url, _ = server
    manifest = build(corpus, tmp_path / "s", embedder_name="toy", chroma_url=url)
    address = url.removeprefix("http://").split(":")
    client = chromadb.HttpClient(host=address[0], port=int(address[1]))
    client.delete_collection(manifest.collection)
    with pytest.raises(StoreError, match=r"no collection.*anaphora index"):
        Store.open(tmp_path / "s")
    build(corpus, tmp_path / "s", embedder_name="toy", chroma_url=url)
    assert Store.open(tmp_path / "s").search(["清蒸鲈鱼"], 1)[0][1].hits[0].id == "steam"
