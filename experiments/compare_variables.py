"""What could make two systems differ, as flat names and values: prompts, demos, settings, models, libraries."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from data.records import Record
from program.artefact import Manifest
from program.rewrite_program import RewriteProgram
from program.settings import Settings

METHOD = "method"
LANGUAGE_MODEL = "language_model"
COMPILED_WITH = "compiled.language_model"
COMPILED_ON = "compiled.data_sha256"

# What `without_lm` decides for the rules: there it is the method itself.
_OF_THE_METHOD = (
    "window.summary",
    "gate.ask_lm",
    "rewrite.rules",
    "rewrite.ask_lm",
    "expand.",
    "route.ask_lm",
    "rerank",
)
# Without a stage before them systems share how they search and merge.
_OF_THE_SEARCH = ("fusion.", "k")
# Experiments have no limit of time.
_WITHOUT_EFFECT = frozenset({"time"})


class Variable(Record):
    """One thing that is not the same in two systems."""

    name: str
    first: str
    second: str


def differing(first: Mapping[str, str], second: Mapping[str, str]) -> tuple[Variable, ...]:
    """Return the variables that both have and that differ, the method first, then by name.

    What only one of them has (the demos of a program beside a baseline without a model) belongs to its method.
    """
    names = sorted(first.keys() & second.keys(), key=lambda name: (name != METHOD, name))
    return tuple(
        Variable(name=name, first=first[name], second=second[name]) for name in names if first[name] != second[name]
    )


def search_variables(settings: Settings) -> dict[str, str]:
    """The variables of a system that searches one text."""
    return {name: value for name, value in _settings(settings) if _is(name, _OF_THE_SEARCH)}


def rules_variables(settings: Settings) -> dict[str, str]:
    """The variables of the rules without a model."""
    return {name: value for name, value in _settings(settings) if not _is(name, _OF_THE_METHOD)}


def program_variables(program: RewriteProgram, manifest: Manifest | None = None) -> dict[str, str]:
    """The variables of a program: every setting, each prompt and its demos (by hash), and where it comes from.

    Args:
        program: With the settings it runs with.
        manifest: Of a saved program.
    """
    found = dict(_settings(program.settings))
    for name, predictor in program.named_predictors():
        fields = [(key, str(field.json_schema_extra)) for key, field in predictor.signature.fields.items()]
        found[f"prompt.{name}"] = _hash([predictor.signature.instructions, fields])
        demos = [dict(demo) for demo in predictor.demos]
        found[f"demos.{name}"] = f"{len(demos)} ({_hash(demos)})" if demos else "none"
    if manifest is not None:
        found[COMPILED_WITH] = manifest.language_model or "none"
        found[COMPILED_ON] = manifest.data_sha256 or "unknown"
        found |= {f"compiled.{library}": version for library, version in manifest.versions.items()}
    return found


def _settings(settings: BaseModel, prefix: str = "settings.") -> Iterator[tuple[str, str]]:
    for name, value in settings:
        if name in _WITHOUT_EFFECT:
            continue
        if isinstance(value, BaseModel):
            yield from _settings(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", _json(to_jsonable_python(value))


def _is(name: str, wanted: tuple[str, ...]) -> bool:
    setting = name.removeprefix("settings.")
    return any(setting.startswith(one) if one.endswith(".") else setting == one for one in wanted)


def _hash(value: Any) -> str:
    return hashlib.sha256(_json(value).encode("utf-8", "replace")).hexdigest()[:8]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
