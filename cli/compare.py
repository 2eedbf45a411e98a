"""``anaphora compare``: which of two systems to keep, and how sure that is."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cli.chosen_turns import Sample, Seed, Share, Split, SplitSeed, choose_turns, left_out
from cli.help import examples
from cli.options import ApiBaseOption, LmOption, RetrieverOption, StoreOption, is_embedded, language_models
from cli.output import JsonOption, emit, progress, stages

Systems = Annotated[
    list[str],
    typer.Argument(
        metavar="A B…",
        help="What there is, then what to compare with it: folders of programs, or program, original, rules, gold, concat, plain_prompt, "
        "llama_index. NAME@LM runs with a model of its own.",
    ),
]
DataOption = Annotated[Path, typer.Option("--data", metavar="DIR", help="Folder with corpus.jsonl and turns.jsonl.")]
Cases = Annotated[int, typer.Option("--cases", min=0, help="Most wins and losses printed; --json has them all.")]


def register(app: typer.Typer) -> None:
    """Add the command ``compare`` to ``app``."""
    app.command(
        "compare",
        epilog=examples(
            "anaphora compare original rules --data data/sample --retriever bm25",
            "anaphora compare artefacts/old artefacts/new --data my_data --split test --lm local",
            "anaphora compare artefacts/sample@local artefacts/sample@openai/gpt-4o-mini --data data/sample --sample 100 --json",
        ),
    )(compare)


def compare(
    systems: Systems,
    *,
    data_dir: DataOption,
    split: Split = "all",
    sample: Sample = None,
    seed: Seed = 7,
    split_seed: SplitSeed = 7,
    dev_share: Share = 0.25,
    test_share: Share = 0.25,
    retriever: RetrieverOption = "hybrid",
    store: StoreOption = None,
    lm: LmOption = None,
    api_base: ApiBaseOption = None,
    cases: Cases = 10,
    as_json: JsonOption = False,
) -> None:
    """Compare systems with the first of them on the same turns, and say what to do.

    Prints a verdict, the difference in recall@5 with its interval by conversation and two tests, what else differs between the two, the
    same by turn, language and phenomenon, and the turns won and lost with their queries. The original query is always run as well: what
    is worse than that is to be taken offline.
    """
    import dspy

    from data.errors import ConfigError
    from experiments.compare import compare as compared
    from experiments.compare import run_contestants
    from experiments.compare_report import to_markdown
    from experiments.compare_systems import open_contestants
    from experiments.corpus import open_data, open_store

    if len(systems) < 2:
        raise ConfigError(f"only {systems[0]} to compare", advice="name two systems or more")
    contestants = open_contestants(systems, retriever=retriever, lm=lm, choose=_chooser(api_base))
    data, labels = open_data(data_dir)
    shares = {"dev_share": dev_share, "test_share": test_share}
    turns = choose_turns(data_dir, labels, split, sample, seed=seed, split_seed=split_seed, **shares)
    with progress("index", as_json=as_json) as update:
        opened = open_store(data, store, retriever, update)
    with dspy.context(rm=opened), stages(as_json=as_json) as update_stage:
        evaluated = run_contestants(contestants, turns, update_stage)
    result = compared(
        systems,
        evaluated,
        seed=seed,
        variables={one.name: one.variables for one in contestants},
        notes=[note for one in contestants for note in one.notes(data.content_sha256, split)],
    )
    payload = {
        "data": str(data_dir),
        "data_sha256": data.content_sha256,
        "split": split,
        "retriever": retriever,
        "left_out": left_out(labels),
        **result.model_dump(),
        "variables": {one.name: dict(one.variables) for one in contestants if one.name in systems},
    }
    title = f"{' / '.join(systems)} on {data.name}, {split}, {retriever}"
    emit(payload, as_json, lambda: to_markdown(result, title, cases).rstrip("\n"))


def _chooser(api_base: str | None) -> Any:
    """Make language models by name; the address is the hosted ones'."""
    return lambda name: language_models(name, None, None if is_embedded(name) else api_base)[0]
