from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.fusion.fuse import confidence_of, fuse
from program.result import FusedHit, Kind, Query, Route
from program.retrieval.retriever import Engine, Hit, RankedList
from program.settings import FusionSettings

STRATEGIES = ["best_relative", "best_raw", "rrf", "reserved", "by_confidence"]


def ranked(*found: tuple[str, float], engine: Engine = "bm25") -> RankedList:
    """Hits named ``source/passage``; without a slash a passage is its own source."""
    hits = (Hit(id=id_, score=score, source=id_.split("/")[0], text=f"text of {id_}") for id_, score in found)
    return RankedList(engine=engine, hits=tuple(hits))


def query(kind: Kind = "original", weight: float = 1.0, route: Route = "hybrid") -> Query:
    return Query(text=kind, kind=kind, weight=weight, route=route)


def scores(hits: Sequence[FusedHit]) -> dict[str, float]:
    return {hit.id: pytest.approx(hit.score) for hit in hits}


class TestByHand:
    def test_best_relative_keeps_the_best_weighted_share(self) -> None:
        lists = [[ranked(("a", 8), ("b", 4))], [ranked(("b", 20), ("c", 5))]]
        hits = fuse([query(weight=0.5), query("rewrite")], lists, FusionSettings(vector_share=0), 5)
        assert scores(hits) == {"b": 1.0, "a": 0.5, "c": 0.25}
        assert [hit.id for hit in hits] == ["b", "a", "c"]

    def test_engines_are_mixed_by_share(self) -> None:
        lists = [[ranked(("a", 8), ("b", 4)), ranked(("b", 0.9), ("c", 0.8), ("d", 0.7), engine="vector")]]
        hits = fuse([query()], lists, FusionSettings(vector_share=0.75), 5)
        # b: 0.25 * 4/8 + 0.75 * 1; c: 0.75 * (0.8 - 0.7) / (0.9 - 0.7); a: 0.25 * 1; d: the floor of the cosines.
        assert scores(hits) == {"b": 0.875, "c": 0.375, "a": 0.25, "d": 0.0}

    def test_an_engine_that_found_nothing_leaves_its_share_to_the_other(self) -> None:
        lists = [[ranked(("a", 8), ("b", 4)), ranked(engine="vector")]]
        assert scores(fuse([query()], lists, FusionSettings(vector_share=0.75), 5)) == {"a": 1.0, "b": 0.5}

    def test_best_raw_compares_scores_between_queries(self) -> None:
        lists = [[ranked(("a", 8), ("b", 6))], [ranked(("c", 2))]]
        hits = fuse(
            [query(weight=0.5), query("rewrite")], lists, FusionSettings(strategy="best_raw", vector_share=0), 5
        )
        assert scores(hits) == {"a": 1.0, "b": 0.75, "c": 0.5}

    def test_rrf_counts_from_one_and_absent_is_nothing(self) -> None:
        lists = [[ranked(("p", 9), ("q", 8), ("m", 7), engine="vector"), ranked(("r", 9), ("s", 8), ("m", 7))]]
        hits = fuse([query()], lists, FusionSettings(strategy="rrf", rrf_k=60), 5)
        assert hits[0].id == "m"
        # 2/63 of the 2/61 that a passage at the top of both would have.
        assert hits[0].score == pytest.approx((2 / 63) / (2 / 61))
        assert scores(hits)["p"] == (1 / 61) / (2 / 61)

    def test_rrf_at_sixty_buries_a_good_rewrite_and_its_weights_save_it(self) -> None:
        both = [(f"bad{n}", 30.0 - n) for n in range(20)]
        lists = [[ranked(*both)], [ranked(("good", 40.0), *both[1:])]]
        equal = fuse([query(), query("rewrite")], lists, FusionSettings(strategy="rrf", vector_share=0), 5)
        assert "good" not in scores(equal)
        weighted = fuse(
            [query(weight=0.1), query("rewrite")], lists, FusionSettings(strategy="rrf", rrf_k=1, vector_share=0), 5
        )
        assert weighted[0].id == "good"

    def test_reserved_keeps_the_last_slots_for_the_original(self) -> None:
        lists = [[ranked(("a", 9), ("b", 8))], [ranked(("c", 9), ("d", 8), ("e", 7))]]
        settings = FusionSettings(strategy="reserved", reserved_slots=1, vector_share=0)
        assert [hit.id for hit in fuse([query(), query("rewrite")], lists, settings, 3)] == ["c", "d", "a"]

    def test_reserved_slots_are_not_wasted_on_what_is_there_already(self) -> None:
        lists = [[ranked(("c", 9), ("b", 8))], [ranked(("c", 9), ("d", 8), ("e", 7))]]
        settings = FusionSettings(strategy="reserved", reserved_slots=1, vector_share=0)
        assert [hit.id for hit in fuse([query(), query("rewrite")], lists, settings, 3)] == ["c", "d", "b"]

    def test_more_reserved_slots_than_hits_wanted(self) -> None:
        lists = [[ranked(("a", 9), ("b", 8))], [ranked(("c", 9))]]
        settings = FusionSettings(strategy="reserved", reserved_slots=9, vector_share=0)
        assert [hit.id for hit in fuse([query(), query("rewrite")], lists, settings, 2)] == ["a", "b"]

    def test_reserved_leaves_the_list_to_an_original_that_nobody_rewrote(self) -> None:
        lists = [[ranked(("a", 9), ("b", 8))], [ranked(("c", 9), ("d", 8), ("e", 7))]]
        settings = FusionSettings(strategy="reserved", reserved_slots=1, vector_share=0)
        hits = fuse([query(), query("step_back", 0.5)], lists, settings, 3)
        assert [hit.id for hit in hits] == ["a", "b", "c"]

    def test_found_by_names_the_query_that_ranked_it_highest_first(self) -> None:
        lists = [[ranked(("a", 9), ("b", 8))], [ranked(("b", 9), ("a", 8))]]
        hits = fuse([query(), query("rewrite")], lists, FusionSettings(vector_share=0), 5)
        assert {hit.id: hit.found_by for hit in hits} == {"a": ("original", "rewrite"), "b": ("rewrite", "original")}

    def test_ties_go_to_the_smaller_id(self) -> None:
        assert [hit.id for hit in fuse([query()], [[ranked(("b", 5), ("a", 5))]], FusionSettings(), 1)] == ["a"]

    def test_depth_cuts_the_lists(self) -> None:
        lists = [[ranked(("a", 9), ("b", 8), ("c", 7))]]
        assert list(scores(fuse([query()], lists, FusionSettings(depth=2, vector_share=0), 5))) == ["a", "b"]

    def test_the_only_two_passages_of_a_corpus_are_both_found(self) -> None:
        lists = [[ranked(("a", 0.8), ("b", 0.7), engine="vector")]]
        assert scores(fuse([query()], lists, FusionSettings(vector_share=1), 5)) == {"a": 1.0, "b": 0.0}


