"""Which turns can be scored: labelled, and with every label in the corpus."""

from collections.abc import Iterable

from data.records import Passage, Record, Turn


class MissingLabels(Record):
    """A turn and those of its relevant ids that the corpus does not hold, in label order."""

    turn_id: str
    passage_ids: tuple[str, ...]


class LabelReport(Record):
    """Every turn stands in exactly one of the three.

    Only ``scorable`` turns are evaluated: the others are reported, never scored as 0.
    """

    scorable: tuple[Turn, ...]
    unlabelled: tuple[str, ...]
    missing: tuple[MissingLabels, ...]

    @property
    def missing_ids(self) -> tuple[str, ...]:
        """All passage ids that labels name and the corpus lacks, sorted, each once."""
        return tuple(sorted({passage_id for turn in self.missing for passage_id in turn.passage_ids}))

    def __str__(self) -> str:
        """One line per kind of turn that is left out, after a line with the count of those kept."""
        total = len(self.scorable) + len(self.unlabelled) + len(self.missing)
        lines = [f"{len(self.scorable)} of {total} turns can be scored"]
        if self.unlabelled:
            lines.append(f"{len(self.unlabelled)} without relevant_ids")
        if self.missing:
            lines.append(f"{len(self.missing)} with passages the corpus lacks: {', '.join(self.missing_ids)}")
        return "\n".join(lines)


def check_labels(passages: Iterable[Passage], turns: Iterable[Turn]) -> LabelReport:
    """Sort turns by whether they can be scored against this corpus.

    One missing passage is enough to leave a turn out: its recall could never reach 1.
    """
    known = {passage.id for passage in passages}
    scorable: list[Turn] = []
    unlabelled: list[str] = []
    missing: list[MissingLabels] = []
    for turn in turns:
        absent = tuple(passage_id for passage_id in turn.relevant_ids if passage_id not in known)
        if not turn.relevant_ids:
            unlabelled.append(turn.id)
        elif absent:
            missing.append(MissingLabels(turn_id=turn.id, passage_ids=absent))
        else:
            scorable.append(turn)
    return LabelReport(scorable=tuple(scorable), unlabelled=tuple(unlabelled), missing=tuple(missing))
