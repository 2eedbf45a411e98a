import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.errors import ConfigError, StoreError
from data.records import Passage
from program.retrieval import tokenize
from program.retrieval.bm25 import BM25Index
from program.retrieval.chroma import ChromaCollection
from program.retrieval.retriever import EngineError, RankedList
from program.retrieval.store import Store, build

Corpus = list[Passage]


def ids(ranked: RankedList) -> list[str]:
    return [hit.id for hit in ranked.hits]


QUERIES = ("鲈鱼", "E-04 paper", "耳机 warranty")


def everything(folder: Path, queries: tuple[str, ...] = QUERIES) -> list[list[list[tuple[str, float]]]]:
    """Ids and scores by query and engine; rounded, since Chroma's last digit depends on how vectors lie in memory."""
    store = Store.open(folder)
    try:
        results = store.search(queries, 10)
    finally:
        store.close()
    return [[[(hit.id, round(hit.score, 5)) for hit in ranked.hits] for ranked in lists] for lists in results]


def test_both_engines_find_the_passage_in_both_languages(tmp_path: Path, corpus: Corpus, toy: Any) -> None:
    build(corpus, tmp_path / "s", embedder_name="toy")
    store = Store.open(tmp_path / "s")
    for query, expected in [("清蒸", "steam"), ("wf1000xm4 warranty", "phones"), ("K3Pro E04", "printer")]:
        bm25, vector = store.search([query], 2)[0]
        assert (bm25.engine, vector.engine) == ("bm25", "vector")
        assert ids(bm25)[0] == ids(vector)[0] == expected
        assert bm25.hits[0].score > 0
    hit = store.search(["清蒸"], 1)[0][0].hits[0]
    assert (hit.source, hit.text) == ("菜谱", corpus[0].indexed_text)
    assert "K3 Pro" in store.gazetteer.terms


def test_all_queries_are_embedded_and_searched_in_one_batch(
    tmp_path: Path, corpus: Corpus, toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(corpus, tmp_path / "s", embedder_name="toy")
    store = Store.open(tmp_path / "s")
    toy.batches.clear()
    calls: list[int] = []
    real = ChromaCollection.search

    def counted(self: ChromaCollection, vectors: Any, depth: int) -> Any:
        calls.append(len(vectors))
        return real(self, vectors, depth)

    monkeypatch.setattr(ChromaCollection, "search", counted)
    queries = ["怎么修", " ", "打印机怎么修", "printer repair", ""]
    results = store.search(queries, 3)
    assert toy.batches == [["怎么修", "打印机怎么修", "printer repair"]]
    assert calls == [3]
    assert [[ids(ranked) for ranked in lists] for lists in (results[1], results[4])] == [[[], []]] * 2
    assert all(len(lists) == 2 for lists in results)
    assert results[3] == store.search(["printer repair"], 3)[0]  # company changes nothing


@pytest.mark.parametrize("queries", [[], ["", " \n"]])
def test_nothing_asked_nothing_called(tmp_path: Path, corpus: Corpus, toy: Any, queries: list[str]) -> None:
    build(corpus, tmp_path / "s", embedder_name="toy")
    toy.batches.clear()
    results = Store.open(tmp_path / "s").search(queries, 3)
    assert [[ranked.hits for ranked in lists] for lists in results] == [[(), ()] for _ in queries]
    assert toy.batches == []


def test_fewer_passages_than_asked_for(tmp_path: Path, corpus: Corpus, toy: Any) -> None:
    build(corpus[:1], tmp_path / "s", embedder_name="toy")
    bm25, vector = Store.open(tmp_path / "s").search(["鲈鱼"], 500)[0]
    assert ids(bm25) == ids(vector) == ["steam"]
    assert [ranked.hits for ranked in Store.open(tmp_path / "s").search(["鲈鱼"], 0)[0]] == [(), ()]


def test_indexing_again_changes_and_costs_nothing(tmp_path: Path, corpus: Corpus, toy: Any) -> None:
    first = build(corpus, tmp_path / "s", embedder_name="toy")
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "s").glob("*.json*")}
    before = everything(tmp_path / "s")
    toy.batches.clear()
    progress: list[tuple[int, int]] = []
    again = build(corpus, tmp_path / "s", embedder_name="toy", progress=lambda *done: progress.append(done))
    assert again == first
    assert {path: path.stat().st_mtime_ns for path in files} == files
    assert (toy.batches, progress) == ([], [])
    assert everything(tmp_path / "s") == before


