from pathlib import Path

import pytest

from data.errors import ConfigError
from program.gate.words import expand, read_gate_words, vocabulary
from program.settings import GateWords


def test_choices_are_spelt_out() -> None:
    assert list(expand("{a|b|} c")) == ["a c", "b c", "c"]
    assert set(expand("{a {b|c}|d}")) == {"a b", "a c", "d"}
    assert list(expand("plain")) == ["plain"]


def test_the_built_in_words_hold_every_kind_in_both_languages() -> None:
    known = vocabulary()
    for kind in set(known.kinds.values()):
        units = {unit for key, one in known.kinds.items() if one == kind for unit in key}
        assert any(unit.isascii() for unit in units)
        assert any(not unit.isascii() for unit in units)
    assert all(key and isinstance(unit, str) for key in known.kinds for unit in key)
    assert not any("{" in unit or "|" in unit for key in known.kinds for unit in key)


def test_a_users_file_is_read_and_every_scalar_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "words.yaml"
    path.write_text("greeting: [在干嘛, Moin]\nchitchat:\n  - no\n  - 666\n", encoding="utf-8")
    assert read_gate_words(path) == GateWords(greeting=("在干嘛", "Moin"), chitchat=("no", "666"))
    path.write_text("", encoding="utf-8")
    assert read_gate_words(path) == GateWords()


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("greetings: [hi]", "greetings"),
        ("greeting: hi", "greeting"),
        ("chitchat: [[a]]", "chitchat.0"),
        ("retrieval: ['！']\nchitchat: [' ']", "chitchat"),
        ("greeting: [a", "YAML"),
        ("- a", "top level"),
    ],
)
def test_a_wrong_file_is_refused_with_file_and_key(tmp_path: Path, content: str, named: str) -> None:
    path = tmp_path / "words.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_gate_words(path)
    assert str(path) in str(caught.value)
    assert named in str(caught.value)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read_gate_words(tmp_path / "none.yaml")
