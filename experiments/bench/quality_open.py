"""Bringing one data set of the quality benchmark to the point where systems can be measured on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import dspy

from data.errors import ProgramError
from experiments.bench.answers import AnswerLog, folder_for_answers, recorded
from experiments.bench.quality_results import Results, SetFacts
from experiments.bench.quality_search import Searcher
from experiments.bench.quality_sets import BenchSet, Measured, RetrieverName, open_set
from experiments.bench.quality_systems import SYSTEMS, load_program
from experiments.corpus import open_store
from program.artefact import Manifest
from program.retrieval.retriever import NamesOnly
from program.rewrite_program import RewriteProgram
from program.settings import Settings

Progress = Callable[[str, int, int], None]
"""Receives what is going on, and how many of how many are done."""


@dataclass(frozen=True)
class Choices:
    """What the caller asked for.

    Attributes:
        systems: Names of ``SYSTEMS``; the original is always measured, since the others are compared with it.
        retrievers: Those wanted, or ``None`` for all of each set.
        sample: Turns drawn for systems with a language model, instead of the set's own number.
        seed: Of the sample and of the intervals.
        stores: Folder of the indexes, one folder a set; missing ones are built.
        output: Folder of the results.
    """

    systems: Sequence[str] = SYSTEMS
    retrievers: Sequence[str] | None = None
    sample: int | None = None
    seed: int = 7
    stores: Path = Path("stores")
    output: Path = Path("experiments/results")


@dataclass(frozen=True)
class Opened:
    """A set, ready to be measured; ``program``, ``lm`` and ``log`` are ``None`` where they are missing."""

    name: str
    measured: Measured
    retrievers: list[RetrieverName]
    searcher: Searcher
    names: NamesOnly
    settings: Settings
    program: RewriteProgram | None
    lm: dspy.LM | None
    log: AnswerLog | None


def open_for(
    bench_set: BenchSet, lm: dspy.LM | None, choices: Choices, results: Results, progress: Progress
) -> Opened | None:
    """Read data, program and index; ``None`` when the set is not measured with any of the retrievers wanted.

    Adds the set's facts, and what is missing, to ``results``.

    Raises:
        DataError: The data cannot be read.
        StoreError: The index cannot be built or read.
    """
    wanted = choices.retrievers
    retrievers = [name for name in bench_set.retrievers if wanted is None or name in wanted]
    if not retrievers:
        results.skipped.append(f"{bench_set.name}: it is not measured with {', '.join(wanted or ())}")
        return None
    measured = open_set(bench_set, sample=choices.sample, seed=choices.seed)
    program, manifest = _program(bench_set.name, measured.program, results)
    settings = program.settings if program is not None else Settings()
    engines, folder = ("bm25", f"{bench_set.name}-bm25") if retrievers == ["bm25"] else ("hybrid", bench_set.name)
    store = open_store(
        measured.data,
        choices.stores / folder,
        engines,
        lambda done, of: progress(f"{bench_set.name}: indexing", done, of),
    )
    results.sets.append(
        SetFacts(
            data=bench_set.name,
            sha256=measured.data.content_sha256,
            passages=len(measured.data.passages),
            retrievers=tuple(retrievers),
            turns={name: len(turns) for name, turns in measured.turns.items()},
            reference=bench_set.reference,
            program=str(measured.program) if program is not None else None,
            program_sha256=manifest.files,
            program_lm=manifest.language_model,
            fusion=settings.fusion.model_dump(),
        )
    )
    log = AnswerLog(lm, folder_for_answers(choices.output) / f"{bench_set.name}.jsonl") if lm is not None else None
    return Opened(
        name=bench_set.name,
        measured=measured,
        retrievers=retrievers,
        searcher=Searcher(store, settings.fusion.depth),
        names=NamesOnly(store.gazetteer),
        settings=settings,
        program=program,
        lm=recorded(lm, log) if lm is not None and log is not None else None,
        log=log,
    )


def _program(name: str, folder: Path, results: Results) -> tuple[RewriteProgram | None, Manifest]:
    try:
        return load_program(folder)
    except ProgramError as error:
        results.skipped.append(f"{name}: no compiled program, so the other systems run with default settings: {error}")
        return None, Manifest()
