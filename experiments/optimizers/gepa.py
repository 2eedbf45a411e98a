"""GEPA: a second model reads what went wrong, in words, and writes a better instruction (Agrawal et al. 2025, arXiv:2507.19457).

DSPy's own ``GEPA``, on the coreference prompt, scored by recall@5 of the whole program. Demos stay as they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dspy
from dspy.teleprompt import GEPA
from dspy.teleprompt.gepa import InstructionProposer

from data.errors import ConfigError
from experiments.demos import program_example
from experiments.optimizers.dspy_search import GaveUp, dspy_search, reflection_lm
from experiments.optimizers.held_out import divide
from experiments.optimizers.one_prompt import OnePrompt
from experiments.optimizers.optimizer import Candidate, Task
from experiments.optimizers.turn_feedback import feedback_on
from metrics.ranking import recall_at_k
from program.rewrite_program import retrieved_of

_ADVICE = "name a strong one under optimizer.reflection_lm, such as openai/gpt-4o"
_MANNERS = (
    "At most 120 words: the instruction is read at every turn, by a small model. It must hold for Chinese and English questions on any topic: "
    "take no name, product or number from the examples into it. It asks for one search query and nothing else, never for an answer."
)
_FAILURES = 3
"""Failures in a row after which the reflection model is taken to be no use: GEPA would spend its whole budget without one new word."""


@dataclass(frozen=True)
class Gepa:
    """The student, then the best instruction found within ``metric_calls`` turns."""

    reflection_lm: str | None
    metric_calls: int
    check_turns: int

    def candidates(self, task: Task) -> Iterator[Candidate]:
        """See ``Optimizer``."""
        if self.reflection_lm is None:
            raise ConfigError("gepa needs a reflection model", advice=_ADVICE)
        writer = reflection_lm(self.reflection_lm, "gepa", task)
        learn, check = divide(task, "gepa", self.check_turns)
        if self.metric_calls <= len(check):
            raise ConfigError(
                f"gepa runs {len(check)} turns to score the prompt it begins with, and has {self.metric_calls} metric_calls in all",
                advice="allow several times as many",
            )
        yield Candidate("start", task.student.deepcopy())
        before = task.student.coreference.signature.instructions
        turns = {turn.id: turn for turn in (*learn, *check)}
        with dspy_search("gepa", task) as charge:

            def metric(
                example: dspy.Example,
                prediction: dspy.Prediction,
                trace: Any = None,
                pred_name: str | None = None,
                pred_trace: Any = None,
            ) -> float | dspy.Prediction:
                del trace, pred_trace
                charge()
                retrieved = retrieved_of(prediction)
                recall = recall_at_k(example.relevant_ids, [hit.id for hit in retrieved.hits])
                if pred_name is None:
                    return recall
                return dspy.Prediction(
                    score=recall, feedback=feedback_on(turns[example.turn_id], retrieved, task.retriever)
                )

            search = GEPA(
                metric=metric,
                max_metric_calls=self.metric_calls,
                reflection_lm=writer,
                instruction_proposer=_Proposer(additional_instructions=_MANNERS),
                use_merge=False,  # of two prompts; there is one
                num_threads=1,
                seed=task.seed,
            )
            best: OnePrompt = search.compile(
                OnePrompt(task.student),
                trainset=[program_example(turn) for turn in learn],
                valset=[program_example(turn) for turn in check],
            )
        if best.coreference.signature.instructions != before:
            yield Candidate("gepa", best.whole())


class _Proposer(InstructionProposer):
    """DSPy's own, which ends the search where the reflection model fails again and again; GEPA takes that for "nothing better found"."""

    failures = 0

    def __call__(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        try:
            proposed: dict[str, str] = super().__call__(candidate, reflective_dataset, components_to_update)
        except Exception as error:
            self.failures += 1
            if self.failures >= _FAILURES:
                raise GaveUp(error) from error
            raise
        self.failures = 0
        return proposed
