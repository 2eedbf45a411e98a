"""The program: from a turn to queries and hits."""

import asyncio
import math
from datetime import date
from typing import Any

import dspy

from data.errors import ConfigError
from program.answer import Answerer
from program.deadline import Deadline, in_background
from program.pipeline import PIPELINE
from program.result import Fallback, Retrieved, Rewritten
from program.settings import Settings
from program.stage import run_stages
from program.stages.gate import decided
from program.stages.rules import lead_of
from program.trace import Trace
from program.turn import LiveTurn
from program.window import readable
from signatures.coreference import CoreferenceRewrite
from signatures.decomposition import Decomposition
from signatures.hypothetical import Hypothetical
from signatures.intent import Intent
from signatures.multi_query import MultiQuery
from signatures.plan import Plan
from signatures.rerank import Rerank
from signatures.route import Router
from signatures.step_back import StepBack
from signatures.summary import Summary
from signatures.text_to_sql import TextToSql

_SEARCHING = ("search_original", "search", "fuse")


class RewriteProgram(dspy.Module):
    """The stages of ``program.pipeline``, with the prompts that they use.

    Stateless: history is an argument. It holds prompts, demos and settings and nothing else. What it works with comes from
    ``dspy.context``: the language model (``lm``, and ``lms`` by signature), the retriever (``rm``), and where wanted the tables
    (``tables``), a reranker (``reranker``), a cache (``rewrite_cache``) and another budget (``budget_ms``). Works without any of them.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        super().__init__()
        self.settings = settings or Settings()
        self.coreference = dspy.Predict(CoreferenceRewrite)
        self.multi_query = dspy.Predict(MultiQuery)
        self.decomposition = dspy.Predict(Decomposition)
        self.step_back = dspy.Predict(StepBack)
        self.hypothetical = dspy.Predict(Hypothetical)
        self.plan = dspy.Predict(Plan)
        self.intent = dspy.Predict(Intent)
        self.router = dspy.Predict(Router)
        self.summary = dspy.Predict(Summary)
        self.text_to_sql = dspy.Predict(TextToSql)
        self.answerer = Answerer()
        self.rerank = dspy.Predict(Rerank)

    def forward(self, query: str, history: Any = None, scene: str = "", today: date | None = None) -> dspy.Prediction:
        """Rewrite ``query`` and search. A failing stage never fails the turn; the original query is always searched.

        Args:
            query: What the user typed; blank searches nothing.
            history: The messages before it, oldest first, in any form ``program.window`` accepts.
            scene: The assistant's role or domain in a line, for the rewriter alone; the settings' own without it.
            today: The user's date; without it "yesterday" stays "yesterday".

        Returns:
            The fields of ``Retrieved``, with ``hits`` empty where no retriever is set up.
        """
        return _run(self.live_turn(query, history, scene, today))

    async def aforward(
        self, query: str, history: Any = None, scene: str = "", today: date | None = None
    ) -> dspy.Prediction:
        """The same as ``forward``, without holding up the event loop: the turn runs in a thread of its own."""
        return await asyncio.wrap_future(in_background(_run, self.live_turn(query, history, scene, today)))

    def live_turn(self, query: str, history: Any = None, scene: str = "", today: date | None = None) -> LiveTurn:
        """A turn as the stages see it; its time begins now."""
        settings, given = self.settings, dspy.settings
        budget_ms = settings.time.budget_ms if given.get("budget_ms") is None else given.budget_ms
        if not budget_ms > 0:
            raise ConfigError(
                f"budget_ms is {budget_ms}", advice="give milliseconds, above 0, or math.inf for no limit"
            )
        # Without a limit of time every call counts: an experiment must not score turns without the model that it measures.
        rest_ms = settings.time.lm_rest_ms if math.isfinite(budget_ms) else 0.0
        return LiveTurn(
            query=readable(query),
            history=history,
            settings=settings,
            prompts=self,
            deadline=Deadline.after_ms(budget_ms, rest_ms),
            lm_deadline=Deadline.after_ms(budget_ms * (1 - settings.time.search_share), rest_ms),
            retriever=given.rm,
            tables=given.get("tables"),
            reranker=given.get("reranker"),
            scene=readable(scene or settings.rewrite.scene),
            today=today,
        )


def rewritten_of(prediction: dspy.Prediction) -> Rewritten:
    """The prediction without its hits, as a record."""
    return Rewritten(**{name: prediction[name] for name in Rewritten.model_fields})


def retrieved_of(prediction: dspy.Prediction) -> Retrieved:
    """The prediction as a record."""
    return Retrieved(**{name: prediction[name] for name in Retrieved.model_fields})


def _run(turn: LiveTurn) -> dspy.Prediction:
    values, trace = run_stages(PIPELINE, turn)
    return dspy.Prediction(**dict(_result(turn, values, trace)))


def _result(turn: LiveTurn, values: dict[str, Any], trace: Trace) -> Retrieved:
    fallbacks = tuple(Fallback(stage=step.stage, reason=step.reason) for step in trace.fallbacks)
    intent = decided(values["gate"], values["intent"])
    searched = intent == "retrieval"
    ordered = values["rerank"] if values["rerank"] is not None else values["fuse"]
    return Retrieved(
        query=turn.query,
        rewritten=lead_of(turn, values["rules"], values["guard"].rewrite) if searched else turn.query,
        intent=intent,
        queries=tuple(values["queries"]),
        fallbacks=fallbacks,
        trace=tuple(trace.steps),
        hits=tuple(ordered[: turn.settings.k]) if searched else (),
        degraded=any(fallback.stage in _SEARCHING for fallback in fallbacks),
    )
