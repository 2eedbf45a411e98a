"""What was registered: a file, its kind, and the name of its table."""

import re
from pathlib import Path
from typing import Literal

from data.records import Record
from program.sql.errors import bad_source

FileKind = Literal["csv", "tsv", "parquet", "duckdb", "sqlite"]

_KINDS: dict[str, FileKind | None] = {
    ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet",
    # Both engines use these endings: the file itself says which one wrote it.
    ".duckdb": None, ".db": None, ".sqlite": None, ".sqlite3": None,
}  # fmt: skip
_SQLITE_START = b"SQLite format 3\0"
_DUCKDB_MARK = (8, b"DUCK")


class Source(Record):
    """One registered file."""

    path: Path
    kind: FileKind
    name: str
    """Name of the one table of a CSV, TSV or Parquet file; of a database, what its tables' names begin with (or empty)."""


def read_source(source: str | Path) -> Source:
    """Read ``path`` or ``name=path``. A file whose own path holds "=" is found under it.

    Raises:
        ConfigError: The file is missing, empty, or of a kind that is not read.
    """
    name, path = "", Path(source)
    if isinstance(source, str) and "=" in source and not path.exists():
        name, _, rest = source.partition("=")
        path = Path(rest)
    path = path.expanduser()
    if path.suffix.lower() not in _KINDS:
        raise bad_source(path, f"expected a file that ends in {', '.join(_KINDS)}")
    if not path.is_file():
        raise bad_source(path, "expected a table file, there is none")
    if not path.stat().st_size:
        raise bad_source(path, "expected a table file, it is empty")
    kind = _KINDS[path.suffix.lower()] or _database_kind(path)
    stem = "" if kind in ("duckdb", "sqlite") else path.stem
    return Source(path=path.resolve(), kind=kind, name=table_name(name or stem) if name or stem else "")


def table_name(text: str) -> str:
    """Return ``text`` as a name that needs no quotes: letters of any script, digits and "_", no digit first.

    >>> table_name("2024 销售-Q1"), table_name("orders")
    ('t_2024_销售_Q1', 'orders')
    """
    name = re.sub(r"\W+", "_", text.strip()).strip("_") or "table"
    return f"t_{name}" if name[0].isdigit() else name


class TableNames:
    """The names that are taken. Two tables of one name, case aside, are refused: a statement could not say which one it means."""

    def __init__(self) -> None:
        self._paths: dict[str, Path] = {}

    def claim(self, name: str, path: Path) -> str:
        """Return ``name``, now taken by a table of ``path``.

        Raises:
            ConfigError: It was taken before; both files are named.
        """
        other = self._paths.get(name.lower())
        if other is not None:
            raise bad_source(path, f'"{name}" is a table of {other} already; expected name=path to tell them apart')
        self._paths[name.lower()] = path
        return name


def _database_kind(path: Path) -> FileKind:
    with path.open("rb") as file:
        start = file.read(32)
    offset, mark = _DUCKDB_MARK
    if start.startswith(_SQLITE_START):
        return "sqlite"
    if start[offset : offset + len(mark)] == mark:
        return "duckdb"
    raise bad_source(path, "expected a DuckDB or SQLite database")
