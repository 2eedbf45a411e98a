"""The results of the quality benchmark: numbers and names, never a text of the data."""

from typing import Any

from pydantic import BaseModel

from data.records import Record
from experiments.bench.quality_sets import RetrieverName, TurnChoice
from metrics.interval import Interval
from metrics.summary import GroupSummary, Summary


class Row(Record):
    """One system on one choice of turns, searched with one retriever."""

    data: str
    retriever: RetrieverName
    turns: TurnChoice
    system: str
    summary: Summary
    """Gain and harm are against the original query on the same turns; times are of rewriting alone."""
    complete: GroupSummary | None
    """Turns with history that need no rewrite; ``None`` where the set has none."""

    def group(self, name: str) -> GroupSummary | None:
        """The group ``all``, ``first``, ``with_history`` or ``complete``; ``None`` where it is empty."""
        if name == "all":
            return self.summary
        return self.complete if name == "complete" else self.summary.by_history.get(name)


class Difference(Record):
    """Recall@5 of the compiled program less that of something else, turn by turn."""

    data: str
    retriever: RetrieverName
    than: str
    """Another system, or ``part: …`` for a part of the program's own result."""
    difference: Interval


class SetFacts(Record):
    """What was measured on."""

    data: str
    sha256: str
    passages: int
    retrievers: tuple[RetrieverName, ...]
    turns: dict[TurnChoice, int]
    reference: str
    """What the system ``reference`` is here."""
    program: str | None
    """Folder of the compiled program; ``None`` where it is missing."""
    program_sha256: dict[str, str]
    program_lm: str | None
    """The language model it was compiled with."""
    fusion: dict[str, Any]


class Conditions(Record):
    """Under which it was measured."""

    command: str
    lm: str
    seed: int
    versions: dict[str, str]
    machine: str


class Results(BaseModel):
    """All of it; grows while the benchmark runs."""

    conditions: Conditions
    sets: list[SetFacts] = []
    rows: list[Row] = []
    differences: list[Difference] = []
    skipped: list[str] = []
    """What was left out, and why."""

    def row(self, data: str, retriever: str, system: str, turns: TurnChoice) -> Row | None:
        """The row of these names, if it was measured."""
        names = (data, retriever, system, turns)
        return next((row for row in self.rows if (row.data, row.retriever, row.system, row.turns) == names), None)

    def difference(self, data: str, retriever: str, than: str) -> Difference | None:
        """The compiled program less ``than``, if it was measured."""
        names = (data, retriever, than)
        return next((one for one in self.differences if (one.data, one.retriever, one.than) == names), None)

    def lm_turns(self, data: str) -> TurnChoice:
        """Which turns the systems with a language model were measured on."""
        facts = next((one for one in self.sets if one.data == data), None)
        return "sample" if facts is not None and "sample" in facts.turns else "all"
