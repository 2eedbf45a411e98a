"""Two small invented tables, one in each language, as CSV files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from program.sql.tables import Tables

LAMPS = "名称,价格,产地 城市,上市\n暖汐台灯,259,杭州,2023-05-01\n暮光台灯,199.5,宁波,2022-11-11\n星屑夜灯,88,杭州,2024-02-10\n"
KETTLES = "Name,Price,City,Code\nBrindle kettle,39,Leeds,007\nHalden kettle,55,York,012\nMarlow pot,21,Leeds,113\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "灯具.csv").write_text(LAMPS, encoding="utf-8")
    (tmp_path / "kettles.csv").write_text(KETTLES, encoding="utf-8")
    return tmp_path


@pytest.fixture
def tables(folder: Path) -> Iterator[Tables]:
    with Tables.open([folder / "灯具.csv", folder / "kettles.csv"]) as opened:
        yield opened


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    """The same tables for the many tests that only read them."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "灯具.csv").write_text(LAMPS, encoding="utf-8")
    (folder / "kettles.csv").write_text(KETTLES, encoding="utf-8")
    with Tables.open([folder / "灯具.csv", folder / "kettles.csv"]) as opened:
        yield opened
