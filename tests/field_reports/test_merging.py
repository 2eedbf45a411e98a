"""Section C: merging, BM25 and Chroma. One test (or class) a report, each kind in Chinese and English, all wordings invented here."""

# ruff: noqa: PLR0917 - a test's parameters are fixtures and the columns of its table
import json
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path
from typing import Any

import chromadb
import dspy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from cli.main import app
from data.errors import StoreError
from data.records import Passage
from program.fusion.fuse import fuse
from program.result import Query
from program.retrieval.bm25 import BM25Index
from program.retrieval.chroma import ChromaCollection
from program.retrieval.retriever import Engine, Hit, RankedList
from program.retrieval.store import Store, build
from program.retrieval.tokenize import tokenize
from program.rewrite_program import RewriteProgram, retrieved_of
from program.rules.gazetteer import Gazetteer
from program.settings import FusionSettings

ROOT = Path(__file__).parents[2]
STRATEGIES = ("best_relative", "best_raw", "rrf", "reserved", "by_confidence")
MANY = settings(max_examples=40)
DISHES = [
    Passage(id="fish", text="葱油鳜鱼的做法是先蒸后淋油", metadata={"source": "菜谱"}),
    Passage(id="ribs", text="糖醋小排要先炸一遍", metadata={"source": "菜谱"}),
    Passage(id="tent", title="Dune tent", text="The Dune tent weighs two kilos"),
    Passage(id="stove", title="Ember stove", text="The Ember stove burns gas from a cartridge"),
]


def ranked(*pairs: tuple[str, float], engine: Engine = "bm25") -> RankedList:
    """A list of passages named "source/number", best first."""
    hits = [Hit(id=id_, score=score, source=id_.partition("/")[0], text=id_) for id_, score in pairs]
    return RankedList(engine=engine, hits=tuple(sorted(hits, key=lambda hit: (-hit.score, hit.id))))


class Given:
    """A retriever whose lists are known beforehand, by query."""

    gazetteer = Gazetteer()

    def __init__(self, lists: dict[str, list[RankedList]]) -> None:
        self.lists = lists

    def search(self, queries: Any, depth: int) -> list[list[RankedList]]:
        return [self.lists[query] for query in queries]


def found(store: Store, query: str, depth: int = 10) -> list[list[str]]:
    return [[hit.id for hit in one.hits] for one in store.search([query], depth)[0]]


_lists = st.lists(
    st.dictionaries(
        st.sampled_from([f"{source}/{number}" for source in "甲乙丙D" for number in range(3)]),
        st.integers(1, 20).map(float), max_size=6,
    ).filter(lambda scores: len(set(scores.values())) == len(scores)).map(lambda scores: ranked(*scores.items())), min_size=1, max_size=4,
)  # fmt: skip


def asked(lists: list[RankedList]) -> list[Query]:
    kinds = ("original", "rewrite", "rules", "multi_query")
    return [Query(text=str(n), kind=kinds[n], weight=(0.3, 1.0, 0.7, 0.5)[n]) for n in range(len(lists))]


class TestReport39OneVotePerSource:
    """A long document's many passages are one vote in a list."""

    @pytest.mark.parametrize("names", [("手册", "公告", "问答"), ("manual", "notice", "faq")])
    def test_through_the_program(self, turn, chat, scripted_lm, names) -> None:
        long, both, other = names
        first = ranked(*[(f"{long}/{n}", 9.0 - n) for n in range(6)], (f"{both}/0", 1.0))
        second = ranked((f"{both}/0", 9.0), (f"{other}/0", 8.0))
        history = chat("有沙丘帐篷吗", "有。")
        settings = (
            "fusion.unique=source",
            "fusion.strategy=rrf",
            "fusion.original=1",
            "rewrite.ask_lm=follow_ups",
            "rewrite.rules=false",
        )
        result = turn(
            "它多重",
            history,
            *settings,
            lm=scripted_lm("沙丘帐篷多重"),
            rm=Given({"它多重": [first], "沙丘帐篷多重": [second]}),
        )
        assert [hit.source for hit in result.hits] == [both, long, other]
        assert result.hits[1].id == f"{long}/0"

    # How sure ``by_confidence`` is depends on the passages that two lists share.
    @pytest.mark.parametrize("strategy", [one for one in STRATEGIES if one != "by_confidence"])
    @given(lists=_lists, at=st.integers(0, 3), more=st.integers(1, 6))
    @MANY
    def test_more_passages_of_a_source_change_nothing(self, strategy, lists, at, more) -> None:
        chosen = FusionSettings(unique="source", strategy=strategy, vector_share=0)
        many = list(lists)
        one = many[at % len(many)]
        if one.hits:
            best = one.hits[0]
            again = [(f"{best.source}/again{n}", 0.9 / (n + 1)) for n in range(more)]
            many[at % len(many)] = ranked(*((hit.id, hit.score) for hit in one.hits), *again)
        before, after = (fuse(asked(each), [[each_list] for each_list in each], chosen, 9) for each in (lists, many))
        assert [(hit.source, hit.score) for hit in before] == [(hit.source, hit.score) for hit in after]
        assert len({hit.source for hit in before}) == len(before)

    @pytest.mark.parametrize(("first", "second"), [("甲", "丁"), ("A", "B")])
    def test_nor_do_they_where_two_sources_score_alike(self, first, second) -> None:
        chosen = FusionSettings(unique="source", strategy="rrf", vector_share=0)
        alike = [(f"{first}/0", 2.0), (f"{second}/0", 2.0)]
        for more in ([], [(f"{first}/1", 1.0)], [(f"{second}/1", 1.0)]):
            hits = [Hit(id=id_, score=score, source=id_[0], text=id_) for id_, score in [*alike, *more]]
            merged = fuse(asked([ranked()]), [[RankedList(engine="bm25", hits=tuple(hits))]], chosen, 9)
            assert [hit.source for hit in merged] == [first, second]


