"""Hostile, wrong and right statements. Whatever the text, only one SELECT over the registered tables comes out."""

import contextlib
import logging
import re

import duckdb
import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from program.sql.check import LONGEST, check
from program.sql.errors import SqlFailed, SqlRefused
from program.sql.functions import ALLOWED
from program.sql.tables import Tables

HOSTILE = [
    # Files and addresses.
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM \"/etc/passwd\"",
    "SELECT * FROM '灯具.csv'",
    "SELECT * FROM 'https://example.org/a.parquet'",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM READ_CSV_AUTO('/etc/passwd', header=false)",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/etc/passwd')",
    "SELECT * FROM read_parquet(['a.parquet'])",
    "SELECT * FROM parquet_scan('a.parquet')",
    "SELECT * FROM read_json('a.json')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM glob('/*')",
    "SELECT * FROM kettles, read_csv('/etc/passwd')",
    "SELECT Name FROM kettles WHERE Name IN (SELECT content FROM read_text('/etc/passwd'))",
    "SELECT (SELECT content FROM read_text('/etc/passwd')) FROM kettles",
    "SELECT Name FROM kettles WHERE EXISTS (SELECT * FROM '/etc/passwd')",
    "SELECT Name FROM kettles JOIN LATERAL read_csv('/etc/passwd') ON true",
    "SELECT Name FROM kettles UNION ALL SELECT column0 FROM read_csv('/etc/passwd')",
    "SELECT Name FROM kettles ORDER BY (SELECT content FROM read_text('/etc/passwd'))",
    "WITH x AS (SELECT * FROM read_csv('/etc/passwd')) SELECT * FROM x, kettles",
    "WITH kettles AS (SELECT * FROM '/etc/passwd') SELECT * FROM kettles",
    "SELECT Name FROM kettles LIMIT (SELECT count(*) FROM read_text('/etc/passwd'))",
    "/* a */ SELECT/**/*/**/FROM/**/read_csv/**/('/etc/passwd')",
    "SELECT * FROM read_csv -- a\n('/etc/passwd')",
    # Other statements, alone, in front, behind and inside.
    "COPY kettles TO '/tmp/x.csv'",
    "COPY (SELECT * FROM kettles) TO '/tmp/x.csv'",
    "ATTACH '/tmp/x.db' AS x",
    "DETACH memory",
    "PRAGMA database_list",
    "SET enable_external_access = true",
    "RESET threads",
    "CALL pragma_version()",
    "INSTALL httpfs",
    "LOAD httpfs",
    "EXPORT DATABASE '/tmp/x'",
    "IMPORT DATABASE '/tmp/x'",
    "CREATE TABLE x AS SELECT * FROM kettles",
    "CREATE MACRO f(a) AS a",
    "DROP TABLE kettles",
    "INSERT INTO kettles SELECT * FROM kettles",
    "UPDATE kettles SET Price = 0",
    "DELETE FROM kettles",
    "TRUNCATE kettles",
    "EXPLAIN ANALYZE SELECT * FROM kettles",
    "DESCRIBE kettles",
    "SUMMARIZE kettles",
    "SHOW TABLES",
    "VALUES (1)",
    "PREPARE p AS SELECT 1",
    "SELECT Name FROM kettles; DROP TABLE kettles",
    "SELECT Name FROM kettles; SELECT Name FROM kettles",
    "SELECT Name FROM kettles;\n\n-- cleaning up\nDELETE FROM kettles;",
    "DROP TABLE kettles; SELECT Name FROM kettles",
    "```sql\nDROP TABLE kettles;\n```",
    "WITH d AS (DELETE FROM kettles RETURNING *) SELECT * FROM d",
    "WITH a AS (WITH d AS (DELETE FROM kettles RETURNING Name) SELECT Name FROM d) SELECT Name FROM a",
    "WITH d AS (INSERT INTO kettles VALUES ('a', 1, 'b', 'c') RETURNING *) SELECT * FROM d",
    "SELECT Name INTO x FROM kettles",
    "SELECT Name FROM kettles FOR UPDATE",
    # What tells of the database or the process.
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pg_catalog.pg_class",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM pragma_table_info('kettles')",
    "SELECT * FROM memory.main.kettles",
    "SELECT * FROM other.kettles",
    "SELECT getenv('HOME'), Name FROM kettles",
    "SELECT Name FROM kettles WHERE Name = getenv('HOME')",
    "SELECT current_setting('home_directory'), Name FROM kettles",
    "SELECT Name || current_user FROM kettles",
    "SELECT Name || version() FROM kettles",
    "SELECT Name || current_query() FROM kettles",
    "SELECT getvariable('x'), Name FROM kettles",
    # What waits, writes or runs text.
    "SELECT sleep_ms(100000), Name FROM kettles",
    "SELECT write_log(Name) FROM kettles",
    "SELECT nextval('s'), Name FROM kettles",
    "SELECT setseed(0.1), Name FROM kettles",
    "SELECT repeat(Name, 1000000000) FROM kettles",
    "SELECT lpad(Name, 1000000000, 'x') FROM kettles",
    "SELECT error(Name) FROM kettles",
    "SELECT * FROM query('DROP TABLE kettles')",
    "SELECT * FROM query_table('kettles')",
    "SELECT * FROM json_execute_serialized_sql('x')",
    "SELECT main.read_text(Name) FROM kettles",
    "SELECT Name.read_text() FROM kettles",
    # Made of nothing: a constant is no fact.
    "SELECT 1",
    "SELECT 'Brindle kettle' AS Name, 39 AS Price",
    "SELECT Name, 'sold out' AS stock FROM kettles",
    "SELECT max('sold out') FROM kettles",
    "SELECT Name FROM kettles UNION ALL SELECT 'Dune kettle'",
    "WITH x AS (SELECT 'Dune kettle' AS Name) SELECT x.Name FROM x, kettles",
    "SELECT * FROM (VALUES ('Dune kettle')) AS v(Name), kettles",
    "SELECT i FROM range(5) AS r(i), kettles",
    "SELECT * FROM generate_series(1, 1000000000)",
    "SELECT unnest([1, 2]) FROM kettles",
    # Look-alikes, odd forms and nonsense.
    "SELECT Name FROM ｋｅｔｔｌｅｓ",
    "SELECT Nаme FROM kettles",
    "SELECT Name FROM kettles\u200b2",
    "SELECT COLUMNS('.*') FROM kettles",
    "SELECT kettles FROM kettles",
    "SELECT Name FROM kettles USING SAMPLE 1",
    "PIVOT kettles ON City USING sum(Price)",
    "SELECT $1 FROM kettles",
    "SELECT ? FROM kettles",
    "SELECT #1 FROM kettles",
    "SELECT list_transform([1], x -> x + Price) FROM kettles",
    "SELECT rowid FROM kettles",
    "(" * 3000 + "SELECT Name FROM kettles" + ")" * 3000,
    "SELECT Name FROM kettles WHERE " + "(" * 1500 + "1 = 1" + ")" * 1500,
    "SELECT Name FROM kettles WHERE Name = '" + "x" * LONGEST + "'",
    "SELECT", "SELECT FROM WHERE", "SELECT Name FROM kettles WHERE Name = 'x", "SELECT 名称，价格 FROM 灯具", "\0", "SELECT \0 FROM kettles",
    "SELECT colour FROM kettles", "SELECT Name FROM teapots", "SELECT k.价格 FROM kettles k", "SELECT 灯具.Name FROM kettles",
    'SELECT "售价" FROM 灯具', "SELECT Name FROM kettles a, kettles b", "", "抱歉，我无法回答。",
]  # fmt: skip

