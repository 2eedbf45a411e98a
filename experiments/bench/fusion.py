"""``python -m experiments.bench.fusion``: recall@5 and harm of every fusion strategy, without a language model, by BM25 alone.

Measured on train and dev of the sample set (the splits of ``experiments/sample.yaml``; test is left alone), over the labelled turns for which
the rules have a rewrite. A second table lets the rules' second candidate lead instead of their first: mostly the wrong referent, which is
the kind of rewrite that fusing with the original is to insure against.
"""

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from data.load import load_data_dir
from data.records import Record, Turn
from data.split import split_by_conversation
from experiments.experiment import load_experiment
from metrics.harm import harm_rate
from metrics.interval import Interval, bootstrap_interval, paired_interval
from metrics.ranking import recall_at_k
from program.fusion.fuse import confidence_of, fuse
from program.fusion.queries import plan_queries
from program.result import Query
from program.retrieval.bm25 import BM25Index
from program.retrieval.retriever import Hit, RankedList
from program.rules.gazetteer import Gazetteer
from program.rules.resolution import Resolution
from program.rules.resolve import resolve
from program.settings import FusionSettings, Settings
from program.window import make_window

_K = 5
_DIGITS = 4


class FusionRow(Record):
    """One strategy under one kind of leading rewrite."""

    strategy: str
    recall_at_5: Interval
    harm: float | None
    """Share of the original's finds that it damaged; ``None`` where the original found nothing."""
    harmed_turns: int
    less_default: Interval
    """Recall@5 less that of ``best_relative``, turn by turn."""


class FusionTable(Record):
    """All strategies under one kind of leading rewrite."""

    lead: str
    turns: int
    found_by_original: int
    trusted_share: float
    """Share of the turns whose confidence reaches ``confident_from``."""
    auc_sure: float | None
    """How well the rules' confidence tells rewrites that find something from those that find nothing: 1 perfectly, 0.5 not at all."""
    auc_confidence: float | None
    """The same of ``program.fusion.confidence``, which adds what the lists say."""
    rows: tuple[FusionRow, ...]


class FusionResults(Record):
    """What ``experiments/results/fusion.json`` holds: numbers and names, never a text of the data."""

    command: str
    data: str
    sha256: str
    splits: str
    seed: int
    tables: tuple[FusionTable, ...]

    def table(self, lead: str) -> FusionTable:
        """The table of this lead.

        Raises:
            KeyError: There is none.
        """
        return {table.lead: table for table in self.tables}[lead]


class FusionCase(NamedTuple):
    """A turn, its rewrites by the rules, and what BM25 found for each text."""

    turn: Turn
    resolution: Resolution
    lists: dict[str, list[RankedList]]


Choose = Callable[[Sequence[Query], Sequence[Sequence[RankedList]], float], FusionSettings]
"""The settings for a turn, by its queries, lists and the rules' confidence."""

_BASE = FusionSettings(vector_share=0.0)


def _fixed(**changes: object) -> Choose:
    settings = FusionSettings.model_validate(_BASE.model_dump() | changes)
    return lambda _queries, _lists, _sure: settings


def _below(**changes: object) -> Choose:
    """By confidence, with the changed settings for turns that are not trusted."""
    unsure = FusionSettings.model_validate(_BASE.model_dump() | changes)

    def choose(queries: Sequence[Query], lists: Sequence[Sequence[RankedList]], sure: float) -> FusionSettings:
        trust = confidence_of(queries, lists, _BASE, sure=sure)
        return _BASE if trust is None or trust >= _BASE.confident_from else unsure

    return choose


STRATEGIES: dict[str, Choose] = {
    "best_relative": _fixed(),
    "best_raw": _fixed(strategy="best_raw"),
    "rrf, k=60, equal votes": _fixed(strategy="rrf", original=1.0),
    "rrf, k=60": _fixed(strategy="rrf"),
    "rrf, k=10": _fixed(strategy="rrf", rrf_k=10),
    "rrf, k=1": _fixed(strategy="rrf", rrf_k=1),
    "reserved, 1 slot": _fixed(strategy="reserved"),
    "reserved, 2 slots": _fixed(strategy="reserved", reserved_slots=2),
    "by_confidence": _fixed(strategy="by_confidence"),
    "by_confidence, rrf k=1 below": _below(strategy="rrf", rrf_k=1),
    "by_confidence, rrf k=60 below": _below(strategy="rrf"),
}
"""``rrf k=… below`` is ``by_confidence`` with that strategy in place of ``reserved`` where a rewrite is not trusted."""

