"""``anaphora evaluate``: how good systems are on labelled turns."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cli.help import examples
from cli.options import (
    ApiBaseOption,
    LmForOption,
    LmOption,
    ProgramOption,
    RetrieverOption,
    StoreOption,
    language_models,
)
from cli.output import JsonOption, emit, progress
from cli.turn_options import SetOption, load_program


class SystemName(StrEnum):
    """What can be measured."""

    ORIGINAL = "original"
    RULES = "rules"
    GOLD = "gold"
    PROGRAM = "program"


DataDir = Annotated[Path, typer.Argument(metavar="DATA_DIR", help="Folder with corpus.jsonl and turns.jsonl.")]
Split = Annotated[
    Literal["all", "train", "dev", "test"],
    typer.Option("--split", help="Part of the conversations, drawn by --split-seed."),
]
Sample = Annotated[
    int | None, typer.Option("--sample", min=1, help="Measure this many turns, drawn by --seed.", show_default=False)
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the sample and the intervals.")]
Share = Annotated[
    float,
    typer.Option(
        min=0.0, max=0.9, help="Part of the conversations in that split; as in the experiment to compare with."
    ),
]
SplitSeed = Annotated[int, typer.Option("--split-seed", help="Seed of the split into train, dev and test.")]
Systems = Annotated[
    list[SystemName] | None,
    typer.Option(
        "--system",
        help="What to measure, repeatable; by default original, rules, gold (with reference rewrites), and program (with --program or a model).",
        show_default=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command ``evaluate`` to ``app``."""
    app.command(
        "evaluate",
        epilog=examples(
            "anaphora evaluate data/sample --split test",
            "anaphora evaluate data/sample --split test --system original --system program --program artefacts/sample --lm local",
            "anaphora evaluate my_data --retriever bm25 --sample 200 --seed 1 --json",
        ),
    )(evaluate)


def evaluate(
    data_dir: DataDir,
    *,
    split: Split = "all",
    sample: Sample = None,
    seed: Seed = 7,
    split_seed: SplitSeed = 7,
    dev_share: Share = 0.25,
    test_share: Share = 0.25,
    retriever: RetrieverOption = "hybrid",
    system: Systems = None,
    program: ProgramOption = None,
    set_: SetOption = None,
    store: StoreOption = None,
    lm: LmOption = None,
    lm_for: LmForOption = None,
    api_base: ApiBaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure recall@5 and its companions, with bootstrap intervals by conversation.

    The index is built when missing. Turns without labels, or with labels that the corpus lacks, are reported and left out.
    """
    import dspy

    from data.errors import DataError
    from data.split import sample_turns, split_by_conversation
    from experiments.corpus import open_data, open_store
    from experiments.evaluate import evaluate as run
    from experiments.systems import named_systems, with_engine
    from metrics.summary import summarise

    general, by_signature = language_models(lm, lm_for, api_base)
    data, labels = open_data(data_dir)
    turns = labels.scorable
    if split != "all":
        splits = split_by_conversation(turns, seed=split_seed, dev_share=dev_share, test_share=test_share)
        turns = getattr(splits, split)
    if sample is not None:
        turns = tuple(sample_turns(turns, sample, seed))
    if not turns:
        raise DataError(f"{data_dir}: no turn of the split {split} can be scored", advice=str(labels))
    with progress("index", as_json=as_json) as update:
        opened = open_store(data, store, retriever, update)
    rewriter = load_program(program, set_)
    rewriter.settings = with_engine(rewriter.settings, retriever)
    has_program = program is not None or general is not None or bool(by_signature)
    names = list(dict.fromkeys(map(str, system or _default_systems(turns, has_program))))
    outcomes = {}
    with dspy.context(lm=general, lms=by_signature, rm=opened):
        # The original is the baseline of gain and harm, shown or not.
        for name, one in named_systems(["original", *names], rewriter).items():
            with progress(name, as_json=as_json) as update:
                outcomes[name] = [row.outcome for row in run(one, turns, progress=update)]
    summaries = {name: summarise(outcomes[name], outcomes["original"], seed=seed) for name in names}
    payload = {
        "data": str(data_dir),
        "data_sha256": data.content_sha256,
        "split": split,
        "n": len(turns),
        "retriever": retriever,
        "seed": seed,
        "left_out": {
            "unlabelled": len(labels.unlabelled),
            "missing_labels": [row.model_dump() for row in labels.missing],
        },
        "systems": {name: summary.model_dump() for name, summary in summaries.items()},
    }
    emit(
        payload,
        as_json,
        lambda: render_summaries(summaries, f"{data.name}, {split}, {retriever}, n = {len(turns)}", str(labels)),
    )


def render_summaries(summaries: dict[str, Any], title: str, note: str = "") -> RenderableType:
    """A table of systems: recall with its interval, by history and language, harm and cost."""
    table = Table(
        "system",
        "recall@5",
        "95% interval",
        "first",
        "follow-ups",
        "zh",
        "en",
        "harm",
        "LM",
        "ms a turn",
        title=Text(title),
        box=None,
    )
    for name, summary in summaries.items():
        recall = summary.recall_at_5
        table.add_row(
            name,
            f"[bold]{recall.mean:.3f}[/bold]",
            f"{recall.low:.3f}–{recall.high:.3f}",
            _mean(summary.by_history.get("first")),
            _mean(summary.by_history.get("with_history")),
            _mean(summary.by_language.get("zh")),
            _mean(summary.by_language.get("en")),
            "–" if summary.harm_rate is None else f"{summary.harm_rate:.1%}",
            f"{summary.lm_share:.0%}",
            f"{summary.elapsed_ms_per_turn:.0f}",
        )
    return Group(table, Text(note))


def _mean(group: Any) -> str:
    return f"{group.recall_at_5.mean:.3f}" if group else "–"


def _default_systems(turns: Any, has_program: bool) -> list[str]:
    names = ["original", "rules"]
    if has_program:
        names.append("program")
    if any(turn.gold_rewrite for turn in turns):
        names.append("gold")
    return names
