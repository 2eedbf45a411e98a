"""What is compared: each system turns a turn into hits. The language model and the retriever come from ``dspy.context``."""

import math
from collections.abc import Callable, Iterable

import dspy

from data.records import Turn
from program.fusion.fuse import fuse
from program.result import Query, Retrieved
from program.retrieval.retriever import EngineError
from program.rewrite_program import RewriteProgram, retrieved_of
from program.settings import ExpandSettings, FusionSettings, Settings

System = Callable[[Turn], Retrieved]


def program_system(program: RewriteProgram) -> System:
    """The program as it is, without a limit of time: it sees the query and the history, never labels or metadata."""

    def run(turn: Turn) -> Retrieved:
        with dspy.context(budget_ms=math.inf):
            return retrieved_of(program(query=turn.query, history=turn.history))

    return run


def original_system(settings: Settings) -> System:
    """The query as typed, searched alone."""
    return given_system(lambda turn: turn.query, settings)


def rules_system(settings: Settings) -> System:
    """The same program without a language model."""
    return program_system(RewriteProgram(without_lm(settings)))


def without_lm(settings: Settings) -> Settings:
    """The same settings with every stage switched off that asks a language model, and the rules on."""
    return settings.model_copy(
        update={
            "window": settings.window.model_copy(update={"summary": False}),
            "gate": settings.gate.model_copy(update={"ask_lm": False}),
            "rewrite": settings.rewrite.model_copy(update={"rules": True, "ask_lm": "never"}),
            "expand": ExpandSettings(),
            "route": settings.route.model_copy(update={"ask_lm": False}),
            "rerank": "off" if settings.rerank == "lm" else settings.rerank,
        }
    )


def gold_system(settings: Settings) -> System:
    """The reference rewrite, searched alone; the query as typed where a turn has none."""
    return given_system(lambda turn: turn.gold_rewrite or turn.query, settings)


def given_system(rewrite_of: Callable[[Turn], str], settings: Settings) -> System:
    """Search what ``rewrite_of`` says, alone: references, oracles and other people's rewriters."""

    def search(turn: Turn) -> Retrieved:
        text = rewrite_of(turn)
        queries = (
            (Query(text=text, kind="original" if text == turn.query else "rewrite", weight=1.0),)
            if text.strip()
            else ()
        )
        try:
            texts = [query.text for query in queries]
            lists, degraded = dspy.settings.rm.search(texts, settings.fusion.depth) if texts else [], False
        except EngineError as error:
            lists, degraded = error.lists, True
        hits = fuse(queries, lists, settings.fusion, settings.k)
        return Retrieved(
            query=turn.query,
            rewritten=text,
            queries=queries,
            fallbacks=(),
            trace=(),
            hits=tuple(hits),
            degraded=degraded,
        )

    return search


def with_engine(settings: Settings, retriever: str) -> Settings:
    """Settings for one engine alone: ``bm25`` or ``vector``; ``hybrid`` keeps the tuned share."""
    share = {"bm25": 0.0, "vector": 1.0}.get(retriever, settings.fusion.vector_share)
    fusion: FusionSettings = settings.fusion.model_copy(update={"vector_share": share})
    return settings.model_copy(update={"fusion": fusion})


def named_systems(names: Iterable[str], program: RewriteProgram) -> dict[str, System]:
    """Systems by the names that users know; all but ``program`` take its settings alone."""
    known = {
        "original": lambda: original_system(program.settings),
        "rules": lambda: rules_system(program.settings),
        "gold": lambda: gold_system(program.settings),
        "program": lambda: program_system(program),
    }
    return {name: known[name]() for name in names}
