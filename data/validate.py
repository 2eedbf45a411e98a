"""Raw JSON objects to records: every problem of every object, none hidden by another."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails, from_json

from data.problems import Problem, cut, shown
from data.records import Record, Turn

AnyRecord = TypeVar("AnyRecord", bound=Record)

# Field (dotted path), what was expected there, what was found.
_Found = tuple[str, str, str]

# Where pydantic's own wording is not the reader's.
_EXPECTED = {
    "extra_forbidden": "no field of this name",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "missing": "a value",
    "string_too_short": "a string that is not empty",
    "tuple_type": "a list",
}


def read_records(
    file: str, lines: Iterable[tuple[int, bytes]], model: type[AnyRecord]
) -> tuple[list[AnyRecord], list[Problem]]:
    """Read one JSON object a line into ``model``.

    Args:
        file: Name used in the problems.
        lines: Line numbers (from 1) and UTF-8 bytes, blank lines left out.
        model: Passage or Turn. Types are strict: ``"3"`` is no number, ``1`` is no truth value.

    Returns:
        The good records in order, and the problems of all others. Ids must be unique over ``lines``.
    """
    records: list[AnyRecord] = []
    problems: list[Problem] = []
    first_line: dict[str, int] = {}
    for number, line in lines:
        raw, record, found = _read_one(line, model)
        name = raw.get("id")
        if isinstance(name, str) and first_line.setdefault(name, number) != number:
            found.append(("id", f"an id of its own (line {first_line[name]} has it already)", shown(name)))
        problems += [Problem(file=file, line=number, field=at, expected=what, got=got) for at, what, got in found]
        if record is not None and not found:
            records.append(record)
    return records, problems


def _read_one(line: bytes, model: type[AnyRecord]) -> tuple[dict[str, Any], AnyRecord | None, list[_Found]]:
    """Return the raw object (empty when there is none), the record if its types are right, and what is wrong."""
    try:
        raw = from_json(line, allow_inf_nan=False)
    except ValueError as error:
        return {}, None, [("", f"JSON in UTF-8 ({error})", cut(line.decode("utf-8", errors="backslashreplace")))]
    if not isinstance(raw, dict):
        return {}, None, [("", "a JSON object", shown(raw))]
    record, found = None, []
    try:
        record = model.model_validate_json(line, strict=True)
    except ValidationError as error:
        found = [_explain(detail) for detail in error.errors(include_url=False)]
    rules = _turn_rules if model is Turn else _blank_names
    found += [(field, expected, shown(value)) for field, expected, value in rules(raw)]
    return raw, record, found


def _explain(error: ErrorDetails) -> _Found:
    kind, field = error["type"], ".".join(map(str, error["loc"]))
    if kind == "value_error":
        return field, f"a value that {error['ctx']['error']}", shown(error["input"])
    expected = _EXPECTED.get(kind) or error["msg"].removeprefix("Input should be ").replace("a valid ", "a ")
    return field, expected, "nothing" if kind == "missing" else shown(error["input"])


def _blank_names(raw: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Names of white space alone: they are no names, though they are not empty."""
    for field in ("id", "conversation_id"):
        if isinstance(raw.get(field), str) and raw[field].isspace():
            yield field, "a name that is not blank", raw[field]


def _turn_rules(raw: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """What a labelled turn needs beyond its types: a query, and metadata that the records can read."""
    yield from _blank_names(raw)
    if isinstance(raw.get("query"), str) and not raw["query"].strip():
        yield "query", "text that is not blank", raw["query"]
    metadata = raw.get("metadata")
    if not isinstance(metadata, dict):
        return
    phenomena = metadata.get("phenomena", [])
    if not isinstance(phenomena, list) or not all(isinstance(name, str) for name in phenomena):
        yield "metadata.phenomena", "a list of strings", phenomena
    if not isinstance(metadata.get("split"), str | None):
        yield "metadata.split", "a string", metadata["split"]
