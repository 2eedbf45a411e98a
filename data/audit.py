"""What a data set holds, and what in it would make scores lie: leaks between splits, duplicates, labels that nothing matches."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from data.check import LabelReport, check_labels
from data.load import CORPUS_FILE, TURNS_FILE, DataSet, load_data_dir, load_turns
from data.near_duplicates import groups_of_same, normalised
from data.records import Record, Turn
from data.split import split_by_conversation

# How much of a history stands with a question when asking whether two turns are the same.
_LAST_MESSAGES = 4
_FROM_TURN = 8


class Leak(Record):
    """Turns of different splits that belong together: a model taught on some has seen the others."""

    kind: str
    """``conversation``: one conversation states several splits; ``turn``: question and history (nearly) the same;
    ``question``: the same question with the same relevant passages, after other histories."""
    splits: tuple[str, ...]
    turn_ids: tuple[str, ...]


class Audit(Record):
    """Counts, and ids where something is amiss. Nothing here makes a data set unusable: what does is refused when it is read."""

    passages: int
    turns: int
    conversations: int
    labelled: int
    """Turns that can be scored: with labels, and every one of them in the corpus."""
    unlabelled: tuple[str, ...]
    missing: dict[str, tuple[str, ...]]
    """Turns with labels that the corpus lacks, and which."""
    with_gold_rewrite: int
    unused_passages: int
    """Passages that no turn calls relevant."""
    languages: dict[str, int]
    phenomena: dict[str, int]
    """Turns by phenomenon; one may have several, or none."""
    turn_numbers: dict[str, int]
    """Turns by number: 1 to 7 and 8+."""
    splits: dict[str, int]
    """Turns in the splits that ``compile`` and ``evaluate`` would draw."""
    duplicate_passages: tuple[tuple[str, ...], ...]
    """Groups of passages that say the same; a label on one of them misses the others."""
    duplicate_turns: tuple[tuple[str, ...], ...]
    """Groups of turns with (nearly) the same question and history."""
    leaks: tuple[Leak, ...]

    @property
    def findings(self) -> dict[str, int]:
        """How many of each thing that should be looked at; empty for a data set without blemish."""
        counts = {
            "leaks between splits": len(self.leaks),
            "groups of duplicate passages": len(self.duplicate_passages),
            "groups of duplicate turns": len(self.duplicate_turns),
            "turns with labels that the corpus lacks": len(self.missing),
            "turns without labels": len(self.unlabelled),
        }
        return {name: count for name, count in counts.items() if count}


def load_for_audit(folder: str | Path) -> DataSet:
    """Read a data folder as ``load_data_dir`` does, or one that has turns and no ``corpus.jsonl`` (all its labels are missing then).

    Raises:
        DataError: A file is missing or has bad lines.
    """
    folder = Path(folder)
    turns = folder / TURNS_FILE
    if (folder / CORPUS_FILE).exists() or not turns.exists():
        return load_data_dir(folder)
    return DataSet(
        name=folder.resolve().name,
        passages=(),
        turns=tuple(load_turns(turns)),
        content_sha256=hashlib.sha256(turns.read_bytes()).hexdigest(),
    )


def audit(data: DataSet, *, seed: int = 7, dev_share: float = 0.25, test_share: float = 0.25) -> Audit:
    """Look a data set over.

    Args:
        data: As it was loaded.
        seed: Of the split, as for ``split_by_conversation``.
        dev_share: Share of conversations for dev.
        test_share: Share of conversations for test.

    Raises:
        ConfigError: Shares that leave nothing for train.
    """
    labels = check_labels(data.passages, data.turns)
    stated = _stated(data.turns)
    torn = {name for name, splits in stated.items() if len(splits) > 1}
    # A conversation in two splits cannot be divided with the rest; it is a finding of its own.
    drawn = split_by_conversation(
        (turn for turn in data.turns if turn.conversation_id not in torn),
        seed=seed,
        dev_share=dev_share,
        test_share=test_share,
    )
    split_of = {turn.id: name for name, turns in drawn._asdict().items() for turn in turns}
    turn_groups = [[data.turns[index] for index in group] for group in _same_turns(data.turns)]
    passages = groups_of_same(
        [passage.indexed_text for passage in data.passages],
        about=[normalised(passage.title or "") for passage in data.passages],
    )
    wanted = {passage_id for turn in data.turns for passage_id in turn.relevant_ids}
    return Audit(
        passages=len(data.passages),
        turns=len(data.turns),
        conversations=len({turn.conversation_id for turn in data.turns}),
        labelled=len(labels.scorable),
        unlabelled=labels.unlabelled,
        missing=_missing(labels),
        with_gold_rewrite=sum(turn.gold_rewrite is not None for turn in data.turns),
        unused_passages=sum(passage.id not in wanted for passage in data.passages),
        languages=_counted(turn.language for turn in data.turns),
        phenomena=_counted(name for turn in data.turns for name in dict.fromkeys(turn.phenomena)),
        turn_numbers=_turn_numbers(data.turns),
        splits={name: len(turns) for name, turns in drawn._asdict().items()},
        duplicate_passages=tuple(tuple(data.passages[index].id for index in group) for group in passages),
        duplicate_turns=tuple(tuple(turn.id for turn in group) for group in turn_groups),
        leaks=(
            *_torn_conversations(data.turns, stated, torn),
            *_leaks("turn", turn_groups, split_of),
            *_leaks("question", _same_questions(data.turns, turn_groups), split_of),
        ),
    )


def _stated(turns: Iterable[Turn]) -> dict[str, list[str]]:
    splits: dict[str, set[str]] = defaultdict(set)
    for turn in turns:
        if turn.metadata.get("split") is not None:
            splits[turn.conversation_id].add(str(turn.metadata["split"]))
    return {name: sorted(found) for name, found in splits.items()}


def _torn_conversations(turns: Iterable[Turn], stated: Mapping[str, Sequence[str]], torn: set[str]) -> list[Leak]:
    ids: dict[str, list[str]] = defaultdict(list)
    for turn in turns:
        if turn.conversation_id in torn:
            ids[turn.conversation_id].append(turn.id)
    return [Leak(kind="conversation", splits=tuple(stated[name]), turn_ids=tuple(found)) for name, found in ids.items()]


def _same_turns(turns: Sequence[Turn]) -> list[list[int]]:
    """Group turns by question and what was said before: neighbours of one conversation share the second, not the first."""
    question: dict[int, int] = {}
    for number, group in enumerate(groups_of_same([turn.query for turn in turns])):
        question.update(dict.fromkeys(group, number))
    return groups_of_same(
        [_context(turn) for turn in turns], about=[question.get(index, -1 - index) for index in range(len(turns))]
    )


def _context(turn: Turn) -> str:
    """Return what a rewriter sees: the last messages and the question. Who spoke is left out."""
    return "\n".join([*(message.content for message in turn.history[-_LAST_MESSAGES:]), turn.query])


def _same_questions(turns: Iterable[Turn], known: Iterable[Sequence[Turn]]) -> list[list[Turn]]:
    """Group turns by question (its rewrite where there is one) and labels, less the groups that are ``known`` as a whole."""
    seen = [{turn.id for turn in group} for group in known]
    groups: dict[tuple[str, tuple[str, ...]], list[Turn]] = defaultdict(list)
    for turn in turns:
        if turn.relevant_ids:
            question = normalised(turn.gold_rewrite or turn.query)
            groups[question, tuple(sorted(turn.relevant_ids))].append(turn)
    return [
        group
        for group in groups.values()
        if len(group) > 1 and not any({turn.id for turn in group} <= ids for ids in seen)
    ]


def _leaks(kind: str, groups: Iterable[Sequence[Turn]], split_of: Mapping[str, str]) -> list[Leak]:
    leaks = []
    for group in groups:
        splits = sorted({split_of[turn.id] for turn in group if turn.id in split_of})
        if len(splits) > 1:
            leaks.append(Leak(kind=kind, splits=tuple(splits), turn_ids=tuple(turn.id for turn in group)))
    return leaks


def _missing(labels: LabelReport) -> dict[str, tuple[str, ...]]:
    return {row.turn_id: row.passage_ids for row in labels.missing}


def _counted(names: Iterable[str]) -> dict[str, int]:
    """Count names, the most frequent first."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _turn_numbers(turns: Iterable[Turn]) -> dict[str, int]:
    counts = Counter(min(turn.turn, _FROM_TURN) for turn in turns)
    return {f"{number}+" if number == _FROM_TURN else str(number): counts[number] for number in sorted(counts)}
