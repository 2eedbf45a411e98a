"""From a question to rows: schema, statement, check, run, hits."""

from collections.abc import Callable

from data.records import Record
from program.result import FusedHit
from program.sql.check import check
from program.sql.errors import SqlFailed, SqlRefused
from program.sql.hits import hits_of
from program.sql.read import statement_in
from program.sql.tables import Tables


class SqlAnswer(Record):
    """What the tables say to one question."""

    hits: tuple[FusedHit, ...] = ()
    sql: str = ""
    """The statement that ran or failed; the model's own text where it was refused; empty without a model."""
    reason: str | None = None
    """Why there are no hits; ``None`` when there are."""
    attempts: int = 0
    """How often the model was asked: 0 to 2."""
    truncated: bool = False
    """Whether there were more rows than were asked for."""


def answer_with_sql(
    query: str, tables: Tables, ask_sql: Callable[[str, str], str | None], *, rows: int, timeout_ms: float
) -> SqlAnswer:
    """Ask for a statement, check and run it, and return its rows as hits.

    A statement that is refused or does not run is shown to the model once more, with the reason; text without a SELECT, a statement that
    ran out of time and an empty result are not.

    Args:
        query: A stand-alone question.
        tables: What may be read.
        ask_sql: Takes the schema text and the query; returns the model's text, or ``None`` where there is no model. What it raises is
            raised.
        rows: Hits at most.
        timeout_ms: For each statement.
    """
    schema = tables.schema_text(query)
    said = ask_sql(schema, query)
    if said is None:
        return SqlAnswer(reason="no language model", attempts=0)
    answer, may_repair = _try(said, tables, rows=rows, timeout_ms=timeout_ms)
    if answer.reason is None or not may_repair:
        return answer
    again = ask_sql(f"{schema}\nThis was wrong: {' '.join(answer.sql.split())}\nBecause: {answer.reason}", query)
    if again is None:
        return answer
    second, _ = _try(again, tables, rows=rows, timeout_ms=timeout_ms)
    return second.model_copy(update={"attempts": 2})


def _try(said: str, tables: Tables, *, rows: int, timeout_ms: float) -> tuple[SqlAnswer, bool]:
    """The answer of one statement, and whether the model may mend it."""
    sql = said.strip()
    try:
        sql = check(said, tables)
        result = tables.run(sql, rows=rows, timeout_ms=timeout_ms)
    except SqlRefused as refused:
        return SqlAnswer(sql=sql, reason=f"refused: {refused}", attempts=1), _has_query(said)
    except SqlFailed as failed:
        return SqlAnswer(sql=sql, reason=f"failed: {failed}", attempts=1), not failed.out_of_time
    hits = tuple(hits_of(result, sql, tables))
    reason = None if hits else "no rows"
    return SqlAnswer(hits=hits, sql=sql, reason=reason, attempts=1, truncated=result.truncated), False


def _has_query(said: str) -> bool:
    try:
        return statement_in(said) is not None
    except SqlRefused:
        return True
