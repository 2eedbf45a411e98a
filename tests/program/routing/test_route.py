import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.routing.route import read_routes, routes_of, text_route

TABLE = [
    ("杭州有多少个供应商", "count"),
    ("how many suppliers are there in Hangzhou", "count"),
    ("最贵的三款耳机", "ranking"),
    ("哪款键盘最便宜", "ranking"),
    ("最早入职的员工是谁", "ranking"),
    ("销售额前 10 的商品", "ranking"),
    ("按价格从低到高排一下", "ranking"),
    ("top 5 customers by revenue", "ranking"),
    ("the cheapest printer", "ranking"),
    ("which employee has the highest salary", "ranking"),
    ("the three largest warehouses", "ranking"),
    ("sort the laptops by weight", "ranking"),
    ("研发部的平均工资", "aggregate"),
    ("按部门统计人数", "aggregate"),
    ("average order value in 2023", "aggregate"),
    ("number of orders per region", "aggregate"),
    ("价格在 500 到 1000 元之间的耳机", "range"),
    ("500-1000 元的耳机", "range"),
    ("phones between 300 and 500 dollars", "range"),
    ("超过 500 元的打印机有哪些", "filter"),
    ("工资低于八千的员工名单", "filter"),
    ("超过 500 元的打印机", "filter"),
    ("printers under $50", "filter"),
    ("list all orders above 1,000 yuan", "filter"),
    ("how many products cost over 500", "filter"),
]
TEXT = [
    "3 天年假",
    "年假有多少天",
    "how many days of annual leave do I get",
    "请假超过 3 天要谁批",
    "迟到超过 30 分钟怎么处理",
    "what happens if I am more than 30 minutes late",
    "do receipts over 50 euros need approval",
    "老人 60 岁以上有优惠吗",
    "children under 12: is there a discount?",
    "最低消费是多少",
    "最大功率是多少",
    "what is the maximum power of the kettle",
    "最晚哪天交",
    "最多能带多少人",
    "at most how many of us can join",
    "最大的区别是什么",
    "最近怎么样",
    "最好提前几天订",
    "怎么计算平均工资",
    "how do I calculate the average",
    "what's the difference between plan 1 and plan 2",
    "电池能用 8 小时吗",
    "超过 500 元的报销要发票吗",
    "超过 500 元的报销需要谁签字",
    "do I need a visa for a stay between 30 and 90 days",
    "anything interesting about the band after 1990?",
    "he wrote a number of songs, which ones?",
    "call me at 9",
    "",
    " \u3000\n",
]


@pytest.mark.parametrize(("query", "sign"), TABLE)
def test_work_for_tables_goes_to_sql_with_passages_for_company(query: str, sign: str) -> None:
    routed = routes_of(query, has_tables=True)
    assert routed.routes == ("sql", "hybrid")
    assert routed.reason == f"table: {sign}"


@pytest.mark.parametrize("query", [query for query, _ in TABLE])
def test_without_tables_the_same_is_hybrid(query: str) -> None:
    assert routes_of(query, has_tables=False).routes == ("hybrid",)


@pytest.mark.parametrize("query", TEXT)
def test_a_number_or_a_condition_alone_is_no_work_for_tables(query: str) -> None:
    routed = routes_of(query, has_tables=True)
    assert routed.routes == ("hybrid",)
    assert not routed.sure


def test_a_count_that_a_text_may_hold_is_not_sure() -> None:
    assert routes_of("which plans cost over 30 euros", has_tables=True).sure
    assert not routes_of("how many editions are there", has_tables=True).sure
    assert not routes_of("一共有多少个版本", has_tables=True).sure


@pytest.mark.parametrize("query", ["电话是 010-55501234，010-55505678，那它的门票呢", "010-55501234 的店在哪"])
def test_a_telephone_number_is_no_range(query: str) -> None:
    assert "sql" not in routes_of(query, has_tables=True).routes


KEYWORD = [
    "WF-1000XM4 的续航",
    "ＷＦ－１０００ＸＭ４ 防水吗",
    "错误码 E-203 是什么意思",
    "故障码 12 怎么办",
    "what does error 17 mean",
    "#4512 进度",
    "订单 20240115003 到哪了",
    "where is order 88123",
    "RFC 7231 是什么",
    "an ISO 9001 certificate",
    "K3 打印机怎么清洗",
    "0x80070005",
    "max_retries 的默认值",
    "how do I use --dry-run",
    "《劳动法》第三章",
    "「无线充电」支持吗",
    '报错 "connection reset" 怎么办',
    "what is the 'soft delete' option",
    "what does “soft delete” do",
]
NO_KEYWORD = [
    "3 天年假",
    "30cm 的屏幕",
    "5G 套餐",
    "2.4GHz 的频段",
    "up to 1080p",
    "the 1990s",
    "10-20km",
    "open 9am-5pm?",
    "A4 纸",
    "MP3 files",
    "USD 500 limit",
    "GDP 2023",
    "2024-01-15 的会议",
    "在 9:30 开门吗",
    "100000 元",
    "1000000 users",
    "a 24-hour hotline",
    "a 3-in-1 cable",
    "2nd floor",
    'a 15" or 17" screen',
    "it's the users' choice and the admins' plan",
    "the top5",
]