class TestReport41Ranks:
    """Ranks begin at 1, and absence is no vote."""

    def test_found_by_both_beats_first_in_one(self) -> None:
        lists = [
            ranked(("P/0", 0.9), ("q/0", 0.8), ("M/0", 0.7), engine="vector"),
            ranked(("r/0", 9), ("s/0", 8), ("M/0", 7)),
        ]
        hits = fuse([Query(text="?", kind="original", weight=1)], [lists], FusionSettings(strategy="rrf", rrf_k=60), 9)
        scores = {hit.source: hit.score * 2 / 61 for hit in hits}  # 1 is first everywhere: here 2/61
        assert hits[0].source == "M"
        assert scores["M"] == pytest.approx(2 / 63)
        assert scores["P"] == scores["r"] == pytest.approx(1 / 61)
        assert scores["q"] == scores["s"] == pytest.approx(1 / 62)

    @pytest.mark.parametrize("k", [1, 10, 60])
    @pytest.mark.parametrize("absent", [0, 1])
    def test_a_passage_in_one_list_has_that_lists_vote_alone(self, k, absent) -> None:
        lists = [[ranked(("甲/0", 5), ("乙/0", 4))], [ranked(("甲/0", 3))] if absent else [ranked()]]
        queries = [Query(text="a", kind="original", weight=1), Query(text="b", kind="rewrite", weight=1)]
        hits = {
            hit.source: hit.score
            for hit in fuse(queries, lists, FusionSettings(strategy="rrf", rrf_k=k, vector_share=0), 9)
        }
        most = (1 + absent) / (k + 1)
        assert hits["乙"] == pytest.approx(1 / (k + 2) / most)
        assert hits["甲"] == 1


class TestReport42ZeroWeights:
    """What has a weight of 0 is as good as absent, under every strategy."""

    @pytest.mark.parametrize("strategy", STRATEGIES)
    @given(lists=_lists, extra=_lists)
    @MANY
    def test_a_query(self, strategy, lists, extra) -> None:
        chosen = FusionSettings(strategy=strategy, vector_share=0)
        queries = asked(lists)
        with_zero = [*queries, Query(text="zero", kind="step_back", weight=0)]
        without = fuse(queries, [[one] for one in lists], chosen, 9)
        assert fuse(with_zero, [*([one] for one in lists), [extra[0]]], chosen, 9) == without

    @pytest.mark.parametrize("strategy", STRATEGIES)
    @given(lists=_lists, extra=_lists)
    @MANY
    def test_an_engine(self, strategy, lists, extra) -> None:
        chosen = FusionSettings(strategy=strategy, vector_share=0)
        vectors = RankedList(engine="vector", hits=extra[0].hits)
        alone = fuse(asked(lists), [[one] for one in lists], chosen, 9)
        assert fuse(asked(lists), [[one, vectors] for one in lists], chosen, 9) == alone

    @pytest.mark.parametrize(
        ("said", "query", "rewrite"),
        [
            (("有沙丘帐篷吗", "有。"), "它多重", "沙丘帐篷多重"),
            (("Do you have the Dune tent?", "Yes."), "how heavy is it?", "how heavy is the Dune tent?"),
        ],
    )
    def test_through_the_program(self, turn, chat, scripted_lm, said, query, rewrite) -> None:
        lists = {query: [ranked(("noise/0", 9), ("tent/0", 1))], rewrite: [ranked(("tent/0", 2), ("stove/0", 1))]}
        for strategy in ("rrf", "best_relative", "best_raw"):
            settings = (
                "rewrite.ask_lm=follow_ups",
                "rewrite.rules=false",
                "fusion.original=0",
                f"fusion.strategy={strategy}",
            )
            result = turn(query, chat(*said), *settings, lm=scripted_lm(rewrite), rm=Given(lists))
            assert [hit.source for hit in result.hits] == ["tent", "stove"]