class TestRoutes:
    LISTS = ((ranked(("a", 8), ("b", 4)), ranked(("c", 0.9), ("b", 0.8), ("d", 0.7), engine="vector")),)

    def fused(self, route: Route, **settings) -> dict[str, float]:
        return scores(fuse([query(route=route)], self.LISTS, FusionSettings(**settings), 5))

    def test_keywords_trust_bm25_more(self) -> None:
        # a: 0.8 * 1; b: 0.8 * 4/8 + 0.2 * 0.5; c: 0.2 * 1.
        assert self.fused("keyword", keyword_vector_share=0.2) == {"a": 0.8, "b": 0.5, "c": 0.2, "d": 0.0}

    def test_keywords_never_trust_vectors_more(self) -> None:
        settings = {"vector_share": 0.3, "keyword_vector_share": 0.9}
        assert self.fused("keyword", **settings) == self.fused("hybrid", **settings)

    def test_vectors_alone(self) -> None:
        assert self.fused("vector", vector_share=0.1) == {"c": 1.0, "b": 0.5, "d": 0.0}

    def test_without_vectors_a_made_up_passage_finds_nothing(self) -> None:
        assert fuse([query("hyde", route="vector")], [[ranked(("a", 8))]], FusionSettings(), 5) == []
        assert self.fused("vector", vector_share=0.0) == {}

    def test_sql_is_not_searched_here(self) -> None:
        assert self.fused("sql") == {}
        assert [hit.id for hit in fuse([query(), query("sql", route="sql")], [self.LISTS[0], []], FusionSettings(), 2)]

    @pytest.mark.parametrize("route", ["keyword", "vector"])
    def test_no_route_makes_a_query_louder(self, route: Route) -> None:
        """Two queries of equal weight, one list each that found something: equal votes whatever the shares."""
        lists = [[ranked(("a", 9))], [ranked(("b", 0.9), engine="vector")]]
        settings = FusionSettings(strategy="rrf", vector_share=0.8, keyword_vector_share=0.1)
        hits = fuse([query(), query("rewrite", route=route)], lists, settings, 2)
        assert [hit.score for hit in hits] == [0.5, 0.5]

    def test_best_raw_gives_an_engine_the_mean_of_its_shares(self) -> None:
        lists = [[ranked(("a", 8)), ranked(("b", 0.9), engine="vector")]] * 2
        queries = [query(route="keyword"), query("rewrite", weight=3.0)]
        settings = FusionSettings(strategy="best_raw", vector_share=0.5, keyword_vector_share=0.1)
        # Vectors (1 * 0.1 + 3 * 0.5) / 4, BM25 the rest.
        assert scores(fuse(queries, lists, settings, 5)) == {"a": 0.6, "b": 0.4}


