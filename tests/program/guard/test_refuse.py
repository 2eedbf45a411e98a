"""Tables of rewrites that must pass and rewrites that must be refused, by all guards in order, in both languages; all invented."""

import pytest

from program.guard import Context, asks, refuse, refuse_part
from program.settings import GuardSettings

LAMP = "用户: 暖汐台灯怎么样\n助手: 暖汐台灯三档调光，保修 3 年，售价 259 元。"
KETTLE = "User: Tell me about the Brindle kettle\nAssistant: The Brindle kettle boils in 4 minutes, costs 39 euros and has a 2-year warranty."

GOOD = [
    # Resolved, completed, unchanged, shortened to name and question.
    ("它保修多久", LAMP, "暖汐台灯保修多久"),
    ("保修多久?", LAMP, "暖汐台灯 保修"),
    ("暖汐台灯保修多久", LAMP, "暖汐台灯保修多久"),
    ("哦哦好的，那它多少钱啊", LAMP, "暖汐台灯多少钱"),
    ("how long is its warranty?", KETTLE, "How long is the Brindle kettle's warranty?"),
    ("and the price?", KETTLE, "Brindle kettle price"),
    ("Is it loud?", KETTLE, "Is the Brindle kettle loud?"),
    # Paraphrases that keep the question and name the topic.
    ("坏了咋整", LAMP, "暖汐台灯出故障怎么维修"),
    ("will it wake the kids?", KETTLE, "How loud is the Brindle kettle?"),
    ("它多少钱", LAMP, "暖汐台灯 价格"),
    ("is it noisy?", KETTLE, "Brindle kettle volume"),
    ("K3 呢", "用户: 有 K1 吗\n助手: 有。", "K3 怎么样"),
    ("do they take handwritten receipts", KETTLE, "Is a handwriting receipt taken?"),
    # Numbers: the same in other characters, words or scripts; thousands; scales.
    ("三天能到吗", LAMP, "暖汐台灯 3 天能到吗"),
    ("３天能到吗", LAMP, "暖汐台灯三天能到货吗"),
    ("预算两千五够吗", LAMP, "2500 元预算买暖汐台灯够吗"),
    ("2,500 个有货吗", LAMP, "暖汐台灯 2500 个有货吗"),
    ("does it take three days?", KETTLE, "Does delivery of the Brindle kettle take 3 days?"),
    ("can I return it within 1,000 hours?", KETTLE, "Can I return the Brindle kettle within 1000 hours?"),
    ("为什么是3年", LAMP, "暖汐台灯的保修为什么是三年"),
    # An ordinal or a choice is resolved, an article is no number, names of things counted replace the count.
    ("第2个呢", "用户: 有哪些颜色\n助手: 1. 雪白 2. 烟灰", "烟灰色怎么样"),
    ("2", "用户: 有哪些颜色\n助手: 1. 雪白 2. 烟灰", "烟灰色"),
    ("the 2nd one?", "User: Which sizes?\nAssistant: 1. small 2. medium", "Is medium available?"),
    ("option 2 please", "User: Which sizes?\nAssistant: 1. small 2. medium", "medium please"),
    ("给我说一下它", LAMP, "说说暖汐台灯"),
    ("这两个哪个亮", "用户: 暖汐台灯\n助手: 还有一款是暮光台灯。", "暖汐台灯和暮光台灯哪个亮"),
    # The answer to "which one", "the same", a yes, a description: all that is asked stands in the conversation.
    ("便宜的那个呢", "用户: 暖汐台灯和暮光台灯保修多久\n助手: 都是 3 年。", "暮光台灯保修多久"),
    ("第一个呢", "用户: 暮光台灯保修多久\n助手: 另有暖汐台灯和晨曦台灯。", "暖汐台灯保修多久"),
    ("好的", "用户: 暖汐台灯怎么样\n助手: 要看看保修吗？", "暖汐台灯保修"),
    (
        "same for the Marlow",
        "User: Brindle kettle warranty\nAssistant: 2 years. The Marlow kettle is new.",
        "Marlow kettle warranty",
    ),
    ("any cures for it?", "User: Is there a cure for hiccups or for cramp?", "Is there a cure for cramp?"),
    # Questions that have the form of a negation.
    ("能不能调亮点", LAMP, "暖汐台灯可以调亮吗"),
    ("有没有遥控", LAMP, "暖汐台灯带遥控吗"),
    ("喜不喜欢都能退吗", LAMP, "暖汐台灯能退货吗"),
    ("要充电不", LAMP, "暖汐台灯需要充电吗"),
    ("不是可以退货吗", LAMP, "暖汐台灯可以退货吗"),
    ("Isn't it too hot?", KETTLE, "Is the Brindle kettle too hot?"),
    ("Doesn’t it have a lid?", KETTLE, "Does the Brindle kettle have a lid?"),
    # The negation is the user's not knowing, an earlier question's, or a version's.
    ("不知道它保修多久", LAMP, "暖汐台灯保修多久"),
    ("I am not sure how long its warranty is", KETTLE, "How long is the Brindle kettle's warranty?"),
    ("How come it's not sold out? When was the kettle launched?", KETTLE, "When was the Brindle kettle launched?"),
    ("不带 Pro 的保修多久", "用户: 暖汐 T5 Pro 和暖汐 T5", "暖汐 T5 保修多久"),
    # A negation in other words.
    ("打不开了", LAMP, "暖汐台灯无法打开怎么办"),
    ("亮不了了怎么办", LAMP, "暖汐台灯故障怎么办"),
    ("what if it does not start?", KETTLE, "Brindle kettle fails to start"),
    # Names of the other language stay.
    ("它能连 Wi-Fi 吗", "用户: Hearthstone 音箱\n助手: Hearthstone 是一款音箱。", "Hearthstone 音箱能连 Wi-Fi 吗"),
    (
        "where can I buy it?",
        "User: Tell me about 暖汐台灯\nAssistant: 暖汐台灯 is a lamp.",
        "Where can I buy 暖汐台灯?",
    ),
    ("K3?", "用户: 有哪些型号\n助手: 有 K1 和 K3。", "K3 型号怎么样"),
]

