import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.reading.plan_reader import MOST_QUERIES, Plan, read_plan
from program.reading.variants import variant_key

QUERY = "它保修多久"
FULL = Plan(rewrite="暖汐台灯保修多久", variants=("暖汐台灯质保期",), keywords=("暖汐台灯", "保修"))


@pytest.mark.parametrize(
    "completion",
    [
        '{"rewrite": "暖汐台灯保修多久", "variants": ["暖汐台灯质保期"], "keywords": ["暖汐台灯", "保修"]}',
        '```json\n{"rewrite": "暖汐台灯保修多久",\n "variants": ["暖汐台灯质保期"],\n "keywords": ["暖汐台灯", "保修"]}\n```',
        '好的，这是计划：\n{"rewrite": "暖汐台灯保修多久", "variants": ["暖汐台灯质保期"], "keywords": ["暖汐台灯", "保修"]}\n希望有帮助',
        "{'rewrite': '暖汐台灯保修多久', 'variants': ['暖汐台灯质保期',], 'keywords': ['暖汐台灯', '保修',],}",
        '{"Rewritten_Query": "暖汐台灯保修多久", "Variations": ["暖汐台灯质保期"], "Key Words": "暖汐台灯, 保修"}',
        '{"改写": "暖汐台灯保修多久", "变体": "暖汐台灯质保期", "关键词": "暖汐台灯、保修"}',
        '{"plan": {"rewrite": "暖汐台灯保修多久", "variants": [["暖汐台灯质保期"]], "keywords": [["暖汐台灯"], ["保修", null]]}}',
        '[{"rewrite": "暖汐台灯保修多久"}, {"variants": ["暖汐台灯质保期"]}, {"keywords": ["暖汐台灯", "保修"]}]',
        '{"rewrite": "暖汐台灯保修多久", "variants": [{"query": "暖汐台灯质保期", "why": "同义"}], "keywords": ["暖汐台灯", "保修"]}',
        '{"rewrite": "暖汐台灯保修多久", "keywords": ["暖汐台灯", "保修"], "variants": ["暖汐台灯质保期", "暖汐台灯多',
        '{"query": {"rewrite": "暖汐台灯保修多久", "variants": {"1": "暖汐台灯质保期"}, "keywords": {"main": ["暖汐台灯", "保修"]}}}',
        "rewrite: 暖汐台灯保修多久\nvariants: 暖汐台灯质保期\nkeywords: 暖汐台灯, 保修",
        'rewrite: "暖汐台灯保修多久"\nvariants: ["暖汐台灯质保期"]\nkeywords: ["暖汐台灯", "保修"]',
        "暖汐台灯保修多久\nvariants:\n- 暖汐台灯质保期\nkeywords:\n- 暖汐台灯\n- 保修",  # the adapter took the first label
        "**改写**：暖汐台灯保修多久\n**变体**：\n1. 暖汐台灯质保期\n**关键词**：暖汐台灯；保修",
        "<think>它指台灯</think>{rewrite: 暖汐台灯保修多久, variants: [暖汐台灯质保期], keywords: [暖汐台灯, 保修]}",
    ],
)
def test_every_shape_gives_the_same_plan(completion: str) -> None:
    assert read_plan(completion, QUERY) == FULL


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("Rewrite: Brindle kettle warranty", Plan(rewrite="Brindle kettle warranty")),
        ("Brindle kettle warranty", Plan(rewrite="Brindle kettle warranty")),
        (
            "1. Brindle kettle warranty\n2. How long is the Brindle kettle guaranteed?",
            Plan(rewrite="Brindle kettle warranty", variants=("How long is the Brindle kettle guaranteed?",)),
        ),
        ('["Brindle kettle warranty", "Brindle kettle guarantee"]',
         Plan(rewrite="Brindle kettle warranty", variants=("Brindle kettle guarantee",))),
        ('{"rewrite": "Brindle kettle warranty", "variants": ["Brindle kettle guar', Plan(rewrite="Brindle kettle warranty")),
        ('{"rewrite": null, "variants": [], "keywords": ["kettle", "warranty", 2024, true]}', Plan(keywords=("kettle", "warranty", "2024"))),
        ('{"rewrite": "unchanged", "variants": ["kettle guarantee"]}', Plan(variants=("kettle guarantee",))),
        ('{"rewrite": "How long is its warranty", "variants": ["how long is its warranty?"], "keywords": []}',
         Plan(rewrite="How long is its warranty")),
    ],
)  # fmt: skip
def test_what_is_there_is_taken(completion: str, expected: Plan) -> None:
    assert read_plan(completion, "how long is its warranty?") == expected


@pytest.mark.parametrize(
    "completion",
    [
        "",
        " \n",
        "{}",
        "[]",
        "```json\n```",
        '{"rewrite": ""}',
        '{"rewrite": "',
        '{"rewrite": null, "variants": null}',
        "计划：",
    ],
)
def test_nothing_to_search_is_no_plan(completion: str) -> None:
    assert read_plan(completion, QUERY) is None


def test_four_queries_with_the_original_and_none_twice() -> None:
    nine = '{"rewrite": "灯保修", "variants": ["灯保修？", "它保修多久？", "b", "B", "c", "d", "e"], "keywords": %s}'
    assert read_plan(nine % "[]", QUERY) == Plan(rewrite="灯保修", variants=("b", "c"))
    assert read_plan(nine % '["灯"]', QUERY) == Plan(rewrite="灯保修", variants=("b",), keywords=("灯",))
    assert read_plan(nine % '["灯保修"]', QUERY) == Plan(rewrite="灯保修", variants=("b", "c"))


@given(
    st.text()
    | st.text(alphabet="{}[]\"':,rewrite变体 \n")
    | st.dictionaries(st.sampled_from(["rewrite", "variants", "keywords", "query"]), st.lists(st.text())).map(str),
    st.text(),
)
def test_any_completion_is_read_or_is_none(completion: str, query: str) -> None:
    plan = read_plan(completion, query)
    if plan is not None:
        queries = [query, *([plan.rewrite] if plan.rewrite else []), *plan.variants]
        queries += [plan.keyword_query] if plan.keywords else []
        assert len(queries) <= MOST_QUERIES + (variant_key(plan.rewrite or "") == variant_key(query))
        keys = [variant_key(text) for text in plan.variants]
        assert len(set(keys)) == len(keys)
        assert not set(keys) & {variant_key(query), variant_key(plan.rewrite or ""), ""}
