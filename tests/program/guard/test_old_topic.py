"""A new topic stays alone, unless the query itself looks back. All invented."""

import pytest

from program.guard.context import Context
from program.guard.old_topic import refuse_old_topic
from program.rules.gazetteer import Gazetteer

CORPUS = Gazetteer(
    terms=("雾屿 T5 电饭煲", "雾屿 M2 豆浆机", "竹溪古镇", "云杉峡谷", "Oakley 20 Blender", "Fenwick Trail", "Harrow Bay", "Tide", "Tide Plus"),
    aliases=(("T5", "雾屿 T5 电饭煲"), ("M2", "雾屿 M2 豆浆机"), ("Oakley 20", "Oakley 20 Blender"), ("电饭煲", "雾屿 T5 电饭煲")),
)  # fmt: skip
ZH = "用户: 竹溪古镇几点开门\n助手: 竹溪古镇八点开门。\n用户: T5 怎么样\n助手: T5 保修一年。"
EN = "User: How long is Fenwick Trail?\nAssistant: Fenwick Trail is 9 km.\nUser: the Oakley 20\nAssistant: The Oakley 20 has a warranty."

DRAGGED = [
    (ZH, "那 M2 呢", "T5 和 M2 怎么样"),
    (ZH, "M2 的这个指示灯是什么意思", "T5 和 M2 的指示灯是什么意思"),
    (EN, "and Harrow Bay?", "Harrow Bay and the Oakley 20"),
    (EN, "What is that purple flag at Harrow Bay?", "What is that purple flag at Fenwick Trail and Harrow Bay?"),
    (ZH, "M2 保修多久", "雾屿 T5 电饭煲 M2 保修多久"),
    (ZH, "云杉峡谷门票多少钱", "竹溪古镇和云杉峡谷门票多少钱"),
    (ZH, "好的，云杉峡谷门票多少钱", "竹溪古镇云杉峡谷门票多少钱"),
    (EN, "How much is Tide?", "How much is Tide for the Oakley 20?"),
    (EN, "When does Harrow Bay open?", "When do Fenwick Trail and Harrow Bay open?"),
]
MEANT = [
    (ZH, "M2 和它比呢", "雾屿 M2 和 T5 比哪个好"),
    (ZH, "跟云杉峡谷比，哪个近", "竹溪古镇和云杉峡谷哪个近"),
    (ZH, "那里离云杉峡谷远吗", "竹溪古镇离云杉峡谷远吗"),
    (ZH, "云杉峡谷门票多少钱", "云杉峡谷门票多少钱"),
    (ZH, "M2 保修多久", "雾屿 M2 豆浆机保修多久"),
    (ZH + "\n用户: T5 和竹溪古镇比呢", "那 M2 呢", "M2 和 T5 比呢"),
    (ZH + "\n助手: E5 是缺水。", "M2 报的这个代码呢", "雾屿 M2 报的 E5"),
    (ZH, "保修多久", "T5 保修多久"),
    (ZH, "电饭煲保修多久", "雾屿 T5 电饭煲保修多久"),
    (EN, "compare it with Tide", "compare the Oakley 20 with Tide"),
    (EN, "Is Harrow Bay nicer?", "Is Harrow Bay nicer than Fenwick Trail?"),
    (EN, "How far is that from Harrow Bay?", "How far is Fenwick Trail from Harrow Bay?"),
    (EN, "and Harrow Bay?", "How long is Harrow Bay?"),
    (EN, "How long is Fenwick Trail?", "How long is Fenwick Trail?"),
]


@pytest.mark.parametrize(("history", "query", "rewrite"), DRAGGED)
def test_an_old_topic_is_dragged_in(history: str, query: str, rewrite: str) -> None:
    refused = refuse_old_topic(rewrite, Context(query=query, history=history, gazetteer=CORPUS))
    assert refused is not None
    assert refused.startswith("old topic: ")
    assert refused.endswith(" is dragged in")


@pytest.mark.parametrize(("history", "query", "rewrite"), MEANT)
def test_an_old_topic_may_be_meant(history: str, query: str, rewrite: str) -> None:
    assert refuse_old_topic(rewrite, Context(query=query, history=history, gazetteer=CORPUS)) is None
