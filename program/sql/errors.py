"""Why a question was not answered from the tables. Reasons for the trace, not errors for a caller: the turn goes on without them."""

from typing import Any

from data.errors import ConfigError


class SqlRefused(Exception):  # noqa: N818 - an outcome, as "fallback" is
    """The text is no statement that may run; the message says why, in words a language model can act on."""


class SqlFailed(Exception):  # noqa: N818
    """A checked statement did not finish: out of time, out of memory, or a value that does not convert."""

    def __init__(self, reason: str, *, out_of_time: bool = False) -> None:
        super().__init__(reason)
        self.out_of_time = out_of_time


def missing_library(error: ImportError) -> ConfigError:
    """Return the error for a process without the extra ``sql``."""
    return ConfigError(
        f"tables need the packages duckdb and sqlglot ({error.name} is not installed)",
        advice="install the extra: pip install 'anaphora[sql]'",
    )


def bad_source(path: Any, problem: str) -> ConfigError:
    """Return the error for a table file that cannot be used: one line that names the file and what was expected."""
    return ConfigError(f"{path}: {problem}", path=str(path))