@pytest.mark.parametrize("query", KEYWORD)
def test_codes_and_quotations_go_to_keywords(query: str) -> None:
    routed = routes_of(query, has_tables=False)
    assert routed.routes == ("keyword",)
    assert routed.sure


@pytest.mark.parametrize("query", NO_KEYWORD)
def test_amounts_dates_and_common_formats_are_no_codes(query: str) -> None:
    assert routes_of(query, has_tables=False).routes == ("hybrid",)


def test_a_code_in_work_for_tables_gets_both() -> None:
    assert routes_of("WF-1000XM4 和 WF-1000XM5 哪款最便宜", has_tables=True).routes == ("sql", "keyword")


@pytest.mark.parametrize(
    ("completion", "routes"),
    [
        ("SQL, vector", ("sql", "vector")),
        ('["sql", "keyword"]', ("sql", "keyword")),
        ('{"route": "sql"}', ("sql",)),
        ("**Hybrid**", ("hybrid",)),
        ("route: keyword", ("keyword",)),
        ("1. keyword\n2. vector", ("keyword", "vector")),
        ("keyword, Keyword", ("keyword",)),
        ("The question should be sent to the SQL database.", ("sql",)),
        ("Full-text search", ("keyword",)),
        ("关键词检索", ("keyword",)),
        ("混合", ("hybrid",)),
        ("向量和关键字", ("vector", "keyword")),
        ("数据库查询", ("sql",)),
        ("ＳＱＬ", ("sql",)),
        ("SQL, not vector.", ("sql",)),
        ("vector instead of SQL", ("vector",)),
        ("sql: no; keyword: yes", ("keyword",)),
        ("not only SQL but also vector", ("sql", "vector")),
        ("不需要 SQL，用向量检索", ("vector",)),
        ("不是SQL而是语义检索", ("vector",)),
        ("This isn't a SQL question.", ("hybrid",)),
        ("NoSQL", ("hybrid",)),
        ("graph", ("hybrid",)),
        ("It costs 30 euros.", ("hybrid",)),
        ("不知道", ("hybrid",)),
        ("", ("hybrid",)),
    ],
)
def test_whatever_a_model_answers_is_read(completion: str, routes: tuple[str, ...]) -> None:
    assert read_routes(completion) == routes


@pytest.mark.parametrize(
    ("routes", "one"),
    [
        (("keyword",), "keyword"),
        (("sql", "keyword"), "keyword"),
        (("sql",), "hybrid"),
        (("keyword", "vector"), "hybrid"),
        (("vector", "sql"), "vector"),
        (("vector", "hybrid"), "hybrid"),
        (("graph",), "hybrid"),
        ((), "hybrid"),
    ],
)
def test_passages_are_searched_by_one_route(routes: tuple[str, ...], one: str) -> None:
    assert text_route(routes) == one


pieces = st.lists(
    st.sampled_from(
        [
            "SQL",
            "vector",
            "关键词",
            "not ",
            "不",
            "，",
            "\n",
            "[",
            '"',
            "which",
            "最",
            "超过",
            "500",
            "1,",
            "到",
            "E-",
            "x" * 50,
        ]
    )
    | st.text(max_size=5),
    max_size=60,
).map("".join)


@given(pieces)
def test_any_text_is_routed(text: str) -> None:
    routes = read_routes(text)
    assert routes
    assert set(routes) <= {"hybrid", "keyword", "vector", "sql"}
    assert len(set(routes)) == len(routes)
    with_tables, without = routes_of(text, has_tables=True), routes_of(text, has_tables=False)
    assert "sql" not in without.routes
    assert with_tables.routes in (without.routes, ("sql", *without.routes))


@pytest.mark.parametrize("unit", ["1", "1,", "which ", "what does ", "一", "a_", "500 到 ", "not sql "])
def test_a_pasted_text_is_routed_like_any_other(unit: str) -> None:
    assert routes_of(unit * 20_000, has_tables=True).routes
    assert read_routes(unit * 20_000)


def test_the_page_says_how_the_rules_do_on_queries_they_were_not_made_for() -> None:
    """The list was written after the rules and looked at once; a change that is made for one of its lines spoils it."""
    here = Path(__file__)
    taken: Counter[tuple[str, bool]] = Counter()
    asked: Counter[tuple[str, bool]] = Counter()
    for line in (here.parent / "route_fresh.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        kind = row["route"], row["expected"]
        asked[kind] += 1
        taken[kind] += row["route"] in routes_of(row["query"], has_tables=True).routes
    page = (here.parents[3] / "docs/stages/route.md").read_text(encoding="utf-8")
    for route in ("sql", "keyword"):
        right, wrong = (f"{taken[route, expected]} of {asked[route, expected]}" for expected in (True, False))
        assert f"| `{route}` | {right} | {wrong} |" in page
