"""The gate's expressions, built in and the user's."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import ValidationError

from data.errors import ConfigError
from data.records import Record
from program.gate.units import spelling
from program.settings import GateWords

Kind = Literal[
    "greeting", "thanks", "farewell", "decline", "denial", "acknowledgement", "praise", "small_talk", "attached"
]
_CHOICE = re.compile(r"\{([^{}]*)\}")


class Emoji(Record):
    """Emoji that are a message by themselves."""

    acknowledgement: str
    small_talk: str


class Vocabulary(Record):
    """What ``words.yaml`` holds, spelt out."""

    kinds: dict[tuple[str, ...], Kind]
    """Kind of each expression, by its units."""
    words: frozenset[str]
    """The words in them."""
    emoji: Emoji

    @property
    def longest(self) -> int:
        """Units of the longest expression."""
        return max(map(len, self.kinds))


@cache
def vocabulary() -> Vocabulary:
    """Return the built-in expressions; read once."""
    text = resources.files("program.gate").joinpath("words.yaml").read_text(encoding="utf-8")
    raw: dict[str, Any] = yaml.safe_load(text)
    emoji = Emoji.model_validate(raw.pop("emoji"))
    kinds: dict[tuple[str, ...], Any] = {}
    for kind, patterns in raw.items():
        for pattern in patterns:
            for expression in expand(pattern):
                kinds.setdefault(spelling(expression), kind)
    return Vocabulary.model_validate({"kinds": kinds, "words": {word for key in kinds for word in key}, "emoji": emoji})


def expand(pattern: str) -> Iterator[str]:
    """Yield every expression that ``pattern`` stands for: "{a|b|} c" is "a c", "b c" and "c". Braces may be nested; repeats are not left out."""
    choice = _CHOICE.search(pattern)
    if choice is None:
        yield " ".join(pattern.split())
        return
    for one in choice.group(1).split("|"):
        yield from expand(pattern[: choice.start()] + one + pattern[choice.end() :])


def read_gate_words(path: Path) -> GateWords:
    """Read a user's expressions: a YAML file with lists under ``greeting``, ``chitchat``, ``history_question`` and ``retrieval``.

    Raises:
        ConfigError: Missing, not YAML, an unknown key or no list of strings: a line for each, with the file and the key.
    """
    try:
        # Every scalar is a string: "no" and "666" are expressions here.
        raw: Any = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    except OSError as error:
        raise ConfigError(f"{path}: {(error.strerror or type(error).__name__).lower()}", path=str(path)) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not YAML: {' '.join(str(error).split())}", path=str(path)) from error
    try:
        words = GateWords.model_validate({} if raw is None else raw)
    except ValidationError as error:
        problems = [f"{path}: {'.'.join(map(str, one['loc'])) or 'top level'}: {one['msg']}" for one in error.errors()]
        raise ConfigError("\n".join(problems), path=str(path), problems=problems) from error
    blank = [f"{path}: {key}: a blank expression" for key, listed in words if any(not spelling(one) for one in listed)]
    if blank:
        raise ConfigError("\n".join(blank), path=str(path), problems=blank)
    return words
