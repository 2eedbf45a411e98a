"""What comes in with a turn, for every stage to read."""

import time
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from program.deadline import Deadline
from program.retrieval.retriever import Retriever
from program.settings import Settings
from program.trace import Step


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
        """The query as far as rewriters read it: no retriever reads more, and a prompt must fit."""
        return self.query[:2000]

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since it came in."""
        return (time.monotonic() - self.started_s) * 1000

    def new_step(self, stage: str, deadline: Deadline) -> Step:
        """A step of the trace that starts now."""
        step = Step(stage=stage, started_ms=round(self.elapsed_ms, 3))
        step.give_time(deadline)
        return step
