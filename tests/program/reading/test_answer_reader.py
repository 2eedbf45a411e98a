import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.reading.answer_reader import NOT_FOUND, ReadAnswer, read_answer

IDS = ("a", "b", "c")


@pytest.mark.parametrize(
    ("completion", "text", "cited"),
    [
        ("保修三年[1]，续航 120 分钟[2]。", "保修三年[1]，续航 120 分钟[2]。", ("a", "b")),
        ("保修三年【1】【3】。", "保修三年[1][3]。", ("a", "c")),
        ("保修三年［2，1］。", "保修三年[2][1]。", ("b", "a")),
        ("保修三年[1-3]。", "保修三年[1][2][3]。", ("a", "b", "c")),
        ("保修三年【资料2】。", "保修三年[2]。", ("b",)),
        ("保修三年（1）。", "保修三年[1]。", ("a",)),
        ("答案：保修三年 [1]", "保修三年 [1]", ("a",)),
        ("根据段落2，保修三年。", "根据段落2，保修三年。", ("b",)),
        ("It costs 39 euros [1][2].", "It costs 39 euros [1][2].", ("a", "b")),
        ("It costs 39 euros [1, 3].", "It costs 39 euros [1][3].", ("a", "c")),
        ("It costs 39 euros [1 and 2].", "It costs 39 euros [1][2].", ("a", "b")),
        ("It costs 39 euros [Passage 2].", "It costs 39 euros [2].", ("b",)),
        ("It costs 39 euros (3).", "It costs 39 euros[3].", ("c",)),
        ("It costs 39 euros【1†source】.", "It costs 39 euros[1].", ("a",)),
        ("Answer: It costs 39 euros [^2].", "It costs 39 euros [2].", ("b",)),
        ("According to passage 2, it costs 39 euros.", "According to passage 2, it costs 39 euros.", ("b",)),
        ("<think>[3]?</think>It costs 39 euros [1].", "It costs 39 euros [1].", ("a",)),
        # Numbers of no passage go; what is no citation stays.
        ("保修三年[1][7]。", "保修三年[1]。", ("a",)),
        ("It costs 39 euros [9].", "It costs 39 euros.", ()),
        ("见〔2024〕12 号文，即 [2024] 12 号。", "见〔2024〕12 号文，即 [2024] 12 号。", ()),
        ("(1) 打开盖子 (2) 加水", "(1) 打开盖子 (2) 加水", ()),
        ("It was founded late (1987).", "It was founded late (1987).", ()),
        ("共两种（2），保修三年[1]。", "共两种（2），保修三年[1]。", ("a",)),
        # Half an answer is one, and so is one with the formula behind it.
        ("资料中没有提到价格，但保修三年[2]。", "资料中没有提到价格，但保修三年[2]。", ("b",)),
        ("The passages do not give the price, but it has a lid [1].", "The passages do not give the price, but it has a lid [1].", ("a",)),
        ("It has a lid [1]. NOT IN THE PASSAGES", "It has a lid [1].", ("a",)),
        # Uncited, and no denial.
        ("保修三年。", "保修三年。", ()),
        ("不提供发票。", "不提供发票。", ()),
        ("No, it does not have a lid.", "No, it does not have a lid.", ()),
    ],
)  # fmt: skip
def test_answers_from_the_passages(completion: str, text: str, cited: tuple[str, ...]) -> None:
    assert read_answer(completion, IDS) == ReadAnswer(text=text, cited=cited, in_passages=True)


@pytest.mark.parametrize(
    "completion",
    [
        "资料中没有提到保修期。",
        "根据提供的资料，无法确定保修期。",
        "文档并未说明保修期。",
        "没有找到相关信息。",
        "上述段落里没有相关的内容。",
        "无法从资料中得知。",
        "抱歉，我不知道。",
        "提供的材料未提及价格",
        "The passages do not mention the warranty.",
        "The provided context doesn't contain this information.",
        "The warranty is not mentioned in the passages.",
        "There is no information about the warranty.",
        "I don’t know.",
        "I cannot determine that from the given text.",
        "The documents never state how long it lasts.",
        "NOT IN THE PASSAGES. Sorry about that",
        "The passages do not mention it [8].",  # cites nothing that is there
    ],
)
def test_denials_in_the_models_own_words(completion: str) -> None:
    read = read_answer(completion, IDS)
    assert (read.in_passages, read.cited) == (False, ())
    assert read.text


@pytest.mark.parametrize(
    "completion",
    [
        "NOT IN THE PASSAGES",
        "Not in the passages.",
        '"NOT IN THE PASSAGES"',
        "**NOT IN THE PASSAGES**",
        "Answer: NOT IN THE PASSAGES [1]",
    ],
)
def test_the_bare_formula_becomes_a_sentence_in_the_questions_language(completion: str) -> None:
    assert read_answer(completion, IDS, query="它多重") == ReadAnswer(text=NOT_FOUND["zh"], cited=(), in_passages=False)
    assert read_answer(completion, IDS, query="how heavy?") == ReadAnswer(
        text=NOT_FOUND["en"], cited=(), in_passages=False
    )


@pytest.mark.parametrize("completion", ["", " \n", "[1]", "```\n```", "答案："])
def test_no_words_are_no_answer(completion: str) -> None:
    assert read_answer(completion, IDS) == ReadAnswer(text="", cited=(), in_passages=False)


@given(
    st.text() | st.text(alphabet="[]【】()1234,，-、灯a. \n"), st.lists(st.text(min_size=1), unique=True, max_size=5)
)
def test_any_completion_cites_only_what_is_there(completion: str, ids: list[str]) -> None:
    read = read_answer(completion, ids)
    assert set(read.cited) <= set(ids)
    assert len(set(read.cited)) == len(read.cited)
    assert read.in_passages or not read.cited
