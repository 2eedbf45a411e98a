import pytest

from program.gate.about_chat import asks_about_chat

ANSWER = "保修两年。"


@pytest.mark.parametrize(
    "query",
    [
        "把我问过的列一下",
        "我刚才都问了些什么",
        "我第一个问题是什么",
        "你刚才说了什么",
        "刚才你说了什么？",
        "总结一下我们的对话",
        "把今天的聊天总结一下",
        "我们聊到哪了",
        "我之前问过保修吗",
        "我叫什么名字",
        "總結一下我們的對話",
        "what did I ask first?",
        "What have I asked so far?",
        "what did I ask about the warranty?",
        "what did you just say?",
        "Summarise our conversation, please",
        "can you list all my questions",
        "what were we talking about",
        "have I already asked about shipping?",
        "do you remember my name?",
    ],
)
def test_the_chat_itself(query: str) -> None:
    assert asks_about_chat(query)


@pytest.mark.parametrize(
    "query",
    [
        "刚才那款的价格",
        "你刚才说的保修是多久",
        "我刚才问的是企业版",
        "我刚问的那个多少钱",
        "我想问什么是年假",
        "我可以问什么",
        "聊天记录能保存多久",
        "怎么导出对话历史",
        "总结一下退货政策",
        "之前说的赠品有哪些",
        "what did you say the warranty was?",
        "what did you say about the price?",
        "I asked about the Pro, not the Lite",
        "how do I delete my chat history?",
        "summarise the refund policy",
        "what questions can I ask?",
        "what should I say?",
        "show my messages",
        "list questions",
        "what did I order?",
        "did I pay already?",
    ],
)
def test_what_documents_answer(query: str) -> None:
    assert not asks_about_chat(query, ANSWER)


@pytest.mark.parametrize("query", ["再说一遍", "say that again", "can you repeat that?", "repeat"])
def test_say_it_again_needs_something_said(query: str) -> None:
    assert asks_about_chat(query, ANSWER)
    assert not asks_about_chat(query)
