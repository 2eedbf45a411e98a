"""A limit on what a run may spend on the language model."""

from data.errors import BudgetError


class Budget:
    """Counts calls and tokens of one run. Answers from the cache are free: they have no tokens."""

    def __init__(self, lm_calls: int | None = None, lm_tokens: int | None = None) -> None:
        self._limits = {"lm_calls": lm_calls, "lm_tokens": lm_tokens}
        self.spent = {"lm_calls": 0, "lm_tokens": 0}

    def charge(self, lm_calls: int, lm_tokens: int) -> None:
        """Add what a turn cost.

        Raises:
            BudgetError: A limit is reached.
        """
        if lm_tokens == 0:
            return
        self.spent["lm_calls"] += lm_calls
        self.spent["lm_tokens"] += lm_tokens
        for name, limit in self._limits.items():
            if limit is not None and self.spent[name] >= limit:
                raise BudgetError(
                    f"the budget of {limit} {name} is spent",
                    advice="raise it in the experiment and run again: cached calls are free",
                )
