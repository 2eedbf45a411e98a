"""A budget counts what was really paid for."""

import pytest

from data.errors import BudgetError
from experiments.budget import Budget


def test_cached_answers_are_free() -> None:
    budget = Budget(lm_calls=1)
    for _ in range(5):
        budget.charge(lm_calls=1, lm_tokens=0)
    assert budget.spent == {"lm_calls": 0, "lm_tokens": 0}


@pytest.mark.parametrize(("limit", "name"), [({"lm_calls": 3}, "lm_calls"), ({"lm_tokens": 300}, "lm_tokens")])
def test_the_turn_that_reaches_the_limit_ends_the_run(limit: dict[str, int], name: str) -> None:
    budget = Budget(**limit)
    budget.charge(1, 100)
    budget.charge(1, 100)
    with pytest.raises(BudgetError, match=name):
        budget.charge(1, 100)


def test_no_limit_never_ends() -> None:
    budget = Budget()
    for _ in range(1000):
        budget.charge(10, 10_000)
    assert budget.spent["lm_calls"] == 10_000


def test_minutes_pass_also_where_every_answer_is_cached() -> None:
    now_s = 0.0
    budget = Budget(minutes=2, clock_s=lambda: now_s)
    budget.charge(1, 0)
    now_s = 119.0
    budget.charge(1, 100)
    now_s = 120.0
    with pytest.raises(BudgetError, match="2 minutes"):
        budget.charge(1, 0)


def test_money_is_counted_by_tokens() -> None:
    budget = Budget(usd=0.5, usd_per_token=0.001)
    budget.charge(1, 499)
    assert budget.usd == pytest.approx(0.499)
    with pytest.raises(BudgetError, match=r"0\.5 usd"):
        budget.charge(1, 1)


def test_a_model_without_a_price_costs_nothing() -> None:
    budget = Budget(usd=0.5)
    budget.charge(1000, 10_000_000)
    assert budget.usd == 0
