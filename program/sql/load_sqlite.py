"""Copying an SQLite file into DuckDB's memory, through Python's own reader (DuckDB's extension would have to be fetched)."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from program.sql.load import prefixed, quoted
from program.sql.source import Source, TableNames

if TYPE_CHECKING:
    import duckdb

_BATCH = 10_000
# SQLite's own rule of affinity (sqlite.org/datatype3.html, 3.1) as far as it names a type; dates and truth values, which it lacks, by name.
_DECLARED = (
    ("BOOL", "BOOLEAN"), ("TIMESTAMP", "TIMESTAMP"), ("DATETIME", "TIMESTAMP"), ("DATE", "DATE"), ("INT", "BIGINT"),
    ("CHAR", "VARCHAR"), ("CLOB", "VARCHAR"), ("TEXT", "VARCHAR"), ("BLOB", "BLOB"),
    ("REAL", "DOUBLE"), ("FLOA", "DOUBLE"), ("DOUB", "DOUBLE"), ("NUMERIC", "DOUBLE"), ("DEC", "DOUBLE"),
)  # fmt: skip
_HELD = {"integer": "BIGINT", "real": "DOUBLE", "text": "VARCHAR", "blob": "BLOB"}


def load_sqlite(connection: "duckdb.DuckDBPyConnection", source: Source, names: TableNames) -> None:
    """Load all tables and views of an SQLite file.

    A column has its declared type where all of its values convert to it, else text: SQLite lets any value into any column.
    """
    with contextlib.closing(_open_read_only(source.path)) as reader:
        found = reader.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
        ).fetchall()
        for (table,) in found:
            _copy(reader, table, connection, names.claim(prefixed(source, table), source.path))


def _open_read_only(path: Path) -> sqlite3.Connection:
    reader = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    reader.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return reader


def _copy(reader: sqlite3.Connection, table: str, connection: "duckdb.DuckDBPyConnection", name: str) -> None:
    columns = [(str(row[1]), str(row[2]).upper()) for row in reader.execute(f"PRAGMA table_info({quoted(table)})")]
    held = [_held_type(reader, table, column) for column, _ in columns]
    fields = ", ".join(f"{quoted(column)} {kind}" for (column, _), kind in zip(columns, held, strict=True))
    connection.execute(f"CREATE TABLE {quoted(name)} ({fields})")
    for batch in _batches(reader, table, columns, held):
        rows = ", ".join(f"unnest(${position}) AS {quoted(column)}" for position, (column, _) in enumerate(columns, 1))
        connection.execute(f"INSERT INTO {quoted(name)} SELECT {rows}", batch)
    for (column, declared), kind in zip(columns, held, strict=True):
        wanted = next((type_ for part, type_ in _DECLARED if part in declared), kind)
        if wanted not in (kind, "BLOB"):
            _convert(connection, name, column, wanted)


def _held_type(reader: sqlite3.Connection, table: str, column: str) -> str:
    rows = reader.execute(f"SELECT DISTINCT typeof({quoted(column)}) FROM {quoted(table)}")
    kinds = {row[0] for row in rows} - {"null"}
    if kinds == {"integer", "real"}:
        return "DOUBLE"
    return _HELD[kinds.pop()] if len(kinds) == 1 else "VARCHAR"


def _batches(
    reader: sqlite3.Connection, table: str, columns: Sequence[tuple[str, str]], held: Sequence[str]
) -> Iterator[list[list[Any]]]:
    """Columns of up to 10,000 values each, every value of its column's type."""
    convert = [_CONVERT.get(kind, _as_it_is) for kind in held]
    cursor = reader.execute(f"SELECT {', '.join(quoted(column) for column, _ in columns)} FROM {quoted(table)}")
    while rows := cursor.fetchmany(_BATCH):
        yield [
            [None if value is None else as_held(value) for value in values]
            for as_held, values in zip(convert, zip(*rows, strict=True), strict=True)
        ]


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _as_it_is(value: Any) -> Any:
    return value


_CONVERT: dict[str, Callable[[Any], Any]] = {"DOUBLE": float, "VARCHAR": _text}


def _convert(connection: "duckdb.DuckDBPyConnection", table: str, column: str, wanted: str) -> None:
    name = quoted(column)
    lost = connection.execute(
        f"SELECT count(*) FROM {quoted(table)} WHERE {name} IS NOT NULL AND try_cast({name} AS {wanted}) IS NULL"
    ).fetchone()
    if lost == (0,):
        connection.execute(f"ALTER TABLE {quoted(table)} ALTER {name} TYPE {wanted}")
    else:
        connection.execute(f"ALTER TABLE {quoted(table)} ALTER {name} TYPE VARCHAR")