class TestReport44ChineseBm25:
    """Chinese without spaces is found, and both sides are cut alike."""

    DOCS = ("葱油鳜鱼的做法", "糖醋小排的窍门", "酸辣土豆丝怎么切", "红糖发糕要醒面多久")

    @pytest.mark.parametrize(
        ("query", "row"),
        [("葱油", 0), ("小排", 1), ("土豆丝", 2), ("发糕醒面", 3), ("糖醋小排窍门是什么", 1), ("鳜鱼做法", 0)],
    )
    def test_the_right_document_first_with_a_score(self, query, row) -> None:
        ((best, *_),) = BM25Index.build(self.DOCS).search([query], 4)
        assert best[0] == row
        assert best[1] > 0

    @pytest.mark.parametrize("query", ["清燉", "清炖", "獅子頭"])
    def test_in_a_store_of_both_scripts(self, tmp_path, query) -> None:
        corpus = [*DISHES, Passage(id="lion", text="清燉獅子頭"), Passage(id="lamb", text="清炖羊肉")]
        build(corpus, tmp_path / "s", embedder_name=None)
        (hits,) = found(Store.open(tmp_path / "s"), query)
        assert hits
        assert set(hits) <= {"lion", "lamb"}

    @given(
        st.lists(
            st.text(alphabet="葱油鳜鱼糖醋排骨的怎么做 stew-soup 12", min_size=1, max_size=20), min_size=1, max_size=6
        )
    )
    @MANY
    def test_every_text_finds_itself(self, docs) -> None:
        index = BM25Index.build(docs)
        for row, text in enumerate(docs):
            (hits,) = index.search([text], len(docs))
            assert not tokenize(text) or row in [one for one, score in hits if score > 0]


class TestReport47AnotherEmbedder:
    """A changed embedder is refused with both sizes and the way out, and BM25 still serves."""

    @pytest.mark.parametrize("query", ["葱油鳜鱼", "Dune tent"])
    def test_refused_at_opening(self, tmp_path, tiny, query) -> None:
        tiny.dimension = 384
        build(DISHES, tmp_path / "s", embedder_name="tiny")
        tiny.dimension = 768
        for attempt in (
            lambda: Store.open(tmp_path / "s"),
            lambda: build(DISHES, tmp_path / "s", embedder_name="tiny"),
        ):
            with pytest.raises(StoreError, match=r"384.*768") as caught:
                attempt()
            assert "BM25" in caught.value.advice
            assert "new folder" in caught.value.advice
        assert found(Store.open(tmp_path / "s", ("bm25",)), query)[0]

    @pytest.mark.parametrize("query", ["葱油鳜鱼怎么做", "how heavy is the Dune tent"])
    def test_under_one_name_the_turn_is_degraded_and_answered(self, tmp_path, tiny, turn, query) -> None:
        tiny.name = "latest"
        tiny.dimension = 384
        build(DISHES, tmp_path / "s", embedder_name="tiny")
        tiny.dimension = 768
        result = turn(query, rm=Store.open(tmp_path / "s"))
        assert result.hits[0].id in ("fish", "tent")
        assert result.degraded is True
        assert [("384" in one.reason, "768" in one.reason) for one in result.fallbacks] == [(True, True)]

    def test_from_the_command_line_it_is_one_clear_line(self, tmp_path, tiny) -> None:
        tiny.dimension = 384
        build(DISHES, tmp_path / "s", embedder_name="tiny")
        tiny.dimension = 768
        result = CliRunner().invoke(app, ["retrieve", "葱油鳜鱼", "--store", str(tmp_path / "s")])
        assert result.exit_code == 2
        assert "384" in result.stderr
        assert "768" in result.stderr
        assert "Traceback" not in result.stderr


