import json

import dspy
import pytest

from experiments.bench.quality_compare import PARTS, compare
from experiments.bench.quality_open import Choices, open_for
from experiments.bench.quality_results import Conditions, Results
from experiments.bench.quality_run import run_set
from experiments.bench.quality_search import (
    Searcher,
    all_queries,
    original_alone,
    outcomes,
    rewrite_alone,
)
from experiments.corpus import open_data, open_store
from experiments.evaluate import evaluate
from experiments.systems import program_system, with_engine
from program import artefact
from program.retrieval.retriever import Hit, NamesOnly, RankedList
from program.rewrite_program import RewriteProgram
from program.settings import FusionSettings, Settings


def quiet(*_):
    pass


@pytest.fixture
def run(bench_set, tmp_path):
    def measure(lm, one=bench_set, **choices):
        results = Results(conditions=Conditions(command="", lm="fake", seed=7, versions={}, machine=""))
        chosen = Choices(stores=tmp_path / "stores", output=tmp_path / "results", **choices)
        run_set(one, lm, chosen, results, quiet)
        return results

    return measure


@pytest.fixture
def program_folder(tmp_path):
    program = RewriteProgram(Settings(fusion=FusionSettings(original=0.1)))
    program.coreference.demos = [dspy.Example(history="用户: 在吗", query="它多重", rewrite="山雀相机多重")]
    return artefact.save(program, tmp_path / "program")


def recalls(results):
    return {row.system: row.summary.recall_at_5.mean for row in results.rows}


def test_every_system_is_measured_and_compared(run, good_lm, program_folder):
    lm, _ = good_lm

    results = run(lm)

    assert list(recalls(results)) == [
        "original", "rules", "reference", "zero_shot", "compiled", "llama_index", "llama_index_fused",
    ]  # fmt: skip
    assert results.skipped == []
    assert {one.than for one in results.differences} == {
        "original", "rules", "reference", "zero_shot", "llama_index", "llama_index_fused",
        "part: rewrite alone", "part: original alone",
    }  # fmt: skip
    gap = results.difference("tiny", "bm25", "original").difference
    assert gap.mean == pytest.approx(recalls(results)["compiled"] - recalls(results)["original"])
    assert gap.mean > 0.2


def test_a_second_run_asks_nothing_and_keeps_costs(run, good_lm, program_folder):
    lm, engine = good_lm
    first = run(lm)
    calls = engine.calls
    second = run(lm)

    assert engine.calls == calls
    assert recalls(second) == recalls(first)
    tokens = [row.summary.lm_tokens_per_turn for row in first.rows]
    assert [row.summary.lm_tokens_per_turn for row in second.rows] == tokens
    # 3 of 7 turns are first ones; the peer sends the other 4 to the model, at 50 tokens each, and fusing costs no further call.
    peers = [row.summary for row in second.rows if row.system.startswith("llama_index")]
    assert [(round(one.lm_tokens_per_turn * 7), one.lm_share * 7) for one in peers] == [(200, 4), (200, 4)]


def test_an_answer_kept_from_an_earlier_run_counts_the_time_it_took_then(run, good_lm, tmp_path):
    lm, _ = good_lm
    run(lm, systems=["llama_index"])
    kept = tmp_path / "results" / "answers" / "tiny.jsonl"
    answers = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    kept.write_text("".join(json.dumps({**one, "elapsed_ms": 7000.0}) + "\n" for one in answers), encoding="utf-8")

    results = run(lm, systems=["llama_index"])

    elapsed_ms = {row.system: row.summary.elapsed_ms_per_turn * 7 for row in results.rows}
    assert 4 * 7000 <= elapsed_ms["llama_index"] < 5 * 7000  # four of the turns have history
    assert elapsed_ms["original"] < 7000


def test_programs_with_other_demos_share_no_answers(run, good_lm, program_folder):
    lm, engine = good_lm
    run(lm, systems=["zero_shot"])
    alone = engine.calls

    run(lm, systems=["compiled"])

    assert engine.calls == 2 * alone > 0


def test_quick_systems_see_all_turns_and_slow_ones_the_sample(run, good_lm, bench_set, program_folder):
    lm, _ = good_lm
    both = bench_set.model_copy(update={"everything_without_lm": True, "sample": 3})

    results = run(lm, both, systems=["rules", "zero_shot", "compiled"])

    assert {(row.system, row.turns): row.summary.n for row in results.rows} == {
        ("original", "all"): 7,
        ("original", "sample"): 3,
        ("rules", "all"): 7,
        ("rules", "sample"): 3,
        ("zero_shot", "sample"): 3,
        ("compiled", "sample"): 3,
    }
    assert {one.difference.n for one in results.differences} == {3}


def test_what_is_missing_is_left_out_and_said(run, bench_set):
    results = run(None)

    assert list(recalls(results)) == ["original", "rules", "reference"]
    assert results.differences == []
    (line,) = results.skipped
    assert line.startswith("tiny: no compiled program")


def test_a_set_without_the_retrievers_wanted_is_left_out(run):
    results = run(None, retrievers=["vector"])

    assert results.rows == []
    assert results.skipped == ["tiny: it is not measured with vector"]


