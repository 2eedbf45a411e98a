"""A statement is found in what small models write around it; a second one is not overlooked."""

import pytest

from program.sql.errors import SqlRefused
from program.sql.read import statement_in

PLAIN = "SELECT a FROM t"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN, f" {PLAIN} ", f"{PLAIN};", f"{PLAIN}；", f"SQL: {PLAIN}", f"sql query: {PLAIN};", f"查询语句：{PLAIN}",
        f"```sql\n{PLAIN};\n```", f"```\n{PLAIN}\n```\nThis reads t.", f"```sql\n{PLAIN}", f"Here is the query:\n```sql\n{PLAIN}\n```",
        f"Here you are:\n{PLAIN};\nThis selects a; it is simple.", f"好的，查询如下：\n{PLAIN}\n\n这条语句返回 a。", f"{PLAIN}\n说明：返回 a",
        f"{PLAIN}\nExplanation: it reads t", f"{PLAIN}\n\nIt reads t.", f"`{PLAIN}`", f"{PLAIN}; -- done", f"With these tables:\n{PLAIN}",
        f"/* a */ {PLAIN}",
    ],
)  # fmt: skip
def test_talk_is_left_out(text: str) -> None:
    assert statement_in(text) == PLAIN


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("SELECT `产地 城市` FROM `灯具`", 'SELECT "产地 城市" FROM "灯具"'),
        ("SELECT名称 FROM灯具 WHERE产地 = 'from杭州'", "SELECT 名称 FROM 灯具 WHERE 产地 = 'from杭州'"),
        ("SELECT a FROM t WHERE b = 'x;y'", "SELECT a FROM t WHERE b = 'x;y'"),
        ("SELECT a\nFROM t\n\nWHERE b = 1", "SELECT a\nFROM t\n\nWHERE b = 1"),
        (
            "WITH x AS (SELECT 1 FROM t)\n\nSELECT * FROM x;\nThe rest is talk",
            "WITH x AS (SELECT 1 FROM t)\n\nSELECT * FROM x",
        ),
        ("(SELECT a FROM t) UNION (SELECT b FROM t)", "(SELECT a FROM t) UNION (SELECT b FROM t)"),
    ],
)
def test_the_statement_stays_whole(text: str, statement: str) -> None:
    assert statement_in(text) == statement


@pytest.mark.parametrize(
    "text", ["", "  ", "```sql\n```", "我不知道", "No table fits.", "With this schema I cannot", "FROM t"]
)
def test_text_without_a_query(text: str) -> None:
    assert statement_in(text) is None


@pytest.mark.parametrize(
    "text",
    [
        f"{PLAIN}; DROP TABLE t", f"{PLAIN};\n{PLAIN}", f"{PLAIN}; SELECT名称 FROM灯具", f"DROP TABLE t;\n{PLAIN}",
        f"CREATE TABLE x AS\n{PLAIN}",
        f"{PLAIN}; ; DELETE FROM t",
        f"{PLAIN}; WITH x AS (SELECT 1) SELECT * FROM x", f"INSERT INTO t\n{PLAIN}",
    ],
)  # fmt: skip
def test_another_statement_is_refused(text: str) -> None:
    with pytest.raises(SqlRefused, match="statement"):
        statement_in(text)