RIGHT = [
    ("SELECT 名称, 价格 FROM 灯具 WHERE 价格 < 200 ORDER BY 价格", [("星屑夜灯", 88.0), ("暮光台灯", 199.5)]),
    ('SELECT 名称 FROM 灯具 WHERE "产地 城市" = \'杭州\' AND 名称 LIKE \'%台灯\'', [("暖汐台灯",)]),
    ("select count(*) from `灯具` where `产地 城市` = '杭州'", [(2,)]),
    ("SELECT 名称 FROM 灯具 WHERE year(上市) = 2023", [("暖汐台灯",)]),
    ("SELECT 名称 FROM 灯具 WHERE 上市 BETWEEN DATE '2022-01-01' AND '2022-12-31'", [("暮光台灯",)]),
    ('SELECT name FROM KETTLES WHERE CITY = "Leeds" ORDER BY 1', [("Brindle kettle",), ("Marlow pot",)]),
    ("SELECT city, avg(price) AS mean FROM kettles GROUP BY city HAVING mean > 40", [("York", 55.0)]),
    ("SELECT name FROM kettles WHERE price = (SELECT max(price) FROM kettles)", [("Halden kettle",)]),
    ("WITH cheap AS (SELECT * FROM kettles WHERE price < 40) SELECT count(*) FROM cheap", [(2,)]),
    ("WITH kettles AS (SELECT 名称 FROM 灯具 LIMIT 1) SELECT 名称 FROM kettles", [("暖汐台灯",)]),
    ("SELECT a.name FROM kettles a JOIN kettles b ON a.city = b.city AND a.name <> b.name ORDER BY a.price LIMIT 1", [("Marlow pot",)]),
    (
        "SELECT name FROM (SELECT name, row_number() OVER (PARTITION BY city ORDER BY price) AS r FROM kettles) WHERE r = 2",
        [("Brindle kettle",)],
    ),
    ("SELECT name FROM kettles k WHERE EXISTS (SELECT 1 FROM 灯具 WHERE 价格 < k.price)", []),
    ("SELECT name FROM kettles UNION SELECT 名称 FROM 灯具 ORDER BY 1 LIMIT 1", [("Brindle kettle",)]),
    (
        "SELECT CASE WHEN price > 50 THEN 'dear' ELSE 'cheap' END AS kind, count(*) FROM kettles GROUP BY kind ORDER BY kind",
        [("cheap", 2), ("dear", 1)],
    ),
    ("SELECT count(*) FILTER (WHERE price > 30), sum(price) / count(*) FROM kettles", [(2, 115 / 3)]),
    ("SELECT name FROM kettles WHERE name ILIKE '%KETTLE' AND NOT city IN ('York') -- note", [("Brindle kettle",)]),
    ("FROMAGE", None),
]  # fmt: skip


