"""What may be registered, and under which name."""

from pathlib import Path

import pytest

from data.errors import ConfigError
from program.sql.source import TableNames, read_source, table_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("orders", "orders"),
        ("灯具", "灯具"),
        ("2024 销售-Q1", "t_2024_销售_Q1"),
        (" a.b ", "a_b"),
        ("---", "table"),
        ('x"; drop', "x_drop"),
    ],
)
def test_a_table_name_needs_no_quotes(text: str, name: str) -> None:
    assert table_name(text) == name


def test_a_name_may_be_given_and_a_path_may_hold_an_equals_sign(tmp_path: Path) -> None:
    path = tmp_path / "a=b.csv"
    path.write_text("x\n1\n")
    assert read_source(str(path)).name == "a_b"
    assert read_source(f"灯={path}").name == "灯"
    assert read_source(f"灯={path}").path == path


@pytest.mark.parametrize("name", ["missing.csv", "notes.txt", "folder.csv", "text.db", "empty.db"])
def test_other_files_are_refused_in_one_line_that_names_them(tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "text.db").write_text("name,price\n")
    (tmp_path / "empty.db").touch()
    with pytest.raises(ConfigError, match="expected") as refused:
        read_source(tmp_path / name)
    assert name in str(refused.value)
    assert "\n" not in str(refused.value)


def test_names_that_differ_in_case_alone_clash() -> None:
    names = TableNames()
    names.claim("Orders", Path("a.csv"))
    with pytest.raises(ConfigError, match=r"b\.csv.*a\.csv"):
        names.claim("orders", Path("b.csv"))
