"""The systems that the quality benchmark compares, by name."""

from collections.abc import Callable
from pathlib import Path

import dspy

from experiments.bench.quality_sets import reference_of
from experiments.peers.llama_index import condense_system
from experiments.systems import System, given_system, original_system, program_system, rules_system
from program import artefact
from program.rewrite_program import RewriteProgram
from program.settings import Settings

SYSTEMS = ("original", "rules", "reference", "zero_shot", "compiled", "llama_index", "llama_index_fused")
"""In the order of the tables."""
WITH_LM = frozenset({"zero_shot", "compiled", "llama_index", "llama_index_fused"})


def make_system(name: str, program: RewriteProgram | None, settings: Settings) -> System:
    """Return the system called ``name``.

    Args:
        name: One of ``SYSTEMS``.
        program: The compiled one; needed for ``compiled`` alone.
        settings: Those of the compiled program, for all systems alike: they then differ in their queries and in nothing else.

    Raises:
        ConfigError: The peer's package is not installed.
    """
    makers: dict[str, Callable[[], System]] = {
        "original": lambda: original_system(settings),
        "rules": lambda: rules_system(settings),
        "reference": lambda: given_system(reference_of, settings),
        "zero_shot": lambda: program_system(_zero_shot(settings)),
        "compiled": lambda: program_system(_needed(program)),
        "llama_index": lambda: condense_system(settings, fused=False),
        "llama_index_fused": lambda: condense_system(settings, fused=True),
    }
    return makers[name]()


def load_program(folder: Path) -> tuple[RewriteProgram, artefact.Manifest]:
    """Return a compiled program and where it comes from.

    Raises:
        ProgramError: There is none in ``folder``, or it is damaged.
    """
    return artefact.load(folder), artefact.read_manifest(folder)


def wake(lm: dspy.LM) -> str | None:
    """Return why ``lm`` does not answer, or ``None``: a benchmark of fallbacks alone would waste an hour."""
    try:
        lm("Say ok.", max_tokens=16, cache=False)
    except Exception as error:
        return (str(error).splitlines() or [type(error).__name__])[0]
    return None


def _zero_shot(settings: Settings) -> RewriteProgram:
    """The model alone, asked on every follow-up, without rules and without demos."""
    asking = settings.rewrite.model_copy(update={"rules": False, "ask_lm": "follow_ups"})
    return RewriteProgram(settings.model_copy(update={"rewrite": asking}))


def _needed(program: RewriteProgram | None) -> RewriteProgram:
    if program is None:
        raise ValueError("there is no compiled program")
    return program
