"""MIPROv2: new instructions by a language model, with demo sets, searched together by TPE (Opsahl-Ong et al. 2024, arXiv:2406.11695).

DSPy's own ``MIPROv2``, on the coreference prompt, scored by recall@5 of the whole program.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import dspy
from dspy.teleprompt import MIPROv2

from experiments.demos import program_example
from experiments.optimizers.bootstrap_few_shot import strict_pass
from experiments.optimizers.dspy_search import dspy_search, for_writing, reflection_lm
from experiments.optimizers.held_out import divide
from experiments.optimizers.one_prompt import OnePrompt
from experiments.optimizers.optimizer import Candidate, Task
from metrics.ranking import recall_at_k
from program.rewrite_program import retrieved_of

_DATA_SUMMARY_BATCH = 5
"""Training turns described in one call: ten of them are more than a small model's window holds."""


@dataclass(frozen=True)
class Mipro:
    """The student, then the best of ``trials``; with ``max_demos`` 0 only the instruction changes and the student's demos stay."""

    max_demos: int
    candidate_count: int
    """Instructions, and demo sets, to choose from."""
    trials: int
    check_turns: int
    reflection_lm: str | None
    """Writes the instructions; the program's own model without it."""

    def candidates(self, task: Task) -> Iterator[Candidate]:
        """See ``Optimizer``."""
        learn, check = divide(task, "mipro", self.check_turns)
        task_lm = dspy.settings.lm or dspy.settings.lms["coreference"]
        writer = reflection_lm(self.reflection_lm, "mipro", task) if self.reflection_lm else for_writing(task_lm)
        yield Candidate("start", task.student.deepcopy())
        with dspy_search("mipro", task) as charge:

            def metric(example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> float:
                charge()
                if trace is not None:  # while demos are made: a part of the passages is no success
                    return float(strict_pass(example, prediction))
                return recall_at_k(example.relevant_ids, [hit.id for hit in retrieved_of(prediction).hits])

            search = MIPROv2(
                metric=metric,
                metric_threshold=1.0,
                prompt_model=writer,
                task_model=task_lm,
                auto=None,
                num_candidates=self.candidate_count,
                max_bootstrapped_demos=self.max_demos,
                max_labeled_demos=0,  # DSPy would show turns in the program's fields, not the prompt's
                num_threads=1,
                max_errors=1,
                track_stats=False,
                seed=task.seed or 1,  # 0 counts there as none
            )
            best: OnePrompt = search.compile(
                OnePrompt(task.student),
                trainset=[program_example(turn) for turn in learn],
                valset=[program_example(turn) for turn in check],
                num_trials=self.trials,
                minibatch=False,  # as many turns as the search may check on are few enough to check on all
                view_data_batch_size=_DATA_SUMMARY_BATCH,
                # It would send our source code to the model, which says nothing of the prompt.
                program_aware_proposer=False,
            )
        yield Candidate("mipro", best.whole())
