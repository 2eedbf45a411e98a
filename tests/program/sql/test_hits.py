"""Rows read as text, carry what they were chosen by, and keep their ids."""

import datetime
from decimal import Decimal
from typing import Any

import pytest

from program.result import FusedHit
from program.sql.check import check
from program.sql.hits import cell, hits_of
from program.sql.tables import Tables


def hits(tables: Tables, sql: str) -> list[FusedHit]:
    checked = check(sql, tables)
    return hits_of(tables.run(checked, rows=20, timeout_ms=10_000), checked, tables)


def test_a_row_is_a_hit_in_the_statements_order(tables: Tables) -> None:
    found = hits(tables, "SELECT 名称, 价格, 上市 FROM 灯具 ORDER BY 价格")
    assert [hit.text for hit in found] == [
        "名称: 星屑夜灯; 价格: 88; 上市: 2024-02-10",
        "名称: 暮光台灯; 价格: 199.5; 上市: 2022-11-11",
        "名称: 暖汐台灯; 价格: 259; 上市: 2023-05-01",
    ]
    assert [hit.score for hit in found] == pytest.approx([1, 5 / 6, 4 / 6])
    assert {hit.source for hit in found} == {"灯具"}
    assert {hit.found_by for hit in found} == {("sql",)}


def test_a_count_says_what_was_counted(tables: Tables) -> None:
    (hit,) = hits(tables, "SELECT count(*) FROM kettles k WHERE k.city = 'Leeds'")
    assert hit.text == "COUNT(*): 2 (City = 'Leeds')"
    assert hit.id != hits(tables, "SELECT count(*) FROM kettles WHERE price < 50")[0].id


def test_ids_depend_on_the_row_and_not_on_its_place(tables: Tables) -> None:
    up, down = (hits(tables, f"SELECT name FROM kettles ORDER BY price {order}") for order in ("ASC", "DESC"))
    assert [hit.id for hit in up] == [hit.id for hit in down][::-1]
    assert up[0].id == "sql:kettles:" + up[0].id.rpartition(":")[2]
    assert len(up[0].id.rpartition(":")[2]) == 16


def test_equal_rows_count_once_and_empty_ones_not_at_all(tables: Tables) -> None:
    assert len(hits(tables, "SELECT city FROM kettles")) == 2
    assert hits(tables, "SELECT max(price) FROM kettles WHERE price < 0") == []
    assert hits(tables, "SELECT name FROM kettles WHERE price < 0") == []
    assert [hit.text for hit in hits(tables, "SELECT count(*) AS n FROM kettles WHERE price < 0")] == [
        "n: 0 (Price < 0)"
    ]


def test_sources_of_a_join_are_named_and_parts_of_the_statement_not(tables: Tables) -> None:
    (hit,) = hits(
        tables, "WITH c AS (SELECT name FROM kettles) SELECT c.name, 名称 FROM c, 灯具 WHERE 价格 < 90 LIMIT 1"
    )
    assert hit.source == "灯具+kettles"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""), (b"x", ""), (float("nan"), ""), (True, "true"), (3, "3"), (259.0, "259"), (0.1 + 0.2, "0.3"), (1e20, "1e+20"),
        (Decimal("2.50"), "2.50"), (datetime.date(2024, 1, 2), "2024-01-02"), (" a\nb ", "a b"), ("灯" * 600, "灯" * 499 + "…"),
    ],
)  # fmt: skip
def test_values_as_people_write_them(value: Any, text: str) -> None:
    assert cell(value) == text
