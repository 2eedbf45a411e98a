"""Times in names: what is read, and what a rewrite may do with them. All invented."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.guard.context import Context
from program.guard.dates import dates, refuse_dates

READ = [
    # One thing in both languages.
    ("上周的工单", ["week -1"]),
    ("上个星期的工单", ["week -1"]),
    ("tickets of last week", ["week -1"]),
    ("昨天", ["day -1"]),
    ("since yesterday", ["day -1"]),
    ("去年", ["year -1"]),
    ("last year", ["year -1"]),
    ("三月开放吗", ["month 3"]),
    ("3月开放吗", ["month 3"]),
    ("十二月", ["month 12"]),
    ("is it open in March?", ["month 3"]),
    ("Is it open on December 3?", ["month 12"]),
    ("星期三", ["weekday 3"]),
    ("周日", ["weekday 7"]),
    ("on Sundays", ["weekday 7"]),
    ("周末", ["weekend"]),
    ("at weekends", ["weekend"]),
    ("第二季度", ["quarter 2"]),
    ("in Q2", ["quarter 2"]),
    ("the second quarter", ["quarter 2"]),
    ("上半年", ["half 1"]),
    ("the second half of the year", ["half 2"]),
    ("大后天", []),
    ("the day after tomorrow", ["day 2"]),
    # Parts of other words.
    ("3个月", []),
    ("两个月", []),
    ("每周一次", []),
    ("两周三次", []),
    ("晚上周边有吃的吗", ["night"]),
    ("线下周围门店", []),
    ("明天见", ["day 1"]),
    ("发明年份", []),
    ("May I ask", []),
    ("it may rain, so march on", []),
    ("the next year he left", []),
    ("十年前年产量", []),
]


@pytest.mark.parametrize(("text", "found"), READ)
def test_dates(text: str, found: list[str]) -> None:
    assert [date.canonical for date in dates(text)] == found


GOOD = [
    ("上周提的呢", "用户: 昨天的工单进度", "上星期提的工单进度"),
    ("周末开吗", "用户: 砚山书屋\n助手: 周一闭馆。", "砚山书屋周末开吗"),
    ("晚上几点关", "用户: 砚山书屋", "砚山书屋几点关门"),
    ("那时候开吗", "用户: 砚山书屋十月办展\n助手: 是的。", "砚山书屋十月开吗"),
    ("明天要去，门票多少", "用户: 砚山书屋", "砚山书屋门票多少"),
    ("now in March?", "User: Is the Larkspur open in winter?", "Is the Larkspur open in March?"),
    (
        "what about last week's?",
        "User: How many tickets were filed yesterday?",
        "How many tickets were filed last week?",
    ),
    ("is it open today?", "User: the Larkspur", "Is the Larkspur open?"),
    ("and the 3rd?", "User: dates in May\nAssistant: May 2 and May 3.", "Is the fair on May 3?"),
]
BAD = [
    ("上周提的呢", "用户: 昨天的工单进度", "昨天提的工单进度", "lost"),
    ("上周的工单有几个", "用户: 工单", "昨天的工单有几个", "never said"),
    ("那三月呢", "用户: 二月开放吗", "二月开放吗", "lost"),
    ("第二季度呢", "用户: 一季度的差旅费", "一季度的差旅费", "lost"),
    ("夏天开吗", "用户: 砚山书屋冬天开吗", "砚山书屋冬天开吗", "lost"),
    ("它几号上架", "用户: 暮光台灯", "暮光台灯十月几号上架", "never said"),
    ("and on Sunday?", "User: Is it open on Monday?", "Is it open on Monday?", "lost"),
    ("what changed last year?", "User: the leave policy", "What changed in the leave policy this year?", "never said"),
    ("is it open in the morning?", "User: Larkspur evenings", "Is the Larkspur open in the evening?", "lost"),
    ("when is it?", "User: The fair is on March 5th", "Is the fair on March 6th?", "never said"),
    ("is that in Q3?", "User: travel costs in Q2", "travel costs in Q2", "lost"),
]


@pytest.mark.parametrize(("query", "history", "rewrite"), GOOD)
def test_times_that_are_kept(query: str, history: str, rewrite: str) -> None:
    assert refuse_dates(rewrite, Context(query=query, history=history)) is None


@pytest.mark.parametrize(("query", "history", "rewrite", "reason"), BAD)
def test_times_that_changed(query: str, history: str, rewrite: str, reason: str) -> None:
    refused = refuse_dates(rewrite, Context(query=query, history=history))
    assert refused is not None
    assert refused.startswith("dates: ")
    assert refused.endswith(reason)


@given(st.text(alphabet="上下周个月年前后一三十日1 Marchyl.次"))
def test_any_text_is_read(text: str) -> None:
    assert refuse_dates(text, Context(query=text, history="")) is None
