"""Measuring one data set: every system rewrites its turns once, and every retriever searches what it asks."""

from collections.abc import Iterator, Sequence

import dspy

from data.errors import ConfigError
from data.records import Turn
from experiments.bench.quality_compare import compare
from experiments.bench.quality_open import Choices, Opened, Progress, open_for
from experiments.bench.quality_results import Results, Row
from experiments.bench.quality_search import outcomes
from experiments.bench.quality_sets import BenchSet, TurnChoice, is_complete
from experiments.bench.quality_systems import SYSTEMS, WITH_LM, make_system
from experiments.evaluate import Evaluated, evaluate
from experiments.systems import System, with_engine
from metrics.outcome import TurnOutcome
from metrics.summary import GroupSummary, summarise


def run_set(bench_set: BenchSet, lm: dspy.LM | None, choices: Choices, results: Results, progress: Progress) -> None:
    """Measure ``bench_set`` and add to ``results`` as each system is done, so that an interruption leaves what there is.

    Args:
        bench_set: Which set; its data must be there.
        lm: The model, or ``None`` to leave out what needs one.
        choices: What is wanted of it.
        results: Grows.
        progress: Told about each turn.

    Raises:
        DataError: The data cannot be read.
        StoreError: The index cannot be built or read.
    """
    opened = open_for(bench_set, lm, choices, results, progress)
    if opened is None:
        return
    done: dict[TurnChoice, dict[str, list[Evaluated]]] = {choice: {} for choice in opened.measured.turns}
    for choice, name, system in _plan(opened, choices, results):
        turns = opened.measured.turns[choice]
        done[choice][name] = _rewrite(opened, system, turns, f"{opened.name}: {name} ({choice} turns)", progress)
        results.rows += _rows(opened, choice, name, done[choice], seed=choices.seed, progress=progress)
    results.differences += compare(opened, done[opened.measured.lm_choice], choices.seed)


def _plan(opened: Opened, choices: Choices, results: Results) -> Iterator[tuple[TurnChoice, str, System]]:
    """What to run, in order: the quick systems on all choices of turns first, then those that ask the model."""
    for name in SYSTEMS:
        missing = (name in WITH_LM and opened.lm is None) or (name == "compiled" and opened.program is None)
        if missing or (name != "original" and name not in choices.systems):
            continue
        try:
            system = make_system(name, opened.program, opened.settings)
        except ConfigError as error:
            results.skipped.append(f"{opened.name}: {name}: {error}")
            continue
        for choice in [opened.measured.lm_choice] if name in WITH_LM else opened.measured.turns:
            yield choice, name, system


def _rewrite(opened: Opened, system: System, turns: Sequence[Turn], doing: str, progress: Progress) -> list[Evaluated]:
    """Rewrite every turn; an answer that was given before counts the time that it took then."""
    rows = []
    with dspy.context(lm=opened.lm, rm=opened.names):
        for one in evaluate(system, turns, progress=lambda done, of: progress(doing, done, of)):
            saved_ms = opened.log.take_saved_ms() if opened.log is not None else 0.0
            outcome = one.outcome.model_copy(update={"elapsed_ms": one.outcome.elapsed_ms + saved_ms})
            rows.append(one.model_copy(update={"outcome": outcome}))
    return rows


def _rows(
    opened: Opened,
    choice: TurnChoice,
    system: str,
    evaluated: dict[str, list[Evaluated]],
    *,
    seed: int,
    progress: Progress,
) -> list[Row]:
    texts = [query.text for one in evaluated[system] for query in one.retrieved.queries]
    opened.searcher.prepare(texts, lambda done, of: progress(f"{opened.name}: searching", done, of))
    rows = []
    for retriever in opened.retrievers:
        settings = with_engine(opened.settings, retriever)
        original = outcomes(evaluated["original"], opened.searcher, settings)
        found = outcomes(evaluated[system], opened.searcher, settings)
        rows.append(
            Row(
                data=opened.name,
                retriever=retriever,
                turns=choice,
                system=system,
                summary=summarise(found, original, seed=seed),
                complete=_complete(opened.measured.turns[choice], found, original, seed),
            )
        )
    return rows


def _complete(
    turns: Sequence[Turn], found: Sequence[TurnOutcome], original: Sequence[TurnOutcome], seed: int
) -> GroupSummary | None:
    ids = {turn.id for turn in turns if is_complete(turn)}
    if not ids:
        return None
    kept, before = ([one for one in rows if one.turn_id in ids] for rows in (found, original))
    part = summarise(kept, before, seed=seed)
    return GroupSummary(**{name: getattr(part, name) for name in GroupSummary.model_fields})
