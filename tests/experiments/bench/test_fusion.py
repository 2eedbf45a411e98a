"""The fusion benchmark counts what it says it counts, and its page shows its results."""

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from data.load import load_data_dir
from data.records import Turn
from experiments.bench.fusion import (
    LEADS,
    ORIGINAL,
    REWRITE,
    STRATEGIES,
    FusionCase,
    FusionResults,
    app,
    auc,
    measure,
    table_lines,
    table_of,
)
from program.retrieval.retriever import Hit, RankedList
from program.rules.resolution import Resolution

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/stages/fuse.md"
RESULTS = ROOT / "experiments/results/fusion.json"


def case(number: int, *, original: list[str], rewrite: list[str], confidence: float = 0.9) -> FusionCase:
    def ranked(ids: list[str]) -> list[RankedList]:
        hits = [Hit(id=id_, score=9.0 - place, source=id_, text="") for place, id_ in enumerate(ids)]
        return [RankedList(engine="bm25", hits=tuple(hits))]

    turn = Turn(id=f"t{number}", conversation_id=f"c{number}", turn=2, query="它呢", relevant_ids=("gold",))
    resolution = Resolution(rewrites=("灯呢",), confidence=confidence, needs_lm=False, reason="pronoun")
    return FusionCase(turn, resolution, {"它呢": ranked(original), "灯呢": ranked(rewrite)})


def test_recall_and_harm_are_counted_over_the_turns() -> None:
    noise = list("abcdef")
    cases = [
        case(1, original=noise, rewrite=["gold", *noise]),
        case(2, original=["gold", *noise], rewrite=["gold"]),
        case(3, original=["gold"], rewrite=list("uvwxyz")),
    ]
    table = table_of("", cases, seed=1)
    rows = {row.strategy: row for row in table.rows}
    assert (table.turns, table.found_by_original) == (3, 2)
    assert list(rows) == [ORIGINAL, REWRITE, *STRATEGIES]
    assert rows[ORIGINAL].recall_at_5.mean == rows[REWRITE].recall_at_5.mean == pytest.approx(2 / 3)
    assert (rows[ORIGINAL].harmed_turns, rows[REWRITE].harmed_turns, rows[REWRITE].harm) == (0, 1, 0.5)
    assert (rows["reserved, 1 slot"].recall_at_5.mean, rows["reserved, 1 slot"].harmed_turns) == (1.0, 0)
    assert rows["reserved, 1 slot"].less_default.mean == pytest.approx(1 / 3)


def test_by_confidence_listens_to_the_rules() -> None:
    lost = {"original": ["gold"], "rewrite": list("uvwxyz")}
    for confidence, harmed in ((1.0, 1), (0.0, 0)):
        table = table_of("", [case(1, **lost, confidence=confidence)], seed=1)
        row = next(row for row in table.rows if row.strategy == "by_confidence")
        assert (table.trusted_share, row.harmed_turns) == (harmed, harmed)


@pytest.mark.parametrize(
    ("scores", "recalls", "expected"),
    [([0.9, 0.1], [1.0, 0.0], 1.0), ([0.1, 0.9], [0.5, 0.0], 0.0), ([0.5, 0.5], [1.0, 0.0], 0.5), ([0.5], [1.0], None)],
)
def test_auc(scores: list[float], recalls: list[float], expected: float | None) -> None:
    assert auc(scores, recalls) == expected


def test_the_command_measures_and_never_looks_at_test(tiny_data: Path, tmp_path: Path) -> None:
    experiment = tmp_path / "tiny.yaml"
    settings = {"name": "tiny", "data": str(tiny_data), "seed": 7, "optimizer": {"name": "none"}, "output": "out"}
    experiment.write_text(yaml.safe_dump(settings), encoding="utf-8")
    output = tmp_path / "fusion.json"
    ran = CliRunner().invoke(app, ["--experiment", str(experiment), "--output", str(output)], catch_exceptions=False)
    assert ran.exit_code == 0
    results = FusionResults.model_validate_json(output.read_text(encoding="utf-8"))
    first = results.table(LEADS[0])
    # 24 conversations, a quarter of them test, with two follow-ups each that the rules rewrite.
    assert first.turns == 18 * 2
    assert all(line in ran.output for line in table_lines(results, LEADS[0]))
    assert measure(experiment, 7).tables[0].rows[0].recall_at_5 == measure(experiment, 7).tables[0].rows[0].recall_at_5


def test_the_page_shows_the_results() -> None:
    page = PAGE.read_text(encoding="utf-8")
    results = FusionResults.model_validate_json(RESULTS.read_text(encoding="utf-8"))
    for lead in LEADS:
        assert "\n".join(table_lines(results, lead)) in page
        table = results.table(lead)
        assert f"{table.turns} turns" in page
        assert f"the original finds something in {table.found_by_original}" in page
    first = results.table(LEADS[0])
    assert f"seed {results.seed}" in page
    assert f"{100 * first.trusted_share:.0f}% of the turns are trusted" in page
    assert f"AUC {first.auc_confidence:.2f}, the rules' own confidence alone {first.auc_sure:.2f}" in page


def test_the_results_are_of_the_sample_as_it_is() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert results["sha256"] == load_data_dir(ROOT / "data/sample").content_sha256