class TestReports48And49Metadata:
    """No metadata of a passage, and no empty batch, ever reaches Chroma in a form that it refuses."""

    ODD = (
        {}, {"lang": None}, {"lang": "zh", "source": "s1"}, {"ids": []}, {"nested": {"a": [1, None]}}, {"source": None}, {"source": ""},
        {"n": 1, "x": 1.5, "ok": True, "名称": "帐篷"},
    )  # fmt: skip

    @pytest.mark.parametrize("metadata", ODD)
    def test_any_metadata(self, tmp_path, tiny, metadata) -> None:
        corpus = [DISHES[0].model_copy(update={"metadata": metadata}), *DISHES[1:]]
        build(corpus, tmp_path / "s", embedder_name="tiny")
        with closing(Store.open(tmp_path / "s")) as store:
            bm25, vectors = found(store, "葱油鳜鱼的做法")
        assert bm25[0] == vectors[0] == "fish"

    def test_a_corpus_file_without_metadata(self, tmp_path, tiny) -> None:
        path = tmp_path / "corpus.jsonl"
        path.write_text(
            '{"id": "a", "text": "沙丘帐篷两公斤"}\n{"id": "b", "text": "the Ember stove", "metadata": {}}\n',
            encoding="utf-8",
        )
        result = CliRunner().invoke(
            app, ["index", str(path), "--store", str(tmp_path / "s"), "--embedder", "tiny", "--json"]
        )
        assert json.loads(result.stdout)["passages"] == 2
        with closing(Store.open(tmp_path / "s")) as store:
            assert found(store, "沙丘帐篷")[1][0] == "a"

    def test_empty_batches(self, tmp_path) -> None:
        with closing(collection_of(tmp_path)) as collection:
            collection.upsert([], np.empty((0, 3), dtype=np.float32))
            collection.delete_others([])
            assert (collection.count(), collection.missing([])) == (0, [])
        with pytest.raises(StoreError, match="no passages"):
            build([], tmp_path / "s", embedder_name=None)


class Three:
    """Names an embedder of three numbers."""

    identity = "three"

    def embed(self, texts: Any, role: Any) -> Any:
        return np.ones((len(texts), 3), dtype=np.float32)


def collection_of(folder: Path) -> ChromaCollection:
    collection = ChromaCollection(folder / "chroma", "passages")
    collection.create(Three())
    return collection


@pytest.mark.parametrize(
    ("old", "new", "query"),
    [
        ("沙丘帐篷重两公斤", "沙丘帐篷改用轻质杆，重一公斤半", "轻质杆"),
        ("The tent weighs two kilos", "The tent now has alloy poles", "alloy poles"),
    ],
)
def test_report_50_a_known_id_with_a_new_text_gives_the_new_text(tmp_path, tiny, old, new, query) -> None:
    others = [one for one in DISHES if one.id != "tent"]
    for text in (old, new):
        build([Passage(id="tent", text=text), *others], tmp_path / "s", embedder_name="tiny")
    with closing(Store.open(tmp_path / "s")) as store:
        for lists in store.search([query, old], 10):
            for one in lists:
                assert old not in [hit.text for hit in one.hits]
        assert [lists[0] for lists in found(store, new)] == ["tent", "tent"]
        assert store.search([query], 1)[0][0].hits[0].text == new


class TestReport51Twice:
    """Indexing the same file again doubles nothing."""

    def test_from_the_command_line(self, tmp_path, tiny, turn) -> None:
        path, store = tmp_path / "corpus.jsonl", tmp_path / "s"
        path.write_text("\n".join(one.model_dump_json() for one in DISHES), encoding="utf-8")
        counts = []
        for _ in range(2):
            result = CliRunner().invoke(
                app, ["index", str(path), "--store", str(store), "--embedder", "tiny", "--json"]
            )
            manifest = json.loads(result.stdout)
            with closing(ChromaCollection(store / "chroma", manifest["collection"])) as collection:
                counts.append((manifest["passages"], collection.count()))
        assert counts == [(4, 4), (4, 4)]
        for query in ("葱油鳜鱼", "Dune tent"):
            hits = turn(query, rm=Store.open(store)).hits
            assert len({hit.id for hit in hits}) == len({hit.text for hit in hits}) == len(hits)

    def test_the_same_passages_twice_in_one_file_are_refused(self, tmp_path) -> None:
        with pytest.raises(StoreError, match="fish"):
            build([*DISHES, *DISHES], tmp_path / "s", embedder_name=None)


