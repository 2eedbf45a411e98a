"""Registered tables, in memory behind a locked door."""

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from data.errors import ConfigError
from program.sql.errors import SqlFailed, bad_source, missing_library
from program.sql.load import attach_duckdb, copy_attached, load_csv, load_parquet
from program.sql.load_sqlite import load_sqlite
from program.sql.run import SqlResult, run
from program.sql.schema import samples_of, schema_text
from program.sql.source import Source, TableNames, read_source

if TYPE_CHECKING:
    import duckdb

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "memory_limit": "1GB",
    "threads": "2",
}
# Once the files are loaded; the last one makes all of these final.
_DOOR = ("SET enable_external_access = false", "SET lock_configuration = true")


class Tables:
    """Tables that statements may read, and nothing else.

    All rows are copied into DuckDB's memory (1 GB at most) when they are opened; then access to files, extensions and settings is switched
    off for good. The files themselves cannot be changed, and are not looked at again. Safe for threads.
    """

    def __init__(self, connection: "duckdb.DuckDBPyConnection", *, sample_values: int = 3) -> None:
        """Take a loaded ``connection``; see ``open``."""
        self._connection = connection
        rows = connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY table_oid, column_index"
        ).fetchall()
        columns: dict[str, dict[str, str]] = {}
        for table, column, kind in rows:
            columns.setdefault(table, {})[column] = kind
        self.columns: Mapping[str, Mapping[str, str]] = columns
        """Types by column, by table, in their order and spelling."""
        self.names: tuple[str, ...] = tuple(columns)
        self._samples = {table: samples_of(connection, table, sample_values) for table in columns}

    @classmethod
    def open(cls, sources: Sequence[str | Path], *, sample_values: int = 3) -> Self:
        """Load ``sources``, each a path or ``name=path``.

        A CSV, TSV or Parquet file is one table, named by ``name`` or its stem. A DuckDB or SQLite file brings all of its tables and views
        under their own names, after ``name_`` where a name is given. What a name cannot hold becomes "_".

        Args:
            sources: At least one file.
            sample_values: Values shown of each column in ``schema_text``, 0 and up.

        Raises:
            ConfigError: The extra ``sql`` is missing, a file is not what was expected, or two tables have one name.
        """
        if not sources:
            raise ConfigError("no tables: expected at least one file")
        try:
            import duckdb  # noqa: PLC0415 - an optional extra, imported when asked for
            import sqlglot  # noqa: F401, PLC0415
        except ImportError as error:
            raise missing_library(error) from error
        connection = duckdb.connect(":memory:", config=_CONFIG)
        try:
            _load(connection, [read_source(source) for source in sources])
            return cls(connection, sample_values=sample_values)
        except BaseException:
            connection.close()
            raise

    def schema_text(self, query: str = "") -> str:
        """Return the tables for a prompt, one a line, with the values that ``query`` names first; see ``program.sql.schema``."""
        with contextlib.closing(self._cursor()) as cursor:
            return schema_text(cursor, self.columns, self._samples, query)

    def run(self, sql: str, *, rows: int, timeout_ms: float) -> SqlResult:
        """Run ``sql``, which ``check`` has passed; see ``program.sql.run``.

        Raises:
            SqlFailed: It did not finish, or these tables are closed.
        """
        return run(self._cursor(), sql, rows=rows, timeout_ms=timeout_ms)

    def close(self) -> None:
        """Free the memory; a second call does nothing."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _cursor(self) -> "duckdb.DuckDBPyConnection":
        """A connection of its own to the same memory, as DuckDB asks for in each thread."""
        import duckdb  # noqa: PLC0415

        try:
            return self._connection.cursor()
        except duckdb.ConnectionException as error:
            raise SqlFailed("the tables are closed") from error


def _load(connection: "duckdb.DuckDBPyConnection", sources: Sequence[Source]) -> None:
    """Load all ``sources``, and lock the door before the views of DuckDB files are read."""
    loaders = {"csv": load_csv, "tsv": load_csv, "parquet": load_parquet, "sqlite": load_sqlite}
    names = TableNames()
    attached: list[tuple[Source, str]] = []
    for position, source in enumerate(sources):
        with _blamed_on(source):
            if source.kind == "duckdb":
                attached.append((source, f"source {position}"))
                attach_duckdb(connection, *attached[-1])
            else:
                loaders[source.kind](connection, source, names)
    for statement in _DOOR:
        connection.execute(statement)
    for source, alias in attached:
        with _blamed_on(source):
            copy_attached(connection, source, alias, names)


@contextlib.contextmanager
def _blamed_on(source: Source) -> Iterator[None]:
    """Turn what the readers raise into one line about the file."""
    import duckdb  # noqa: PLC0415

    try:
        yield
    except (duckdb.Error, sqlite3.Error, OSError) as error:
        said = next(iter(str(error).strip().splitlines()), "no message")
        raise bad_source(source.path, f"expected a readable {source.kind} file ({said[:200]})") from error
