"""Every guard on every good and bad rewrite of a set."""

import random
from collections.abc import Callable, Mapping, Sequence

from data.records import Language, Turn
from data.split import sample_turns, split_by_conversation
from experiments.bench.guards_corrupt import CORRUPTIONS, Pool
from experiments.bench.guards_results import Row, SetResult
from experiments.bench.guards_sets import GuardSet
from experiments.calibrate import FEWEST_TURNS, calibrate
from metrics.interval import bootstrap_interval
from program.guard import Context, asks, refuse, refuse_drift, turn_texts
from program.guard.answer import refuse_answer
from program.guard.dates import refuse_dates
from program.guard.drift import drifts
from program.guard.entities import refuse_entities
from program.guard.language import refuse_language
from program.guard.length import refuse_length
from program.guard.negation import refuse_negation
from program.guard.numbers import refuse_numbers
from program.guard.old_topic import refuse_old_topic
from program.retrieval.embedding import Embedder
from program.rules.gazetteer import Gazetteer
from program.settings import GuardSettings

Case = tuple[Turn, str]
"""A turn and a rewrite of it."""
Judge = Callable[[Turn, str, Context], str | None]

_SETTINGS = GuardSettings()
JUDGES: dict[str, Judge] = {
    "length": lambda _, rewrite, context: refuse_length(rewrite, context, _SETTINGS),
    "language": lambda _, rewrite, context: refuse_language(rewrite, context),
    "answer": lambda _, rewrite, context: refuse_answer(rewrite, context),
    "numbers": lambda _, rewrite, context: refuse_numbers(rewrite, context),
    "dates": lambda _, rewrite, context: refuse_dates(rewrite, context),
    "negation": lambda _, rewrite, context: refuse_negation(rewrite, context),
    "entities": lambda _, rewrite, context: refuse_entities(rewrite, context),
    "old topic": lambda _, rewrite, context: refuse_old_topic(rewrite, context),
    "all by words": lambda _, rewrite, context: refuse(rewrite, context, _SETTINGS),
}
# Embedding takes its time: the kinds that similarity could tell.
_DRIFT_KINDS = ("other turn", "last question", "answer", "entity swapped")


def measure_set(
    one: GuardSet,
    translations: Mapping[Language, Sequence[str]],
    embedder: Embedder | None,
    *,
    seed: int,
    drift_turns: int,
) -> SetResult:
    """Measure all guards on ``one``; the drift guard where there are turns enough to calibrate it."""
    gazetteer = Gazetteer.from_passages(one.passages)
    passages = {passage.id: passage for passage in one.passages}
    pool = Pool(turns=one.turns, translations=translations, passages=passages, gazetteer=gazetteer)
    chosen = random.Random(seed)
    bad: dict[str, list[Case]] = {
        kind: [(turn, text) for turn in one.turns if (text := corrupt(turn, pool, chosen))]
        for kind, corrupt in CORRUPTIONS.items()
    }
    good = [(turn, str(turn.gold_rewrite)) for turn in one.turns]
    rows = [_row(name, judge, good, bad, gazetteer, seed=seed) for name, judge in JUDGES.items()]
    result = SetResult(
        name=one.name,
        turns=len(good),
        cases={kind: len(cases) for kind, cases in bad.items()},
        drift_threshold=None,
        drift_cases={},
        rows=tuple(rows),
    )
    train = {turn.id for turn in split_by_conversation(one.turns, seed=seed).train}
    if embedder is None or len(train) < FEWEST_TURNS:
        return result
    labelled = [turn for turn in one.turns if turn.id in train]
    threshold = calibrate(labelled, embedder, gazetteer, seed=seed, most=drift_turns).threshold
    drawn = {turn.id for turn in sample_turns([turn for turn in one.turns if turn.id not in train], drift_turns, seed)}
    few_good = [case for case in good if case[0].id in drawn]
    few_bad = {kind: [case for case in bad[kind] if case[0].id in drawn] for kind in _DRIFT_KINDS}
    drift = _drift(threshold, [*few_good, *(case for cases in few_bad.values() for case in cases)], gazetteer, embedder)

    def everything(turn: Turn, rewrite: str, context: Context) -> str | None:
        return refuse(rewrite, context, _SETTINGS) or drift(turn, rewrite, context)

    rows += [
        _row(name, judge, few_good, few_bad, gazetteer, seed=seed)
        for name, judge in {"drift": drift, "all with drift": everything}.items()
    ]
    counts = {"good": len(few_good)} | {kind: len(cases) for kind, cases in few_bad.items()}
    return result.model_copy(update={"drift_threshold": threshold, "drift_cases": counts, "rows": tuple(rows)})


def context_of(turn: Turn, gazetteer: Gazetteer) -> Context:
    """What a rewrite of ``turn`` is checked against: the whole history, as in the program."""
    last = turn.history[-1] if turn.history else None
    return Context(
        query=turn.query,
        history="\n".join(message.content for message in turn.history),
        assistant_asked=last is not None and last.role == "assistant" and asks(last.content),
        gazetteer=gazetteer,
    )


def _row(
    name: str, judge: Judge, good: Sequence[Case], bad: Mapping[str, Sequence[Case]], gazetteer: Gazetteer, *, seed: int
) -> Row:
    def kept(case: Case) -> bool:
        turn, rewrite = case
        return judge(turn, rewrite, context_of(turn, gazetteer)) is None

    return Row(
        guard=name,
        good_kept=bootstrap_interval(
            [float(kept(case)) for case in good], [turn.conversation_id for turn, _ in good], seed=seed
        ),
        refused={kind: sum(not kept(case) for case in cases) / len(cases) for kind, cases in bad.items() if cases},
    )


def _drift(threshold: float, cases: Sequence[Case], gazetteer: Gazetteer, embedder: Embedder) -> Judge:
    """The drift guard over ``cases``, embedded at once."""
    texts = [turn_texts(turn.query, turn.history, gazetteer) for turn, _ in cases]
    found = drifts(texts, [rewrite for _, rewrite in cases], embedder)
    similarity = {(turn.id, rewrite): float(one) for (turn, rewrite), one in zip(cases, found, strict=True)}

    def judge(turn: Turn, rewrite: str, context: Context) -> str | None:
        return refuse_drift(similarity[turn.id, rewrite], threshold, rewrite, context)

    return judge
