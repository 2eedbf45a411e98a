"""Which labelled turns a command measures on: its options, and the choice itself."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from data.check import LabelReport
    from data.records import Turn

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


def choose_turns(
    data_dir: Path,
    labels: "LabelReport",
    split: str,
    sample: int | None,
    *,
    seed: int,
    split_seed: int,
    dev_share: float,
    test_share: float,
) -> "tuple[Turn, ...]":
    """Return the turns of ``split`` that can be scored, or ``sample`` of them.

    Raises:
        DataError: There is none.
    """
    from data.errors import DataError
    from data.split import sample_turns, split_by_conversation

    turns = labels.scorable
    if split != "all":
        splits = split_by_conversation(turns, seed=split_seed, dev_share=dev_share, test_share=test_share)
        turns = getattr(splits, split)
    if sample is not None:
        turns = tuple(sample_turns(turns, sample, seed))
    if not turns:
        raise DataError(f"{data_dir}: no turn of the split {split} can be scored", advice=str(labels))
    return turns


def left_out(labels: "LabelReport") -> dict[str, Any]:
    """What could not be scored, for ``--json``."""
    return {
        "unlabelled": len(labels.unlabelled),
        "missing_labels": [row.model_dump() for row in labels.missing],
    }
