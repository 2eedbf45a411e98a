"""A document has dates where a user says "yesterday"; a date that nobody meant would lead the search astray."""

import datetime
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.normalise.dates import added_dates
from program.normalise.terms import with_added

SUNDAY = datetime.date(2026, 11, 29)
PAGE = (Path(__file__).parents[3] / "docs/stages/normalise.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("大前天的新闻", "2026年11月26日"),
        ("今晚有什么活动", "2026年11月29日"),
        ("大后天发货吗", "2026年12月2日"),
        ("今天天气怎么样", "2026年11月29日"),  # one word of jieba's
        ("从前天开始", "2026年11月27日"),
        ("这周天气如何", "2026年11月23日至11月29日"),
        ("这周天有空吗", "2026年11月29日"),
        ("查一下下周的安排", "2026年11月30日至12月6日"),
        ("下下周一", "2026年12月7日"),
        ("上上个星期五", "2026年11月13日"),
        ("上周末去哪", "2026年11月21日至11月22日"),
        ("本月的账单", "2026年11月"),
        ("下个月底", "2026年12月"),
        ("上上月", "2026年9月"),
        ("上月31日", "2026年10月31日"),
        ("本月31号", "2026年11月"),
        ("这个季度", "2026年第四季度"),
        ("下一季度", "2027年第一季度"),
        ("去年Q3财报", "2025年第三季度"),
        ("今年第二季度", "2026年第二季度"),
        ("去年底", "2025年"),
        ("本年度预算", "2026年"),
        ("上一年度", "2025年"),
        ("去年的十月二十号", "2025年10月20日"),
        ("明年下半年", "2027年下半年"),
        ("去年度假的照片", "2025年"),
        ("我３天前买的", "2026年11月26日"),
        ("两年以前", "2024年"),
        ("十二个月前", "2025年11月"),
        ("一周后", "2026年11月30日至12月6日"),
        ("what is on tonight", "November 29, 2026"),
        ("The Day After Tomorrow", "December 1, 2026"),
        ("last week", "November 16 to November 22, 2026"),
        ("this weekend", "November 28 to November 29, 2026"),
        ("next year's prices", "2027"),
        ("the current quarter", "Q4 2026"),
        ("next Sunday", "December 6, 2026"),
        ("last Sunday", "November 22, 2026"),
        ("this Friday", "November 27, 2026"),
        ("Friday of last week", "November 20, 2026"),
        ("next week's Tuesday", "December 1, 2026"),
        ("last October", "October 2026"),
        ("last December", "December 2025"),
        ("next November", "November 2027"),
        ("H1 of this year", "H1 2026"),
        ("March 5th last year", "March 5, 2025"),
        ("February 30 next year", "February 2027"),
        ("a week ago", "November 16 to November 22, 2026"),
        ("twenty-five days ago", "November 4, 2026"),
        ("3 months from now", "February 2027"),
        ("in 2 days", "December 1, 2026"),
        ("Does 云匣 have news from yesterday?", "November 28, 2026"),
        ("last month 的账单在哪里看", "2026年10月"),
    ],
)
def test_what_is_meant(text: str, date: str) -> None:
    assert added_dates(text, SUNDAY) == (date,)


@pytest.mark.parametrize(
    "text",
    [
        "后天性疾病", "身上周围", "上一年级", "失去年轻", "除去年费", "以前年份", "以后年度", "下个周期", "三天前往北京",
        "三年前端经验", "三天后悔了", "下单3天后能退吗", "付款后三天", "三到五天前", "3-5天前", "十几天前", "半年前", "2020年前",
        "3月前", "两小时前", "第三天", "那天", "“昨天”的歌词", "「今年」", '"yesterday" lyrics', "todays", "today-ish",
        "this may break", "next march", "the last October", "last week of May", "1.5 years ago", "3-5 days ago",
        "two hundred days ago", "several days ago", "once in a week", "in 3 days or less", "within 3 days", "two weeks later",
        "last 3 months", "last October 2025", "on Monday", "", " ",
    ],
)  # fmt: skip
def test_what_is_left_alone(text: str) -> None:
    assert added_dates(text, SUNDAY) == ()


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("昨天和今天的区别", ("2026年11月28日", "2026年11月29日")),
        ("昨天（2026年11月28日）", ()),
        ("昨天、昨日", ("2026年11月28日",)),
        ("yesterday and next month", ("November 28, 2026", "December 2026")),
        ("today, November 29, 2026", ()),
    ],
)
def test_each_date_once(text: str, dates: tuple[str, ...]) -> None:
    assert added_dates(text, SUNDAY) == dates


