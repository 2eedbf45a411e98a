"""Tuning finds what the lists hold, prefers what is simple, and gives the same answer twice."""

from dataclasses import replace
from typing import Literal

import pytest

from data.records import Turn
from experiments.tune import TurnCase, recall_with, score, tune
from program.result import Kind
from program.retrieval.retriever import Engine, Hit, RankedList
from program.rules.resolution import Resolution
from program.settings import FusionSettings, RewriteSettings, Settings

QUERY, REWRITE, RULE = "它的保修期多久", "润谷 H2 的保修期多久", "青榕 A1 的保修期多久"
NOISE = [f"n{number}" for number in range(9)]
OTHER = [f"o{number}" for number in range(9)]


def ranked(engine: Engine, ids: list[str]) -> RankedList:
    hits = tuple(Hit(id=id_, score=1.0 - 0.05 * place, source=id_, text=id_) for place, id_ in enumerate(ids))
    return RankedList(engine=engine, hits=hits)


def lists(bm25: list[str], vector: list[str]) -> list[RankedList]:
    return [ranked("bm25", bm25), ranked("vector", vector)]


def case(
    number: int,
    *,
    needs_lm: bool = True,
    original: tuple[list[str], list[str]] = (NOISE, NOISE),
    rewrite: tuple[list[str], list[str]] = (NOISE, NOISE),
    rule: tuple[list[str], list[str]] = (NOISE, NOISE),
    original_recall: float = 0.0,
) -> TurnCase:
    turn = Turn(id=f"t{number}", conversation_id=f"c{number}", turn=2, query=QUERY, relevant_ids=("gold",))
    return TurnCase(
        turn=turn,
        rewrite=REWRITE,
        asked=True,
        resolution=Resolution(
            rewrites=(RULE,), confidence=0.5 if needs_lm else 0.9, needs_lm=needs_lm, reason="pronoun"
        ),
        expansions=(),
        lists={QUERY: lists(*original), REWRITE: lists(*rewrite), RULE: lists(*rule)},
        original_recall=original_recall,
    )


FOUND = ["gold", *NOISE]


def tuned(cases: list[TurnCase], start: Settings | None = None, retriever: str = "hybrid", seed: int = 1) -> Settings:
    return tune(cases, start or Settings(), trials=30, seed=seed, retriever=retriever)


@pytest.mark.parametrize(("place", "share"), [(0, 0.0), (1, 1.0)], ids=["bm25", "vector"])
def test_the_engine_that_finds_it_gets_the_vote(place: int, share: float) -> None:
    """Where one engine is blind, an equal vote costs nothing; where it is also loud, it must lose its vote."""
    misled = [[f"x{number}" for number in range(9)], [f"y{number}" for number in range(9)]]
    found = [*misled]
    found[place] = [*misled[place][:3], "gold"]
    cases = [case(number, rule=(found[0], found[1]), rewrite=(found[0], found[1])) for number in range(10)]
    settings = tuned(cases)
    assert score(cases, settings) > 0.9
    assert abs(settings.fusion.vector_share - share) <= 0.25


def test_a_model_that_brings_nothing_is_not_asked() -> None:
    cases = [case(number, rule=(FOUND, FOUND), rewrite=(FOUND, FOUND)) for number in range(10)]
    assert tuned(cases).rewrite.ask_lm == "never"


def test_a_model_that_helps_where_the_rules_are_unsure_is_asked_there() -> None:
    cases = [case(number, needs_lm=True, rewrite=(FOUND, FOUND)) for number in range(5)]
    cases += [case(number + 5, needs_lm=False, rule=(FOUND, FOUND), rewrite=(FOUND, FOUND)) for number in range(5)]
    assert tuned(cases).rewrite.ask_lm == "unsure"


def test_settings_that_change_nothing_stay_as_they_are() -> None:
    cases = [case(number, original=(FOUND, FOUND), rule=(FOUND, FOUND), rewrite=(FOUND, FOUND)) for number in range(6)]
    start = Settings(rewrite=RewriteSettings(ask_lm="never"))
    assert tuned(cases, start) == start


@pytest.mark.parametrize(("retriever", "share"), [("bm25", 0.0), ("vector", 1.0)])
def test_a_single_engine_keeps_its_share(retriever: Literal["bm25", "vector"], share: float) -> None:
    start = Settings(fusion=FusionSettings(vector_share=share))
    cases = [case(number, rule=(NOISE, FOUND) if retriever == "bm25" else (FOUND, NOISE)) for number in range(6)]
    assert tuned(cases, start, retriever).fusion.vector_share == share


def test_the_same_seed_gives_the_same_settings() -> None:
    cases = [case(number, rule=(FOUND, NOISE) if number % 2 else (NOISE, FOUND)) for number in range(8)]
    assert tuned(cases, seed=5) == tuned(cases, seed=5)


def test_losing_what_the_original_found_costs_more_than_not_finding() -> None:
    never = Settings(rewrite=RewriteSettings(ask_lm="never"))
    lost = case(1, original_recall=1.0)
    missed = case(2)
    assert recall_with(lost, never) == recall_with(missed, never) == 0.0
    assert score([lost], never) == score([missed], never) - 0.5


