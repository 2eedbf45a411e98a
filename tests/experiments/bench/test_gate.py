import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from data.records import Message, Turn
from experiments.bench.gate import GateTurn, app, measure, own_turns, sample_turns, score
from program.gate.classify import GateDecision

ROOT = Path(__file__).parents[3]


def decided(intent: str, decision: str, *, sure: bool = True) -> tuple[GateTurn, GateDecision]:
    turn = GateTurn(list="tricky", language="en", intent=intent, query="x")
    return turn, GateDecision(intent=decision, sure=sure, reason="test")


def test_scores_are_about_skipping_and_count_confusions() -> None:
    scores = score(
        [
            decided("greeting", "greeting"),
            decided("greeting", "chitchat"),
            decided("chitchat", "retrieval", sure=False),
            decided("retrieval", "calculation"),
            decided("retrieval", "retrieval"),
        ]
    )
    assert (scores.turns, scores.need_no_search) == (5, 3)
    assert scores.precision == pytest.approx(2 / 3)
    assert scores.recall == pytest.approx(2 / 3)
    assert scores.f1 == pytest.approx(2 / 3)
    assert (scores.intent_accuracy, scores.decided_without_lm) == (0.4, 0.8)
    assert scores.confusion["greeting -> chitchat"] == 1


def test_nothing_to_skip_and_nothing_skipped_is_no_fault() -> None:
    scores = score([decided("retrieval", "retrieval")])
    assert (scores.precision, scores.recall, scores.f1) == (1, 1, 1)


def test_a_sample_turn_needs_no_search_when_it_is_social_and_has_no_relevant_passage() -> None:
    def turn(phenomenon: str, relevant: tuple[str, ...]) -> Turn:
        said = (Message(role="user", content="a"), Message(role="assistant", content="b"))
        metadata = {"phenomena": [phenomenon]}
        return Turn(
            id="1", conversation_id="c", turn=2, history=said, query="q", relevant_ids=relevant, metadata=metadata
        )

    rows = [("greeting", ()), ("thanks", ()), ("greeting", ("p",)), ("ellipsis", ())]
    made = list(sample_turns([turn(*row) for row in rows]))
    assert [one.intent for one in made] == ["greeting", "chitchat", "retrieval", "retrieval"]
    assert {one.last_answer for one in made} == {"b"}


def test_the_lists_are_large_and_of_both_languages_and_every_intent() -> None:
    turns = own_turns()
    tricky = [turn for turn in turns if turn.list == "tricky"]
    assert min(sum(turn.language == language for turn in tricky) for language in ("zh", "en")) >= 40
    for language in ("zh", "en"):
        assert len({turn.intent for turn in turns if turn.language == language}) == 5
    assert len({(turn.query, turn.last_answer) for turn in turns}) == len(turns)


def test_the_gate_skips_nothing_that_needs_a_search() -> None:
    scores = measure(own_turns())
    assert min(one.precision for one in scores.values()) == 1
    assert scores["tricky"].recall == 1
    assert min(one.decided_without_lm for one in scores.values()) >= 0.9


def test_results_in_the_repository_are_what_the_bench_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = CliRunner().invoke(app, ["--json", "--output", str(tmp_path)])
    assert shown.exit_code == 0
    made = json.loads((tmp_path / "gate.json").read_text(encoding="utf-8"))
    assert json.loads(shown.stdout) == made
    assert json.loads((ROOT / "experiments/results/gate.json").read_text(encoding="utf-8")) == made
    assert made["sample"]["decided_without_lm"] >= 0.95
    page = (ROOT / "docs/stages/gate.md").read_text(encoding="utf-8")
    for name in ("sample", "tricky", "fresh"):
        row = made[name]
        figures = [row[key] for key in ("precision", "recall", "f1", "intent_accuracy", "decided_without_lm")]
        cells = [name, str(row["turns"]), str(row["need_no_search"]), *(f"{value:.3f}" for value in figures)]
        assert f"| {' | '.join(cells)} |" in page


def test_the_table_shows_every_list(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    shown = CliRunner().invoke(app, ["--output", str(tmp_path)])
    assert "fresh en" in shown.stdout
    assert "retrieval -> retrieval: 495" in shown.stdout