BAD = [
    # Empty, or far too long.
    ("它保修多久", LAMP, " \n", "empty"),
    ("它保修多久", LAMP, "暖汐台灯保修多久" * 20, "too long"),
    ("its warranty?", KETTLE, "the warranty of the Brindle kettle " * 12, "too long"),
    # Another language than the question's, whatever the history is in.
    ("那酒店呢?", "用户: 差旅标准\n助手: Flights are booked in economy; hotels up to 120 euros.", "hotel travel standard", "language"),
    ("它保修多久", LAMP, "How long is the warranty of 暖汐台灯?", "language"),
    ("What about the hotels?", "用户: 差旅标准\n助手: 机票限经济舱。", "酒店差旅标准", "language"),
    ("What about the hotels?", KETTLE, "What about the 酒店?", "language"),
    ("how long is its warranty?", KETTLE, "гарантия Brindle kettle", "language"),
    # Answers.
    ("它保修多久", LAMP, "暖汐台灯从购买之日起享受免费上门服务和换新", "answer"),
    ("它保修多久", LAMP, "好的，暖汐台灯的保修", "answer"),
    ("它保修多久", LAMP, "根据上述对话，保修", "answer"),
    ("人口呢?", "用户: 首都是哪里 法国\n助手: 巴黎", "约 210 万", "answer"),
    ("人口呢?", "用户: 首都是哪里 法国\n助手: 巴黎", "巴黎是首都", "answer"),
    ("how long is its warranty?", KETTLE, "It is covered by a warranty.", "answer"),
    ("how long is its warranty?", KETTLE, "Unfortunately the warranty of the Brindle kettle", "answer"),
    ("它保修多久", LAMP, "3 年", "answer"),
    ("它保修多久", LAMP, "259 元", "answer"),
    ("how much is it?", KETTLE, "39 euros", "answer"),
    ("and its colour?", KETTLE, "Brindle products come in many shades such as ivory, charcoal and teal", "answer"),
    # The last question again, and nothing of this one.
    ("它多重", "用户: 暖汐台灯保修多久\n助手: 3 年。", "暖汐台灯保修多久", "answer"),
    ("is it noisy?", "User: How long is the Brindle kettle's warranty?", "How long is the Brindle kettle's warranty?", "answer"),
    # Another question altogether, as a copied demo or an old topic would be.
    ("它保修多久", LAMP, "云雀打印机怎么换墨盒", "answer"),
    ("how long is its warranty?", KETTLE, "Which visa do sailors need in Portmere?", "answer"),
    # Numbers lost, changed or invented, in any script; units changed.
    ("3 天能到吗", LAMP, "暖汐台灯一周能到吗", "numbers"),
    ("三天能到吗", LAMP, "暖汐台灯多久能到", "numbers"),
    ("三天能到吗", LAMP, "暖汐台灯五天能到吗", "numbers"),
    ("３天能到吗", LAMP, "暖汐台灯 3 周能到吗", "numbers"),
    ("五个月能退吗", LAMP, "暖汐台灯能退吗", "numbers"),
    ("带三个孩子能用吗", LAMP, "带孩子能用暖汐台灯吗", "numbers"),
    ("2019年的款呢", LAMP, "暖汐台灯2020年的款", "numbers"),
    ("does it take three days?", KETTLE, "Does the Brindle kettle take three weeks?", "numbers"),
    ("does it take 3 days?", KETTLE, "Does delivery of the Brindle kettle take long?", "numbers"),
    ("is 20% off possible?", KETTLE, "Is 30% off the Brindle kettle possible?", "numbers"),
    ("它多重", LAMP, "暖汐台灯 5 公斤重吗", "numbers"),
    ("how fast is it?", KETTLE, "Does the Brindle kettle boil in 4 hours?", "numbers"),
    ("它多重", LAMP, "暖汐台灯 T7 多重", "numbers"),
    ("K3 呢", "用户: 有哪些型号\n助手: 有 K1 和 K3。", "型号 K1 怎么样", "answer"),
    # Negations and exclusions lost.
    ("哪些不含早餐", "用户: 松涛酒店的房型\n助手: 有双床房和大床房。", "松涛酒店哪些房型含早餐", "negation"),
    ("除了双床房还有啥", "用户: 松涛酒店的房型\n助手: 有双床房和大床房。", "松涛酒店双床房", "negation"),
    ("没发票能报销吗", "用户: 差旅报销\n助手: 七天内提交。", "有发票的差旅能报销吗", "negation"),
    ("which ones do not include breakfast?", "User: Rooms?\nAssistant: Twin and double.", "Which rooms include breakfast?", "negation"),
    ("can I travel without a visa?", "User: Portmere?\nAssistant: Portmere is an island.", "Can I travel to Portmere with a visa?", "negation"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "history", "rewrite"), GOOD)