class TestByConfidence:
    LISTS = ((ranked(("a", 9), ("b", 8)),), (ranked(("c", 9), ("d", 8), ("e", 7)),))
    QUERIES = (query(weight=0.3), query("rewrite"))

    def ids(self, sure: float | None, strategy: str = "by_confidence", confident_from: float = 0.6) -> list[str]:
        settings = FusionSettings(strategy=strategy, vector_share=0, confident_from=confident_from)
        return [hit.id for hit in fuse(self.QUERIES, self.LISTS, settings, 3, sure=sure)]

    def test_a_trusted_rewrite_has_the_whole_list(self) -> None:
        assert self.ids(1.0) == self.ids(None, "best_relative") == ["c", "d", "e"]

    @pytest.mark.parametrize("sure", [0.0, None])
    def test_beside_one_that_is_not_the_original_has_its_slot(self, sure: float | None) -> None:
        assert self.ids(sure) == self.ids(None, "reserved") == ["c", "d", "a"]

    def test_the_threshold_decides(self) -> None:
        trust = confidence_of(self.QUERIES, self.LISTS, FusionSettings(vector_share=0), sure=0.5)
        assert trust is not None
        assert self.ids(0.5, confident_from=trust) == self.ids(None, "best_relative")
        assert self.ids(0.5, confident_from=trust + 0.01) == self.ids(None, "reserved")

    def test_where_nothing_was_rewritten_there_is_nothing_to_trust(self) -> None:
        queries = [query(), query("multi_query", 0.5)]
        assert confidence_of(queries, self.LISTS, FusionSettings(vector_share=0), sure=0.0) is None
        by_confidence = fuse(queries, self.LISTS, FusionSettings(strategy="by_confidence", vector_share=0), 3, sure=0.0)
        assert by_confidence == fuse(queries, self.LISTS, FusionSettings(vector_share=0), 3)

    def test_a_rewrite_without_a_vote_is_none(self) -> None:
        queries = [query(), query("rewrite", 0.0)]
        assert confidence_of(queries, self.LISTS, FusionSettings(vector_share=0), sure=1.0) is None


