"""Tuning finds what the lists hold, prefers what is simple, and gives the same answer twice."""

from typing import Literal

import pytest

from data.records import Turn
from experiments.tune import TurnCase, recall_with, score, tune
from program.retrieval.retriever import Engine, Hit, RankedList
from program.rules.resolution import Resolution
from program.settings import FusionSettings, RewriteSettings, Settings

QUERY, REWRITE, RULE = "它的保修期多久", "润谷 H2 的保修期多久", "青榕 A1 的保修期多久"
NOISE = [f"n{number}" for number in range(9)]


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
