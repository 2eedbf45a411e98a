import json

import pytest

from experiments.bench.ablation_results import Ablation, AblationRow, ablation_page, write_ablation
from experiments.bench.ablation_variants import BASE, EXPANSIONS, combinations, variants
from metrics.interval import paired_interval
from metrics.outcome import TurnOutcome
from metrics.summary import summarise
from program.settings import ExpandSettings, Settings


def outcome(number: int, *retrieved: str) -> TurnOutcome:
    return TurnOutcome(
        turn_id=str(number),
        conversation_id=f"c{number}",
        turn=1,
        language="zh",
        phenomena=(),
        has_history=False,
        relevant_ids=("a",),
        retrieved_ids=retrieved,
        rewritten=False,
        lm_calls=0,
        lm_tokens=0,
        elapsed_ms=1.0,
        fallbacks=(),
    )


def test_every_variant_is_the_plain_rewrite_with_one_thing_changed() -> None:
    made = variants(Settings())
    base = made[BASE].model_dump()
    assert made[BASE].expand == ExpandSettings()
    for name, settings in made.items():
        groups = [group for group, value in settings.model_dump().items() if value != base[group]]
        assert len(groups) == (0 if name == BASE else 2 if name.endswith("weight 0.9") else 1), name
    assert set(EXPANSIONS) < set(made)


def test_combinations_are_all_sets_of_two_or_more_the_smallest_first() -> None:
    made = combinations(variants(Settings())[BASE])
    sizes = [sum(bool(on) for on in settings.expand.model_dump().values()) for settings in made.values()]
    assert (len(made), sizes, sizes[-1]) == (11, sorted(sizes), 4)
    assert all(not settings.expand.plan for settings in made.values())


@pytest.mark.parametrize("start", [Settings(expand=ExpandSettings(hyde=True)), Settings(rerank="lm")])
def test_what_a_program_has_switched_on_is_off_in_the_plain_rewrite(start: Settings) -> None:
    plain = variants(start)[BASE]
    assert (plain.expand, plain.rerank) == (ExpandSettings(), "off")


def test_the_tables_say_what_the_numbers_are(tmp_path) -> None:
    before, after = [outcome(1, "a"), outcome(2, "b")], [outcome(1, "a"), outcome(2, "a")]
    rows = [
        AblationRow(
            data="toy", retriever="bm25", variant=name, n=2, summary=summarise(found, before), lm_calls_per_turn=1.5,
            to_base=paired_interval([1.0, 0.0], recalls, ["c1", "c2"], seed=1),
        )
        for name, found, recalls in [(BASE, before, [1.0, 0.0]), ("HyDE", after, [1.0, 1.0])]
    ]  # fmt: skip
    results = Ablation(command="python -m x", lm="none", seed=1, versions={}, rows=rows, skipped=["other: no folder"])
    page = ablation_page(results)
    assert "## toy, bm25, n = 2" in page
    assert f"| {BASE} | 0.500 | – | 0.0% | 1.50 | 1 |" in page
    assert "| HyDE | 1.000 | +0.500 (" in page
    assert "Left out: other: no folder" in page
    paths = write_ablation(results, tmp_path / "results")
    assert Ablation.model_validate(json.loads(paths[0].read_text())) == results
