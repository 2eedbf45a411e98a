"""KdConv and CrossWOZ: Chinese dialogues with knowledge."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]
Run = Callable[..., Any]


def fact(name: str, attribute: str, value: str) -> dict[str, str]:
    return {"name": name, "attrname": attribute, "attrvalue": value}


DIALOGUE = {
    "name": "沧浪纪事",
    "messages": [
        {"message": "看过《沧浪纪事》吗？"},
        {"attrs": [fact("沧浪纪事", "Information", "一部讲述渔村的电影。")], "message": "看过，讲渔村的。"},
        {"message": "导演是谁呢"},
        {"attrs": [fact("沧浪纪事", "导演", "林远舟")], "message": "林远舟，你知道片长吗？"},
        {
            "attrs": [fact("沧浪纪事", "片长", "102分钟"), fact("沧浪纪事", "导演", "林远舟")],
            "message": "102分钟。他还拍过什么?",
        },
        {"attrs": [fact("林远舟", "代表作", "白鹭")], "message": "《白鹭》。你喜欢吗？"},
        {"message": "喜欢。"},
    ],
}
BASE = {
    "沧浪纪事": [
        ["沧浪纪事", "Information", "一部讲述渔村的电影。"],
        ["沧浪纪事", "导演", "林远舟"],
        ["沧浪纪事", "片长", "102分钟"],
        ["沧浪纪事", "主演", "阿鹿"],
        ["沧浪纪事", "主演", "周舸"],
    ]
}


@pytest.fixture
def film(write: Write) -> None:
    write("film/dev.json", [DIALOGUE])
    write("film/kb_film.json", BASE)


@pytest.mark.usefixtures("film")
def test_kdconv_whoever_asks_is_the_user(run: Run) -> None:
    found = run("kdconv")
    assert {one.id.rpartition(":")[2]: one.turn for one in found.turns.values()} == {"0": 1, "3": 2, "4": 3}
    second, third = found.turns["kdconv-film-dev-0:3"], found.turns["kdconv-film-dev-0:4"]
    # The one who asked first answers now: the history begins with the assistant.
    assert [said.role for said in second.history] == ["assistant", "user", "assistant"]
    assert [said.role for said in third.history] == ["user", "assistant", "user", "assistant"]
    assert third.query == "102分钟。他还拍过什么?"
    assert found.report.left_out == {"questions answered without knowledge": 1}


@pytest.mark.usefixtures("film")
def test_kdconv_labels_are_what_the_answer_adds(run: Run) -> None:
    found = run("kdconv")
    first, second, third = found.turns.values()
    assert first.relevant_ids == ("kdconv-film:沧浪纪事#Information",)
    # The answer repeats who directed it, which the question said already.
    assert second.relevant_ids == ("kdconv-film:沧浪纪事#片长",)
    assert third.relevant_ids == ("kdconv-film:林远舟#代表作",)
    assert found.passages["kdconv-film:沧浪纪事#主演"].text == "沧浪纪事 主演：阿鹿、周舸"
    assert found.passages["kdconv-film:沧浪纪事#Information"].text == "沧浪纪事 简介：一部讲述渔村的电影。"
    # The knowledge base lacks this one; the dialogue names it.
    assert found.passages["kdconv-film:林远舟#代表作"].source == "林远舟"
    assert found.report.missing_labels == 0
    assert second.metadata["entities"] == ["沧浪纪事"]
    assert (second.metadata["entity_named_in_query"], second.metadata["entity_named_before"]) == (False, True)


@pytest.mark.parametrize("indent", [None, 2])
def test_kdconv_bases_on_one_line_or_many(write: Write, run: Run, indent: int | None) -> None:
    import json

    write("music/kb_music.json", json.dumps(BASE, ensure_ascii=False, indent=indent))
    test_file = write("music/test.json.gz", [DIALOGUE])
    found = run("kdconv", test_file)
    assert len(found.passages) == 5
    assert next(iter(found.turns.values())).metadata["split"] == "test"


def test_kdconv_domains_do_not_mix(write: Write, run: Run) -> None:
    for domain in ("film", "music"):
        write(f"{domain}/train.json", [DIALOGUE])
    found = run("kdconv")
    assert {turn.conversation_id for turn in found.turns.values()} == {"kdconv-film-train-0", "kdconv-music-train-0"}


def test_bad_kdconv_fields_are_named_with_their_path(write: Write, problems: Callable[..., list[str]]) -> None:
    bad = {"messages": [{"message": "好吗？", "attrs": [{"name": "甲", "attrname": 3}]}, {"attrs": 1, "message": ""}]}
    write("film/dev.json", [bad, {"messages": None}])
    write("film/kb_film.json", {"甲": [["甲", "乙"]], "丙": "丁"})
    assert [line.partition("field ")[2] for line in problems("kdconv")] == [
        '甲.0: expected [entity, attribute, value], got ["甲", "乙"]',
        '丙: expected an entity with a list of triples, got "丁"',
        'messages.1.message: expected text that is not blank, got ""',
        "messages.0.attrs.0.attrname: expected text that is not blank, got 3",
        "messages.1.attrs: expected a list of objects, got 1",
        "messages: expected a list of objects, got nothing",
    ]


def said(role: str, content: str, *acts: list[str], **state: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "dialog_act": list(acts)} | state


WOZ = {
    "1024": {
        "sys-usr": [1, 2],
        "goal": [],
        "type": "不独立多领域",
        "messages": [
            said("usr", "你好，想找家评分高的酒店。", ["Inform", "酒店", "评分", "4.5分以上"]),
            said(
                "sys",
                "推荐您听松阁。",
                ["Recommend", "酒店", "名称", "听松阁"],
                sys_state={"酒店": {"名称": "", "selectedResults": ["听松阁", "雁回楼"]}},
            ),
            said("usr", "电话多少？附近吃什么？", ["Request", "酒店", "电话", ""]),
            said(
                "sys",
                "电话是555-0101，附近有竹里小馆。",
                ["Inform", "酒店", "电话", "555-0101"],
                ["Inform", "酒店", "周边餐馆", "竹里小馆"],
                sys_state={"酒店": {"名称": "听松阁", "selectedResults": ["听松阁"]}},
            ),
            said("usr", "从那坐地铁去湖心亭？", ["Inform", "地铁", "出发地", "听松阁"]),
            said(
                "sys",
                "在松林站上车。",
                ["Inform", "地铁", "出发地附近地铁站", "松林站"],
                sys_state={"地铁": {"出发地": "听松阁", "目的地": "湖心亭"}},
            ),
            said("usr", "有免费的景点吗？", ["Inform", "景点", "门票", "免费"]),
            said("sys", "没有。", ["NoOffer", "景点", "none", "none"], sys_state={"景点": {"selectedResults": []}}),
            said("usr", "谢谢", ["General", "thank", "none", "none"]),
            said("sys", "不客气", ["General", "welcome", "none", "none"], sys_state={}),
        ],
    }
}


@pytest.fixture
def woz(write: Write) -> None:
    hotel = {"领域": "酒店", "名称": "听松阁", "电话": "555-0101", "价格": 320, "评分": None, "周边餐馆": ["竹里小馆"]}
    write("database/hotel_db.json", [["听松阁", hotel], ["雁回楼", {"领域": "酒店", "周边景点": []}]])
    write("database/metro_db.json", [["听松阁", {"名称": "听松阁", "地铁": "松林站A口"}]])
    write("database/taxi_db.json", [["出租", {"车型": "#CX"}]])
    write("val.json.zip", WOZ)


@pytest.mark.usefixtures("woz")
def test_crosswoz_labels_follow_the_answers_acts(run: Run) -> None:
    found = run("crosswoz")
    labels = [turn.relevant_ids for turn in found.turns.values()]
    assert labels == [
        ("crosswoz:酒店:听松阁",),
        ("crosswoz:酒店:听松阁", "crosswoz:酒店:听松阁#周边餐馆"),
        ("crosswoz:地铁:听松阁",),
        (),
        (),
    ]
    assert [turn.answerable for turn in found.turns.values()] == [True, True, True, False, None]
    assert found.passages["crosswoz:酒店:听松阁"].text == "听松阁（酒店） 电话：555-0101；价格：320"
    assert "crosswoz:出租:出租" not in found.passages
    third = found.turns["crosswoz-1024:3"]
    assert third.metadata["split"] == "dev"
    assert [one.role for one in third.history] == ["user", "assistant", "user", "assistant"]


def test_crosswoz_does_not_guess_among_several_results(write: Write, run: Run) -> None:
    answer = said(
        "sys",
        "评分都在4.6。",
        ["Inform", "酒店", "评分", "4.6分"],
        sys_state={"酒店": {"selectedResults": ["甲", "乙"]}},
    )
    write("test.json", {"5": {"messages": [said("usr", "评分呢？", ["Request", "酒店", "评分", ""]), answer]}})
    assert run("crosswoz").report.labels == 0


def test_bad_crosswoz_fields_are_named(write: Write, problems: Callable[..., list[str]]) -> None:
    bad = [{"role": "bot", "content": "好", "dialog_act": [["Inform"]]}, {"role": "usr", "content": "好"}]
    write("train.json", {"1": {"messages": bad}, "2": 5})
    assert [line.partition("field ")[2] for line in problems("crosswoz")] == [
        'messages.0.role: expected usr or sys, got "bot"',
        'messages.0.dialog_act.0: expected [intent, domain, slot, value], got ["Inform"]',
        "messages.1.dialog_act: expected a list of acts, got nothing",
        "2: expected a dialogue, got 5",
    ]
