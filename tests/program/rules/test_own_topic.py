"""What gets no name from the conversation: questions on another topic, greetings, calls for help; and what still does."""

import pytest

from data.records import Message, Passage
from program.rules.conversation import same_question
from program.rules.ellipsis import replace_value
from program.rules.gazetteer import Gazetteer
from program.rules.resolution import Resolution
from program.rules.resolve import resolve

GAZETTEER = Gazetteer.from_passages([
    Passage(id="kettle", title="松风电热壶", text="松风电热壶的容量是 1.7 升，保修一年。"),
    Passage(id="lamp", title="Pell desk lamp", text="The Pell desk lamp has a warranty of two years."),
    Passage(id="badge", text="门禁卡丢失后请到前台登记补办。"),
    Passage(id="parking", text="Visitors register their number plate at the reception desk before parking."),
])  # fmt: skip
ZH = ("松风电热壶保修多久", "一年。")
EN = ("How long is the warranty of the Pell desk lamp?", "Two years.")


def ask(query: str, *contents: str) -> Resolution:
    history = [Message(role="assistant" if i % 2 else "user", content=content) for i, content in enumerate(contents)]
    return resolve(query, history, GAZETTEER)


@pytest.mark.parametrize(
    ("query", "contents"),
    [
        ("门禁卡丢失了去哪里登记", ZH),  # words of a document without an entity
        ("公司运动会在哪天办", ZH),
        ("我们公司的班车几点发", ZH),
        ("食堂周末开放吗", ZH),
        ("where do visitors register their number plate?", EN),
        ("What is the company's dress code?", EN),
        ("When does the canteen close?", EN),
        ("Which floor is the main office on?", EN),
    ],
)
def test_a_question_on_another_topic_stays_as_it_is(query: str, contents: tuple[str, ...]) -> None:
    resolution = ask(query, *contents)
    assert (resolution.rewrites, resolution.needs_lm, resolution.reason) == ((), False, "complete")


@pytest.mark.parametrize(
    ("query", "contents"),
    [("怎么修改银行卡密码", ZH), ("How do I change my bank password?", EN), ("Who invented the steam engine?", EN)],
)
def test_where_it_may_be_another_topic_the_rules_are_not_sure(query: str, contents: tuple[str, ...]) -> None:
    assert ask(query, *contents).needs_lm


@pytest.mark.parametrize(
    ("query", "contents", "name"),
    [
        ("容量多大", ZH, "松风电热壶"),
        ("公司会报销吗", ZH, "松风电热壶"),
        ("怎么除垢", ZH, "松风电热壶"),
        ("how bright?", EN, "Pell desk lamp"),
        ("what colours are there?", EN, "Pell desk lamp"),
        ("is the company that makes it German?", EN, "Pell desk lamp"),
    ],
)
def test_a_question_without_its_subject_still_gets_it(query: str, contents: tuple[str, ...], name: str) -> None:
    assert name in ask(query, *contents).rewrites[0]


@pytest.mark.parametrize(
    ("query", "contents"),
    [
        ("你好 陈一帆", ZH),
        ("您好，李老师！", ZH),
        ("求助", ZH),
        ("我需要帮助！", ZH),
        ("转人工", ZH),
        ("hi Odile Marsh", EN),
        ("Hey bernard", EN),
        ("Hello, Ines!", EN),
        ("help me please", EN),
        ("HELP", EN),
    ],
)
def test_a_greeted_person_and_a_call_for_help_get_no_name(query: str, contents: tuple[str, ...]) -> None:
    resolution = ask(query, *contents)
    assert (resolution.rewrites, resolution.context, resolution.titled) == ((), None, None)
    assert not resolution.needs_lm


