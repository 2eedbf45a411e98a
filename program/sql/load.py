"""Copying registered files into DuckDB's memory. The files are only read."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from program.sql.errors import bad_source
from program.sql.source import Source, TableNames, table_name

if TYPE_CHECKING:
    import duckdb

_TAB = r", delim='\t'"
_CHUNK = 1 << 20
_ENCODINGS = ("utf-8", "gb18030")
# "007" and a number of 16 digits are names of things; as a number, the one loses its zeros and the other its last digits.
_CODE = r"^\s*(?:0\d|\d{16})\d*\s*$"
_NUMBERS = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "FLOAT",
    "DOUBLE",
)


def load_csv(connection: "duckdb.DuckDBPyConnection", source: Source, names: TableNames) -> None:
    """Load a CSV or TSV file with a header line, in UTF-8 or GB18030, types read off all of its values.

    Columns of codes (leading zeros, 16 digits and more) stay text.
    """
    name = quoted(names.claim(source.name, source.path))
    with _as_utf8(source.path) as path:
        options = "header=true, sample_size=-1, hive_partitioning=false" + (_TAB if source.kind == "tsv" else "")
        rows = f"read_csv({literal(_no_glob(path))}, {options}"
        types = {str(row[0]): str(row[1]) for row in connection.execute(f"DESCRIBE FROM {rows})").fetchall()}
        numeric = [column for column, kind in types.items() if kind.startswith(_NUMBERS)]
        codes = []
        if numeric:
            tests = ", ".join(
                f"coalesce(bool_or(regexp_matches({quoted(column)}, {literal(_CODE)})), false)" for column in numeric
            )
            found = connection.execute(f"SELECT {tests} FROM {rows}, all_varchar=true)").fetchone() or ()
            codes = [column for column, is_code in zip(numeric, found, strict=True) if is_code]
        pairs = ", ".join(f"{literal(column)}: 'VARCHAR'" for column in codes)
        kept = f", types={{{pairs}}}" if codes else ""
        connection.execute(f"CREATE TABLE {name} AS FROM {rows}{kept})")


def load_parquet(connection: "duckdb.DuckDBPyConnection", source: Source, names: TableNames) -> None:
    """Load a Parquet file with its own types."""
    rows = f"read_parquet({literal(_no_glob(source.path))}, hive_partitioning=false)"
    connection.execute(f"CREATE TABLE {quoted(names.claim(source.name, source.path))} AS FROM {rows}")


def attach_duckdb(connection: "duckdb.DuckDBPyConnection", source: Source, alias: str) -> None:
    """Open a DuckDB file read-only under ``alias``."""
    connection.execute(f"ATTACH {literal(str(source.path))} AS {quoted(alias)} (READ_ONLY)")


def copy_attached(connection: "duckdb.DuckDBPyConnection", source: Source, alias: str, names: TableNames) -> None:
    """Copy all tables and views of an attached file, then let go of it.

    Called once outside access is off: a view of that file can then read nothing but the file.
    """
    found = connection.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = $1 AND NOT internal "
        "UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = $1 AND NOT internal ORDER BY ALL",
        [alias],
    ).fetchall()
    for schema, table in found:
        name = names.claim(prefixed(source, table if schema == "main" else f"{schema}_{table}"), source.path)
        connection.execute(f"CREATE TABLE {quoted(name)} AS FROM {quoted(alias)}.{quoted(schema)}.{quoted(table)}")
    connection.execute(f"DETACH {quoted(alias)}")


def prefixed(source: Source, table: str) -> str:
    """Return the name of a database's table: its own, behind the name that the source was given."""
    return table_name(f"{source.name}_{table}" if source.name else table)


def quoted(name: str) -> str:
    """Return ``name`` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return ``text`` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def _no_glob(path: Path) -> str:
    """DuckDB takes "*", "?" and "[" in a path for a pattern."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in str(path))


@contextlib.contextmanager
def _as_utf8(path: Path) -> Iterator[Path]:
    """The file itself when it is UTF-8, else a copy that is: DuckDB alone reads no other Chinese encoding."""
    encoding = next((one for one in _ENCODINGS if _decodes(path, one)), None)
    if encoding is None:
        raise bad_source(path, "expected text in UTF-8 or GB18030")
    if encoding == "utf-8":
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.csv")
        with path.open(encoding=encoding, newline="") as text, copy.open("w", encoding="utf-8", newline="") as file:
            while chunk := text.read(_CHUNK):
                file.write(chunk)
        yield copy


def _decodes(path: Path, encoding: str) -> bool:
    try:
        with path.open(encoding=encoding, newline="") as text:
            while text.read(_CHUNK):
                pass
    except UnicodeDecodeError:
        return False
    return True
