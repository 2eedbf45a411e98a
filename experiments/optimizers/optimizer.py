"""What every optimizer is: a source of candidate programs, scored by whoever asks for them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import dspy

from data.records import Turn
from program.retrieval.retriever import Retriever
from program.rewrite_program import RewriteProgram


@dataclass(frozen=True)
class Task:
    """What an optimizer works on. Nothing in it is changed."""

    student: RewriteProgram
    """Where to begin; also the teacher that makes demos."""
    trainset: Sequence[Turn]
    original_recall: dict[str, float]
    """Recall@5 of the original query, by turn id."""
    retriever: Retriever
    seed: int
    charge: Callable[[int, int], None]
    """Told the model calls and tokens of each training turn that is run; raises ``BudgetError`` when there are no more."""
    reflection_lms: Mapping[str, dspy.LM] = field(default_factory=dict)
    """The models that write instructions, by the name that the experiment gives them."""
    best: Callable[[], RewriteProgram | None] = lambda: None
    """The best candidate scored so far; ``None`` where nobody scores."""


@dataclass(frozen=True)
class Candidate:
    """A program to score."""

    name: str
    program: RewriteProgram


class Optimizer(Protocol):
    """Yields candidates lazily: whoever scores them may stop at any time. The same task gives the same candidates."""

    def candidates(self, task: Task) -> Iterator[Candidate]:
        """Yield new programs, never the student itself.

        Raises:
            ConfigError: The task gives it nothing to work with (no gold rewrites, too few turns, no model to reflect with).
            LanguageModelError: A search of DSPy's could not run. It ends here: no other optimizer takes its place.
        """
