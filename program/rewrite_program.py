"""The program: from a turn to queries and hits."""

from typing import Any

import dspy

from data.records import Message
from program import guard
from program.ask import ask
from program.fuse import fuse
from program.lines import read_lines
from program.queries import plan_queries
from program.result import Fallback, FusedHit, Kind, Query, Retrieved, Rewritten
from program.retrieval.retriever import EngineError, RankedList, Retriever
from program.rules.gazetteer import Gazetteer
from program.rules.resolution import Resolution
from program.rules.resolve import resolve
from program.settings import Settings
from program.trace import Trace
from program.window import Window, make_window, readable
from signatures.coreference import CoreferenceRewrite
from signatures.decomposition import Decomposition
from signatures.step_back import StepBack

_MOST_SUB_QUESTIONS = 4
_QUERY_CHARACTERS = 2000
"""A longer query is cut for rewriting (never for the record): no retriever reads more, and a prompt must fit."""


class RewriteProgram(dspy.Module):
    """Window, rules, rewrite, guards, retrieval, fusion.

    Stateless: history is an argument. It holds prompts, demos and settings and nothing else; the language model comes from
    ``dspy.context(lm=...)`` and the retriever from ``dspy.context(rm=...)``. Works without either: rules alone, or queries alone.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__()
        self.settings = settings or Settings()
        self.coreference = dspy.Predict(CoreferenceRewrite)
        self.decomposition = dspy.Predict(Decomposition)
        self.step_back = dspy.Predict(StepBack)

    def forward(self, query: str, history: Any = None) -> dspy.Prediction:
        """Rewrite ``query`` and search. A failing stage never fails the turn; the original query is always searched.

        Args:
            query: What the user typed; blank searches nothing.
            history: The messages before it, oldest first, in any form ``program.window`` accepts.

        Returns:
            The fields of ``Retrieved``, with ``hits`` empty where no retriever is set up.
        """
        query = readable(query)
        retriever: Retriever | None = dspy.settings.rm
        trace = Trace()
        window = self._window(history, trace)
        resolution = self._rules(query, window, retriever, trace)
        rewrite = self._rewrite(query, window, resolution, trace)
        lead = rewrite or next(iter(resolution.rewrites), query)
        expansions = self._expand(lead, resolution, trace)
        queries = plan_queries(
            query, settings=self.settings.fusion, rewrite=rewrite, resolution=resolution, expansions=expansions
        )
        lists = self._retrieve(queries, retriever, trace)
        hits = self._fuse(queries, lists, trace)
        return dspy.Prediction(**dict(_result(query, lead, queries, hits, trace)))

    def rewrite_inputs(self, query: str, window: Window, resolution: Resolution) -> dict[str, str]:
        """The input fields of the coreference signature for a turn; demos are built from the same."""
        return {
            "history": window.text,
            "entities": "; ".join([*([resolution.title] if resolution.title else []), *resolution.entities[:5]]),
            # On one line, as the window's messages are: a line of the user's own must not pass for a field of the prompt.
            "query": " ".join(query[:_QUERY_CHARACTERS].split()),
        }

    def _window(self, history: Any, trace: Trace) -> Window:
        window = Window(messages=(), text="")
        with trace.step("window") as step:
            window = make_window(
                history, turns=self.settings.window.turns, message_characters=self.settings.window.message_characters
            )
            step.details = {"messages": len(window.messages), "characters": len(window.text)}
        return window

    def _rules(self, query: str, window: Window, retriever: Retriever | None, trace: Trace) -> Resolution:
        resolution = Resolution(confidence=0.0, needs_lm=True, reason="unclear")
        with trace.step("rules") as step:
            gazetteer = retriever.gazetteer if retriever is not None else Gazetteer()
            resolution = resolve(query[:_QUERY_CHARACTERS], window.messages, gazetteer)
            if not self.settings.rewrite.rules:
                # Without its rewrite, a turn that the rules had solved is one for the language model.
                needs_lm = resolution.needs_lm or bool(resolution.rewrites)
                resolution = resolution.model_copy(update={"rewrites": (), "titled": None, "needs_lm": needs_lm})
                step.skip("switched off")
            step.details = resolution.model_dump(exclude={"entities"})
        return resolution

    def _rewrite(self, query: str, window: Window, resolution: Resolution, trace: Trace) -> str | None:
        rewrite = None
        with trace.step("rewrite") as step:
            if reason := self._no_need(query, window, resolution):
                step.skip(reason)
                return None
            proposed = ask(self.coreference, "coreference", step, **self.rewrite_inputs(query, window, resolution))
            if proposed is None:
                return None
            # A model that explains itself does so on further lines.
            proposed = " ".join(next(iter(proposed.strip().splitlines()), "").split())
            step.details = {"proposed": proposed}
            if refused := guard.refuse(proposed, _guard_context(query, window), self.settings.guard):
                step.fall_back(f"guard: {refused}")
            else:
                rewrite = proposed
        return rewrite

    def _no_need(self, query: str, window: Window, resolution: Resolution) -> str | None:
        settings = self.settings.rewrite
        if settings.ask_lm == "never":
            return "switched off"
        if not query.strip():
            return "blank query"
        if not window.messages:
            return "first turn"
        if resolution.reason == "social" or (resolution.reason == "complete" and not resolution.needs_lm):
            return f"rules: {resolution.reason}"
        if settings.ask_lm == "unsure" and not resolution.needs_lm:
            return "rules are sure"
        return None

    def _expand(self, query: str, resolution: Resolution, trace: Trace) -> list[tuple[str, Kind]]:
        settings = self.settings.rewrite
        query = query[:_QUERY_CHARACTERS]
        if not query.strip() or resolution.reason == "social":
            return []
        expansions: list[tuple[str, Kind]] = []
        if settings.decomposition:
            expansions += self._further(self.decomposition, "decomposition", _MOST_SUB_QUESTIONS, query, trace)
        if settings.step_back:
            expansions += self._further(self.step_back, "step_back", 1, query, trace)
        return expansions

    def _further(
        self, predict: dspy.Predict, kind: Kind, at_most: int, query: str, trace: Trace
    ) -> list[tuple[str, Kind]]:
        kept: list[str] = []
        with trace.step(kind) as step:
            answer = ask(predict, kind, step, query=query)
            if answer is None:
                return []
            proposed = read_lines(answer, at_most=at_most, exclude=[query])
            kept = [text for text in proposed if guard.refuse_part(text, query, self.settings.guard) is None]
            step.details = {"proposed": proposed, "kept": kept}
            if proposed and not kept:
                step.fall_back("guard: nothing of it belongs to the question")
        return [(text, kind) for text in kept]

    def _retrieve(
        self, queries: tuple[Query, ...], retriever: Retriever | None, trace: Trace
    ) -> list[list[RankedList]]:
        lists: list[list[RankedList]] = []
        with trace.step("retrieve") as step:
            if retriever is None:
                step.skip("no retriever")
            elif not queries:
                step.skip("blank query")
            else:
                try:
                    found = retriever.search([query.text for query in queries], self.settings.fusion.depth)
                except EngineError as error:
                    found = error.lists  # what the other engines found is better than nothing
                    step.fall_back(str(error))
                if len(found) != len(queries):
                    raise ValueError(f"{len(queries)} queries were searched, {len(found)} answered")
                lists = found
                step.details = {"hits": [[len(ranked.hits) for ranked in of_query] for of_query in lists]}
        return lists

    def _fuse(self, queries: tuple[Query, ...], lists: list[list[RankedList]], trace: Trace) -> list[FusedHit]:
        hits: list[FusedHit] = []
        with trace.step("fuse") as step:
            if lists:
                hits = fuse(queries, lists, self.settings.fusion, self.settings.k)
            step.details = {"strategy": self.settings.fusion.strategy, "hits": len(hits)}
        return hits


def rewritten_of(prediction: dspy.Prediction) -> Rewritten:
    """The prediction without its hits, as a record."""
    return Rewritten(**{name: prediction[name] for name in Rewritten.model_fields})


def retrieved_of(prediction: dspy.Prediction) -> Retrieved:
    """The prediction as a record."""
    return Retrieved(**{name: prediction[name] for name in Retrieved.model_fields})


def _result(query: str, lead: str, queries: tuple[Query, ...], hits: list[FusedHit], trace: Trace) -> Retrieved:
    fallbacks = tuple(Fallback(stage=step.stage, reason=step.reason) for step in trace.fallbacks)
    return Retrieved(
        query=query,
        rewritten=lead,
        queries=queries,
        fallbacks=fallbacks,
        trace=tuple(trace.steps),
        hits=tuple(hits),
        degraded=any(fallback.stage in ("retrieve", "fuse") for fallback in fallbacks),
    )


def _guard_context(query: str, window: Window) -> guard.Context:
    last: Message | None = window.messages[-1] if window.messages else None
    asked = last is not None and last.role == "assistant" and guard.asks(last.content)
    history = "\n".join(message.content for message in window.messages)
    return guard.Context(query=query, history=history, assistant_asked=asked)
