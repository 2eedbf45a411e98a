"""Answering the user's own question from the hits: for ``chat``, for multi-hop, for evaluation. No part of retrieval."""

from collections.abc import Sequence
from typing import Any

import dspy

from program.ask import ask
from program.reading.answer_reader import ReadAnswer, read_answer
from program.reading.numbered import numbered
from program.result import FusedHit
from program.trace import Step, watched
from program.window import make_window, readable
from signatures.answer import Answer

_QUERY_CHARACTERS = 2000


class AnswerResult(ReadAnswer):
    """An answer, and what it took.

    ``in_passages`` is False as well where no answer was made; ``step`` says so (``skipped``: nothing to ask or to read; ``fallback``: the
    model failed), for failed is not the same as not found.
    """

    step: Step


class Answerer(dspy.Module):
    """Answer the original query (not the rewrite) from the hits and the conversation, with citations.

    Stateless; the language model comes from ``dspy.context(lm=...)``, or ``lms={"answer": ...}`` for it alone.
    """

    def __init__(self) -> None:
        super().__init__()
        self.answer = dspy.Predict(Answer)

    def forward(
        self,
        query: str,
        hits: Sequence[FusedHit],
        history: Any = None,
        *,
        passage_characters: int = 400,
        step: Step | None = None,
    ) -> dspy.Prediction:
        """Answer ``query``. A failing model raises nothing.

        Args:
            query: What the user typed. A blank one asks no model.
            hits: The passages, best first; without any no model is asked.
            history: The messages before it, oldest first, in any form ``program.window`` accepts; the last three exchanges are shown.
            passage_characters: What the model sees of each passage, in Chinese characters; English gets an equal budget of tokens.
            step: Where the call is counted, with its deadline; by default a step of its own.

        Returns:
            The fields of ``AnswerResult``.
        """
        step = step or Step(stage="answer")
        read = ReadAnswer(text="", cited=(), in_passages=False)
        with watched(step):
            completion = self._ask(readable(query), hits, history, passage_characters, step)
            if completion is not None:
                read = read_answer(completion, [hit.id for hit in hits], query=query)
                step.details |= {"cited": len(read.cited), "in_passages": read.in_passages}
                if not read.text:
                    step.fall_back("empty answer")
        return dspy.Prediction(**dict(read), step=step)

    def _ask(
        self, query: str, hits: Sequence[FusedHit], history: Any, passage_characters: int, step: Step
    ) -> str | None:
        if not query.strip():
            step.skip("blank query")
            return None
        if not hits:
            step.skip("no passages")
            return None
        return ask(
            self.answer,
            "answer",
            step,
            history=make_window(history).text,
            passages=numbered(hits, characters=passage_characters),
            # On one line: a line of the user's own must not pass for a field of the prompt.
            query=" ".join(query[:_QUERY_CHARACTERS].split()),
        )


def answer_of(prediction: dspy.Prediction) -> AnswerResult:
    """The prediction as a record."""
    return AnswerResult(**{name: prediction[name] for name in AnswerResult.model_fields})
