"""From question to hits, with a scripted model: what is asked again, and what is given up."""

from collections.abc import Callable

import pytest

from program.sql.answer import SqlAnswer, answer_with_sql
from program.sql.tables import Tables

GOOD = "SELECT 名称, 价格 FROM 灯具 WHERE 价格 < 100"


class Script:
    """Answers one text after the other and keeps what it was shown."""

    def __init__(self, *texts: str | None) -> None:
        self.texts = list(texts)
        self.seen: list[tuple[str, str]] = []

    def __call__(self, schema: str, query: str) -> str | None:
        self.seen.append((schema, query))
        return self.texts.pop(0)


def answer(tables: Tables, ask: Callable[[str, str], str | None], *, timeout_ms: float = 10_000) -> SqlAnswer:
    return answer_with_sql("一百元以下的灯有哪些", tables, ask, rows=5, timeout_ms=timeout_ms)


def test_rows_become_hits(tables: Tables) -> None:
    script = Script(f"```sql\n{GOOD};\n```")
    found = answer(tables, script)
    assert [hit.text for hit in found.hits] == ["名称: 星屑夜灯; 价格: 88 (价格 < 100)"]
    assert (found.reason, found.attempts, found.truncated) == (None, 1, False)
    assert found.sql.startswith('SELECT "灯具"."名称"')
    ((schema, query),) = script.seen
    assert schema == tables.schema_text(query)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("SELECT 售价 FROM 灯具", "售价"),
        ("SELECT 名称 FROM 台灯", "台灯"),
        ("SELECT 名称 FROM 灯具; DROP TABLE 灯具", "more than one"),
        ("SELECT CAST(名称 AS INTEGER) AS n FROM 灯具", "Could not convert"),
    ],
)
def test_a_wrong_statement_is_shown_once_more_with_its_reason(tables: Tables, bad: str, reason: str) -> None:
    script = Script(bad, GOOD)
    found = answer(tables, script)
    assert len(found.hits) == 1
    assert (found.reason, found.attempts) == (None, 2)
    assert reason in script.seen[1][0]
    assert script.seen[1][0].startswith(script.seen[0][0])


def test_two_wrong_statements_are_enough(tables: Tables) -> None:
    found = answer(tables, Script("SELECT a FROM 灯具", "SELECT b FROM 灯具"))
    assert found.hits == ()
    assert found.attempts == 2
    assert found.reason is not None
    assert "refused" in found.reason
    assert "b" in found.reason


@pytest.mark.parametrize(
    ("said", "reason", "attempts"),
    [
        (None, "no language model", 0),
        ("", "no SELECT", 1),
        ("没有合适的表。", "no SELECT", 1),
        ("DROP TABLE 灯具", "no SELECT", 1),
        ("SELECT 名称 FROM 灯具 WHERE 价格 > 10000", "no rows", 1),
    ],
)
def test_what_cannot_be_mended_is_not_asked_again(tables: Tables, said: str | None, reason: str, attempts: int) -> None:
    script = Script(said)
    found = answer(tables, script)
    assert found.hits == ()
    assert found.attempts == attempts
    assert reason in str(found.reason)
    assert len(script.seen) == 1


def test_a_slow_statement_is_not_asked_again(tables: Tables) -> None:
    crossed = ", ".join(f"灯具 t{n}" for n in range(24))
    script = Script(f"SELECT count(*) FROM {crossed}")
    assert "longer than 100 ms" in str(answer(tables, script, timeout_ms=100).reason)
    assert len(script.seen) == 1


def test_what_the_model_raises_is_the_callers(tables: Tables) -> None:
    def broken(schema: str, query: str) -> str:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        answer(tables, broken)
