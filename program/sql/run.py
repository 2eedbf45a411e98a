"""Running one checked statement, with limits of rows and time."""

import contextlib
import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from data.records import Record
from program.sql.errors import SqlFailed

if TYPE_CHECKING:
    import duckdb

# An interrupt that comes before DuckDB has begun is forgotten, so it is sent again.
_AGAIN_S = 0.02
# Some functions cannot be interrupted inside one value: then the thread is left to end by itself, and its rows are not looked at.
_INTERRUPTS = 10

_Found = tuple[tuple[str, ...], list[tuple[Any, ...]]]


class SqlResult(Record):
    """Rows of one statement."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    """In the statement's order; each as long as ``columns``."""
    truncated: bool
    """Whether there were more rows than were asked for."""
    elapsed_ms: float


def run(cursor: "duckdb.DuckDBPyConnection", sql: str, *, rows: int, timeout_ms: float) -> SqlResult:
    """Return the first ``rows`` rows of ``sql``, or give up after ``timeout_ms``.

    The statement runs inside a read-only transaction, as a subquery with a limit, and DuckDB's own parser must find one SELECT in it:
    locks of their own behind ``program.sql.check``. ``cursor`` is closed when the statement ends.

    Raises:
        SqlFailed: Out of time or memory, no single SELECT, or DuckDB refuses it; the message is one line.
    """
    if timeout_ms <= 0:
        cursor.close()
        raise SqlFailed("no time left", out_of_time=True)
    start = time.perf_counter()
    work: Future[_Found] = Future()
    threading.Thread(target=_work, args=(work, cursor, sql, rows + 1), name="sql", daemon=True).start()
    columns, found = _wait(work, cursor, timeout_ms)
    return SqlResult(
        columns=columns,
        rows=tuple(found[:rows]),
        truncated=len(found) > rows,
        elapsed_ms=round((time.perf_counter() - start) * 1000, 3),
    )


def _wait(work: Future[_Found], cursor: "duckdb.DuckDBPyConnection", timeout_ms: float) -> _Found:
    import duckdb  # noqa: PLC0415 - an optional extra

    interrupts = 0
    wait_s = timeout_ms / 1000
    while True:
        try:
            return work.result(wait_s)
        except TimeoutError:
            if interrupts == _INTERRUPTS:
                raise _out_of_time(timeout_ms) from None
            cursor.interrupt()
            interrupts, wait_s = interrupts + 1, _AGAIN_S
        except duckdb.InterruptException as error:
            raise _out_of_time(timeout_ms) from error
        except duckdb.Error as error:
            raise SqlFailed(next(iter(str(error).strip().splitlines()), "no message")[:200]) from error


def _out_of_time(timeout_ms: float) -> SqlFailed:
    return SqlFailed(f"it took longer than {timeout_ms:.0f} ms", out_of_time=True)


def _work(work: Future[_Found], cursor: "duckdb.DuckDBPyConnection", sql: str, rows: int) -> None:
    try:
        with contextlib.closing(cursor):
            work.set_result(_fetch(cursor, sql, rows))
    except BaseException as error:  # handed over to the thread that waits
        work.set_exception(error)


def _fetch(cursor: "duckdb.DuckDBPyConnection", sql: str, rows: int) -> _Found:
    import duckdb  # noqa: PLC0415

    statements = duckdb.extract_statements(sql)
    if [one.type for one in statements] != [duckdb.StatementType.SELECT]:
        raise SqlFailed("it is not one SELECT")
    cursor.execute("BEGIN TRANSACTION READ ONLY")
    try:
        # The line break ends a comment at the end of the statement.
        cursor.execute(f"SELECT * FROM (\n{sql}\n) AS result LIMIT {rows}")
        return tuple(str(column[0]) for column in cursor.description or ()), cursor.fetchall()
    finally:
        cursor.execute("ROLLBACK")
