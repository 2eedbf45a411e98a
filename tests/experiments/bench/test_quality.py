import json

import pytest
from typer.testing import CliRunner

from experiments.bench import quality
from experiments.bench.quality_open import Choices
from experiments.bench.quality_sets import SETS


@pytest.fixture
def tiny(bench_set, monkeypatch, tmp_path):
    """The small set under a name that the benchmark knows, in an empty working directory."""
    monkeypatch.setitem(SETS, "tiny", bench_set)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments):
    return CliRunner().invoke(quality.app, [*arguments, "--output", "results"])


def test_a_run_writes_numbers_a_page_and_a_picture(tiny, monkeypatch, good_lm):
    monkeypatch.setattr(quality, "choose", lambda name, **_: good_lm[0])

    result = call("--sets", "tiny", "--lm", "fake/model", "--seed", "3")

    assert result.exit_code == 0, result.output
    found = json.loads((tiny / "results" / "quality.json").read_text(encoding="utf-8"))
    page = (tiny / "results" / "quality.md").read_text(encoding="utf-8")
    assert (tiny / "results" / "quality.png").read_bytes().startswith(b"\x89PNG")
    assert found["conditions"]["seed"] == 3
    assert found["conditions"]["lm"] == "fake/model (fake/model)"
    assert "dspy" in found["conditions"]["versions"]
    rows = {row["system"]: row["summary"] for row in found["rows"]}
    assert rows["reference"]["recall_at_5"]["mean"] == 1.0
    assert f"| gold rewrite | 7 | 1.000 [{rows['reference']['recall_at_5']['low']:.3f}, 1.000] |" in page
    assert "llama_index_fused" in page


def test_no_text_of_the_data_is_in_the_results(tiny, monkeypatch, good_lm, data_folder):
    monkeypatch.setattr(quality, "choose", lambda name, **_: good_lm[0])

    call("--sets", "tiny")

    written = "".join((tiny / "results" / f"quality.{kind}").read_text(encoding="utf-8") for kind in ("json", "md"))
    texts = set()
    for name in ("corpus", "turns"):
        for line in (data_folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            texts |= {row["id"], row.get("text"), row.get("title"), row.get("query"), row.get("gold_rewrite")}
    assert [text for text in texts if text and text in written] == []


def test_absent_data_is_said_and_left_out(tiny):
    result = call("--sets", "canard_dev,mtrag_clapnq")

    assert result.exit_code == 0
    assert "canard_dev: there is no folder ../shared/data/canard_dev" in result.output
    assert "mtrag_clapnq: there is no folder ../shared/data/mtrag_clapnq" in result.output


def test_absent_weights_leave_the_quick_systems(tiny, monkeypatch):
    monkeypatch.setenv("ANAPHORA_MODELS", str(tiny / "no-models"))

    result = call("--sets", "tiny")

    assert result.exit_code == 0
    assert "anaphora model pull" in result.output
    rows = json.loads((tiny / "results" / "quality.json").read_text(encoding="utf-8"))["rows"]
    assert [row["system"] for row in rows] == ["original", "rules", "reference"]


def test_a_model_that_is_down_is_noticed_before_anything_is_measured(tiny, monkeypatch, scripted):
    def down(_prompt):
        raise ConnectionError("refused")

    monkeypatch.setattr(quality, "choose", lambda name, **_: scripted(down)[0])

    result = call("--sets", "tiny", "--systems", "zero_shot")

    assert "does not answer" in result.output
    rows = json.loads((tiny / "results" / "quality.json").read_text(encoding="utf-8"))["rows"]
    assert [row["system"] for row in rows] == ["original"]


def test_no_model_is_opened_when_none_is_needed(tiny, monkeypatch):
    monkeypatch.setattr(quality, "choose", lambda name, **_: pytest.fail("nobody asked for a model"))

    assert call("--sets", "tiny", "--systems", "original,rules").exit_code == 0


@pytest.mark.parametrize("option", ["--sets", "--systems", "--retrievers"])
def test_an_unknown_name_is_one_clear_line(tiny, option):
    result = call(option, "nonsense")

    assert result.exit_code == 2
    assert result.output.startswith(f"error[bad_config]: {option}: nonsense is not known; known: ")
    assert len(result.output.strip().splitlines()) == 1


def test_ctrl_c_writes_what_is_done(tiny, monkeypatch, good_lm):
    lm, engine = good_lm
    monkeypatch.setattr(quality, "choose", lambda name, **_: lm)
    engine.stop_after = 3  # the first call only sees whether the model is there

    result = call("--sets", "tiny", "--systems", "rules,zero_shot")

    assert result.exit_code == 130
    found = json.loads((tiny / "results" / "quality.json").read_text(encoding="utf-8"))
    assert [row["system"] for row in found["rows"]] == ["original", "rules"]
    assert any("interrupted" in line for line in found["skipped"])
    assert "interrupted" in (tiny / "results" / "quality.md").read_text(encoding="utf-8")


def test_results_are_the_same_for_the_same_seed(tiny, good_lm):
    choices = Choices(stores=tiny / "stores", output=tiny / "results", seed=5, systems=("original", "rules"))
    pages = []
    for _ in range(2):
        quality.measure(["tiny"], choices, "local", None)
        found = json.loads((tiny / "results" / "quality.json").read_text(encoding="utf-8"))
        for row in found["rows"]:
            row["summary"].pop("elapsed_ms_per_turn")
        pages.append(found)

    assert pages[0] == pages[1]