ORIGINAL, REWRITE = "original alone", "rewrite alone"
LEADS = ("first candidate", "second candidate")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    *,
    experiment: Annotated[Path, typer.Option(help="Whose data and splits are used.")] = Path("experiments/sample.yaml"),
    seed: Annotated[int, typer.Option(help="Of the intervals.")] = 7,
    output: Annotated[Path, typer.Option(help="File for the results.")] = Path("experiments/results/fusion.json"),
) -> None:
    """Measure, write the results, print the tables."""
    results = measure(experiment, seed, command=shlex.join(["python", "-m", "experiments.bench.fusion", *sys.argv[1:]]))
    output.write_text(json.dumps(_rounded(results.model_dump()), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for lead in LEADS:
        typer.echo("\n".join([lead, "", *table_lines(FusionResults.model_validate_json(output.read_text()), lead), ""]))


def measure(experiment: Path, seed: int, *, command: str = "") -> FusionResults:
    """Run every strategy over train and dev of an experiment's data.

    Raises:
        AnaphoraError: The experiment or its data cannot be read.
    """
    config = load_experiment(experiment)
    data = load_data_dir(config.data)
    splits = split_by_conversation(
        data.turns, seed=config.seed, dev_share=config.split.dev, test_share=config.split.test
    )
    gazetteer = Gazetteer.from_passages(data.passages)
    index = BM25Index.build([passage.indexed_text for passage in data.passages])
    hits = [Hit(id=one.id, score=0.0, source=one.source, text="") for one in data.passages]
    cases = list(_cases([turn for turn in (*splits.train, *splits.dev) if turn.relevant_ids], gazetteer, index, hits))
    return FusionResults(
        command=command,
        data=data.name,
        sha256=data.content_sha256,
        splits=f"train and dev, split by {config.seed}",
        seed=seed,
        tables=(table_of(LEADS[0], cases, seed), table_of(LEADS[1], list(_misled(cases)), seed)),
    )


def _cases(turns: Sequence[Turn], gazetteer: Gazetteer, index: BM25Index, hits: Sequence[Hit]) -> Iterator[FusionCase]:
    window = Settings().window
    for turn in turns:
        history = make_window(turn.history, turns=window.turns, message_characters=window.message_characters)
        resolution = resolve(turn.query, history.messages, gazetteer)
        if not resolution.rewrites:
            continue
        texts = [turn.query, *resolution.rewrites, *([resolution.titled] if resolution.titled else [])]
        found = index.search(texts, _BASE.depth)
        ranked = [tuple(hits[row].model_copy(update={"score": score}) for row, score in of_text) for of_text in found]
        lists = {text: [RankedList(engine="bm25", hits=one)] for text, one in zip(texts, ranked, strict=True)}
        yield FusionCase(turn, resolution, lists)


def _misled(cases: Sequence[FusionCase]) -> Iterator[FusionCase]:
    """The cases with a second candidate, which then is the only one."""
    for turn, resolution, lists in cases:
        if len(resolution.rewrites) > 1:
            yield FusionCase(turn, resolution.model_copy(update={"rewrites": resolution.rewrites[1:2]}), lists)


def table_of(lead: str, cases: Sequence[FusionCase], seed: int) -> FusionTable:
    """Recall@5, harm and the difference to the default of every strategy over ``cases``, at least one."""
    clusters = [case.turn.conversation_id for case in cases]
    original = [_recall(case, _BASE, only="original") for case in cases]
    values = {ORIGINAL: original, REWRITE: [_recall(case, _BASE, only="rules") for case in cases]}
    for name, choose in STRATEGIES.items():
        values[name] = [_recall(case, _settings(case, choose)) for case in cases]
    trusted = [confidence_of(*_searched(case, _BASE), _BASE, sure=case.resolution.confidence) for case in cases]
    rows = [
        FusionRow(
            strategy=name,
            recall_at_5=bootstrap_interval(recalls, clusters, seed=seed),
            harm=harm_rate(original, recalls),
            harmed_turns=sum(after < before for before, after in zip(original, recalls, strict=True)),
            less_default=paired_interval(values["best_relative"], recalls, clusters, seed=seed),
        )
        for name, recalls in values.items()
    ]
    return FusionTable(
        lead=lead,
        turns=len(cases),
        found_by_original=sum(recall > 0 for recall in original),
        trusted_share=sum(one is not None and one >= _BASE.confident_from for one in trusted) / len(cases),
        auc_sure=auc([case.resolution.confidence for case in cases], values[REWRITE]),
        auc_confidence=auc([one or 0.0 for one in trusted], values[REWRITE]),
        rows=tuple(rows),
    )


def auc(scores: Sequence[float], recalls: Sequence[float]) -> float | None:
    """The chance that a turn with a recall above 0 has a higher score than one with 0, ties half; ``None`` without both kinds."""
    found = [score for score, recall in zip(scores, recalls, strict=True) if recall > 0]
    missed = [score for score, recall in zip(scores, recalls, strict=True) if recall == 0]
    if not found or not missed:
        return None
    return sum((one > other) + (one == other) / 2 for one in found for other in missed) / (len(found) * len(missed))


def table_lines(results: FusionResults, lead: str) -> list[str]:
    """The table of one lead in Markdown, as ``docs/stages/fuse.md`` shows it."""
    lines = ["| strategy | recall@5 [95%] | less best_relative [95%] | harm (turns) |", "| --- | --- | --- | --- |"]
    for row in results.table(lead).rows:
        harm = "–" if row.harm is None else f"{100 * row.harm:.1f}% ({row.harmed_turns})"
        lines.append(f"| {row.strategy} | {_text(row.recall_at_5)} | {_text(row.less_default, signed=True)} | {harm} |")
    return lines


def _searched(
    case: FusionCase, settings: FusionSettings, only: str | None = None
) -> tuple[list[Query], list[list[RankedList]]]:
    queries = plan_queries(case.turn.query, settings=settings, resolution=case.resolution)
    kept = [query for query in queries if only is None or query.kind == only][: 1 if only else None]
    return kept, [case.lists[query.text] for query in kept]


def _settings(case: FusionCase, choose: Choose) -> FusionSettings:
    return choose(*_searched(case, _BASE), case.resolution.confidence)


def _recall(case: FusionCase, settings: FusionSettings, only: str | None = None) -> float:
    hits = fuse(*_searched(case, settings, only), settings, _K, sure=case.resolution.confidence)
    return recall_at_k(case.turn.relevant_ids, [hit.id for hit in hits], _K)


def _text(interval: Interval, *, signed: bool = False) -> str:
    form = "+.3f" if signed else ".3f"
    return f"{interval.mean:{form}} [{interval.low:{form}}, {interval.high:{form}}]"


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value


if __name__ == "__main__":
    app()
