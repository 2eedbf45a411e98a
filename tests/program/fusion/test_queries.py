import pytest

from program.fusion.queries import EXPANSIONS, plan_queries
from program.rules.resolution import Resolution
from program.settings import FusionSettings

SETTINGS = FusionSettings(
    original=0.3,
    rules=0.7,
    further=0.9,
    hedge_below=0.7,
    title=0.6,
    multi_query=0.45,
    decomposition=0.5,
    step_back=0.4,
    hyde=0.35,
    keywords=0.25,
    terms=0.8,
)


def planned(query, *, rewrite=None, rules=(), confidence=0.5, titled=None, expansions=()):
    resolution = Resolution(
        rewrites=tuple(rules), confidence=confidence, needs_lm=False, reason="pronoun", titled=titled
    )
    queries = plan_queries(query, settings=SETTINGS, rewrite=rewrite, resolution=resolution, expansions=expansions)
    return [(one.text, one.kind, pytest.approx(one.weight)) for one in queries]


def test_alone_the_original_counts_fully() -> None:
    assert planned("保修多久") == [("保修多久", "original", 1.0)]


def test_the_models_rewrite_leads() -> None:
    assert planned("它保修多久", rewrite="台灯保修多久", rules=["灯保修多久", "壶保修多久"]) == [
        ("它保修多久", "original", 0.3),
        ("台灯保修多久", "rewrite", 1.0),
        ("灯保修多久", "rules", 0.7),
        ("壶保修多久", "rules", 0.7 * 0.9),
    ]


def test_without_the_model_the_rules_lead() -> None:
    assert planned("how long is it?", rules=["lamp?", "kettle?"]) == [
        ("how long is it?", "original", 0.3),
        ("lamp?", "rules", 1.0),
        ("kettle?", "rules", 0.9),
    ]


def test_rules_that_are_sure_do_not_hedge() -> None:
    assert planned("它多少钱", rules=["灯多少钱", "壶多少钱"], confidence=0.7) == [
        ("它多少钱", "original", 0.3),
        ("灯多少钱", "rules", 1.0),
    ]


def test_the_query_under_a_title_comes_beside_and_takes_no_weight_from_the_original() -> None:
    assert planned("多少钱", titled="暖汐台灯 多少钱") == [
        ("多少钱", "original", 1.0),
        ("暖汐台灯 多少钱", "title", 0.6),
    ]


def test_without_rules_and_model_there_is_the_original() -> None:
    assert [one.kind for one in plan_queries("灯", settings=SETTINGS)] == ["original"]


def test_parts_beside_a_query_that_nobody_rewrote_leave_it_its_weight() -> None:
    parts = [("灯的价格", "decomposition"), ("壶的价格", "decomposition")]
    assert planned("灯和壶哪个便宜", expansions=parts) == [
        ("灯和壶哪个便宜", "original", 1.0),
        ("灯的价格", "decomposition", 0.5),
        ("壶的价格", "decomposition", 0.5),
    ]


def test_a_text_proposed_twice_is_searched_once_with_its_highest_weight() -> None:
    assert planned("Kettle price?", rewrite=" kettle  PRICE? ", rules=["kettle price?"]) == [
        ("Kettle price?", "original", 1.0)
    ]
    assert planned("它呢", rewrite="灯呢", rules=["灯呢"], expansions=[("灯呢", "step_back")]) == [
        ("它呢", "original", 0.3),
        ("灯呢", "rewrite", 1.0),
    ]


@pytest.mark.parametrize("query", ["", "  \n\t", "\u3000"])
def test_a_blank_query_searches_nothing(query: str) -> None:
    assert planned(query, rewrite="灯", rules=["灯"], expansions=[("灯", "step_back")]) == []


def test_blank_proposals_are_left_out() -> None:
    assert planned("它呢", rewrite=" ", rules=["灯呢"], expansions=[("\u3000", "step_back")]) == [
        ("它呢", "original", 0.3),
        ("灯呢", "rules", 0.7),
    ]


def test_every_kind_of_expansion_has_its_own_weight() -> None:
    assert planned("q", expansions=[(f"text of {kind}", kind) for kind in EXPANSIONS])[1:] == [
        ("text of multi_query", "multi_query", 0.45),
        ("text of decomposition", "decomposition", 0.5),
        ("text of step_back", "step_back", 0.4),
        ("text of hyde", "hyde", 0.35),
        ("text of keywords", "keywords", 0.25),
    ]


def test_a_kind_that_is_no_expansion_is_an_error() -> None:
    with pytest.raises(ValueError, match="an expansion of kind rules"):
        planned("q", expansions=[("text", "rules")])


def test_the_corpus_terms_come_beside_the_lead() -> None:
    queries = plan_queries("小本本多少钱", settings=SETTINGS, terms="小本本多少钱 笔记本电脑")
    assert [(one.kind, one.weight) for one in queries] == [("original", 1.0), ("terms", 0.8)]


def by_code(text: str):
    return "keyword" if "E-" in text else "hybrid"


def routes(query, *, by=by_code, **proposals):
    return {one.kind: one.route for one in plan_queries(query, settings=SETTINGS, routes=by, **proposals)}


@pytest.mark.parametrize(
    ("query", "rewrite", "expected"),
    [
        ("它怎么办", "E-203 怎么办", {"original": "hybrid", "rewrite": "keyword"}),
        ("what does E-203 mean", "what does it mean", {"original": "keyword", "rewrite": "hybrid"}),
    ],
)
def test_each_query_has_the_route_of_its_own_words(query: str, rewrite: str, expected: dict[str, str]) -> None:
    assert routes(query, rewrite=rewrite) == expected


def test_a_made_up_passage_goes_to_the_vectors_alone_code_or_not() -> None:
    hyde = [("E-203 means that the tank is empty.", "hyde")]
    assert routes("what does E-203 mean", expansions=hyde) == {"original": "keyword", "hyde": "vector"}
    assert [one.route for one in plan_queries("q", settings=SETTINGS, expansions=hyde)] == ["hybrid", "vector"]


def test_a_made_up_passage_that_somebody_also_asked_is_a_query_like_others() -> None:
    assert routes("灯", expansions=[("灯", "hyde")]) == {"original": "hybrid"}
    assert routes("它", expansions=[("灯", "hyde"), ("灯", "multi_query")]) == {"original": "hybrid", "hyde": "hybrid"}


@pytest.mark.parametrize("route", ["sql", "vector"])
def test_the_original_is_always_searched_by_both_engines_or_by_words(route) -> None:
    assert routes("它多少钱", by=lambda _: route)["original"] == "hybrid"


def test_sql_is_planned_elsewhere() -> None:
    assert routes("它呢", by=lambda _: "sql", rewrite="最贵的灯") == {"original": "hybrid", "rewrite": "hybrid"}
    assert routes("它呢", by=lambda _: "vector", rewrite="最贵的灯")["rewrite"] == "vector"
