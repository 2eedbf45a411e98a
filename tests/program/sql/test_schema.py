"""A prompt shows what the question speaks of, within a bound."""

from pathlib import Path

import pytest

from program.sql.schema import LONGEST, name_in_sql
from program.sql.tables import Tables


def test_one_line_a_table_with_types_and_values(tables: Tables) -> None:
    first, second = tables.schema_text().splitlines()
    assert first.startswith("灯具(名称 VARCHAR e.g. ")
    assert "\"产地 城市\" VARCHAR e.g. '宁波', '杭州'" in first
    assert "Price BIGINT e.g. 21, 39, 55" in second


@pytest.mark.parametrize(
    ("query", "linked"),
    [
        ("暮光台灯多少钱", "名称 VARCHAR e.g. '暮光台灯', "),
        ("夜灯什么时候上市", "名称 VARCHAR e.g. '星屑夜灯', "),
        ("杭州有哪些灯", "VARCHAR e.g. '杭州', '宁波'"),
        ("How much is the marlow POT?", "Name VARCHAR e.g. 'Marlow pot', "),
        ("anything from Halden", "Name VARCHAR e.g. 'Halden kettle', "),
        ("kettles in ｙｏｒｋ", "City VARCHAR e.g. 'York', "),
    ],
)
def test_values_of_the_query_come_first(tables: Tables, query: str, linked: str) -> None:
    assert linked in tables.schema_text(query)


def test_a_latin_value_inside_a_word_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("colour\nblue\ngreen\nred\n")
    with Tables.open([tmp_path / "t.csv"], sample_values=1) as tables:
        assert tables.schema_text("a hundred pots") == "t(colour VARCHAR e.g. 'blue')"
        assert tables.schema_text("red pots") == "t(colour VARCHAR e.g. 'red')"


def test_values_far_down_a_long_table_are_found(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("name\n" + "".join(f"item{n}x\n" for n in range(5000)) + "云栖茶壶\n")
    with Tables.open([tmp_path / "t.csv"]) as tables:
        assert "e.g. '云栖茶壶', " in tables.schema_text("云栖茶壶有货吗")


def test_the_text_is_bounded_and_keeps_what_is_named(tmp_path: Path) -> None:
    for number in range(12):
        header = ",".join(f"column_{number}_{n}" for n in range(30))
        values = ",".join("珍珠色" if (number, n) == (7, 21) else f"value{n}" for n in range(30))
        (tmp_path / f"t{number:02}.csv").write_text(f"{header}\n{values}\n", encoding="utf-8")
    with Tables.open(sorted(tmp_path.glob("*.csv"))) as tables:
        text = tables.schema_text("有珍珠色的吗")
        assert len(text) <= LONGEST
        assert text.startswith("t07(")
        assert "column_7_21" in text
        assert len(tables.schema_text()) <= LONGEST


def test_no_samples_where_none_are_asked_for(folder: Path) -> None:
    with Tables.open([folder / "kettles.csv"], sample_values=0) as tables:
        assert tables.schema_text() == "kettles(Name VARCHAR; Price BIGINT; City VARCHAR; Code VARCHAR)"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("price", "price"),
        ("价格", "价格"),
        ("产地 城市", '"产地 城市"'),
        ("order", '"order"'),
        ("1st", '"1st"'),
        ('a"b', '"a""b"'),
    ],
)
def test_a_name_is_quoted_where_it_must_be(name: str, written: str) -> None:
    assert name_in_sql(name) == written


def test_a_query_with_quotes_is_only_text(tables: Tables) -> None:
    assert tables.schema_text("'; DROP TABLE kettles; --\" $1 ?") == tables.schema_text()
