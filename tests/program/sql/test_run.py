"""The limits hold, whatever the statement is: these locks stand behind ``check`` and are tried without it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import duckdb
import pytest

from program.sql.errors import SqlFailed
from program.sql.run import run
from program.sql.tables import Tables

HEAVY = "SELECT count(*) FROM " + ", ".join(f"kettles k{n}" for n in range(24))


@pytest.mark.parametrize("timeout_ms", [0.001, 50, 300])
def test_a_heavy_statement_is_interrupted(tables: Tables, timeout_ms: float) -> None:
    with pytest.raises(SqlFailed, match="longer than") as failed:
        tables.run(HEAVY, rows=5, timeout_ms=timeout_ms)
    assert failed.value.out_of_time
    assert len(tables.run("SELECT 1 FROM kettles", rows=5, timeout_ms=10_000).rows) == 3


def test_an_interrupt_stops_one_statement_only(tables: Tables) -> None:
    with ThreadPoolExecutor(2) as pool:
        heavy = pool.submit(tables.run, HEAVY, rows=1, timeout_ms=200)
        others = [tables.run("SELECT count(*) FROM kettles", rows=1, timeout_ms=10_000).rows for _ in range(20)]
        assert isinstance(heavy.exception(), SqlFailed)
    assert others == [((3,),)] * 20


def test_rows_are_limited_in_their_order(tables: Tables) -> None:
    result = tables.run('SELECT "Name" FROM kettles ORDER BY "Price" DESC', rows=2, timeout_ms=10_000)
    assert result.rows == (("Halden kettle",), ("Brindle kettle",))
    assert result.truncated
    assert result.columns == ("Name",)
    assert not tables.run("SELECT * FROM kettles", rows=3, timeout_ms=10_000).truncated


def test_an_empty_result_keeps_its_columns(tables: Tables) -> None:
    result = tables.run('SELECT 名称, "产地 城市" FROM 灯具 WHERE 价格 < 0', rows=2, timeout_ms=10_000)
    assert (result.columns, result.rows, result.truncated) == (("名称", "产地 城市"), (), False)


def test_a_comment_at_the_end_hides_no_limit(tables: Tables) -> None:
    assert len(tables.run("SELECT * FROM kettles -- all", rows=1, timeout_ms=10_000).rows) == 1


def test_a_statement_that_does_not_hear_the_interrupt_is_left_behind() -> None:
    going_on = threading.Event()

    class Deaf:
        closed = threading.Event()
        description = ()

        def execute(self, sql: str) -> None:
            if "result" in sql:
                going_on.wait(60)

        def fetchall(self) -> list[Any]:
            return []

        def interrupt(self) -> None:
            pass

        def close(self) -> None:
            self.closed.set()

    cursor: Any = Deaf()
    with pytest.raises(SqlFailed, match="longer than"):
        run(cursor, "SELECT 1", rows=1, timeout_ms=10)
    assert not cursor.closed.is_set()
    going_on.set()
    assert cursor.closed.wait(60)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1; SELECT 2", "SELECT 1) AS q; DROP TABLE kettles; --", "DROP TABLE kettles", "CREATE TABLE z AS SELECT 1",
        "INSERT INTO kettles VALUES ('a', 1, 'b', 'c')", "SET threads = 4", "RESET lock_configuration", "PRAGMA database_list",
        "COPY kettles TO '/tmp/never.csv'", "ATTACH '/tmp/never.db'", "INSTALL httpfs", "LOAD httpfs", "CALL pragma_version()",
        "SELECT * FROM '/etc/passwd'", "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM glob('/*')", "SELECT getenv('HOME')", "EXPORT DATABASE '/tmp/never'", "SELECT 1 FROM missing", "", ";", "SELEC",
        "SELECT * FROM sniff_csv('/etc/passwd')", "SELECT CAST(\"Name\" AS INTEGER) FROM kettles",
        "SELECT * FROM query('DROP TABLE kettles')",
    ],
)  # fmt: skip
def test_what_gets_past_the_check_meets_a_locked_door(tables: Tables, sql: str) -> None:
    with pytest.raises(SqlFailed) as failed:
        tables.run(sql, rows=5, timeout_ms=10_000)
    assert "\n" not in str(failed.value)
    assert tables.run("SELECT count(*) FROM kettles", rows=1, timeout_ms=10_000).rows == ((3,),)


def test_a_select_that_writes_meets_a_read_only_transaction() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE SEQUENCE s")
    connection.execute("CREATE TABLE t AS SELECT 1 AS x")
    with pytest.raises(SqlFailed, match="read-only"):
        Tables(connection).run("SELECT nextval('s') FROM t", rows=1, timeout_ms=10_000)


def test_python_variables_are_no_tables(tables: Tables) -> None:
    import pandas as pd

    secret = pd.DataFrame({"x": [1]})
    assert len(secret) == 1
    with pytest.raises(SqlFailed):
        tables.run("SELECT * FROM secret", rows=1, timeout_ms=10_000)
