"""Files of every kind come in with their types, are never changed, and cannot be reached afterwards."""

import hashlib
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.errors import ConfigError
from program.sql.errors import SqlFailed
from program.sql.tables import Tables


def rows(tables: Tables, sql: str) -> list[tuple[Any, ...]]:
    return list(tables.run(sql, rows=100, timeout_ms=10_000).rows)


def sqlite_file(path: Path, *statements: str) -> Path:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def duckdb_file(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def test_csv_columns_have_types_and_codes_keep_their_zeros(tables: Tables) -> None:
    assert tables.names == ("灯具", "kettles")
    assert tables.columns["灯具"] == {"名称": "VARCHAR", "价格": "DOUBLE", "产地 城市": "VARCHAR", "上市": "DATE"}
    assert tables.columns["kettles"] == {"Name": "VARCHAR", "Price": "BIGINT", "City": "VARCHAR", "Code": "VARCHAR"}
    assert rows(tables, 'SELECT "Code" FROM kettles') == [("007",), ("012",), ("113",)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_chinese_text_in_any_usual_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "t.csv").write_text("名称,数量\n台灯,3\n", encoding=encoding)
    with Tables.open([tmp_path / "t.csv"]) as tables:
        assert rows(tables, "SELECT 名称, 数量 FROM t") == [("台灯", 3)]


def test_all_columns_text_still_have_their_header(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("name\tcity\nMarlow\tLeeds\n")
    with Tables.open([tmp_path / "t.tsv"]) as tables:
        assert rows(tables, "SELECT name, city FROM t") == [("Marlow", "Leeds")]


def test_long_numbers_keep_every_digit(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("card,n\n62220212345678901234,1\n,2\n")
    with Tables.open([tmp_path / "t.csv"]) as tables:
        assert rows(tables, "SELECT card FROM t WHERE n = 1") == [("62220212345678901234",)]


def test_parquet_and_a_path_that_looks_like_a_pattern(tmp_path: Path) -> None:
    path = tmp_path / "p[1]*.parquet"
    duckdb.sql("SELECT 'a' AS x, 1.5::DOUBLE AS y").write_parquet(str(path))
    with Tables.open([f"p={path}"]) as tables:
        assert tables.columns == {"p": {"x": "VARCHAR", "y": "DOUBLE"}}


def test_sqlite_types_are_the_declared_ones_where_the_values_allow(tmp_path: Path) -> None:
    path = sqlite_file(
        tmp_path / "s.db",
        "CREATE TABLE orders (id INTEGER, day DATE, amount DECIMAL(10,2), paid BOOLEAN, mixed INTEGER, 备注 TEXT, raw BLOB)",
        "INSERT INTO orders VALUES (1, '2024-01-02', 3, 1, 7, '急', x'00'), (2, '2024-02-03', 2.5, 0, 'n/a', NULL, NULL)",
        "CREATE VIEW big AS SELECT id FROM orders WHERE amount > 2.9",
    )
    with Tables.open([f"shop={path}"]) as tables:
        assert dict(tables.columns["shop_orders"]) == {
            "id": "BIGINT", "day": "DATE", "amount": "DOUBLE", "paid": "BOOLEAN", "mixed": "VARCHAR", "备注": "VARCHAR", "raw": "BLOB",
        }  # fmt: skip
        assert rows(tables, "SELECT id FROM shop_big") == [(1,)]
        assert rows(tables, "SELECT mixed, 备注 FROM shop_orders ORDER BY id") == [("7", "急"), ("n/a", None)]


def test_an_empty_sqlite_table_and_more_rows_than_a_batch(tmp_path: Path) -> None:
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) INSERT INTO t SELECT i, 'x' || i FROM n"
    path = sqlite_file(
        tmp_path / "s.sqlite", "CREATE TABLE t (i INTEGER, s TEXT)", "CREATE TABLE e (d DATE, s)", numbers
    )
    with Tables.open([path]) as tables:
        assert rows(tables, "SELECT count(*), sum(i), max(s) FROM t") == [(25_000, 312_512_500, "x9999")]
        assert tables.columns["e"]["d"] == "DATE"


def test_duckdb_tables_and_views_of_every_schema(tmp_path: Path) -> None:
    path = duckdb_file(
        tmp_path / "w.duckdb",
        "CREATE TABLE 库存 (品名 VARCHAR, n INTEGER)",
        "INSERT INTO 库存 VALUES ('灯', 3)",
        "CREATE SCHEMA old",
        "CREATE VIEW old.v AS SELECT n * 2 AS twice FROM 库存",
    )
    with Tables.open([path]) as tables:
        assert rows(tables, "SELECT 品名, twice FROM 库存, old_v") == [("灯", 6)]


def test_a_view_of_a_duckdb_file_cannot_bring_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("secret\n1\n")
    path = duckdb_file(
        tmp_path / "w.duckdb", f"CREATE VIEW v AS SELECT * FROM read_csv('{tmp_path / 'secret.csv'}', header=true)"
    )
    with pytest.raises(ConfigError, match=r"w\.duckdb"):
        Tables.open([path])


def test_files_are_never_changed(tmp_path: Path, folder: Path) -> None:
    paths = [
        folder / "灯具.csv",
        sqlite_file(tmp_path / "s.db", "CREATE TABLE a (x)", "INSERT INTO a VALUES (1)"),
        duckdb_file(tmp_path / "w.duckdb", "CREATE TABLE b AS SELECT 1 AS y"),
    ]
    before = {path: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in paths}
    listed = sorted(tmp_path.iterdir())
    with Tables.open(paths) as tables:
        for attack in ("DELETE FROM a", "DROP TABLE b", "INSERT INTO a VALUES (2)", f"COPY a TO '{paths[0]}'"):
            with pytest.raises(SqlFailed):
                tables.run(attack, rows=1, timeout_ms=10_000)
        assert rows(tables, "SELECT x, y FROM a, b") == [(1, 1)]
    assert {path: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in paths} == before
    assert sorted(tmp_path.iterdir()) == listed


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", b""),
        ("t.csv", b"a,b\n\xff\xff\xff,1\n"),
        ("t.parquet", b"no"),
        ("t.db", b"SQLite format 3\0" + b"x" * 99),
    ],
)
def test_a_broken_file_is_one_line_that_names_it(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match="expected") as refused:
        Tables.open([tmp_path / name])
    assert name in str(refused.value)
    assert "\n" not in str(refused.value)


def test_two_tables_of_one_name_and_no_tables_are_refused(folder: Path) -> None:
    with pytest.raises(ConfigError, match="name=path"):
        Tables.open([folder / "kettles.csv", f"Kettles={folder / '灯具.csv'}"])
    with pytest.raises(ConfigError, match="at least one"):
        Tables.open([])


def test_without_the_extra_it_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ConfigError, match=r"anaphora\[sql\]"):
        Tables.open([folder / "kettles.csv"])


def test_threads_share_the_tables(tables: Tables) -> None:
    def ask(number: int) -> list[tuple[Any, ...]]:
        return rows(tables, f"SELECT {number}, count(*) FROM kettles a, kettles b")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(64))) == [[(number, 9)] for number in range(64)]


def test_closed_tables_fail_politely(tables: Tables) -> None:
    tables.close()
    tables.close()
    with pytest.raises(SqlFailed, match="closed"):
        tables.run("SELECT 1", rows=1, timeout_ms=100)