def test_nothing_to_tune_on_returns_the_start() -> None:
    assert tuned([]) == Settings()
    assert tune([case(1)], Settings(), trials=0, seed=1, retriever="hybrid") == Settings()


SUB_QUESTION, PASSAGE, WITH_TERMS = "H2 保修", "H2 保修两年，凭发票办理。", "润谷 H2 的保修期多久 质保"


def expanded(number: int, kind: Kind, text: str, found: tuple[list[str], list[str]]) -> TurnCase:
    """A turn that only a further query can answer: every other query finds noise."""
    base = case(number)
    lists_of_all = base.lists | {text: lists(*found)}
    if kind == "terms":
        return replace(base, terms=text, lists=lists_of_all)
    return replace(base, expansions=((text, kind),), lists=lists_of_all)


@pytest.mark.parametrize(
    ("kind", "text"), [("decomposition", SUB_QUESTION), ("keywords", SUB_QUESTION), ("terms", WITH_TERMS)]
)
def test_a_kind_of_query_that_only_misleads_loses_its_weight(kind: Kind, text: str) -> None:
    misled = ([f"x{number}" for number in range(9)], [f"y{number}" for number in range(9)])
    good = (["gold", *NOISE], ["gold", *NOISE])
    cases = [
        replace(expanded(number, kind, text, misled), lists=case(number, rewrite=good).lists | {text: lists(*misled)})
        for number in range(8)
    ]
    start = Settings(fusion=FusionSettings.model_validate({kind: 1.2, "strategy": "rrf", "rrf_k": 60}))
    settings = tune(cases, start, trials=40, seed=1, retriever="hybrid")
    assert score(cases, settings) >= score(cases, start)
    assert score(cases, settings) > 0.9


def test_a_made_up_passage_is_searched_by_vectors_alone() -> None:
    by_vector = expanded(1, "hyde", PASSAGE, (NOISE, FOUND))
    by_words = expanded(1, "hyde", PASSAGE, (FOUND, NOISE))
    settings = Settings(fusion=FusionSettings(hyde=2.0))
    assert recall_with(by_vector, settings) == 1.0
    assert recall_with(by_words, settings) == 0.0


def test_the_terms_are_searched_where_they_were() -> None:
    assert recall_with(expanded(1, "terms", WITH_TERMS, (FOUND, FOUND)), Settings()) == 1.0


def test_only_what_occurs_is_tried() -> None:
    """A weight that no case can tell of stays as it is, whatever the luck of the trials."""
    start = Settings(fusion=FusionSettings(step_back=0.42, hyde=0.42, terms=0.42, keyword_vector_share=0.11))
    cases = [expanded(number, "decomposition", SUB_QUESTION, (FOUND, FOUND)) for number in range(6)]
    fusion = tuned(cases, start).fusion
    assert (fusion.step_back, fusion.hyde, fusion.terms, fusion.keyword_vector_share) == (0.42, 0.42, 0.42, 0.11)


def test_the_vectors_share_of_keyword_queries_is_tuned_where_there_are_some() -> None:
    """For codes the vectors are loud and wrong; for the other turns BM25 is."""
    loud = [f"x{number}" for number in range(9)]
    found = [*(f"y{number}" for number in range(3)), "gold"]
    codes = [
        replace(
            case(number, needs_lm=False, rewrite=(found, loud), rule=(found, loud)),
            routes={REWRITE: "keyword", RULE: "keyword"},
        )
        for number in range(6)
    ]
    others = [case(number + 6, needs_lm=False, rewrite=(loud, found), rule=(loud, found)) for number in range(6)]
    start = Settings(fusion=FusionSettings(vector_share=1.0, keyword_vector_share=1.0))
    assert score([*codes, *others], start) < 0.6
    settings = tune([*codes, *others], start, trials=150, seed=1, retriever="hybrid")
    assert settings.fusion.keyword_vector_share < settings.fusion.vector_share
    assert score([*codes, *others], settings) > 0.9


def test_confidence_is_chosen_where_unsure_rules_lose_what_the_original_found() -> None:
    """Sure rewrites need all five places, unsure ones must leave one to the original."""
    deep = [*OTHER[:4], "gold"]
    sure = [case(number, needs_lm=False, rule=(deep, deep), rewrite=(deep, deep)) for number in range(6)]
    unsure = [
        replace(
            case(number + 6, original=(FOUND, FOUND), rule=(OTHER, OTHER), original_recall=1.0),
            asked=False,
            resolution=Resolution(rewrites=(RULE,), confidence=0.2, needs_lm=True, reason="pronoun"),
        )
        for number in range(6)
    ]
    start = Settings(rewrite=RewriteSettings(ask_lm="never"), fusion=FusionSettings(original=0.0))
    best = start.model_copy(update={"fusion": FusionSettings(strategy="by_confidence")})
    assert score([*sure, *unsure], best) == 1.0
    for strategy in ("best_relative", "reserved"):
        other = start.model_copy(update={"fusion": FusionSettings(strategy=strategy)})
        assert score([*sure, *unsure], other) < 1.0
