"""Each kind of follow-up, in both languages; rows of the field reports are named where they come from one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.records import Message, Passage, language_of
from program.rules.english_patterns import ENGLISH
from program.rules.gazetteer import Gazetteer
from program.rules.resolution import Resolution
from program.rules.resolve import resolve

TITLES = [
    f"{entity} › {section}"
    for entity, sections in (
        ("Orla 30 Toaster", ("Warranty", "Cleaning")),
        ("Orla 50 Toaster", ("Warranty", "Cleaning")),
        ("Gullwick", ("Getting there", "Food")),
        ("墨溪 K3 打印机手册", ("保修", "清洁")),
        ("墨溪 K5 打印机手册", ("保修", "清洁")),
        ("云舟家庭版套餐", ("资费", "发票")),
        ("云舟标准版套餐", ("资费", "发票")),
        ("鸟屿馆", ("门票", "交通")),
        ("望月台", ("门票", "交通")),
    )
    for section in sections
]
GAZETTEER = Gazetteer.from_passages(Passage(id=str(i), title=title, text="text") for i, title in enumerate(TITLES))


def history(*contents: str) -> list[Message]:
    return [Message(role="assistant" if i % 2 else "user", content=content) for i, content in enumerate(contents)]


def ask(query: str, *contents: str) -> Resolution:
    return resolve(query, history(*contents), GAZETTEER)


def best(query: str, *contents: str) -> str | None:
    rewrites = ask(query, *contents).rewrites
    return rewrites[0] if rewrites else None


ZH = ("墨溪 K3 打印机怎么样", "很好用。")
EN = ("Is the Orla 30 any good?", "Yes, it is.")


@pytest.mark.parametrize(
    ("query", "contents", "rewrite"),
    [
        # Row 10: the first follow-up is rewritten.
        ("它多少钱?", ZH, "墨溪 K3 打印机 多少钱"),
        ("how much is it?", EN, "how much is Orla 30 Toaster?"),
        ("它的保修期多久", ZH, "墨溪 K3 打印机的保修期多久"),
        ("how long is its warranty?", EN, "how long is Orla 30 Toaster's warranty?"),
        ("这款打印机能双面吗", ZH, "墨溪 K3 打印机 能双面"),
        ("can this toaster do bagels?", EN, "can Orla 30 Toaster do bagels?"),
        ("does the toaster do bagels?", EN, "does Orla 30 Toaster do bagels?"),
        ("那里几点关门", ("鸟屿馆好玩吗", "好玩。"), "鸟屿馆 几点关门"),
        ("how do I get there?", ("What is Gullwick like?", "Quiet."), "how do I get to Gullwick?"),
    ],
)
def test_pronoun(query: str, contents: tuple[str, ...], rewrite: str) -> None:
    assert best(query, *contents) == rewrite


@pytest.mark.parametrize(
    ("query", "contents", "rewrite"),
    [
        ("那 K5 呢？", ("K3 打印机保修多久", "一年。"), "墨溪 K5 打印机保修多久"),
        (
            "what about the Orla 50?",
            ("How long is the warranty of the Orla 30?", "2 years."),
            "How long is the warranty of the Orla 50 Toaster?",
        ),
        ("K5?", ("K3 打印机保修多久", "一年。"), "墨溪 K5 打印机保修多久"),
        ("家庭版呢", ("云舟标准版多少钱", "12 元。"), "云舟家庭版套餐多少钱"),
        # A chain: the question before was itself elliptical.
        ("望月台呢", ("鸟屿馆门票多少钱", "20 元。", "那交通呢", "坐 3 路。"), "望月台 交通"),
        # Row 11.
        ("那下半年呢?", ("上半年离职率", "12%"), "下半年离职率"),
        ("and in the second quarter?", ("churn in the first quarter", "4 %"), "churn in the second quarter"),
        ("保修呢？", ZH, "墨溪 K3 打印机 保修"),
        ("and the cleaning?", EN, "Orla 30 Toaster cleaning"),
    ],
)
def test_ellipsis(query: str, contents: tuple[str, ...], rewrite: str) -> None:
    assert best(query, *contents) == rewrite


@pytest.mark.parametrize(
    ("query", "contents", "rewrite"),
    [
        ("保修多久?", ("K3 打印机参数", "如下。"), "墨溪 K3 打印机 保修多久"),
        ("how long is the warranty?", EN, "how long is the warranty for Orla 30 Toaster?"),
        # Row 15: an opener does not make small talk of a question.
        ("好的,那发票呢?", ("云舟家庭版多少钱", "30 元。"), "云舟家庭版套餐 发票"),
        ("thanks, and the cleaning?", EN, "Orla 30 Toaster cleaning"),
        # Chatter and answers to the other side's question are dropped.
        ("有啊，电话是555，那它几点开门", ("鸟屿馆去过吗", "去过，你有电话吗？"), "鸟屿馆 几点开门"),
        ("I see. Could you tell me how long the warranty is?", EN, "how long the warranty is for Orla 30 Toaster?"),
    ],
)
def test_attribute_without_its_entity(query: str, contents: tuple[str, ...], rewrite: str) -> None:
    assert best(query, *contents) == rewrite


@pytest.mark.parametrize(
    ("query", "contents", "rewrite"),
    [
        ("第二个多少钱", ("有哪些套餐", "1. 云舟标准版；2. 云舟家庭版"), "云舟家庭版套餐 多少钱"),
        (
            "how much is the second one?",
            ("Which toasters are there?", "1. Orla 30\n2. Orla 50"),
            "how much is Orla 50 Toaster?",
        ),
        (
            "第2点具体怎么做",
            ("K3 打印机怎么清洁", "1. 断电；2. 擦拭滚轮；3. 合盖"),
            "墨溪 K3 打印机 擦拭滚轮 具体怎么做",
        ),
        ("前者的门票呢", ("鸟屿馆和望月台哪个近", "望月台近。"), "鸟屿馆的门票"),
        (
            "how do I clean the latter?",
            ("Orla 30 or Orla 50, which is lighter?", "The Orla 30."),
            "how do I clean Orla 50 Toaster?",
        ),
        (
            "另一个呢？",
            ("K3 打印机和 K5 打印机都好吗", "都好。", "K3 打印机保修多久", "一年。"),
            "墨溪 K5 打印机保修多久",
        ),
        (
            "and the other one?",
            ("Orla 30 or Orla 50?", "Both are fine.", "How heavy is the Orla 30?", "2 kg."),
            "How heavy is the Orla 50 Toaster?",
        ),
    ],
)
def test_ordinal_and_other(query: str, contents: tuple[str, ...], rewrite: str) -> None:
    assert best(query, *contents) == rewrite


@pytest.mark.parametrize(
    ("query", "contents", "names"),
    [
        ("它们有什么区别", ("有哪些打印机", "有 K3 打印机和 K5 打印机。"), ("墨溪 K3 打印机", "墨溪 K5 打印机")),
        ("哪个更便宜", ("有哪些打印机", "有 K3 打印机和 K5 打印机。"), ("墨溪 K3 打印机", "墨溪 K5 打印机")),
        (
            "how do they differ?",
            ("Which toasters are there?", "The Orla 30 and the Orla 50."),
            ("Orla 30 Toaster", "Orla 50 Toaster"),
        ),
        (
            "which one is cheaper?",
            ("Which toasters are there?", "The Orla 30 and the Orla 50."),
            ("Orla 30 Toaster", "Orla 50 Toaster"),
        ),
    ],
)
def test_plural_names_all(query: str, contents: tuple[str, ...], names: tuple[str, str]) -> None:
    resolution = ask(query, *contents)
    assert resolution.reason == "plural"
    assert all(name in resolution.rewrites[0] for name in names)


@pytest.mark.parametrize(
    ("query", "contents", "rewrite"),
    [
        ("好的", ("K3 打印机好用吗", "好用。需要我介绍一下清洁方法吗？"), "墨溪 K3 打印机 清洁方法"),
        ("好的，说说吧", ("K3 打印机好用吗", "好用。要不要我介绍一下它的价格？"), "墨溪 K3 打印机的价格"),
        (
            "yes please",
            ("Is the Orla 30 good?", "Yes. Would you like the cleaning steps as well?"),
            "Orla 30 Toaster cleaning steps",
        ),
        (
            "sure, go ahead",
            ("Is the Orla 30 good?", "Yes. Shall I explain its warranty?"),
            "Orla 30 Toaster's warranty",
        ),
    ],
)
def test_offer(query: str, contents: tuple[str, ...], rewrite: str) -> None:
    assert best(query, *contents) == rewrite


@pytest.mark.parametrize(
    ("query", "contents", "rewrite"),
    [
        # Row 8.
        ("第二季度", ("差旅一共报了多少", "哪个季度?"), "第二季度差旅一共报了多少"),
        (
            "the Orla 50",
            ("how do I clean the toaster", "Which model do you mean?"),
            "how do I clean the Orla 50 Toaster",
        ),
        ("K5", ("打印机怎么清洁", "您指哪个型号？"), "墨溪 K5 打印机怎么清洁"),
        (
            "the last one",
            ("what is the price", "Which one: Orla 30 or Orla 50?"),
            "what is the price for Orla 50 Toaster",
        ),
    ],
)
def test_clarification(query: str, contents: tuple[str, ...], rewrite: str) -> None:
    assert best(query, *contents) == rewrite


@pytest.mark.parametrize(
    ("query", "contents"),
    [
        ("鸟屿馆几点开门", ZH),
        ("when does Gullwick have its market?", EN),
        ("is it true that the Orla 50 is lighter?", EN),
        ("那个，鸟屿馆要预约吗", ZH),
        ("这种情况正常吗：K5 打印机有异响", ZH),
        # Row 2: asked again, two topics later.
        ("年假有几天", ("年假有几天", "5 天。", "报销流程", "先填单。")),
        # Row 13.
        ("把我问过的列一下", ZH),
        ("what did I ask so far?", EN),
        # Row 15.
        ("你好,请问发票怎么开", ("你好", "您好！")),
        ("hello Mira Lane", ("hi", "Hello!")),
    ],
)
def test_complete_comes_back_unchanged_at_no_cost(query: str, contents: tuple[str, ...]) -> None:
    resolution = ask(query, *contents)
    assert resolution.rewrites == ()
    assert not resolution.needs_lm
    assert resolution.reason == "complete"


@pytest.mark.parametrize(
    "query",
    ["谢谢", "好的，谢谢", "你好", "明白了，哈哈", "thanks a lot, really helpful", "hi", "brilliant, thank you"],
)
def test_small_talk_is_left_alone(query: str) -> None:
    # Row 14: thanks does not ask the previous question again.
    for contents in (("怎么清洁 K3 打印机", "先断电。"), ("How do I clean the Orla 30?", "Unplug it."), ()):
        resolution = ask(query, *contents)
        assert (resolution.rewrites, resolution.reason, resolution.needs_lm) == ((), "social", False)


@pytest.mark.parametrize("query", ["help", "你好，请问怎么报修", "好的,那发票呢?", "hello Mira Lane"])
def test_greedy_small_talk(query: str) -> None:
    assert ask(query).reason != "social"


@pytest.mark.parametrize(
    ("query", "contents"),
    [
        (
            "那酒店呢?",
            ("差旅标准是什么", "The travel standard covers flights, trains and many other things in much detail."),
        ),
        ("what about hotels?", ("差旅标准是什么", "高铁二等座。")),
        ("how long is the warranty?", ("打印机怎么样", "The Orla 30 很好。")),
    ],
)
def test_language_of_the_query_is_kept(query: str, contents: tuple[str, ...]) -> None:
    # Row 4.
    for rewrite in ask(query, *contents).rewrites:
        assert language_of(rewrite) == language_of(query)


def test_passing_mention_does_not_take_the_focus() -> None:
    resolution = ask("它几点开门", "鸟屿馆门票多少钱", "鸟屿馆 20 元，比望月台便宜。")
    assert [rewrite[:3] for rewrite in resolution.rewrites] == ["鸟屿馆", "望月台"]
    resolution = ask("how heavy is it?", "How long is the warranty of the Orla 30?", "2 years, unlike the Orla 50.")
    assert ["30" in rewrite for rewrite in resolution.rewrites] == [True, False]


def test_comparison_in_the_answer_is_no_new_topic() -> None:
    assert best("它几点开门", "鸟屿馆好玩吗", "好玩。", "门票多少钱", "比望月台便宜。") == "鸟屿馆 几点开门"
    contents = ("Is the Orla 30 good?", "Yes.", "how much is it?", "Less than the Orla 50.")
    assert best("how heavy is it?", *contents) == "how heavy is Orla 30 Toaster?"


def test_recommendation_takes_the_focus() -> None:
    assert best("它几点开门", "鸟屿馆附近有什么好玩的", "推荐您去望月台看看。") == "望月台 几点开门"
    assert (
        best("how heavy is it?", "Which is better than the Orla 30?", "I recommend the Orla 50.")
        == "how heavy is Orla 50 Toaster?"
    )


def test_the_answer_tells_what_a_bare_question_was_about() -> None:
    contents = ("K3 打印机和 K5 打印机哪个好", "都好。", "便宜的多少钱", "K5 打印机 500 元。")
    assert best("它保修多久", *contents) == "墨溪 K5 打印机 保修多久"


def test_description_needs_the_language_model() -> None:
    contents = ("K3 打印机和 K5 打印机哪个好", "都好。")
    assert ask("便宜的那个保修多久", *contents).needs_lm
    assert ask("and the cheaper one?", "Orla 30 or Orla 50?", "Both.", "how heavy is the Orla 30?", "2 kg.").needs_lm


def test_without_any_entity_the_language_model_looks() -> None:
    assert ask("多久能到账", "出差坐飞机有什么条件", "超过 800 公里。").needs_lm
    assert ask("and how long does it take?", "how do I change my address", "Call us.").needs_lm


def test_history_may_begin_with_the_assistant() -> None:
    opening = [Message(role="assistant", content="Gullwick: a guide")]
    assert resolve("how do I get there?", opening, GAZETTEER).rewrites == ("how do I get to Gullwick?",)


def test_this_inside_thistle_is_no_word() -> None:
    assert "thistle" in (best("thistle prices", *EN) or "")


@pytest.mark.parametrize(
    "query", ["", "  ", "？", "🙂🙂", "\x00", "它" * 50_000, "it " * 20_000, "((((", "第99个", "the 99th one"]
)
@pytest.mark.parametrize("contents", [(), ZH, EN, ("", " "), ("🙂", "它" * 50_000)])
def test_odd_input_raises_nothing(query: str, contents: tuple[str, ...]) -> None:
    assert 0 <= ask(query, *contents).confidence <= 1


_WORDS = st.sampled_from(
    [
        "它",
        "那",
        "呢",
        "的",
        "第二个",
        "K3",
        "Orla 50",
        "it",
        "the other one",
        "what about",
        "？",
        "yes",
        "好的",
        "哪个",
        "or",
        "，",
        "保修",
    ]
)
_TEXTS = st.lists(_WORDS, max_size=6).map(" ".join) | st.text(max_size=20)


@settings(max_examples=150, deadline=None)
@given(_TEXTS, st.lists(_TEXTS, max_size=5))
def test_at_most_three_rewrites_all_different_and_the_same_each_time(query: str, contents: list[str]) -> None:
    resolution = ask(query, *contents)
    assert resolution == ask(query, *contents)
    assert len(set(resolution.rewrites)) == len(resolution.rewrites) <= 3
    assert query.strip() not in resolution.rewrites
    assert all(rewrite.strip() for rewrite in resolution.rewrites)


@pytest.mark.parametrize(
    ("query", "contents", "rewrite"),
    [
        (
            "我还是想去望月台，你知道这个地方的门票吗",
            ("鸟屿馆附近有什么", "鸟屿馆旁边有望月台，你想去哪个呢？"),
            "望月台的门票",
        ),
        # Where somebody says which place is meant, that place stays the topic.
        (
            "它几点关门",
            ("鸟屿馆附近有什么", "有望月台，想去吗？", "我还是想去望月台，这个地方门票多少钱？", "20 元。"),
            "望月台 几点关门",
        ),
        (
            "I'd rather use the Orla 50. How long is its warranty?",
            ("Is the Orla 30 any good?", "Yes. Which one do you want?"),
            "How long is Orla 50 Toaster's warranty?",
        ),
    ],
)
def test_what_the_user_settles_on_before_asking_is_meant(query: str, contents: tuple[str, ...], rewrite: str) -> None:
    assert best(query, *contents) == rewrite


@pytest.mark.parametrize(
    "text",
    [
        "how do companies clean their toasters?",
        "was Captain Finch and his Parrot popular?",
        "I bought a new machine, but it smells",
        "how can I do that?",
    ],
)
def test_a_pronoun_bound_in_its_own_sentence_or_for_an_action_points_at_no_entity(text: str) -> None:
    assert ENGLISH.reference(text, ()) is None


def test_a_question_about_a_name_of_the_conversation_is_left_alone() -> None:
    contents = ("Is the Orla 30 any good?", "Yes, and it comes with the Crumb Keeper Deluxe for free.")
    resolution = ask("was the crumb keeper deluxe a success?", *contents)
    assert (resolution.rewrites, resolution.reason) == ((), "complete")


def test_ordinary_word_in_an_answer_is_no_name() -> None:
    gazetteer = Gazetteer(terms=("Orla 30 Toaster", "Harbor"))
    contents = history("Is the Orla 30 Toaster any good?", "Yes, people at the harbor love it.")
    assert resolve("how heavy is it?", contents, gazetteer).rewrites == ("how heavy is Orla 30 Toaster?",)
    assert gazetteer.find("the harbor plan")[0].term == "Harbor"


@pytest.mark.parametrize(
    ("query", "contents", "word"),
    [
        ("Is it free?", ("How do I open an account?", "An account is opened with the Globex form."), "account"),
        ("它要交钱吗", ("我想用 Globex 开户", "开户要填 Globex 表，开户不收费。"), "开户"),
    ],
)
def test_without_a_telling_name_topic_words_are_carried_beside_the_query(
    query: str, contents: tuple[str, ...], word: str
) -> None:
    everywhere = Gazetteer(frequent=(("globex",),))
    resolution = resolve(query, history(*contents), everywhere)
    assert resolution.rewrites == ()
    assert resolution.needs_lm
    assert resolution.context is not None
    assert resolution.context.startswith(query)
    assert word in resolution.context
