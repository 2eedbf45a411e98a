import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.reading.passage_reader import read_passage

ZH = "暖汐台灯保修三年。可以延长到五年。"
EN = "The Brindle kettle has a 2.5-year warranty. It can be extended."


@pytest.mark.parametrize(
    "completion",
    [
        ZH,
        f"段落：{ZH}",
        f"假设的段落: {ZH}",
        f"好的，以下是一段可能的文档：\n\n{ZH}",
        f"```\n{ZH}\n```",
        f'"{ZH}"',
        f"“{ZH}”",
        f"# 保修\n{ZH}",
        f"**{ZH}**",
        f'{{"passage": "{ZH}"}}',
        f"<think>写一段。</think>\n{ZH}",
        "暖汐台灯保修三年。\n可以延长到五年。",
        f"{ZH}此外，本产品还",  # cut off
    ],
)
def test_every_shape_gives_the_same_text(completion: str) -> None:
    assert read_passage(completion).replace(" ", "") == ZH


@pytest.mark.parametrize(
    "completion",
    [
        EN,
        f"Passage: {EN}",
        f"Here is a hypothetical passage:\n{EN}",
        f"## Warranty\n\n{EN}",
        f'"{EN}"',
        f"{EN} The kettle al",
    ],
)
def test_every_shape_gives_the_same_english_text(completion: str) -> None:
    assert read_passage(completion) == EN


@pytest.mark.parametrize(
    "completion",
    [
        "",
        " \n",
        "```\n```",
        "I'm sorry, I cannot help with that.",
        "As an AI, I have no data.",
        "抱歉，我无法回答。",
        "作为一个语言模型，我不知道。",
        "段落：",
    ],
)
def test_a_refusal_is_no_passage(completion: str) -> None:
    assert read_passage(completion) == ""


@pytest.mark.parametrize("text", ["暖汐台灯保修三年", "Brindle kettle: 2 years"])
def test_one_sentence_without_its_stop_stays(text: str) -> None:
    assert read_passage(text) == text


def test_cut_after_a_sentence_by_an_equal_budget_of_tokens() -> None:
    assert read_passage("灯亮了。" * 100, characters=10) == "灯亮了。" * 2
    assert read_passage("It is on. " * 100, characters=10) == "It is on. It is on."
    assert read_passage("灯" * 100, characters=10) == "灯" * 10
    assert read_passage("kettle " * 100, characters=10) == "kettle kettle kettle"


@given(st.text(), st.integers(1, 50))
def test_any_completion_is_read(completion: str, characters: int) -> None:
    assert len(read_passage(completion, characters=characters)) <= 2.5 * characters
