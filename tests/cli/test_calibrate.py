"""``anaphora calibrate``: the threshold goes into the program, and everything else stays."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from program import artefact
from program.rewrite_program import RewriteProgram
from program.settings import GuardSettings, Settings

Run = Callable[..., Any]
SAMPLE = Path(__file__).parents[2] / "data" / "sample"


class OfCharacters:
    """A text's direction is what characters it has."""

    identity = "characters/1"

    def embed(self, texts: Sequence[str], role: str) -> Any:
        rows = np.zeros((len(texts), 256), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for character in f"{text} ":
                row[ord(character) % 256] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A saved program with scores and the threshold of another embedder; ``characters`` is the name of an embedder."""
    monkeypatch.setattr("program.retrieval.chroma.make_embedder", {"characters": OfCharacters()}.__getitem__)
    settings = Settings(k=4, guard=GuardSettings(drift={"other/1": 0.5}))
    manifest = artefact.Manifest(name="mine", data_sha256="abc", language_model="openai/x", scores={"dev": 0.9})
    return artefact.save(RewriteProgram(settings), tmp_path / "program", manifest)


def test_the_threshold_is_kept_with_the_program(run: Run, program: Path) -> None:
    before = artefact.read_manifest(program)
    answer = run("calibrate", SAMPLE, "--program", program, "--embedder", "characters")
    assert answer["embedder"] == "characters/1"
    assert answer["good_kept"]["mean"] >= 0.98
    assert answer["low"] <= answer["threshold"] <= answer["high"]
    settings = artefact.load(program).settings
    assert settings.guard.drift == {"other/1": 0.5, "characters/1": answer["threshold"]}
    assert settings.k == 4
    after = artefact.read_manifest(program)
    assert after.model_copy(update={"files": {}}) == before.model_copy(update={"files": {}})
    prompts = "program.json"
    assert after.files[prompts] == before.files[prompts]


def test_the_test_split_is_not_looked_at(run: Run, program: Path, tmp_path: Path) -> None:
    from data.load import load_data_dir
    from data.split import split_by_conversation
    from experiments.corpus import open_data

    first = run("calibrate", SAMPLE, "--program", program, "--embedder", "characters")
    scorable = open_data(SAMPLE)[1].scorable
    unseen = {turn.id for turn in split_by_conversation(scorable, seed=7, dev_share=0.25, test_share=0.25).test}
    assert unseen
    assert first["n"] <= len(load_data_dir(SAMPLE).turns) - len(unseen)
    lines = [json.loads(line) for line in (SAMPLE / "turns.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["id"] in unseen:
            line["gold_rewrite"] = "zzz"
    (tmp_path / "turns.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (tmp_path / "corpus.jsonl").write_bytes((SAMPLE / "corpus.jsonl").read_bytes())
    again = run("calibrate", tmp_path, "--program", program, "--embedder", "characters")
    assert {**again, "data": ""} == {**first, "data": ""}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--embedder", "characters", "--store", "x"), "one of them"),
        (("--store", "{store}"), "has no vectors"),
        (("--program", "none"), "no program"),
    ],
)
def test_what_is_unclear_is_refused_and_changes_nothing(
    refusal: Run, program: Path, store: Path, *, arguments: tuple[str, ...], says: str
) -> None:
    before = artefact.read_manifest(program)
    said = refusal("calibrate", SAMPLE, "--program", program, *(one.format(store=store) for one in arguments))
    assert says in said
    assert said.count("\n") == 1
    assert artefact.read_manifest(program) == before


def test_too_few_turns_are_refused(refusal: Run, program: Path, tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"id": "a", "text": "保修两年"}\n', encoding="utf-8")
    row = {"id": "t", "conversation_id": "c", "turn": 1, "query": "保修", "relevant_ids": ["a"]}
    (tmp_path / "turns.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert "expected 50 or more" in refusal("calibrate", tmp_path, "--program", program, "--embedder", "characters")