@pytest.mark.parametrize("sql", HOSTILE)
def test_hostile_and_wrong_text_is_refused_in_one_line(
    shared: Tables, sql: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(SqlRefused) as refused:
        check(sql, shared)
    assert str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400
    assert not caplog.records


@pytest.mark.parametrize(("sql", "rows"), RIGHT)
def test_right_statements_pass_and_mean_the_same(
    shared: Tables, sql: str, rows: list[tuple[object, ...]] | None
) -> None:
    if rows is None:
        with pytest.raises(SqlRefused):
            check(sql, shared)
        return
    assert list(shared.run(check(sql, shared), rows=20, timeout_ms=10_000).rows) == rows


def test_names_come_back_in_full_quoted_and_as_the_table_spells_them(tables: Tables) -> None:
    checked = check("select NAME, max(price) from Kettles k group by name", tables)
    assert (
        checked
        == 'SELECT "k"."Name" AS "Name", MAX("k"."Price") AS "MAX(price)" FROM "kettles" AS "k" GROUP BY "k"."Name"'
    )
    assert check(checked, tables) == checked


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT Name FROM teapots", "teapots; the tables are: 灯具, kettles"),
        ("SELECT colour FROM kettles", "colour"),
        ("SELECT getenv('HOME') FROM kettles", "getenv"),
        ("SELECT Name, 'x' AS stock FROM kettles", "stock"),
        ("DELETE FROM kettles", "no SELECT"),
        ("SELECT Name FROM kettles; DROP TABLE kettles", "more than one"),
    ],
)
def test_the_reason_says_what_to_mend(tables: Tables, sql: str, reason: str) -> None:
    with pytest.raises(SqlRefused, match=reason):
        check(sql, tables)


def test_every_listed_function_exists_in_duckdb() -> None:
    rows = duckdb.sql("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
    keywords = {
        "coalesce",
        "extract",
        "ifnull",
        "nullif",
        "position",
        "substring",
        "trim",
        "like",
        "date",
        "current_time",
        "current_timestamp",
    }
    assert ALLOWED - {row[0].lower() for row in rows} - keywords - set(_window_functions()) == set()


def _window_functions() -> list[str]:
    return [
        "cume_dist",
        "dense_rank",
        "first_value",
        "lag",
        "last_value",
        "lead",
        "nth_value",
        "ntile",
        "percent_rank",
        "rank",
        "row_number",
    ]


_WORDS = """SELECT WITH FROM WHERE kettles 灯具 Name 名称 * , ( ) ' " ; -- /* */ AS x JOIN ON = 1 'a' read_csv('/etc/passwd') '/etc/passwd' UNION
ORDER BY count(*) INSERT INTO DELETE COPY TO getenv('HOME') EXISTS IN LIMIT ``` ` LATERAL VALUES (1) PIVOT :: [1] . RECURSIVE CASE WHEN THEN
END OVER NULL NOT read_text( range(3) unnest([1]) $1 ? #1 { } => -> information_schema.tables"""
_words = st.sampled_from([*_WORDS.split(), "\n"])
_statements = st.lists(_words, max_size=25).map(" ".join) | st.lists(_words, max_size=12).map(
    lambda rest: "SELECT Name FROM kettles " + " ".join(rest)
)


@settings(max_examples=400)
@given(
    text=_statements | st.text(max_size=80) | st.text(max_size=40).map(lambda rest: f"SELECT Name FROM kettles {rest}")
)
def test_any_text_is_refused_or_reads_registered_tables_alone(text: str) -> None:
    tables = _shared()
    with contextlib.suppress(SqlRefused):
        checked = check(text, tables)
        assert [one.type for one in duckdb.extract_statements(checked)] == [duckdb.StatementType.SELECT]
        with duckdb.connect() as connection:
            read = {name.strip('"').lower() for name in connection.get_table_names(checked)}
        assert read
        assert read <= {"kettles", "灯具"}
        functions = sqlglot.parse_one(checked, dialect="duckdb").find_all(exp.Anonymous)
        assert {one.name.lower() for one in functions} <= ALLOWED
        assert not re.search("Permission|file system", _outcome(tables, checked))


def _outcome(tables: Tables, sql: str) -> str:
    try:
        return str(tables.run(sql, rows=2, timeout_ms=5_000).columns)
    except SqlFailed as failed:
        return str(failed)


_opened: list[Tables] = []


def _shared() -> Tables:
    """One pair of empty tables for all examples: Hypothesis repeats the test, a fixture would not be renewed."""
    if not _opened:
        connection = duckdb.connect()
        connection.execute("CREATE TABLE kettles (Name VARCHAR, Price BIGINT)")
        connection.execute("CREATE TABLE 灯具 (名称 VARCHAR, 价格 DOUBLE)")
        connection.execute("SET enable_external_access = false")
        _opened.append(Tables(connection))
    return _opened[0]
