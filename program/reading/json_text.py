"""JSON as small models write it: with talk around it, in single or Chinese quotes, with a comma too many, cut off in the middle."""

import json
import re
from collections.abc import Iterator
from typing import Any

import json_repair

# "[1] says" is a citation and "{name}" a template: JSON begins with something quoted, or with a key.
_START = re.compile(r"\[\s*[\"'“‘{\[]|\{\s*(?:[\"'“‘]|\w+\s*[:：])")
# Nothing asked for here nests this deep: a model in a loop, whose repair takes quadratic time.
_RUNAWAY = re.compile(r"(?:[\[{]\s*[\"'“‘]?\s*){12}")
_DOUBLE_QUOTE = re.compile(r'(?<!\\)"')
_OPEN_SINGLE_QUOTE = re.compile(r"(?<=[\[,:{\s])'(?=[^']*\Z)")
# What a list of questions calls the question itself, beside ids and reasons.
_TEXT_KEY = re.compile(r"quer|question|text|content|rewrit|phras|passage|问题|查询|问句|改写|内容", re.IGNORECASE)


def read_json(text: str) -> Any | None:
    """Return the first JSON object or list in ``text``, repaired where it has to be, or ``None`` when there is none.

    Empty where it only opens brackets. A string that was cut off at the end is left out: half a question is another question.
    """
    start = _START.search(text)
    if start is None:
        return None
    rest = text[start.start() :]
    if _RUNAWAY.search(rest):
        return []
    try:
        value, _ = json.JSONDecoder().raw_decode(rest)
    except (ValueError, RecursionError):
        value = _repaired(_without_cut_string(rest))
    return value if isinstance(value, dict | list) else None


def strings(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value, in order: of an object inside a list only the one that is the text, not its id or its reason."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _text_of(one) if isinstance(one, dict) else strings(one)


def _text_of(item: dict[str, Any]) -> Iterator[str]:
    texts = {key: value for key, value in item.items() if isinstance(value, str) and value.strip()}
    if texts:
        yield next((value for key, value in texts.items() if _TEXT_KEY.search(key)), next(iter(texts.values())))
    else:
        yield from strings(item)


def _repaired(text: str) -> Any:
    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):
        return None


def _without_cut_string(text: str) -> str:
    quotes = [match.start() for match in _DOUBLE_QUOTE.finditer(text)]
    if len(quotes) % 2:
        return text[: quotes[-1]]
    if not quotes and (cut := _OPEN_SINGLE_QUOTE.search(text)):
        return text[: cut.start()]
    return text
