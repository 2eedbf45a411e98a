"""``anaphora evaluate``: how good systems are on labelled turns."""

from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cli.chosen_turns import DataDir, Sample, Seed, Share, Split, SplitSeed, choose_turns, left_out
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

    from experiments.corpus import open_data, open_store
    from experiments.evaluate import evaluate as run
    from experiments.systems import named_systems, with_engine
    from metrics.summary import summarise

    general, by_signature = language_models(lm, lm_for, api_base)
    data, labels = open_data(data_dir)
    shares = {"dev_share": dev_share, "test_share": test_share}
    turns = choose_turns(data_dir, labels, split, sample, seed=seed, split_seed=split_seed, **shares)
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
        "left_out": left_out(labels),
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
