"""Systems by name, what differs between them, and the comparison itself, on BM25 alone."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import dspy
import pytest

from data.errors import ConfigError, LanguageModelError
from data.records import Message, Turn
from experiments.compare import CompareResult, compare, run_contestants
from experiments.compare_report import to_markdown
from experiments.compare_systems import Contestant, open_contestants
from experiments.compare_variables import differing
from experiments.corpus import open_data, open_store
from program import artefact
from program.artefact import Manifest
from program.overrides import with_overrides
from program.rewrite_program import RewriteProgram
from program.settings import Settings

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
SEED = 7


def no_model(name: str) -> Any:
    raise AssertionError(f"nobody asked for {name}")


def opened(*typed: str, lm: str | None = None, choose: Callable[[str], Any] = no_model) -> tuple[Contestant, ...]:
    return open_contestants(typed, retriever="bm25", lm=lm, choose=choose)


def compared(contestants: Sequence[Contestant], turns: Sequence[Turn], retriever: Any) -> CompareResult:
    names = [one.name for one in contestants]
    with dspy.context(rm=retriever):
        found = run_contestants(contestants, turns)
    return compare(names, found, seed=SEED, variables={one.name: one.variables for one in contestants})


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., str]:
    """Save a program with settings, demos and a manifest, and return its folder."""

    def save(name: str, *settings: str, demos: Sequence[dspy.Example] = (), **manifest: Any) -> str:
        program = RewriteProgram(with_overrides(Settings(), settings))
        program.coreference.demos = list(demos)
        return str(artefact.save(program, tmp_path / name, Manifest(name=name, **manifest)))

    return save


DEMO = dspy.Example(history="user: 竹影加湿器", entities="竹影加湿器", query="它呢", rewrite="竹影加湿器呢")


def turn_of(
    id_: str, query: str, relevant: str, *said: str, conversation: str | None = None, phenomenon: str = "pronoun"
) -> Turn:
    history = tuple(
        Message(role="user" if place % 2 == 0 else "assistant", content=one) for place, one in enumerate(said)
    )
    return Turn(
        id=id_,
        conversation_id=conversation or id_,
        turn=1 + len(said) // 2,
        history=history,
        query=query,
        relevant_ids=(relevant,),
        metadata={"phenomena": [phenomenon]} if said else {},
    )


PASSAGES = {
    "zh-1": "竹影加湿器 保修期为 12 个月",
    "zh-2": "青石电饭煲 保修期为 24 个月",
    "en-1": "Brook kettle warranty: two years",
    "en-2": "Fell lamp warranty: one year",
}
TURNS = [
    turn_of("zh", "它的保修期多久", "zh-1", "竹影加湿器好用吗", "好用"),
    turn_of("en", "and its warranty", "en-2", "Is the Fell lamp any good?", "It is."),
    turn_of("first", "Brook kettle warranty", "en-1"),
]


def test_on_the_sample_the_rules_are_clearly_better_than_the_original(tmp_path: Path) -> None:
    data, labels = open_data(SAMPLE)
    store = open_store(data, tmp_path / "store", "bm25")
    chosen = _conversations(labels.scorable, 20)
    turns = [turn for turn in labels.scorable if turn.conversation_id in chosen]
    contestants = opened("original", "rules")
    variables = {one.name: one.variables for one in contestants}
    with dspy.context(rm=store):
        found = run_contestants(contestants, turns)
    result = compare(["original", "rules"], found, seed=SEED, variables=variables)
    one = result.comparisons[0]
    assert one.verdict.outcome == "better"
    assert one.verdict.sentence.startswith("rules is better than original: recall@5 +0.")
    assert one.p_uncorrected == one.evidence[0].p < 0.001
    assert one.success_at_5.p < 0.001
    assert result.conversations == 20
    gap = one.evidence[0].difference
    assert gap.mean == pytest.approx(
        result.systems["rules"].recall_at_5.mean - result.systems["original"].recall_at_5.mean
    )
    assert 0 < gap.low < gap.mean < gap.high
    assert [one.name for one in one.differs] == ["method"]
    assert one.warnings == ()

    # The turns won and lost make up the difference, and the groups make up the whole.
    assert sum(case.difference for case in one.wins + one.losses) / result.n == pytest.approx(gap.mean)
    for groups in (one.by_language, one.by_turn):
        assert sum(group.n for group in groups.values()) == result.n
        assert sum(group.n * group.difference.mean for group in groups.values()) / result.n == pytest.approx(gap.mean)
    assert {"zh", "en"} == set(one.by_language)
    assert one.by_turn["1"].difference.mean == pytest.approx(0, abs=0.02)

    turned = compare(["rules", "original"], found, seed=SEED).comparisons[0]
    assert turned.verdict.outcome == "worse"
    assert turned.evidence[0].difference.mean == -gap.mean
    assert turned.evidence[0].p == one.evidence[0].p
    assert [case.turn_id for case in turned.losses] == [case.turn_id for case in one.wins]


def _conversations(turns: Sequence[Turn], n: int) -> set[str]:
    """Half of them Chinese, half English."""
    zh, en = (dict.fromkeys(one.conversation_id for one in turns if one.language == name) for name in ("zh", "en"))
    return {*list(zh)[: n // 2], *[name for name in en if name not in list(zh)[: n // 2]][: n // 2]}


def test_a_case_has_the_queries_and_ranks_of_both_sides(toy_retriever: Callable[..., Any]) -> None:
    # Six passages with the follow-up's own words stand above the one that is wanted.
    many = {f"zh-x{number}": f"它的保修期多久 {number}" for number in range(6)}
    one = compared(opened("original", "concat"), TURNS, toy_retriever(many | PASSAGES)).comparisons[0]
    case = next(case for case in one.wins if case.turn_id == "zh")
    assert (case.turn, case.language, case.phenomena, case.query) == (2, "zh", ("pronoun",), "它的保修期多久")
    assert [query.text for query in case.first.queries] == ["它的保修期多久"]
    assert [query.text for query in case.second.queries] == ["竹影加湿器好用吗\n它的保修期多久"]
    assert case.first.ranks == {"zh-1": None}
    assert case.second.ranks["zh-1"] in range(1, 6)
    assert case.difference == 1


def test_the_original_is_run_where_nobody_asked_for_it() -> None:
    assert [one.name for one in opened("rules", "concat")] == ["original", "rules", "concat"]
    assert [one.name for one in opened("rules", "original")] == ["rules", "original"]


def test_what_is_worse_than_the_original_goes_offline(toy_retriever: Callable[..., Any]) -> None:
    """A rewriter that finds nothing, in twelve conversations."""
    turns = [turn_of(str(number), "Brook kettle warranty", "en-1") for number in range(12)]
    contestants = opened("original", "rules", "concat")
    lost = Contestant("lost", opened("original")[0].system, None, {"method": "lost"})
    with dspy.context(rm=toy_retriever(PASSAGES)):
        found = run_contestants([*contestants, lost], turns)
    nothing = [
        row.model_copy(update={"outcome": row.outcome.model_copy(update={"retrieved_ids": ()})})
        for row in found["lost"]
    ]
    result = compare(["rules", "lost", "concat"], found | {"lost": nothing}, seed=SEED)
    assert [one.verdict.outcome for one in result.comparisons] == ["take_offline", "not_distinguishable"]
    assert result.comparisons[0].verdict.sentence.startswith("take lost offline: it is worse than the original query")
    # Two comparisons: the smaller p counts twice.
    one = result.comparisons[0]
    assert one.evidence[0].p == pytest.approx(2 * one.p_uncorrected)


def test_systems_on_other_turns_are_not_compared(toy_retriever: Callable[..., Any]) -> None:
    with dspy.context(rm=toy_retriever(PASSAGES)):
        found = run_contestants(opened("original", "concat"), TURNS)
    found["concat"] = found["concat"][::-1]
    with pytest.raises(ValueError, match="other turns"):
        compare(["original", "concat"], found, seed=SEED)


def test_programs_say_what_differs_by_name(saved: Callable[..., str]) -> None:
    first = saved("old", language_model="local", data_sha256="a" * 64)
    second = saved("new", "fusion.original=0.5", "guard.drift={x: 0.4}", demos=[DEMO], data_sha256="a" * 64)
    variables = {one.name: one.variables for one in opened(first, second)}
    differs = {one.name: (one.first, one.second) for one in differing(variables[first], variables[second])}
    assert differs["settings.fusion.original"] == ("0.3", "0.5")
    assert differs["settings.guard.drift"] == ("{}", '{"x": 0.4}')
    assert differs["compiled.language_model"] == ("local", "none")
    assert differs["demos.coreference"][0] == "none"
    assert differs["demos.coreference"][1].startswith("1 (")
    assert len(differs) == 4
    assert len(differing(variables[second], variables[first])) == 4


def test_other_instructions_are_another_prompt(tmp_path: Path, saved: Callable[..., str]) -> None:
    program = RewriteProgram()
    program.coreference.signature = program.coreference.signature.with_instructions("改写。")
    other = str(artefact.save(program, tmp_path / "worded"))
    variables = {one.name: one.variables for one in opened(saved("plain"), other)}
    differs = differing(variables[str(tmp_path / "plain")], variables[other])
    assert [one.name for one in differs if not one.name.startswith("compiled")] == ["prompt.coreference"]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ((), "nothing that is on record differs"),
        (("k=6",), ""),
        (("k=6", "window.turns=5"), "2 variables differ: settings.k, settings.window.turns"),
    ],
    ids=["none", "one", "two"],
)
def test_more_than_one_variable_is_a_warning(
    saved: Callable[..., str], toy_retriever: Callable[..., Any], settings: tuple[str, ...], says: str
) -> None:
    contestants = opened(saved("one"), saved("two", *settings))[1:]
    with dspy.context(rm=toy_retriever(PASSAGES)):
        found = run_contestants([*opened("original", "rules")[:1], *contestants], TURNS)
    variables = {one.name: one.variables for one in contestants}
    result = compare(list(variables), found, seed=SEED, variables=variables)
    warnings = result.comparisons[0].warnings
    assert len(warnings) == bool(says)
    assert all(says in warning for warning in warnings)


def test_baselines_search_as_the_first_program_does_and_other_programs_are_told_apart(
    saved: Callable[..., str], toy_retriever: Callable[..., Any]
) -> None:
    first, second = saved("first", "fusion.depth=7", "rewrite.ask_lm=never"), saved("second")
    contestants = opened("rules", first, second)
    names = [one.name for one in contestants]
    assert names == ["original", "rules", first, second]
    by_name = {one.name: one.variables for one in contestants}
    for pair in (("original", first), (first, "original")):
        assert [one.name for one in differing(*(by_name[name] for name in pair))] == ["method"]
    assert [one.name for one in differing(by_name["rules"], by_name[first])] == ["method"]
    assert [one.name for one in differing(by_name["rules"], by_name[second])] == ["method", "settings.fusion.depth"]
    with dspy.context(rm=toy_retriever(PASSAGES)):
        found = run_contestants(contestants, TURNS)
    result = compare(["rules", first, second], found, seed=SEED, variables=by_name)
    assert result.comparisons[0].warnings == ()
    assert "beside the method these differ: settings.fusion.depth" in result.comparisons[1].warnings[0]


def test_a_model_of_its_own_is_the_one_variable(saved: Callable[..., str], scripted_lm: Callable[..., Any]) -> None:
    folder, made = saved("one"), []

    def choose(name: str) -> Any:
        made.append(name)
        return scripted_lm()

    contestants = opened(folder, f"{folder}@openai/x@2024", f"{folder}@local", lm="local", choose=choose)[1:]
    assert sorted(made) == ["local", "openai/x@2024"]
    first, second, third = contestants
    assert first.lm is third.lm
    assert first.lm is not second.lm
    differs = differing(first.variables, second.variables)
    assert [(one.name, one.first, one.second) for one in differs] == [("language_model", "local", "openai/x@2024")]


def test_a_folder_may_have_an_at_in_its_name(saved: Callable[..., str]) -> None:
    folder = saved("v1@noon")
    assert opened(folder, "original")[0].name == folder


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (("rules", "rules"), "'rules' is named twice"),
        (("rules", "nowhere"), "there is no system 'nowhere'; name the folder of a program, or one of original, rules"),
        (("original@local", "rules"), "original asks no language model"),
        (("program@", "rules"), "expected a language model after @"),
        (("plain_prompt", "rules"), "plain_prompt needs a language model; name one with --lm"),
    ],
)
def test_systems_that_cannot_be_are_refused_in_a_line(typed: tuple[str, ...], says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        opened(*typed)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_model_that_cannot_be_had_is_said_before_anything_runs() -> None:
    def choose(name: str) -> Any:
        raise LanguageModelError(f"no {name}")

    with pytest.raises(LanguageModelError, match="no local"):
        opened("program", "rules", lm="local", choose=choose)


def test_notes_tell_what_a_reader_must_know(saved: Callable[..., str], scripted_lm: Callable[..., Any]) -> None:
    folder = saved("one", language_model="local", data_sha256="d" * 64)
    alone = opened("rules", folder)[-1]
    assert "ran without one: by rules alone" in alone.notes("other", "all")[0]
    other = opened("rules", f"{folder}@openai/x", choose=lambda _: scripted_lm())[-1]
    assert "compiled with the language model local and ran with openai/x" in other.notes("other", "all")[0]
    same = opened("rules", folder, lm="local", choose=lambda _: scripted_lm())[-1]
    assert same.notes("other", "all") == ()
    assert "its own training turns are among those of the split all" in same.notes("d" * 64, "all")[0]
    assert same.notes("d" * 64, "test") == ()


def test_user_turns_concatenated_leave_out_the_assistant(toy_retriever: Callable[..., Any]) -> None:
    retriever = toy_retriever(PASSAGES)
    compared(opened("original", "concat"), TURNS[:2], retriever)
    assert retriever.searched[-2:] == [
        "竹影加湿器好用吗\n它的保修期多久",
        "Is the Fell lamp any good?\nand its warranty",
    ]


def test_a_plain_prompt_sees_the_conversation_and_costs_are_counted(
    toy_retriever: Callable[..., Any], scripted_lm: Callable[..., Any]
) -> None:
    lm = scripted_lm("竹影加湿器的保修期", ("Is the Fell lamp any good?", "Fell lamp warranty"))
    retriever = toy_retriever(PASSAGES)
    contestants = opened("original", "plain_prompt", lm="x", choose=lambda _: lm)
    result = compared(contestants, TURNS, retriever)
    # A first turn is not sent to the model.
    assert retriever.searched[-3:] == ["竹影加湿器的保修期", "Fell lamp warranty", "Brook kettle warranty"]
    prompt = lm.script.prompts[0]
    assert "Rewrite this question so that it stands alone." in prompt
    assert "assistant: 好用" in prompt
    assert "zh-1" not in prompt
    assert result.systems["plain_prompt"].lm_share == pytest.approx(2 / 3)
    assert result.systems["plain_prompt"].lm_tokens_per_turn > 0


@pytest.mark.parametrize("answer", [RuntimeError("overloaded"), "  "], ids=["failing", "blank"])
def test_a_plain_prompt_without_an_answer_leaves_the_query_and_is_noted(
    toy_retriever: Callable[..., Any], scripted_lm: Callable[..., Any], answer: Any
) -> None:
    contestants = opened("original", "plain_prompt", lm="x", choose=lambda _: scripted_lm(answer))
    retriever = toy_retriever(PASSAGES)
    result = compared(contestants, [TURNS[0], TURNS[2]], retriever)
    assert retriever.searched[-2:] == ["它的保修期多久", "Brook kettle warranty"]
    assert "plain_prompt: some stage fell back on 50% of the turns" in result.notes[0]
    # A model that cannot be reached says nothing about the prompt; a blank answer does.
    outcome = "not_distinguishable" if isinstance(answer, str) else "no_verdict"
    found = result.comparisons[0].verdict
    assert found.outcome == outcome
    if outcome == "no_verdict":
        assert found.sentence.endswith("plain_prompt got no answer from its language model on 1 of 2 turns")


def test_the_report_puts_the_verdict_first_and_breaks_no_table(toy_retriever: Callable[..., Any]) -> None:
    turns = [
        turn_of(
            f"{number}|a", "它 | 的\n保修期", "zh-1", "竹影加湿器", "好", conversation=f"c{number}", phenomenon="a|b"
        )
        for number in range(12)
    ]
    # Passages that a bare question finds, so that the one that is wanted stands sixth.
    crowd = {f"x{number}": "的 保修期" for number in range(6)}
    result = compared(opened("original", "concat"), turns, toy_retriever(crowd | PASSAGES))
    report = to_markdown(result, "标题 title", cases=2)
    lines = report.splitlines()
    assert lines[0] == "# 标题 title"
    assert lines[2] == f"**{result.comparisons[0].verdict.sentence}.**"
    assert "### Wins of concat (2 of 12)" in lines
    assert "    - original: zh-1 not found ← 它 | 的 保修期 (original)" in lines
    tables = [line for line in lines if line.startswith("|")]
    assert all(line.endswith("|") for line in tables)
    assert any(line.startswith("| phenomenon a\\|b ") for line in tables)
    assert "<" not in report
    assert "| method  | original | concat |" in tables
    assert to_markdown(result, cases=0).count("###") == 0