class TestBySource:
    def test_a_long_document_votes_once_per_list(self) -> None:
        lists = [[ranked(("s1/1", 9), ("s1/2", 8), ("s1/3", 7), ("s2/1", 6))], [ranked(("s2/1", 9), ("s3/1", 8))]]
        settings = FusionSettings(strategy="rrf", unique="source", vector_share=0)
        hits = fuse([query(), query("rewrite")], lists, settings, 5)
        assert [hit.source for hit in hits] == ["s2", "s1", "s3"]
        assert hits[0].score == pytest.approx((1 / 62 + 1 / 61) / (2 / 61))

    def test_different_passages_of_one_document_vote_for_it_together(self) -> None:
        lists = [[ranked(("s1/1", 9), ("s2/1", 8))], [ranked(("s3/1", 9), ("s2/2", 8))]]
        settings = FusionSettings(strategy="rrf", unique="source", vector_share=0)
        assert [hit.source for hit in fuse([query(), query("rewrite")], lists, settings, 5)] == ["s2", "s1", "s3"]

    def test_the_best_passage_stands_for_its_document(self) -> None:
        lists = [[ranked(("s1/a", 3), ("s1/b", 2))], [ranked(("s1/b", 9), ("s1/a", 1))]]
        settings = FusionSettings(unique="source", vector_share=0)
        (hit,) = fuse([query(weight=0.3), query("rewrite")], lists, settings, 5)
        assert (hit.id, hit.text) == ("s1/b", "text of s1/b")


def test_nothing_searched_gives_nothing() -> None:
    assert fuse([], [], FusionSettings(), 5) == []
    assert fuse([query()], [[ranked(), ranked(engine="vector")]], FusionSettings(), 5) == []


def test_lists_that_do_not_belong_to_the_queries_are_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        fuse([query()], [], FusionSettings(), 5)


ids = st.sampled_from([f"s{source}/{passage}" for source in range(4) for passage in range(3)])


@st.composite
def lists_of_engine(draw: st.DrawFn, engine: Engine) -> RankedList:
    low, high = (0.125, 40.0) if engine == "bm25" else (-1.0, 1.0)
    found = draw(st.dictionaries(ids, st.floats(low, high, width=16), max_size=6))
    return ranked(*sorted(found.items(), key=lambda pair: (-pair[1], pair[0])), engine=engine)


@st.composite
def searches(draw: st.DrawFn) -> list[tuple[Query, list[RankedList]]]:
    kinds: list[Kind] = ["original", "rewrite", "rules", "hyde"]
    weights = st.sampled_from([0.1, 0.3, 0.7, 1.0])
    routes = st.sampled_from(["hybrid", "hybrid", "keyword", "vector"])
    return [
        (query(kind, draw(weights), draw(routes)), [draw(lists_of_engine("bm25")), draw(lists_of_engine("vector"))])
        for kind in kinds[: draw(st.integers(1, 4))]
    ]


settings_of_any_kind = st.builds(
    FusionSettings,
    strategy=st.sampled_from(STRATEGIES),
    vector_share=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    keyword_vector_share=st.sampled_from([0.0, 0.2, 1.0]),
    confident_from=st.sampled_from([0.0, 0.5, 0.6, 1.0]),
    rrf_k=st.sampled_from([1, 60]),
    reserved_slots=st.integers(0, 3),
    unique=st.sampled_from(["passage", "source"]),
)


def run(
    search: list[tuple[Query, list[RankedList]]], settings: FusionSettings, k: int = 5, sure: float | None = 0.7
) -> list[FusedHit]:
    return fuse([one for one, _ in search], [lists for _, lists in search], settings, k, sure=sure)