@pytest.mark.parametrize("cached", [True, False])
def test_an_interrupted_run_goes_on_where_it_stopped(
    tmp_path: Path, toy: Any, cached: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("program.retrieval.vectors._PART", 32)
    if not cached:
        (tmp_path / "file").touch()
        monkeypatch.setenv("ANAPHORA_CACHE", str(tmp_path / "file" / "cache"))
    corpus = [Passage(id=f"p{row}", text=f"第 {row} 段 passage {row * row}") for row in range(100)]
    toy.fail_after = 2
    with pytest.raises(ConnectionError):
        build(corpus, tmp_path / "s", embedder_name="toy")
    with pytest.raises(StoreError, match="no complete index"):
        Store.open(tmp_path / "s")
    done = set(toy.texts)
    assert len(done) == 64
    toy.fail_after = None
    toy.batches.clear()
    progress: list[tuple[int, int]] = []
    build(corpus, tmp_path / "s", embedder_name="toy", progress=lambda *step: progress.append(step))
    assert len(toy.texts) == 36
    assert not done & set(toy.texts)
    assert progress[0] == (64, 100)
    assert progress[-1] == (100, 100)
    assert progress == sorted(progress)
    build(corpus, tmp_path / "straight", embedder_name="toy")
    queries = ("passage 49", "第 7 段")
    assert everything(tmp_path / "s", queries) == everything(tmp_path / "straight", queries)


def test_an_update_that_fails_leaves_the_old_index_usable(tmp_path: Path, corpus: Corpus, toy: Any) -> None:
    build(corpus, tmp_path / "s", embedder_name="toy")
    before = everything(tmp_path / "s")
    new = [*corpus, Passage(id="new", text="新的一段 about warranty")]
    toy.fail_after = len(toy.batches)
    with pytest.raises(ConnectionError):
        build(new, tmp_path / "s", embedder_name="toy")
    assert everything(tmp_path / "s") == before


def test_an_update_that_dies_while_it_writes_leaves_no_mixture(
    tmp_path: Path, corpus: Corpus, toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(corpus, tmp_path / "s", embedder_name="toy")

    def die(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("program.retrieval.store.Gazetteer.from_passages", die)
        with pytest.raises(KeyboardInterrupt):
            build(corpus[1:], tmp_path / "s", embedder_name="toy")
    with pytest.raises(StoreError, match="no complete index"):
        Store.open(tmp_path / "s")
    build(corpus[1:], tmp_path / "s", embedder_name="toy")
    build(corpus[1:], tmp_path / "fresh", embedder_name="toy")
    assert everything(tmp_path / "s") == everything(tmp_path / "fresh")


def test_the_corpus_may_change_under_its_ids(tmp_path: Path, corpus: Corpus, toy: Any) -> None:
    build(corpus, tmp_path / "s", embedder_name="toy")
    toy.batches.clear()
    changed = [
        corpus[0].model_copy(update={"text": "年假有十天 annual leave"}),
        *corpus[2:],
        Passage(id="n", text="发票抬头"),
    ]
    build(changed, tmp_path / "s", embedder_name="toy")
    assert toy.texts == ["年假有十天 annual leave", "发票抬头"]
    store = Store.open(tmp_path / "s")
    for lists in store.search(["年假 leave", "清蒸鲈鱼", "红烧排骨 焯水"], 10):
        for ranked in lists:
            assert "braise" not in ids(ranked)
            assert all(hit.text == next(p.indexed_text for p in changed if p.id == hit.id) for hit in ranked.hits)
    assert ids(store.search(["年假 leave"], 1)[0][0]) == ids(store.search(["年假 leave"], 1)[0][1]) == ["steam"]
    store.close()
    with closing(ChromaCollection(tmp_path / "s" / "chroma", store.manifest.collection)) as collection:
        assert collection.count() == len(changed)  # nothing is left of what no passage says any more
    build(changed, tmp_path / "fresh", embedder_name="toy")
    assert everything(tmp_path / "s") == everything(tmp_path / "fresh")


@pytest.mark.parametrize(
    "change", [{"metadata": {"source": "新来源"}}, {"metadata": {"name": "鲈鱼"}}, {"title": "鲈鱼"}]
)
def test_a_change_of_title_or_metadata_alone_counts(
    tmp_path: Path, corpus: Corpus, toy: Any, change: dict[str, Any]
) -> None:
    build(corpus, tmp_path / "s", embedder_name="toy")
    changed = [corpus[0].model_copy(update=change), *corpus[1:]]
    build(changed, tmp_path / "s", embedder_name="toy")
    store = Store.open(tmp_path / "s")
    hit = next(hit for hit in store.search(["清蒸鲈鱼"], 9)[0][1].hits if hit.id == "steam")
    assert (hit.source, hit.text) == (changed[0].source, changed[0].indexed_text)
    assert ("鲈鱼" in store.gazetteer.terms) == ("source" not in change.get("metadata", {}))


def test_equal_texts_are_embedded_once_and_all_found(tmp_path: Path, toy: Any) -> None:
    # Stored one by one, fifty equal vectors hide the others from Chroma's approximate search.
    corpus = [
        *(Passage(id=f"copy{row:02}", text="免责声明 disclaimer") for row in range(50)),
        Passage(id="one", text="保修"),
    ]
    manifest = build(corpus, tmp_path / "s", embedder_name="toy")
    assert manifest.passages == 51
    assert sorted(toy.texts) == ["保修", "免责声明 disclaimer"]
    store = Store.open(tmp_path / "s")
    for ranked in store.search(["disclaimer"], 500)[0]:
        assert ids(ranked)[:50] == [f"copy{row:02}" for row in range(50)]
    assert ids(store.search(["disclaimer"], 3)[0][1]) == ["copy00", "copy01", "copy02"]
    assert ids(store.search(["保修"], 1)[0][1]) == ["one"]


def test_repeated_ids_and_no_passages_are_refused(tmp_path: Path, corpus: Corpus) -> None:
    with pytest.raises(StoreError, match="'steam'") as caught:
        build([*corpus, corpus[0]], tmp_path / "s", embedder_name=None)
    assert caught.value.fields["ids"] == ["steam"]
    with pytest.raises(StoreError, match="no passages"):
        build([], tmp_path / "s", embedder_name=None)


def test_bm25_alone_needs_no_embedder(tmp_path: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> None:
        pytest.fail("an embedder was made")

    monkeypatch.setattr("program.retrieval.store.make_embedder", refuse)
    build(corpus, tmp_path / "s", embedder_name=None)
    store = Store.open(tmp_path / "s")
    assert [ranked.engine for ranked in store.search(["清蒸"], 3)[0]] == ["bm25"]
    assert not (tmp_path / "s" / "chroma").exists()
    with pytest.raises(StoreError, match="no vectors"):
        Store.open(tmp_path / "s", ("vector",))


def test_vectors_alone(tmp_path: Path, corpus: Corpus, toy: Any) -> None:
    build(corpus, tmp_path / "s", embedder_name="toy")
    (ranked,) = Store.open(tmp_path / "s", ("vector",)).search(["清蒸鲈鱼"], 1)[0]
    assert (ranked.engine, ids(ranked)) == ("vector", ["steam"])


def test_a_changed_embedder_is_refused_and_bm25_still_serves(tmp_path: Path, corpus: Corpus, toy: Any) -> None:
    build(corpus, tmp_path / "s", embedder_name="toy")
    toy.dimension = 24
    for attempt in (lambda: Store.open(tmp_path / "s"), lambda: build(corpus, tmp_path / "s", embedder_name="toy")):
        with pytest.raises(StoreError) as caught:
            attempt()
        for part in ("toy-16", "(16 numbers", "toy-24", "(24)", "new folder", "--retriever bm25"):
            assert part in str(caught.value)
    assert ids(Store.open(tmp_path / "s", ("bm25",)).search(["清蒸"], 1)[0][0]) == ["steam"]
    toy.dimension = 16
    assert ids(Store.open(tmp_path / "s").search(["清蒸"], 1)[0][1]) == ["steam"]  # the refusals changed nothing


def test_another_model_under_the_same_name_is_a_failure_that_names_both_sizes(
    tmp_path: Path, corpus: Corpus, toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toy, "get_config", lambda: {"model_name": "latest"})
    build(corpus, tmp_path / "s", embedder_name="toy")
    toy.dimension = 24
    with pytest.raises(EngineError, match=r"16 numbers.*gives 24") as caught:
        Store.open(tmp_path / "s").search(["清蒸"], 1)
    assert [ids(ranked) for ranked in caught.value.lists[0]] == [["steam"]]


def test_a_failing_engine_is_not_an_empty_one(tmp_path: Path, corpus: Corpus, toy: Any) -> None:
    build(corpus, tmp_path / "s", embedder_name="toy")
    store = Store.open(tmp_path / "s")
    toy.fail_after = 0
    with pytest.raises(EngineError) as caught:
        store.search(["清蒸", "E-04 密语"], 2)
    assert caught.value.engine == "vector"
    assert [[ids(ranked) for ranked in lists] for lists in caught.value.lists] == [[["steam"]], [["printer"]]]
    assert "the vector engine failed: ConnectionError: the embedding service is gone" in str(caught.value)
    assert "密语" not in str(caught.value)
    toy.fail_after = None
    assert ids(store.search(["清蒸"], 1)[0][1]) == ["steam"]
    alone = Store.open(tmp_path / "s", ("vector",))
    toy.fail_after = 0
    with pytest.raises(EngineError) as caught:
        alone.search(["没有缓存"], 1)
    assert caught.value.lists == [[]]


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "store.json").write_text("{"),
        lambda folder: (folder / "store.json").write_text('{"schema_version": 0}'),
        lambda folder: (folder / "store.json").unlink(),
        lambda folder: (folder / "passages.jsonl").unlink(),
        lambda folder: (folder / "gazetteer.json").unlink(),
        lambda folder: shutil.rmtree(folder / "bm25"),
        lambda folder: shutil.rmtree(folder / "chroma"),
    ],
)
def test_a_damaged_index_says_so_and_can_be_built_again(
    tmp_path: Path, corpus: Corpus, toy: Any, damage: Callable[[Path], None]
) -> None:
    build(corpus, tmp_path / "s", embedder_name="toy")
    before = everything(tmp_path / "s")
    damage(tmp_path / "s")
    with pytest.raises(StoreError, match="anaphora index"):
        Store.open(tmp_path / "s")
    build(corpus, tmp_path / "s", embedder_name="toy")
    assert everything(tmp_path / "s") == before


@pytest.mark.parametrize(("name", "value"), [("tokenizer_version", "0"), ("schema_version", 99)])
def test_an_index_of_another_version_is_refused_and_rebuilt(
    tmp_path: Path, corpus: Corpus, name: str, value: object
) -> None:
    build(corpus, tmp_path / "s", embedder_name=None)
    manifest = json.loads((tmp_path / "s" / "store.json").read_text())
    (tmp_path / "s" / "store.json").write_text(json.dumps(manifest | {name: value}))
    with pytest.raises(StoreError, match="another version"):
        Store.open(tmp_path / "s")
    build(corpus, tmp_path / "s", embedder_name=None)
    Store.open(tmp_path / "s")


def test_a_new_cut_makes_old_indexes_unusable(tmp_path: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    build(corpus, tmp_path / "s", embedder_name=None)
    monkeypatch.setattr(tokenize, "VERSION", "next")
    with pytest.raises(StoreError, match="another version"):
        Store.open(tmp_path / "s")


def test_there_is_no_index_in_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"anaphora index CORPUS.jsonl --store"):
        Store.open(tmp_path)


def test_an_unknown_embedder_is_refused_before_anything_is_written(tmp_path: Path, corpus: Corpus) -> None:
    with pytest.raises(ConfigError, match="no-such"):
        build(corpus, tmp_path / "s", embedder_name="no-such")
    assert list((tmp_path / "s").iterdir()) == []


def test_a_service_reloads_by_opening_the_new_before_closing_the_old(tmp_path: Path, corpus: Corpus, toy: Any) -> None:
    build(corpus, tmp_path / "s", embedder_name="toy")
    old = Store.open(tmp_path / "s")
    old.search(["清蒸"], 1)
    build([*corpus, Passage(id="new", text="发票抬头 invoice")], tmp_path / "s", embedder_name="toy")
    new = Store.open(tmp_path / "s")
    old.close()
    assert [ids(ranked) for ranked in new.search(["invoice"], 1)[0]] == [["new"], ["new"]]


@given(
    st.lists(
        st.lists(
            st.sampled_from(["保修", "鲈鱼", "K3", "E-04", "warranty", "的", "\u2028", "it"]), min_size=1, max_size=5
        )
        .map(" ".join)
        .filter(str.strip),
        min_size=1,
        max_size=6,
    ),
    st.data(),
)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_stored_corpus_answers_like_the_one_in_memory(tmp_path: Path, texts: list[str], data: st.DataObject) -> None:
    corpus = [Passage(id=f"p{row}", text=text) for row, text in enumerate(texts)]
    folder = tmp_path / str(abs(hash(tuple(texts))))
    build(corpus, folder, embedder_name=None)
    query = data.draw(st.sampled_from(texts))
    in_memory = BM25Index.build([passage.indexed_text for passage in corpus]).search([query], 3)[0]
    (found,) = Store.open(folder).search([query], 3)[0]
    assert [(hit.id, hit.score) for hit in found.hits] == [(f"p{row}", score) for row, score in in_memory]
