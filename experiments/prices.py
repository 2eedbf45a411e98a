"""What a token costs, by the price list that litellm carries."""

import os
from collections.abc import Iterable

import dspy

from data.errors import ConfigError


def usd_per_token(models: Iterable[dspy.LM]) -> float:
    """Return the price of a written token of the dearest of ``models``, in US dollars; models on an address of one's own cost nothing.

    Read tokens cost less, mostly a quarter: with all at this price a sum is an upper bound.

    Raises:
        ConfigError: A hosted model that is not in the list.
    """
    hosted = list(dict.fromkeys(str(model.model) for model in models if not model.kwargs.get("api_base")))
    if not hosted:
        return 0.0
    # The list that comes with the package: litellm would fetch another at import.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm  # noqa: PLC0415 - takes seconds, and only a budget of money needs it

    prices = []
    for name in hosted:
        try:
            prices.append(float(litellm.get_model_info(name)["output_cost_per_token"] or 0))
        except Exception as error:  # litellm raises a plain one, and another in other versions
            raise ConfigError(f"no price is known for {name}", advice="limit lm_tokens instead of usd") from error
    return max(prices)
