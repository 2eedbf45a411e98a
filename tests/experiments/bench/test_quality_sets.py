import json

import pytest

from data.records import Message, Turn
from experiments.bench.quality_sets import SETS, is_complete, open_set, reference_of

TALK = (Message(role="user", content="云朵风扇怎么样？"),)


def turn(query="保修多久", history=TALK, **fields):
    return Turn(id="t", conversation_id="c", turn=2, history=history, query=query, relevant_ids=("p",), **fields)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"gold_rewrite": "云朵风扇保修多久", "metadata": {"entities": ["别的"]}}, "云朵风扇保修多久"),
        ({"metadata": {"entities": ["云朵风扇", "竹影加湿器"]}}, "云朵风扇 保修多久"),
        ({"metadata": {"machine_rewrite": "How long is the warranty?", "entities": []}}, "How long is the warranty?"),
        ({}, "保修多久"),
    ],
    ids=["gold", "entity", "machine", "none"],
)
def test_the_reference_is_the_best_rewrite_known(fields, expected):
    assert reference_of(turn(**fields)) == expected


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (turn(gold_rewrite="保修多久"), True),
        (turn(gold_rewrite="云朵风扇保修多久"), False),
        (turn(gold_rewrite="保修多久", history=()), False),
        (turn(metadata={"entities": ["云朵风扇"], "entity_named_in_query": True}), True),
        (turn(metadata={"entities": ["云朵风扇"], "entity_named_in_query": False}), False),
        (turn(gold_rewrite="保修期", metadata={"phenomena": ["complete", "colloquial"]}), True),
        (turn(metadata={"machine_rewrite": "保修多久"}), True),
    ],
)
def test_complete_turns_have_history_and_need_no_rewrite(one, expected):
    assert is_complete(one) is expected


def test_a_sample_is_drawn_beside_all_turns_where_the_set_says_so(bench_set):
    both = open_set(bench_set.model_copy(update={"everything_without_lm": True, "sample": 3}), sample=None, seed=1)
    one = open_set(bench_set.model_copy(update={"sample": 3}), sample=None, seed=1)
    whole = open_set(bench_set.model_copy(update={"everything_without_lm": True, "sample": 99}), sample=None, seed=1)

    assert {name: len(turns) for name, turns in both.turns.items()} == {"all": 7, "sample": 3}
    assert both.lm_choice == "sample"
    assert {name: len(turns) for name, turns in one.turns.items()} == {"all": 3}
    assert one.turns["all"] == both.turns["sample"]
    assert {name: len(turns) for name, turns in whole.turns.items()} == {"all": 7}
    assert whole.lm_choice == "all"


def test_the_callers_sample_goes_before_the_sets_own(bench_set):
    measured = open_set(bench_set.model_copy(update={"sample": 3}), sample=2, seed=1)

    assert len(measured.turns["all"]) == 2


def test_a_set_with_an_experiment_is_measured_on_its_test_split(tmp_path, bench_set, data_folder):
    # Conversations that say "test" are the test split; here one of four.
    lines = (data_folder / "turns.jsonl").read_text(encoding="utf-8").splitlines()
    turns = [json.loads(line) for line in lines]
    for one in turns:
        one["metadata"] = {"split": "test" if one["conversation_id"] == "en1" else "dev"}
    (data_folder / "turns.jsonl").write_text("".join(json.dumps(one) + "\n" for one in turns), encoding="utf-8")
    experiment = tmp_path / "tiny.yaml"
    experiment.write_text(f"name: tiny\ndata: {data_folder}\noutput: {tmp_path / 'out'}\n", encoding="utf-8")

    measured = open_set(bench_set.model_copy(update={"source": str(experiment)}), sample=None, seed=1)

    assert [one.id for one in measured.turns["all"]] == ["en1:1", "en1:2"]
    assert measured.program == tmp_path / "out"


def test_every_set_names_a_readable_source():
    from experiments.bench.quality_sets import data_folder as folder_of

    assert [folder_of(one).name for one in SETS.values()] == ["sample", "kdconv_travel", "canard_dev", "mtrag_clapnq"]
