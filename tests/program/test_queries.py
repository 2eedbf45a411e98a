import pytest

from program.queries import plan_queries
from program.rules.resolution import Resolution
from program.settings import FusionSettings

SETTINGS = FusionSettings(original=0.3, rules=0.7, further=0.9, hedge_below=0.7, title=0.6, expansion=0.5)


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