@given(searches(), settings_of_any_kind, st.integers(1, 12))
def test_scores_fall_from_one_to_zero_over_at_most_k_distinct_hits(search, settings, k) -> None:
    hits = run(search, settings, k)
    assert len(hits) <= k
    assert all(0 <= hit.score <= 1 for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    keys = [hit.source if settings.unique == "source" else hit.id for hit in hits]
    assert len(set(keys)) == len(keys)
    assert all(hit.found_by for hit in hits)


@given(searches(), settings_of_any_kind, st.integers(0, 9))
def test_the_order_of_queries_and_engines_does_not_matter(search, settings, seed) -> None:
    random = Random(seed)
    shuffled = [(one, random.sample(lists, len(lists))) for one, lists in random.sample(search, len(search))]
    assert run(shuffled, settings) == run(search, settings)


@given(searches(), settings_of_any_kind, lists_of_engine("bm25"), lists_of_engine("vector"))
def test_a_query_of_weight_zero_is_as_good_as_absent(search, settings, bm25, vector) -> None:
    assert run([*search, (query("step_back", 0.0), [bm25, vector])], settings) == run(search, settings)


@given(searches(), st.sampled_from(STRATEGIES), st.sampled_from(["passage", "source"]))
def test_an_engine_of_share_zero_is_as_good_as_absent(search, strategy, unique) -> None:
    settings = FusionSettings(strategy=strategy, vector_share=0.0, unique=unique)
    assert run([(one, lists[:1]) for one, lists in search], settings) == run(search, settings)


@given(
    lists_of_engine("bm25"), lists_of_engine("vector"), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([0.1, 1.0])
)
def test_one_query_alone_gives_its_engines_mix_whatever_its_weight(bm25, vector, share, weight) -> None:
    one = run([(query(weight=weight), [bm25, vector])], FusionSettings(vector_share=share))
    raw = run([(query(), [bm25, vector])], FusionSettings(vector_share=share, strategy="best_raw"))
    assert [hit.id for hit in one] == [hit.id for hit in raw]
    assert [hit.score for hit in one] == pytest.approx([hit.score for hit in raw])


@given(searches(), settings_of_any_kind)
def test_a_longer_answer_begins_with_the_shorter_one(search, settings) -> None:
    if settings.strategy not in ("reserved", "by_confidence"):  # the slots depend on k
        assert run(search, settings, 12)[:3] == run(search, settings, 3)


@given(searches(), settings_of_any_kind, lists_of_engine("bm25"))
def test_what_a_route_leaves_out_is_as_good_as_absent(search, settings, bm25) -> None:
    by_vectors = [(one, lists[1:] if one.route == "vector" else lists) for one, lists in search]
    assert run(by_vectors, settings) == run(search, settings)
    assert run([*search, (query("terms", route="vector"), [bm25])], settings) == run(search, settings)
    assert run([*search, (query("sql", route="sql"), [bm25])], settings) == run(search, settings)


@given(searches(), settings_of_any_kind)
def test_keywords_with_a_share_of_zero_leave_the_vectors_out(search, settings) -> None:
    settings = settings.model_copy(update={"keyword_vector_share": 0.0})
    by_words = [(one, lists[:1] if one.route == "keyword" else lists) for one, lists in search]
    assert run(by_words, settings) == run(search, settings)


@given(searches(), st.sampled_from(["best_relative", "best_raw", "rrf"]), st.data())
def test_a_passage_that_moves_up_in_a_list_does_not_lose(search, strategy, data) -> None:
    settings = FusionSettings(strategy=strategy)
    number = data.draw(st.integers(0, len(search) - 1))
    place = data.draw(st.integers(0, 1))
    one, lists = search[number]
    hits = list(lists[place].hits)
    if len(hits) < 2:
        return
    rank = data.draw(st.integers(1, len(hits) - 1))
    mover, above = hits[rank], hits[rank - 1]
    hits[rank - 1 : rank + 1] = [
        mover.model_copy(update={"score": above.score}),
        above.model_copy(update={"score": mover.score}),
    ]
    changed = list(lists)
    changed[place] = lists[place].model_copy(update={"hits": tuple(hits)})
    before = {hit.id: hit.score for hit in run(search, settings, 50)}
    after = {hit.id: hit.score for hit in run([*search[:number], (one, changed), *search[number + 1 :]], settings, 50)}
    assert after.get(mover.id, 0.0) >= before.get(mover.id, 0.0) - 1e-9


@given(
    st.lists(st.tuples(st.sampled_from(["s0", "s1", "s2"]), st.integers(0, 3)), min_size=1, max_size=8, unique=True),
    st.sampled_from(STRATEGIES),
)
def test_further_passages_of_a_source_add_no_vote(passages, strategy) -> None:
    found = [(f"{source}/{number}", 40.0 - place) for place, (source, number) in enumerate(passages)]
    first = {source: (id_, score) for id_, score in reversed(found) for source in [id_.split("/")[0]]}
    once = sorted(first.values(), key=lambda pair: -pair[1])
    settings = FusionSettings(strategy=strategy, unique="source", vector_share=0, confident_from=0)
    rewritten = [ranked(("s2/9", 30), ("s0/9", 20))]
    long, short = (
        run([(query(weight=0.5), [ranked(*hits)]), (query("rewrite"), rewritten)], settings) for hits in (found, once)
    )
    assert [(hit.source, hit.score) for hit in long] == [(hit.source, hit.score) for hit in short]
