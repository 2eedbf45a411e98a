"""Rows as hits."""

import hashlib
import math
from typing import TYPE_CHECKING, Any

from program.result import FusedHit
from program.sql.run import SqlResult

if TYPE_CHECKING:
    from program.sql.tables import Tables

_CELL_CHARACTERS = 500
_CONDITION_CHARACTERS = 200


def hits_of(result: SqlResult, sql: str, tables: "Tables") -> list[FusedHit]:
    """Return one hit a row, in order, equal rows once, rows without any value left out.

    Args:
        result: What ``sql`` gave.
        sql: The statement as ``check`` returned it.
        tables: What it was checked against.

    Returns:
        ``id`` is ``sql:<tables>:<hash of the text>``, the same for the same row of the same question; ``source`` the tables
        in the order of their registration, joined by "+";
        ``text`` is "column: value; column: value (condition)", without the empty ones: a number means little without what was counted.
        Scores fall evenly from 1 to just above 0.5: all rows answer, and their order says which one first.
    """
    source, condition = _origin(sql, tables)
    texts: dict[str, None] = {}
    for row in result.rows:
        cells = [f"{name}: {text}" for name, value in zip(result.columns, row, strict=True) if (text := cell(value))]
        if cells:
            texts.setdefault("; ".join(cells) + condition)
    return [
        FusedHit(
            id=f"sql:{source}:{hashlib.sha256(text.encode()).hexdigest()[:16]}",
            score=1 - 0.5 * position / len(texts),
            source=source,
            text=text,
            found_by=("sql",),
        )
        for position, text in enumerate(texts)
    ]


def cell(value: Any) -> str:
    """Return a value as people write it, at most 500 characters; empty for NULL, NaN and bytes.

    >>> cell(259.0), cell(0.1 + 0.2), cell(True), cell(None)
    ('259', '0.3', 'true', '')
    """
    if value is None or isinstance(value, bytes | bytearray) or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.10g}"
    text = " ".join(str(value).split())
    return text if len(text) <= _CELL_CHARACTERS else f"{text[: _CELL_CHARACTERS - 1]}…"


def _origin(sql: str, tables: "Tables") -> tuple[str, str]:
    """The tables that are read, and the conditions, in brackets, as a reader can take them."""
    import sqlglot  # noqa: PLC0415 - an optional extra
    from sqlglot import exp  # noqa: PLC0415

    tree = sqlglot.parse_one(sql, dialect="duckdb")
    used = {one.name.lower() for one in tree.find_all(exp.Table)}
    read = "+".join(name for name in tables.names if name.lower() in used)
    where = tree.args.get("where")
    if where is None:
        return read, ""
    for column in where.find_all(exp.Column):
        column.set("table", None)
    for identifier in where.find_all(exp.Identifier):
        identifier.set("quoted", False)
    condition = where.this.sql("duckdb", comments=False)
    if len(condition) > _CONDITION_CHARACTERS:
        condition = f"{condition[: _CONDITION_CHARACTERS - 1]}…"
    return read, f" ({condition})"
