"""What comes in with a turn, for every stage to read."""

import time
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from program.deadline import Deadline
from program.retrieval.embedding import Embedder
from program.retrieval.retriever import Retriever
from program.rules.gazetteer import Gazetteer
from program.settings import Settings
from program.trace import Step

LONGEST_READ = 2000
"""Characters of a query that rewriters and routers read: no retriever reads more, and a prompt must fit."""


@dataclass(frozen=True)
class LiveTurn:
    """One turn: the user's words, the conversation, and what was handed in to work with."""

    query: str
    history: Any
    settings: Settings
    prompts: Any
    """The program: its predictors by the names of their signatures."""
    deadline: Deadline
    """When the turn must be answered."""
    lm_deadline: Deadline
    """When language models are given up, so that there is time to search."""
    retriever: Retriever | None = None
    tables: Any = None
    """``program.sql.tables.Tables``, or ``None``."""
    reranker: Any = None
    scene: str = ""
    today: date | None = None
    """The user's date, where the caller wants relative dates resolved."""
    started_s: float = field(default_factory=time.monotonic)

    @property
    def asked(self) -> str:
        """The query as far as rewriters read it."""
        return self.query[:LONGEST_READ]

    @property
    def gazetteer(self) -> Gazetteer:
        """The names that the corpus knows; none without a retriever."""
        return self.retriever.gazetteer if self.retriever is not None else Gazetteer()

    @property
    def embedder(self) -> Embedder | None:
        """The retriever's; one of the user's own need not have any."""
        return getattr(self.retriever, "embedder", None)

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since it came in."""
        return (time.monotonic() - self.started_s) * 1000

    def new_step(self, stage: str, deadline: Deadline) -> Step:
        """A step of the trace that starts now."""
        step = Step(stage=stage, started_ms=round(self.elapsed_ms, 3))
        step.give_time(deadline)
        return step
