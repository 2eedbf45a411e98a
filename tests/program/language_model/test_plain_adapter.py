import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError

from program.language_model.plain_adapter import PlainAdapter
from signatures.coreference import CoreferenceRewrite

INPUTS = {"history": "用户: 有台灯吗\n助手: 有，暖汐台灯。", "entities": "", "query": "它多少钱"}
DEMO = {"history": "User: kettles?", "entities": "Brindle", "query": "its price?", "rewrite": "Brindle kettle price"}


class Two(dspy.Signature):
    """Answer and judge."""

    query: str = dspy.InputField()
    answer: str = dspy.OutputField()
    verdict: str = dspy.OutputField()


class Number(dspy.Signature):
    """Count."""

    text: str = dspy.InputField()
    count: int = dspy.OutputField()


def test_the_prompt_is_instructions_demos_then_the_turn() -> None:
    messages = PlainAdapter().format(CoreferenceRewrite, [dspy.Example(**DEMO)], INPUTS)
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[0]["content"] == CoreferenceRewrite.instructions
    assert messages[1]["content"] == "history: User: kettles?\nentities: Brindle\nquery: its price?\nrewrite:"
    assert messages[2]["content"] == "Brindle kettle price"
    # A blank field is left out.
    assert messages[3]["content"] == "history: 用户: 有台灯吗\n助手: 有，暖汐台灯。\nquery: 它多少钱\nrewrite:"


def test_the_beginning_is_the_same_for_every_turn() -> None:
    """llama.cpp keeps the shared beginning of two prompts; only the last message may differ."""
    adapter, demos = PlainAdapter(), [dspy.Example(**DEMO)]
    one = adapter.format(CoreferenceRewrite, demos, INPUTS)
    other = adapter.format(CoreferenceRewrite, demos, {**INPUTS, "query": "what about that one?"})
    assert one[:-1] == other[:-1]
    assert one[-1] != other[-1]


@pytest.mark.parametrize(
    "completion",
    [
        "暖汐台灯多少钱",
        "  暖汐台灯多少钱\n",
        "rewrite: 暖汐台灯多少钱",
        "Rewrite：暖汐台灯多少钱",
        "[[ ## rewrite ## ]]\n暖汐台灯多少钱\n\n[[ ## completed ## ]]",
        "```\n暖汐台灯多少钱\n```",
        "```text\n暖汐台灯多少钱\n```\nHope this helps!",
        "```\n暖汐台灯多少钱",
        '"暖汐台灯多少钱"',
        "“暖汐台灯多少钱”",
        "「暖汐台灯多少钱」",
        "`暖汐台灯多少钱`",
        "改写后的问题：暖汐台灯多少钱",
        "改写：“暖汐台灯多少钱”",
        "Rewritten query: 暖汐台灯多少钱",
        "The rewritten question is: 暖汐台灯多少钱",
        "Stand-alone question: 暖汐台灯多少钱",
    ],
)
def test_what_small_models_put_around_a_value_is_dropped(completion: str) -> None:
    assert PlainAdapter().parse(CoreferenceRewrite, completion) == {"rewrite": "暖汐台灯多少钱"}


@pytest.mark.parametrize(
    "completion",
    ['"Brindle" or "Marlow" kettle', "what's the search query limit: 5?", "重写本书的人是谁", "问题：如何退货"],
)
def test_a_value_that_only_looks_wrapped_stays(completion: str) -> None:
    assert PlainAdapter().parse(CoreferenceRewrite, completion) == {"rewrite": completion}


def test_a_value_of_another_type_is_converted_or_refused() -> None:
    assert PlainAdapter().parse(Number, "count: 3") == {"count": 3}
    with pytest.raises(AdapterParseError):
        PlainAdapter().parse(Number, "three lamps")


def test_several_outputs_keep_dspys_own_format() -> None:
    adapter = PlainAdapter()
    messages = adapter.format(Two, [dspy.Example(query="q", answer="a", verdict="v")], {"query": "q2"})
    assert "[[ ## answer ## ]]" in messages[0]["content"]
    assert "[[ ## verdict ## ]]" in messages[2]["content"]
    assert adapter.parse(Two, "[[ ## answer ## ]]\na\n[[ ## verdict ## ]]\nv") == {"answer": "a", "verdict": "v"}


def test_an_empty_completion_is_an_error_and_a_blank_one_an_empty_value(scripted_lm) -> None:
    lm = scripted_lm("", " \n")
    predict = dspy.Predict(CoreferenceRewrite)
    with dspy.context(lm=lm, adapter=PlainAdapter()):
        with pytest.raises(AdapterParseError):
            predict(**INPUTS)
        assert predict(**INPUTS).rewrite == ""
    assert len(lm.script.prompts) == 2


def test_an_unreadable_completion_is_not_asked_for_again(scripted_lm) -> None:
    lm = scripted_lm("three lamps")
    with dspy.context(lm=lm, adapter=PlainAdapter()), pytest.raises(AdapterParseError):
        dspy.Predict(Number)(text="lamps")
    assert len(lm.script.prompts) == 1
