"""The guards' benchmark: its bad rewrites, and that the document shows what was measured."""

import json
import random
from pathlib import Path

import pytest

from data.errors import ConfigError
from data.records import Message, Passage, Turn
from experiments.bench.guards_corrupt import CORRUPTIONS, Pool
from experiments.bench.guards_measure import JUDGES, measure_set
from experiments.bench.guards_report import BEGIN, END, MEANT_FOR, insert_tables, tables
from experiments.bench.guards_results import GuardResults
from experiments.bench.guards_sets import GuardSet, open_sets
from program.guard.checks import CHECKS
from program.rules.gazetteer import Gazetteer

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "experiments/results/guards.json"

PASSAGES = (
    Passage(id="p1", title="暖汐台灯 › 保修", text="保修 3 年。凭发票办理。"),
    Passage(id="p2", title="暮光台灯 › 保修", text="保修 2 年。"),
    Passage(id="p3", title="晨曦台灯 › 保修", text="保修 1 年。"),
)
HISTORY = (Message(role="user", content="暖汐台灯保修多久"), Message(role="assistant", content="3 年。"))
TURNS = (
    Turn(id="a:1", conversation_id="a", turn=1, history=HISTORY, query="它多重", gold_rewrite="暖汐台灯多重", relevant_ids=("p1",)),
    Turn(id="a:2", conversation_id="a", turn=2, history=HISTORY, query="暮光台灯周一不能 3 天到吗", gold_rewrite="暮光台灯周一不能 3 天到吗"),
    Turn(id="b:1", conversation_id="b", turn=1, history=HISTORY, query="它亮吗", gold_rewrite="晨曦台灯亮吗"),
)  # fmt: skip
POOL = Pool(
    turns=TURNS,
    translations={"zh": ["年假有几天"], "en": ["How many days of leave?"]},
    passages={one.id: one for one in PASSAGES},
    gazetteer=Gazetteer(terms=("暖汐台灯", "暮光台灯", "晨曦台灯")),
)


@pytest.mark.parametrize(
    ("kind", "turn", "made"),
    [
        ("other turn", 0, {"晨曦台灯亮吗"}),
        ("last question", 1, {"暖汐台灯多重"}),
        ("answer", 0, {"保修 3 年。"}),
        ("answer", 1, {None}),
        ("translation", 0, {"How many days of leave?"}),
        ("date", 1, {"暮光台灯周三不能 3 天到吗"}),
        ("negation", 1, {"暮光台灯周一能 3 天到吗"}),
        ("entity lost", 1, {"周一不能 3 天到吗"}),
        ("entity lost", 0, {None}),
        ("entity swapped", 0, {"暮光台灯多重", "晨曦台灯多重"}),
        ("old topic", 1, {"暖汐台灯和暮光台灯周一不能 3 天到吗"}),
        ("too long", 0, {None}),
        ("number", 0, {None}),
    ],
)
def test_bad_rewrites(kind: str, turn: int, made: set[str | None]) -> None:
    assert CORRUPTIONS[kind](TURNS[turn], POOL, random.Random(7)) in made


def test_another_number_is_another_number() -> None:
    made = CORRUPTIONS["number"](TURNS[1], POOL, random.Random(7))
    assert made is not None
    assert " 3 天" not in made
    assert made.startswith("暮光台灯周一不能 ")


def test_guards_are_measured_alone_and_together() -> None:
    one = GuardSet(name="tiny", turns=TURNS, passages=PASSAGES)
    found = measure_set(one, POOL.translations, None, seed=7, drift_turns=0)
    rows = {row.guard: row for row in found.rows}
    assert list(rows) == list(JUDGES)
    assert found.turns == 3
    assert rows["language"].refused["translation"] == 1
    assert rows["numbers"].refused["number"] == 1
    assert rows["negation"].refused["negation"] == 1
    assert rows["old topic"].refused["old topic"] == 1
    assert rows["all by words"].good_kept.mean == pytest.approx(2 / 3)  # "晨曦台灯" was never said to b
    assert found.drift_threshold is None
    assert measure_set(one, POOL.translations, None, seed=7, drift_turns=0) == found


def test_every_guard_of_the_program_is_measured() -> None:
    assert {switch.replace("_", " ") for switch in CHECKS} < set(JUDGES)
    assert set(JUDGES) | {"drift"} == set(MEANT_FOR) | {"all by words"}


def test_missing_public_sets_are_said(tmp_path: Path) -> None:
    sets, skipped = open_sets(ROOT / "data/sample", tmp_path)
    assert [one.name for one in sets] == ["sample zh", "sample en"]
    assert skipped == (f"canard_dev: not in {tmp_path}", f"cast_rewrites: not in {tmp_path}")


def test_a_page_without_markers_is_refused(tmp_path: Path) -> None:
    results = GuardResults(seed=7, drift_embedder=None, drift_keeps=0.98, skipped=(), sets=())
    page = tmp_path / "page.md"
    with pytest.raises(ConfigError, match=r"page\.md"):
        insert_tables(page, results)
    page.write_text(f"{END} {BEGIN}")
    with pytest.raises(ConfigError, match="expected the lines"):
        insert_tables(page, results)
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    insert_tables(page, results)
    assert page.read_text().startswith(f"before\n{BEGIN}\n")
    assert "old" not in page.read_text()
    assert page.read_text().endswith(f"\n{END}\nafter\n")


def test_the_page_shows_the_results() -> None:
    results = GuardResults.model_validate(json.loads(RESULTS.read_text(encoding="utf-8")))
    page = (ROOT / "docs/stages/guard.md").read_text(encoding="utf-8")
    shown = page.partition(BEGIN)[2].partition(END)[0]
    assert shown == f"\n{tables(results)}\n", "run: python -m experiments.bench.guards"


@pytest.mark.parametrize("row", ["all by words"])
def test_nearly_all_good_rewrites_are_kept(row: str) -> None:
    results = GuardResults.model_validate(json.loads(RESULTS.read_text(encoding="utf-8")))
    kept = {one.name: next(found.good_kept.mean for found in one.rows if found.guard == row) for one in results.sets}
    assert {name: share for name, share in kept.items() if share < 0.98} == {}
