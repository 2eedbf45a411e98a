"""The systems that ``anaphora compare`` knows, by what users call them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from data.errors import ConfigError
from experiments.compare_variables import (
    COMPILED_ON,
    COMPILED_WITH,
    LANGUAGE_MODEL,
    METHOD,
    program_variables,
    rules_variables,
    search_variables,
)
from experiments.peers.llama_index import condense_system
from experiments.peers.plain_prompt import concat_system, plain_prompt_system
from experiments.systems import System, gold_system, original_system, program_system, rules_system, with_engine
from program import artefact
from program.rewrite_program import RewriteProgram
from program.settings import Settings

ORIGINAL = "original"
NAMED: dict[str, Callable[[Settings], System]] = {
    ORIGINAL: original_system,
    "rules": rules_system,
    "gold": gold_system,
    "concat": concat_system,
    "plain_prompt": plain_prompt_system,
    "llama_index": lambda settings: condense_system(settings, fused=False),
}
"""Systems without prompts of ours; all take their settings of searching and merging from the first program that is compared."""
PROGRAM = "program"
"""The program as it comes, not compiled."""
WITH_LM = frozenset({"plain_prompt", "llama_index"})


@dataclass(frozen=True)
class Contestant:
    """A system, ready to run."""

    name: str
    system: System
    lm: Any
    """Its language model, or ``None``."""
    variables: Mapping[str, str]
    """What could make it differ from another, see ``experiments.compare_variables``."""

    def notes(self, data_sha256: str, split: str) -> tuple[str, ...]:
        """What a reader must know before believing its numbers."""
        wanted, has = self.variables.get(COMPILED_WITH, "none"), self.variables.get(LANGUAGE_MODEL, "none")
        found = []
        if wanted != "none" and has == "none":
            found.append(
                f"{self.name} was compiled with the language model {wanted} and ran without one: by rules alone"
            )
        elif wanted not in ("none", has):
            found.append(f"{self.name} was compiled with the language model {wanted} and ran with {has}")
        if self.variables.get(COMPILED_ON) == data_sha256 and split != "test":
            found.append(
                f"{self.name} was compiled on these data: its own training turns are among those of the split {split}; "
                "compare on the split test, with the experiment's seed and shares"
            )
        return tuple(found)


class _Asked(NamedTuple):
    """One system as typed: a name or a folder, and a language model of its own after ``@``."""

    typed: str
    name: str
    lm: str | None
    program: RewriteProgram | None
    manifest: artefact.Manifest | None


def open_contestants(
    typed: Sequence[str], *, retriever: str, lm: str | None, choose: Callable[[str], Any]
) -> tuple[Contestant, ...]:
    """Return the systems called ``typed``, in order, and the original query, first where it was not asked for.

    Args:
        typed: Names of ``NAMED``, ``program``, or folders of saved programs; ``NAME@LM`` runs with a language model of its own.
        retriever: ``bm25``, ``vector`` or ``hybrid``.
        lm: The language model of all others.
        choose: Makes a language model from its name; called once for each.

    Raises:
        ConfigError: A system that is none, is named twice, or lacks the language model it needs (or names one it does not ask); or the
            package of a peer is not installed.
        ProgramError: A saved program is damaged.
    """
    if len(set(typed)) < len(typed):
        twice = next(name for name in typed if list(typed).count(name) > 1)
        raise ConfigError(f"{twice!r} is named twice", advice="there is nothing to compare")
    asked = [_read(one) for one in typed]
    if ORIGINAL not in typed:
        asked.insert(0, _read(ORIGINAL))
    saved = (one.program.settings for one in asked if one.program is not None and one.manifest is not None)
    settings = with_engine(next(saved, Settings()), retriever)
    names = dict.fromkeys(one.lm or lm for one in asked if one.name in WITH_LM or one.program is not None)
    models = {name: choose(name) for name in names if name is not None}
    return tuple(_open(one, settings, retriever, one.lm or lm, models) for one in asked)


def _read(typed: str) -> _Asked:
    """Find what ``typed`` means; a folder may have an ``@`` in its name, and so may a language model."""
    name, at, lm = (typed, "", "") if _is_system(typed) else typed.partition("@")
    if not _is_system(name):
        raise ConfigError(
            f"there is no system {name!r}",
            advice=f"name the folder of a program, or one of {', '.join([*NAMED, PROGRAM])}",
        )
    if at and not lm:
        raise ConfigError(f"{typed!r}: expected a language model after @", advice="as for --lm")
    if at and name in NAMED and name not in WITH_LM:
        raise ConfigError(f"{typed!r}: {name} asks no language model")
    if name in NAMED:
        return _Asked(typed, name, lm or None, None, None)
    if name == PROGRAM:
        return _Asked(typed, name, lm or None, RewriteProgram(), None)
    folder = Path(name)
    return _Asked(typed, PROGRAM, lm or None, artefact.load(folder), artefact.read_manifest(folder))


def _is_system(name: str) -> bool:
    return name in NAMED or name == PROGRAM or Path(name).is_dir()


def _open(asked: _Asked, settings: Settings, retriever: str, lm: str | None, models: Mapping[str, Any]) -> Contestant:
    if asked.program is None:
        if asked.name not in WITH_LM:
            of_rules = asked.name == "rules"
            variables = rules_variables(settings) if of_rules else search_variables(settings)
            return Contestant(asked.typed, NAMED[asked.name](settings), None, {METHOD: asked.name, **variables})
        if lm is None:
            raise ConfigError(f"{asked.name} needs a language model", advice="name one with --lm")
        variables = {METHOD: asked.name, LANGUAGE_MODEL: lm, **search_variables(settings)}
        return Contestant(asked.typed, NAMED[asked.name](settings), models[lm], variables)
    program = asked.program
    own = program.settings if asked.manifest is not None else settings
    program.settings = with_engine(own, retriever)
    variables = {METHOD: PROGRAM, LANGUAGE_MODEL: lm or "none", **program_variables(program, asked.manifest)}
    return Contestant(asked.typed, program_system(program), models[lm] if lm else None, variables)
