"""Changing single settings by name, as command lines and experiment files do."""

import difflib
from collections.abc import Sequence
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from data.errors import ConfigError
from program.settings import Settings


def with_overrides(settings: Settings, assignments: Sequence[str]) -> Settings:
    """Return ``settings`` with each of ``assignments``, such as ``expand.hyde=true`` or ``fusion.original=0.1``, applied in order.

    Values are read as YAML, so ``[a, b]`` is a list and ``null`` is nothing; those of text settings are taken as they are written.

    Raises:
        ConfigError: An assignment without ``=``, a name that is no setting, or a value that the setting does not take.
    """
    values = settings.model_dump()
    for assignment in assignments:
        name, equals, written = assignment.partition("=")
        if not equals:
            raise ConfigError(f"{assignment!r}: expected NAME=VALUE", advice="for example expand.hyde=true")
        *groups, last = name.strip().split(".")
        place: Any = values
        for group in groups:
            place = place.get(group) if isinstance(place, dict) else None
        if not isinstance(place, dict) or last not in place:
            raise ConfigError(f"{name.strip()!r} is no setting", advice=_advice(name.strip(), settings))
        try:
            # A text is taken as it is written: "role: clerk" is no mapping there.
            place[last] = written if isinstance(place[last], str) else yaml.safe_load(written)
            Settings.model_validate(values)
        except (yaml.YAMLError, ValidationError) as error:
            reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else "it is no YAML"
            raise ConfigError(f"{assignment!r}: {reason}", setting=name.strip()) from error
    return Settings.model_validate(values)


def _advice(name: str, settings: Settings) -> str:
    known = _names(settings)
    # "hyde" is meant as "expand.hyde".
    close = [one for one in known if one.rsplit(".", 1)[-1] == name] or difflib.get_close_matches(name, known, n=3)
    return f"did you mean {' or '.join(close)}" if close else "docs/settings.md lists them all"


def _names(model: BaseModel) -> list[str]:
    names: list[str] = []
    for name in type(model).model_fields:
        value = getattr(model, name)
        names += [f"{name}.{inner}" for inner in _names(value)] if isinstance(value, BaseModel) else [name]
    return names