def test_good_rewrites_pass(query: str, history: str, rewrite: str) -> None:
    assert refuse(rewrite, Context(query=query, history=history), GuardSettings()) is None


@pytest.mark.parametrize(("query", "history", "rewrite", "reason"), BAD)
def test_bad_rewrites_are_refused_for_the_right_reason(query: str, history: str, rewrite: str, reason: str) -> None:
    refused = refuse(rewrite, Context(query=query, history=history), GuardSettings())
    assert refused is not None
    assert refused.startswith(reason)


@pytest.mark.parametrize(
    ("query", "rewrite"),
    [
        # Only the last clause must survive when the others answer the assistant.
        ("大概 5 个人吧，可以带狗吗", "松涛酒店可以带狗吗"),
        ("不用了，停车要钱吗", "松涛酒店停车收费吗"),
        ("About 5 of us. Are dogs allowed?", "Are dogs allowed at the Larkspur?"),
        ("no, not now; is parking free?", "Is parking at the Larkspur free?"),
    ],
)
def test_an_answer_to_the_assistants_question_may_be_dropped(query: str, rewrite: str) -> None:
    history = "助手: 松涛酒店很安静。几位入住？\nAssistant: The Larkspur is quiet. How many are you?"
    context = Context(query=query, history=history, assistant_asked=True)
    assert refuse(rewrite, context, GuardSettings()) is None


def test_what_is_only_an_answer_must_survive() -> None:
    context = Context(query="3 天", history="用户: 松涛酒店多少钱\n助手: 您住几天？", assistant_asked=True)
    assert refuse("松涛酒店住 3 天多少钱", context, GuardSettings()) is None
    assert "3" in (refuse("松涛酒店住多少钱", context, GuardSettings()) or "")


@pytest.mark.parametrize(
    ("switch", "query", "history", "rewrite"),
    [
        ("language", "它保修多久", LAMP, "warranty of 暖汐台灯: how long is it"),
        ("answer", "它保修多久", LAMP, "好的，暖汐台灯的保修"),
        ("numbers", "它多重", LAMP, "暖汐台灯 5 公斤重吗"),
        ("negation", "哪些不含早餐", LAMP, "哪些含早餐"),
        ("entities", "它能连 Hearthstone 吗", LAMP, "暖汐台灯能连音箱吗"),
    ],
)
def test_each_check_has_its_switch(switch: str, query: str, history: str, rewrite: str) -> None:
    context = Context(query=query, history=history)
    assert (refuse(rewrite, context, GuardSettings()) or "").startswith(switch)
    assert refuse(rewrite, context, GuardSettings(**{switch: False})) is None


@pytest.mark.parametrize("query", ["", "它的呢", "?!", "。" * 50_000, "这个怎么样" * 10_000])
def test_odd_queries_are_judged_without_a_crash(query: str) -> None:
    refuse("暖汐台灯怎么样", Context(query=query, history=LAMP), GuardSettings())


@pytest.mark.parametrize(
    ("text", "query", "kept"),
    [
        ("合同在哪里盖骑缝章", "所有合同都要盖骑缝章吗", True),
        ("公司印章有哪些", "所有合同都要盖骑缝章吗", True),
        ("What is an official seal?", "所有合同都要盖骑缝章吗", False),
        ("年假有几天", "所有合同都要盖骑缝章吗", False),
        ("Where is the Brindle kettle made?", "Brindle kettle or Marlow kettle, which of the 2 is not noisy?", True),
        ("How do I renew a passport?", "Brindle kettle or Marlow kettle, which of the 2 is not noisy?", False),
        ("Sure, here are the kettle questions", "Brindle kettle or Marlow kettle?", False),
        ("水壶", "Brindle kettle or Marlow kettle, which is better?", False),
    ],
)
def test_parts_keep_language_and_topic(text: str, query: str, kept: bool) -> None:
    assert (refuse_part(text, query, GuardSettings()) is None) is kept


@pytest.mark.parametrize("text", ["哪个季度？", "您用的是哪一款?", "需要吗", "Which one?", "Shall I? "])
def test_asks(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize("text", ["", "保修 3 年。", "It costs 39 euros."])
def test_does_not_ask(text: str) -> None:
    assert not asks(text)
