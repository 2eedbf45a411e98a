"""``python -m experiments.bench.rules_share``: how many turns the rules settle without a language model."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import dspy
import typer

from data.records import Record, Turn
from experiments.bench.quality_sets import is_complete
from experiments.corpus import open_data, open_store
from experiments.systems import rules_system
from metrics.ranking import recall_at_k
from program.retrieval.retriever import Retriever
from program.settings import Settings

_SAMPLE = Path(__file__).parents[2] / "data" / "sample"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


class RulesShare(Record):
    """Counts over the turns of a set; shares are of ``need_rewrite``."""

    data: str
    turns: int
    need_rewrite: int
    """Turns with history whose reference is not the query itself."""
    decided: float
    """The rules do not ask for the language model."""
    answered: float
    """They do not, and every relevant passage is among the first five."""
    lm_share_of_all: float
    """Of all turns: sent to the language model with the default settings."""


def rules_share(data: str, turns: Sequence[Turn], retriever: Retriever) -> RulesShare:
    """Run the rules over ``turns`` and count. Raises ``ValueError`` when no turn needs a rewrite."""
    need = decided = answered = asked = 0
    system = rules_system(Settings())
    with dspy.context(rm=retriever, budget_ms=math.inf):
        for turn in turns:
            result = system(turn)
            rules = next(step for step in result.trace if step.stage == "rules").details
            asked += rules["needs_lm"] and result.intent == "retrieval" and bool(turn.history)
            if not turn.history or is_complete(turn):
                continue
            need += 1
            if not rules["needs_lm"]:
                decided += 1
                answered += recall_at_k(turn.relevant_ids, [hit.id for hit in result.hits]) == 1
    if not need:
        raise ValueError(f"no turn of {data} needs a rewrite")
    return RulesShare(
        data=data,
        turns=len(turns),
        need_rewrite=need,
        decided=round(decided / need, 4),
        answered=round(answered / need, 4),
        lm_share_of_all=round(asked / len(turns), 4),
    )


@app.command()
def main(
    data_dir: Annotated[Path, typer.Argument(help="Folder with corpus.jsonl and turns.jsonl.")] = _SAMPLE,
    output: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("experiments/results"),
) -> None:
    """Count on a set with BM25 and write rules_share.json."""
    data, labels = open_data(data_dir)
    shares = rules_share(data.name, labels.scorable, open_store(data, None, "bm25"))
    text = json.dumps(shares.model_dump(), indent=1)
    (output / "rules_share.json").write_text(text + "\n", encoding="utf-8")
    typer.echo(text)


if __name__ == "__main__":
    app()