@pytest.mark.parametrize(
    ("query", "contents", "rewrite"),
    [
        ("想请教一下容量多大", ZH, "松风电热壶 容量多大"),
        ("不好意思打扰一下，想问下容量多大", ZH, "松风电热壶 容量多大"),
        ("麻烦问下怎么除垢", ZH, "松风电热壶 怎么除垢"),
        ("请问下周能送到吗", ZH, "松风电热壶 下周能送到"),
        ("咨询电话是多少", ZH, "松风电热壶 咨询电话是多少"),
        ("just wondering, how bright is it?", EN, "how bright is Pell desk lamp?"),
        ("Sorry to bother you, how bright is it?", EN, "how bright is Pell desk lamp?"),
        ("just a quick question: how bright is it?", EN, "how bright is Pell desk lamp?"),
    ],
)
def test_a_polite_opening_is_stripped_whole(query: str, contents: tuple[str, ...], rewrite: str) -> None:
    assert ask(query, *contents).rewrites[0] == rewrite


@pytest.mark.parametrize(
    ("query", "contents"),
    [
        ("门禁卡怎么办？！", ("门禁卡怎么办", "登记。", *ZH)),
        ("门禁卡 怎么办。", ("门禁卡怎么办?", "登记。", *ZH)),
        ("ｖｐｎ怎么连", ("VPN 怎么连？", "用客户端。", *ZH)),
        ("how do i park here", ("How do I park here?", "Register.", *EN)),
        ("HOW DO I PARK HERE ?!", ("How do I park here", "Register.", *EN)),
    ],
)
def test_a_question_typed_otherwise_is_the_same_question(query: str, contents: tuple[str, ...]) -> None:
    resolution = ask(query, *contents)
    assert (resolution.rewrites, resolution.needs_lm, resolution.confidence) == ((), False, 0.9)


def test_what_tells_questions_apart_is_kept() -> None:
    assert (
        len({same_question(text) for text in ("C++ 费用", "C 费用", "C# 费用", "v2.1 fee", "v21 fee", "10:30", "1030")})
        == 7
    )


@pytest.mark.parametrize(
    ("query", "contents", "rewrite"),
    [
        ("2022 年的呢", ("2021 年的离职人数", "12 人"), "2022 年的离职人数"),
        ("2022年呢", ("2021 年离职人数", "12 人"), "2022年离职人数"),
        ("四季度的呢", ("三季度毛利是多少", "3%"), "四季度毛利是多少"),
        ("那 V4 的呢", ("V3.2 有哪些改动", "两处"), "V4 有哪些改动"),
        ("75寸的呢", ("65 寸多少钱", "3000 元"), "75寸多少钱"),
        ("and for 2020?", ("How many people left in 2019?", "12"), "How many people left in 2020?"),
        ("the 2020 one?", ("Where is the 2019 report?", "Here"), "Where is the 2020 report?"),
        ("and v3.0?", ("What changed in v2.1?", "Two things"), "What changed in v3.0?"),
        ("the 65 inch one?", ("What does the 55 inch screen cost?", "900"), "What does the 65 inch screen cost?"),
    ],
)
def test_a_value_takes_the_place_of_the_one_of_its_kind(query: str, contents: tuple[str, ...], rewrite: str) -> None:
    assert ask(query, *contents).rewrites[0] == rewrite


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("2021 年和 2022 年的差", "2023 年"),
        ("How much is 1.5 l?", "2020"),
        ("costs of 2021", "v2"),
        ("", "2021"),
        ("fees", "none"),
    ],
)
def test_without_one_place_of_its_kind_no_value_is_replaced(question: str, value: str) -> None:
    assert replace_value(question, value) is None


def test_words_elsewhere_are_those_of_documents_without_an_entity() -> None:
    assert GAZETTEER.is_elsewhere("登记")
    assert GAZETTEER.is_elsewhere("visitors")
    assert not GAZETTEER.is_elsewhere("保修")
    assert not GAZETTEER.is_elsewhere("warranty")
    assert Gazetteer.from_json(GAZETTEER.to_json()).is_elsewhere("登记")
