"""A limit on what a run may spend: model calls, tokens, minutes, money."""

import time
from collections.abc import Callable

from data.errors import BudgetError


class Budget:
    """Counts what one run spends. Answers from the cache are free: they have no tokens. Time passes all the same."""

    def __init__(
        self,
        lm_calls: int | None = None,
        lm_tokens: int | None = None,
        minutes: float | None = None,
        usd: float | None = None,
        *,
        usd_per_token: float = 0.0,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start the clock.

        Args:
            lm_calls: Most calls.
            lm_tokens: Most tokens, read and written.
            minutes: Most minutes from now.
            usd: Most US dollars.
            usd_per_token: What a token costs, see ``experiments.prices``.
            clock_s: The time in seconds, from any beginning.
        """
        self._limits = {"lm_calls": lm_calls, "lm_tokens": lm_tokens, "usd": usd}
        self._usd_per_token = usd_per_token
        self._minutes, self._clock_s, self._start_s = minutes, clock_s, clock_s()
        self.spent = {"lm_calls": 0, "lm_tokens": 0}

    @property
    def minutes(self) -> float:
        """Minutes since the start."""
        return (self._clock_s() - self._start_s) / 60

    @property
    def usd(self) -> float:
        """US dollars so far."""
        return self.spent["lm_tokens"] * self._usd_per_token

    def charge(self, lm_calls: int, lm_tokens: int) -> None:
        """Add what a turn cost.

        Raises:
            BudgetError: A limit is reached.
        """
        if self._minutes is not None and self.minutes >= self._minutes:
            raise _spent(f"{self._minutes:g} minutes")
        if lm_tokens == 0:
            return
        self.spent["lm_calls"] += lm_calls
        self.spent["lm_tokens"] += lm_tokens
        used = {**self.spent, "usd": self.usd}
        for name, limit in self._limits.items():
            if limit is not None and used[name] >= limit:
                raise _spent(f"{limit:g} {name}" if name == "usd" else f"{limit} {name}")


def _spent(what: str) -> BudgetError:
    return BudgetError(
        f"the budget of {what} is spent", advice="raise it in the experiment and run again: cached calls are free"
    )
