"""What a token costs."""

import sys
from types import SimpleNamespace
from typing import Any

import dspy
import pytest

from data.errors import ConfigError
from experiments.prices import usd_per_token


@pytest.fixture
def price_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing the real one takes seconds."""
    prices = {"openai/cheap": 1e-6, "openai/dear": 5e-6, "openai/free": None}

    def get_model_info(name: str) -> dict[str, Any]:
        return {"output_cost_per_token": prices[name]}

    monkeypatch.setitem(sys.modules, "litellm", SimpleNamespace(get_model_info=get_model_info))


@pytest.mark.usefixtures("price_list")
def test_the_dearest_model_sets_the_price() -> None:
    models = [dspy.LM(name) for name in ("openai/cheap", "openai/dear", "openai/free")]
    assert usd_per_token(models) == 5e-6


def test_a_model_on_an_address_of_ones_own_is_free() -> None:
    assert usd_per_token([dspy.LM("openai/mine", api_base="http://127.0.0.1:1/v1", api_key="none")]) == 0
    assert usd_per_token([]) == 0


@pytest.mark.usefixtures("price_list")
def test_an_unknown_price_is_refused_with_advice() -> None:
    with pytest.raises(ConfigError, match=r"no price is known for openai/new; limit lm_tokens"):
        usd_per_token([dspy.LM("openai/new")])