def test_ctrl_c_keeps_finished_systems_and_given_answers(run, bench_set, good_lm, tmp_path, program_folder):
    lm, engine = good_lm
    results = Results(conditions=Conditions(command="", lm="fake", seed=7, versions={}, machine=""))
    choices = Choices(
        systems=["rules", "zero_shot", "compiled"], stores=tmp_path / "stores", output=tmp_path / "results"
    )
    engine.stop_after = 2
    with pytest.raises(KeyboardInterrupt):
        run_set(bench_set, lm, choices, results, quiet)
    assert list(recalls(results)) == ["original", "rules"]

    engine.stop_after = None
    again = run(lm, systems=["zero_shot"])

    asked = round(next(row.summary.lm_share * 7 for row in again.rows if row.system == "zero_shot"))
    assert asked > 2
    assert engine.calls == asked  # two of them before the interruption


def test_complete_turns_are_a_group_of_their_own(run):
    results = run(None)

    complete = results.row("tiny", "bm25", "reference", "all").complete
    assert complete.n == 1  # the toaster's price
    assert complete.harm_rate == 0


def test_gold_labels_and_metadata_do_not_reach_the_model(run, bench_set, scripted, program_folder):
    prompts = []
    lm, _ = scripted(lambda prompt: prompts.append(prompt) or "x")

    run(lm)

    assert prompts
    assert not any("Brook kettle price" in prompt or "warranty-a" in prompt for prompt in prompts)


class TwoEngines:
    """Finds a passage in both engines, each with its own order."""

    def __init__(self, gazetteer):
        self.gazetteer = gazetteer

    def search(self, queries, depth):
        return [
            [
                RankedList(engine="bm25", hits=tuple(self._hits(query, ("a", "b", "c", "d", "e", "f"), (6, 5, 4, 3, 2, 1)))),
                RankedList(engine="vector", hits=tuple(self._hits(query, ("f", "e", "x", "y", "a"), (0.9, 0.88, 0.87, 0.84, 0.8)))),
            ]
            for query in queries
        ]  # fmt: skip

    @staticmethod
    def _hits(query, ids, scores):
        shift = len(query) % len(ids)
        for id_, score in zip(ids[shift:] + ids[:shift], scores, strict=True):
            yield Hit(id=id_, score=float(score), source=id_, text=id_)


@pytest.fixture
def two_engines(data_folder, tmp_path):
    data, labels = open_data(data_folder)
    store = open_store(data, tmp_path / "stores" / "names", "bm25")
    return TwoEngines(store.gazetteer), list(labels.scorable)


@pytest.mark.parametrize("strategy", ["best_relative", "best_raw", "rrf", "reserved"])
@pytest.mark.parametrize("retriever", ["bm25", "vector", "hybrid"])
def test_hits_are_those_of_the_program_itself(two_engines, good_lm, strategy, retriever):
    lm, _ = good_lm
    engines, turns = two_engines
    fusion = FusionSettings(strategy=strategy, vector_share=0.4, original=0.6, rrf_k=10)
    settings = with_engine(Settings(fusion=fusion), retriever)
    system = program_system(RewriteProgram(settings))
    with dspy.context(lm=lm, rm=engines):
        expected = [one.outcome.retrieved_ids for one in evaluate(system, turns)]
    with dspy.context(lm=lm, rm=NamesOnly(engines.gazetteer)):
        rewritten = list(evaluate(system, turns))

    found = outcomes(rewritten, Searcher(engines, settings.fusion.depth), settings)

    assert [one.retrieved_ids for one in found] == expected
    assert any(one.lm_calls for one in found)


def test_the_parts_are_single_queries_and_single_engines(two_engines, good_lm):
    lm, _ = good_lm
    engines, turns = two_engines
    follow_up = [turn for turn in turns if turn.query == "那它保修多久"][:1]
    with dspy.context(lm=lm, rm=NamesOnly(engines.gazetteer)):
        (one,) = evaluate(program_system(RewriteProgram()), follow_up)

    assert [(query.text, query.weight) for query in rewrite_alone(one)] == [("竹影加湿器保修多久", 1.0)]
    assert [(query.text, query.weight) for query in original_alone(one)] == [("那它保修多久", 1.0)]
    assert len(all_queries(one)) > 1

    settings = Settings()
    searcher = Searcher(engines, 20)
    only = {engine: searcher.found(all_queries(one), with_engine(settings, engine)) for engine in ("bm25", "vector")}
    assert "x" not in only["bm25"]
    assert not {"b", "c", "d"} & set(only["vector"])


def test_one_engine_is_a_part_of_the_mix_alone(bench_set, good_lm, tmp_path, program_folder):
    lm, _ = good_lm
    results = Results(conditions=Conditions(command="", lm="fake", seed=7, versions={}, machine=""))
    choices = Choices(stores=tmp_path / "stores", output=tmp_path / "results")
    opened = open_for(bench_set, lm, choices, results, quiet)
    turns = opened.measured.turns["all"]
    with dspy.context(lm=opened.lm, rm=opened.names):
        compiled = list(evaluate(program_system(opened.program), turns))
    opened.retrievers[:] = ["bm25", "hybrid"]

    differences = compare(opened, {"compiled": compiled}, seed=7)

    assert {one.than for one in differences if one.retriever == "hybrid"} == set(PARTS)
    assert {one.than for one in differences if one.retriever == "bm25"} == {
        "part: rewrite alone",
        "part: original alone",
    }


def test_each_text_is_searched_once(two_engines):
    engines, _ = two_engines
    searched = []
    original = engines.search
    engines.search = lambda queries, depth: searched.extend(queries) or original(queries, depth)
    searcher = Searcher(engines, 20)

    searcher.prepare(["竹影", "kettle", "竹影"])
    searcher.prepare(["kettle", "fan"])

    assert searched == ["竹影", "kettle", "fan"]
