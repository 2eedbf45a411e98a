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