class TestReport52Distances:
    """Scores are similarities, and a collection that measures anything else is refused."""

    @pytest.mark.parametrize("space", ["l2", "ip"])
    def test_an_old_collection_of_another_space_is_refused(self, tmp_path, space) -> None:
        client = chromadb.PersistentClient(tmp_path / "chroma", chromadb.config.Settings(anonymized_telemetry=False))
        client.create_collection(
            "passages",
            embedding_function=None,
            configuration={"hnsw": {"space": space}},
            metadata={"embedder": "three"},
        )
        with pytest.raises(StoreError, match=rf"{space}.*cosine"):
            collection_of(tmp_path)
        with (
            closing(ChromaCollection(tmp_path / "chroma", "passages")) as collection,
            pytest.raises(StoreError, match=space),
        ):
            collection.check(Three())

    def test_length_does_not_count_and_scores_are_similarities(self, tmp_path) -> None:
        with closing(collection_of(tmp_path)) as collection:
            collection.upsert(
                ["long", "across", "against"], np.array([[10, 0, 0], [0, 3, 0], [-2, 0, 0]], dtype=np.float32)
            )
            (scores,) = collection.search(np.array([[1, 0, 0]], dtype=np.float32), 3)
        assert [id_ for id_, _ in scores] == ["long", "across", "against"]
        assert [score for _, score in scores] == pytest.approx([1, 0, -1], abs=1e-6)

    @pytest.mark.parametrize("query", ["葱油鳜鱼", "the Ember stove", "12345"])
    def test_merged_scores_are_between_0_and_1(self, tmp_path, tiny, turn, query) -> None:
        build(DISHES, tmp_path / "s", embedder_name="tiny")
        with closing(Store.open(tmp_path / "s")) as store:
            hits = turn(query, rm=store).hits
        assert all(0 <= hit.score <= 1 for hit in hits)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_report_53_what_another_process_wrote_is_there_after_opening_anew(tmp_path) -> None:
    """One writer at a time; a reader that is open may stay as it is, one that opens anew sees every row."""
    code = f"""
        import sys
        sys.path.insert(0, {str(ROOT)!r})
        from pathlib import Path
        import numpy as np
        from program.retrieval.chroma import ChromaCollection
        rows = np.random.default_rng(1).normal(size=(50, 3)).astype(np.float32)
        ChromaCollection(Path({str(tmp_path / "chroma")!r}), "passages").upsert([f"new{{n}}" for n in range(50)], rows)
    """
    with closing(collection_of(tmp_path)) as first:
        first.upsert(["old"], np.array([[1, 0, 0]], dtype=np.float32))
        query = np.array([[0, 1, 0]], dtype=np.float32)
        assert len(first.search(query, 500)[0]) == 1
        subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, capture_output=True)
        with closing(ChromaCollection(tmp_path / "chroma", "passages")) as anew:
            assert (anew.count(), len(anew.search(query, 500)[0])) == (51, 51)


def test_report_53_a_store_that_is_opened_again_shows_the_new_corpus(tmp_path, tiny) -> None:
    build(DISHES[:2], tmp_path / "s", embedder_name="tiny")
    with closing(Store.open(tmp_path / "s")) as before:
        assert "tent" not in found(before, "Dune tent")[1]
        build(DISHES, tmp_path / "s", embedder_name="tiny")
        with closing(Store.open(tmp_path / "s")) as after:
            assert [lists[0] for lists in found(after, "Dune tent")] == ["tent", "tent"]
            assert len(found(after, "Dune tent", 500)[1]) == 4


class TestReport55MoreThanThereIs:
    """Asking for more than there is, or where there is nothing, gives what there is."""

    @pytest.mark.parametrize("depth", [1, 5, 500])
    def test_an_empty_collection(self, tmp_path, depth) -> None:
        with closing(collection_of(tmp_path)) as collection:
            assert collection.search(np.array([[1, 0, 0]], dtype=np.float32), depth) == [[]]

    @pytest.mark.parametrize("query", ["葱油鳜鱼", "Dune tent"])
    def test_a_small_store(self, tmp_path, tiny, turn, query) -> None:
        build(DISHES, tmp_path / "s", embedder_name="tiny")
        with closing(Store.open(tmp_path / "s")) as store:
            result = turn(query, None, "k=50", "fusion.depth=500", rm=store)
        assert 1 <= len(result.hits) <= 4
        assert (result.degraded, result.fallbacks) == (False, ())

    @pytest.mark.parametrize("query", ["量子纠缠", "zzz"])
    def test_nothing_found_is_no_failure(self, tmp_path, query) -> None:
        build(DISHES, tmp_path / "s", embedder_name=None)
        with dspy.context(rm=Store.open(tmp_path / "s")):
            result = retrieved_of(RewriteProgram()(query=query))
        assert (result.hits, result.degraded, result.fallbacks) == ((), False, ())
