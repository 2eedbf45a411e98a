import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.gate.classify import classify
from program.settings import GateWords

OFFERS = ["需要我把清洗步骤也发给您吗？", "Would you like the cleaning steps?"]
COURTESIES = ["保修两年。还有什么可以帮您的吗？", "Two years. Is there anything else I can help you with?"]


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        ("你好！", "greeting"),
        ("hellooooo", "greeting"),
        ("Hey there :)", "greeting"),
        ("谢谢啦~~", "chitchat"),
        ("好的谢谢", "chitchat"),
        ("ok thanks, bye 👋", "chitchat"),
        ("ＴＨＡＮＫＳ！", "chitchat"),
        ("謝謝", "chitchat"),
        ("That’s all, thanks", "chitchat"),
        ("👍👍", "chitchat"),
        ("哈哈哈哈哈哈", "chitchat"),
        ("hahaha", "chitchat"),
    ],
)
def test_polite_words_alone_need_no_search(query: str, intent: str) -> None:
    assert (classify(query).intent, classify(query).sure) == (intent, True)


@pytest.mark.parametrize(
    "query",
    [
        "你好,请问发票怎么开",
        "好的,那发票呢?",
        "hello, what does it cost?",
        "thanks, and the warranty?",
        "help",
        "人工",
        "早餐几点",
        "早餐券",
        "在线吗",
        "不对",
        "no good",
        "再详细一点",
        "tell me more",
        "  ",
    ],
)
def test_anything_more_is_searched_without_asking(query: str) -> None:
    assert (classify(query).intent, classify(query).sure) == ("retrieval", True)


@pytest.mark.parametrize("query", ["hello Mira Lane", "你好，张晓岚", "???", "…", "ok?", "你真是个怪人", "10-20"])
def test_odd_messages_are_searched_unless_a_model_knows_better(query: str) -> None:
    assert (classify(query).intent, classify(query).sure) == ("retrieval", False)


@pytest.mark.parametrize("last_answer", OFFERS)
@pytest.mark.parametrize("query", ["好的", "yes", "要的，谢谢", "sure, thanks", "嗯嗯", "👌"])
def test_yes_to_an_offer_is_searched(query: str, last_answer: str) -> None:
    assert (classify(query, last_answer).intent, classify(query, last_answer).sure) == ("retrieval", True)


@pytest.mark.parametrize("last_answer", OFFERS)
@pytest.mark.parametrize("query", ["谢谢", "thanks", "great", "no"])
def test_an_unclear_answer_to_an_offer_is_searched_unsurely(query: str, last_answer: str) -> None:
    assert (classify(query, last_answer).intent, classify(query, last_answer).sure) == ("retrieval", False)


@pytest.mark.parametrize("last_answer", OFFERS)
@pytest.mark.parametrize("query", ["不用了，谢谢", "No thanks", "没事了，拜拜", "ok bye"])
def test_an_offer_declined_is_not_searched(query: str, last_answer: str) -> None:
    assert classify(query, last_answer).intent == "chitchat"


@pytest.mark.parametrize("last_answer", [*COURTESIES, "", "保修两年。", "It has two ports."])
@pytest.mark.parametrize("query", ["好的", "yes", "ok thanks", "没有了"])
def test_polite_answers_to_courtesy_or_a_statement_are_not_searched(query: str, last_answer: str) -> None:
    assert classify(query, last_answer).intent == "chitchat"


def test_an_offer_without_a_question_mark_is_accepted_by_yes_but_not_by_praise() -> None:
    answer = "Let me know if you want to see the refund rules."
    assert classify("ok", answer).intent == "retrieval"
    assert classify("great", answer).intent == "chitchat"


def test_a_question_before_the_last_sentence_counts() -> None:
    assert classify("是的", "您问的是企业版吗？两版价格不同。").intent == "retrieval"


def test_the_users_expressions_come_first_and_compare_without_case_and_punctuation() -> None:
    words = GateWords(greeting=("Moin Moin",), chitchat=("安啦",), history_question=("前情提要",), retrieval=("你好",))
    for query, intent in [
        ("moin, moin!", "greeting"),
        ("安啦～", "chitchat"),
        ("前情提要？", "history_question"),
        ("你好！", "retrieval"),
    ]:
        decision = classify(query, OFFERS[0], words)
        assert (decision.intent, decision.sure) == (intent, True)
    assert classify("moin moin, was kostet das", "", words).intent == "retrieval"


@given(st.text(), st.text())
def test_any_text_gets_a_decision_and_an_unsure_one_retrieves(query: str, last_answer: str) -> None:
    decision = classify(query, last_answer)
    assert decision.sure or decision.intent == "retrieval"
    assert decision.reason


@pytest.mark.parametrize(
    "unit", ["刚才", "刚", "嗯", "好的", "谢谢", "能", "ok ", "just ", "1+", "(", "1 and ", "what did i ", "o", "哈"]
)
def test_long_repetitions_end(unit: str) -> None:
    for length in (118, 5000):
        assert classify((unit * length)[:length]).reason
