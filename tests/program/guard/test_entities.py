"""Names that a rewrite keeps, loses or invents; with a corpus and without. All invented."""

import pytest

from program.guard.context import Context
from program.guard.entities import refuse_entities
from program.rules.gazetteer import Gazetteer

CORPUS = Gazetteer(
    terms=(
        "雾屿 T5 电饭煲", "雾屿 T5 Pro 电饭煲", "雾屿 M2 豆浆机", "竹溪古镇", "云杉峡谷", "晨星家庭版", "晨星标准版", "住宿费", "班车费",
        "Oakley 20 Blender", "Oakley 20 Max Blender", "Fenwick Trail", "Harrow Bay", "Tide", "Tide Plus", "Rail Travel Expenses",
    ),
    aliases=(
        ("T5", "雾屿 T5 电饭煲"), ("雾屿 T5", "雾屿 T5 电饭煲"), ("雾屿 T5 Pro", "雾屿 T5 Pro 电饭煲"), ("T5 Pro", "雾屿 T5 Pro 电饭煲"),
        ("M2", "雾屿 M2 豆浆机"), ("豆浆机", "雾屿 M2 豆浆机"), ("电饭煲", "雾屿 T5 电饭煲"),
        ("Oakley 20", "Oakley 20 Blender"), ("Oakley 20 Max", "Oakley 20 Max Blender"), ("blender", "Oakley 20 Blender"),
        ("rail", "Rail Travel Expenses"),
    ),
)  # fmt: skip
EMPTY = Gazetteer()

KEPT = [
    # An alias, a longer form, another spelling or case.
    (CORPUS, "T5 保修多久", "", "雾屿 T5 电饭煲保修多久"),
    (CORPUS, "雾屿 T5 电饭煲保修多久", "", "T5 保修"),
    (CORPUS, "oakley 20 warranty?", "", "Oakley 20 Blender warranty"),
    (CORPUS, "T5 保修多久", "用户: 雾屿 T5 Pro 怎么样", "雾屿 T5 Pro 保修多久"),
    (CORPUS, "它保修多久", "用户: 雾屿 T5 Pro 怎么样", "雾屿 T5 Pro 电饭煲保修多久"),
    (CORPUS, "what about the Plus version?", "User: price of Tide", "price of Tide Plus"),
    # What the conversation never named in full may be called by its parts; a common word may mean another thing of the kind.
    (CORPUS, "高铁票呢", "用户: 出差怎么报", "住宿费怎么报"),
    (CORPUS, "电饭煲怎么清洗", "用户: 雾屿 T5 Pro 怎么样", "雾屿 T5 Pro 怎么清洗"),
    (CORPUS, "is the blender loud?", "User: Oakley 20 Max", "Is the Oakley 20 Max loud?"),
    # Named to be left out or replaced by what it describes.
    (CORPUS, "不带 Pro 的保修多久", "用户: 雾屿 T5 Pro 怎么样", "雾屿 T5 保修多久"),
    (CORPUS, "比云杉峡谷近的那个呢", "用户: 有什么景点", "竹溪古镇怎么样"),
    (CORPUS, "and the one cheaper than Tide Plus?", "User: plans? Tide and Tide Plus", "What does Tide cost?"),
    # Only the clause that asks must keep its names.
    (CORPUS, "云杉峡谷知道了，竹溪古镇几点开门", "", "竹溪古镇几点开门"),
    (CORPUS, "Thanks for Harrow Bay. How long is Fenwick Trail?", "", "How long is Fenwick Trail?"),
    # Without a corpus.
    (EMPTY, "它支持 WF-200 吗", "用户: 青釉音箱", "青釉音箱支持 WF200 吗"),
    (EMPTY, "who is Marlowe?", "User: Ada Marlowe's novels", "Who is Ada Marlowe?"),
    (EMPTY, "did Ada Marlowe win?", "", "Did Marlowe win?"),
    (EMPTY, "what do VMs cost?", "", "What do virtual machines cost?"),
    (EMPTY, "does the Brindel kettle leak?", "", "Does the Brindle kettle leak?"),
    (EMPTY, "“月白”是什么颜色", "", "月白是什么颜色"),
    (EMPTY, "how long is it?", "User: tell me about zoë's Quartz Garden", "How long is Zoe's Quartz Garden?"),
    (EMPTY, "How much is it", "User: the kettle", "How Much Is The Kettle In Store"),
    (EMPTY, "is it faster on 5G?", "User: the Vela phone", "Is the Vela phone faster on 5G?"),
]
REFUSED = [
    (CORPUS, "雾屿 T5 Pro 保修多久", "用户: M2 呢", "雾屿 M2 保修多久", "雾屿 T5 Pro is lost"),
    (CORPUS, "竹溪古镇几点开门", "用户: 云杉峡谷几点开门", "云杉峡谷几点开门", "竹溪古镇 is lost"),
    (CORPUS, "竹溪古镇，几点开门", "", "几点开门", "竹溪古镇 is lost"),
    (CORPUS, "Oakley 20 Max warranty?", "User: Fenwick Trail", "How long is the warranty?", "Oakley 20 Max is lost"),
    (CORPUS, "what about Harrow Bay?", "User: hotels near Fenwick Trail", "hotels near Fenwick Trail", "Harrow Bay is lost"),
    (CORPUS, "它保修多久", "用户: 雾屿 T5 怎么样", "雾屿 T5 Pro 保修多久", "雾屿 T5 Pro was never said"),
    (CORPUS, "它几点开门", "用户: 竹溪古镇怎么样", "云杉峡谷几点开门", "云杉峡谷 was never said"),
    (CORPUS, "多少钱", "用户: 晨星标准版怎么样", "晨星家庭版多少钱", "晨星家庭版 was never said"),
    (CORPUS, "how long is it?", "User: Fenwick Trail", "How long is Harrow Bay?", "Harrow Bay was never said"),
    (CORPUS, "how much is it?", "User: Tide", "How much is Tide Plus?", "Tide Plus was never said"),
    (EMPTY, "它支持 WF-200 吗", "用户: 青釉音箱", "青釉音箱支持蓝牙吗", "WF-200 is lost"),
    (EMPTY, "Does it work with Hearthstone?", "User: the Brindle kettle", "Does the Brindle kettle work?", "Hearthstone is lost"),
    (EMPTY, "does it leak?", "User: the Brindle kettle", "Does the Marlow kettle leak?", "Marlow was never said"),
    (EMPTY, "它漏水吗", "用户: 青釉水壶", "Brindle 水壶漏水吗", "Brindle was never said"),
    (EMPTY, "「月白」多少钱", "用户: 「黛蓝」多少钱", "「黛蓝」多少钱", "月白 is lost"),
]  # fmt: skip


@pytest.mark.parametrize(("gazetteer", "query", "history", "rewrite"), KEPT)
def test_names_that_are_kept(gazetteer: Gazetteer, query: str, history: str, rewrite: str) -> None:
    assert refuse_entities(rewrite, Context(query=query, history=history, gazetteer=gazetteer)) is None


@pytest.mark.parametrize(("gazetteer", "query", "history", "rewrite", "reason"), REFUSED)
def test_names_that_are_lost_or_invented(
    gazetteer: Gazetteer, query: str, history: str, rewrite: str, reason: str
) -> None:
    refused = refuse_entities(rewrite, Context(query=query, history=history, gazetteer=gazetteer))
    assert refused == f"entities: {reason}"
