"""Demos by what their rewrites gain in retrieval: the original query missed, the rewrite finds.

Needs no model call: gold rewrites, or the rules' where a turn has none, are searched once. Among turns of equal gain those are taken that
differ from the ones before (language, conversation, phenomena) and are short: each token of a demo is read at every turn.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import dspy

from data.errors import ConfigError
from data.records import Language, Turn
from experiments.demos import demo, read_turn, with_demos
from experiments.optimizers.optimizer import Candidate, Task
from metrics.ranking import recall_at_k
from program.fusion.fuse import fuse
from program.result import Query


@dataclass(frozen=True)
class GainDemos:
    """One candidate for each share of demos whose question stays as it is; dev decides which share is best."""

    max_demos: int
    unchanged_shares: tuple[float, ...]

    def candidates(self, task: Task) -> Iterator[Candidate]:
        """See ``Optimizer``."""
        gained = gains(task)
        if self.max_demos and not any(one.gain > 0 for one in gained):
            raise ConfigError(
                "on no training turn does a rewrite find what the original query missed",
                advice="label turns with gold_rewrite, or use the optimizer bootstrap_few_shot",
            )
        seen: list[list[dspy.Example]] = []
        for share in self.unchanged_shares:
            chosen = varied([one for one in gained if one.unchanged or one.gain > 0], self.max_demos, share)
            demos = [one.demo for one in chosen]
            if demos not in seen:
                seen.append(demos)
                yield Candidate(f"gain-{share:g}", with_demos(task.student, demos))


@dataclass(frozen=True)
class Gain:
    """A training turn as a demo, and what its rewrite brings."""

    turn: Turn
    demo: dspy.Example
    gain: float
    """Recall@5 of the rewrite alone less that of the original query, -1 to 1."""
    recall: float
    """Recall@5 of the rewrite alone, 0 to 1."""

    @property
    def unchanged(self) -> bool:
        """Whether the turn shows a question that stays as it is."""
        return bool(self.demo.rewrite == self.turn.query)

    @property
    def length(self) -> int:
        """Characters of the demo; only compared within a language."""
        return sum(len(str(value)) for value in self.demo.values())


def gains(task: Task) -> list[Gain]:
    """Search the rewrite of every training turn with history that has one: gold, else the rules' first.

    A rewrite that finds less than the original is left out, and so is an unchanged question that does not find everything: neither is
    an example of anything.
    """
    rewrites = {turn.id: rewrite for turn in task.trainset if turn.history and (rewrite := _rewrite(turn, task))}
    turns = [turn for turn in task.trainset if turn.id in rewrites]
    settings = task.student.settings
    found = task.retriever.search([rewrites[turn.id] for turn in turns], settings.fusion.depth)
    kept = []
    for turn, lists in zip(turns, found, strict=True):
        rewrite = rewrites[turn.id]
        hits = fuse([Query(text=rewrite, kind="rewrite", weight=1.0)], [lists], settings.fusion, settings.k)
        recall, original = recall_at_k(turn.relevant_ids, [hit.id for hit in hits]), task.original_recall[turn.id]
        if recall >= (1 if rewrite == turn.query else max(original, 1e-9)):
            kept.append(Gain(turn, demo(turn, rewrite, task.student, task.retriever), recall - original, recall))
    return kept


def varied(gained: Sequence[Gain], most: int, unchanged_share: float) -> list[Gain]:
    """Return at most ``most`` of ``gained``, spread over languages, conversations and phenomena. No chance is in it.

    Args:
        gained: In any order.
        most: 0 or more.
        unchanged_share: Share of places for questions that stay as they are, 0 to 1; the others take what those leave, not the reverse.
    """
    unchanged = [one for one in gained if one.unchanged]
    changed = [one for one in gained if not one.unchanged]
    shares = Counter(one.turn.language for one in gained)
    usual = {name: fmean(one.length for one in gained if one.turn.language == name) for name in shares}
    chosen: list[Gain] = []
    left_alone = 0
    while len(chosen) < most:
        due = bool(unchanged) and (len(chosen) + 1) * unchanged_share >= left_alone + 1
        pool = unchanged if due else changed
        if not pool:
            break
        best = min(pool, key=lambda one: _rank(one, chosen, shares, usual))
        pool.remove(best)
        chosen.append(best)
        left_alone += due
    return chosen


def _rank(
    one: Gain, chosen: Sequence[Gain], shares: Mapping[Language, int], usual: Mapping[Language, float]
) -> tuple[float | str, ...]:
    """The lowest is taken next. A phenomenon not yet shown is worth a demo that is longer by as much as demos usually are."""
    language = one.turn.language
    seen = Counter(name for other in chosen for name in other.turn.phenomena)
    phenomena = one.turn.phenomena
    return (
        sum(other.turn.language == language for other in chosen) / shares[language],
        sum(other.turn.conversation_id == one.turn.conversation_id for other in chosen),
        -one.gain,
        sum(seen[name] for name in phenomena) / max(1, len(phenomena)) + one.length / (usual[language] or 1),
        one.turn.id,
    )


def _rewrite(turn: Turn, task: Task) -> str | None:
    if turn.gold_rewrite:
        return turn.gold_rewrite
    *_, resolution = read_turn(turn, task.student, task.retriever)
    return next(iter(resolution.rewrites), None)