@pytest.mark.parametrize(
    ("today", "text", "date"),
    [
        ("2024-03-01", "昨天", "2024年2月29日"),
        ("2023-03-01", "yesterday", "February 28, 2023"),
        ("2026-03-31", "上个月", "2026年2月"),
        ("2026-03-31", "one month ago", "February 2026"),
        ("2024-02-29", "去年", "2023年"),
        ("2024-02-29", "去年2月29日", "2023年2月"),
        ("2026-01-01", "last quarter", "Q4 2025"),
        ("2026-01-01", "上周", "2025年12月22日至12月28日"),
        ("2026-01-01", "本周", "2025年12月29日至2026年1月4日"),
        ("2026-01-01", "this week", "December 29, 2025 to January 4, 2026"),
        ("2026-11-30", "last Monday", "November 23, 2026"),
        ("2026-11-30", "上周一", "2026年11月23日"),
        ("2026-12-02", "上周一", "2026年11月23日"),
        ("2026-12-02", "last Monday", "November 30, 2026"),
    ],
)
def test_at_the_edges_of_the_calendar(today: str, text: str, date: str) -> None:
    assert added_dates(text, datetime.date.fromisoformat(today)) == (date,)


@pytest.mark.parametrize(
    "text", ["大前天", "上上周", "上周末", "上个月", "上季度", "去年", "去年10月", "3 years ago", "last week"]
)
def test_before_the_calendar_there_is_nothing(text: str) -> None:
    assert added_dates(text, datetime.date.min) == ()


@pytest.mark.parametrize(
    "text",
    ["大后天", "本周", "下周末", "下个月", "下季度", "明年", "明年3月", "in 3 years", "next week", "next Monday"],
)
def test_after_the_calendar_there_is_nothing(text: str) -> None:
    assert added_dates(text, datetime.date.max) == ()


_PIECES = [
    *(
        "大前天",
        "昨天",
        "今年",
        "去年",
        "上个月",
        "上周",
        "下下周",
        "周三",
        "10月",
        "31号",
        "第",
        "季度",
        "上半年",
        "三",
        "天前",
        "个月后",
    ),
    *(
        "十十",
        "99",
        "年前",
        "的",
        "我",
        "末",
        "底",
        "《",
        "》",
        "“",
        "last ",
        "next ",
        "this ",
        "the ",
        "week",
        "month",
        "year",
        "quarter",
    ),
    *(
        "Monday ",
        "May ",
        "October ",
        "of ",
        "in ",
        "two ",
        "3 ",
        "days ",
        "ago",
        "from now",
        "Q3 ",
        "H2 ",
        "yesterday",
        "9",
        " ",
    ),
]


@given(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join), st.dates())
def test_dates_of_any_mix_exist(text: str, today: datetime.date) -> None:
    for date in added_dates(text, today):
        for year, month, day in re.findall(r"(\d+)年(\d+)月(\d+)日", date):
            datetime.date(int(year), int(month), int(day))
        for written in re.findall(r"[A-Z][a-z]+ \d+, \d{4}", date):
            datetime.datetime.strptime(written, "%B %d, %Y")
        assert not re.search(r"\D0\d?\D", date)


@given(st.text(max_size=30), st.dates())
def test_any_text(text: str, today: datetime.date) -> None:
    assert added_dates(text, today) == added_dates(text, today)


@given(
    st.sampled_from(
        ["昨天的会", "上周三和下个月", "我三天前买的", "last month", "Q3 last year and today", "in two weeks"]
    ),
    st.dates(),
)
def test_nothing_is_added_twice(text: str, today: datetime.date) -> None:
    assert added_dates(with_added(text, added_dates(text, today)), today) == ()


def test_the_examples_of_the_page() -> None:
    meant, left_alone = PAGE.split("## Dates")[1].split("Left alone")
    rows = re.findall(r"^\| (?!Query|---)(.+?) \| (.+?) \|$", meant, re.MULTILINE)
    assert len(rows) == 16
    for query, date in rows:
        assert added_dates(query, SUNDAY) == (date,), query
    queries = re.findall(r"^\| (?!Query|---)(.+?) \|", left_alone, re.MULTILINE)
    assert len(queries) == 9
    assert [query for query in queries if added_dates(query, SUNDAY)] == []
