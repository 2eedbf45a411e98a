"""The guards' results as tables of a document, between two markers."""

from collections.abc import Iterator
from pathlib import Path

from data.errors import ConfigError
from experiments.bench.guards_results import GuardResults, Row, SetResult
from metrics.interval import Interval

BEGIN = "<!-- guards: made by python -m experiments.bench.guards, do not edit -->"
END = "<!-- guards: end -->"
MEANT_FOR = {
    "length": ("too long",),
    "language": ("translation",),
    "answer": ("answer",),
    "numbers": ("number",),
    "dates": ("date",),
    "negation": ("negation",),
    "entities": ("entity lost", "entity swapped"),
    "old topic": ("old topic",),
    "drift": ("other turn",),
}
"""The kinds of bad rewrites that each guard is there for."""


def tables(results: GuardResults) -> str:
    """Return the tables as Markdown."""
    return "\n".join(_lines(results))


def insert_tables(page: Path, results: GuardResults) -> None:
    """Replace what stands between the markers of ``page``.

    Raises:
        ConfigError: The page is missing, or has not both markers in order.
    """
    try:
        text = page.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{page}: {error.strerror}", advice="name another with --page") from error
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ConfigError(f"{page}: expected the lines {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n{tables(results)}\n{END}{after}", encoding="utf-8")


def _lines(results: GuardResults) -> Iterator[str]:
    yield from ("", "Each guard alone:", "", *_alone(results))
    yield from (
        "",
        "All together, by what is wrong with the rewrite (share refused, number of cases):",
        "",
        *_together(results),
    )
    thresholds = [f"{one.name} {one.drift_threshold:.3f}" for one in results.sets if one.drift_threshold is not None]
    if thresholds:
        yield from ("", f"Drift thresholds of {results.drift_embedder}: {', '.join(thresholds)}.")
    if results.skipped:
        yield from ("", f"Not measured: {'; '.join(results.skipped)}.")
    yield ""


def _alone(results: GuardResults) -> Iterator[str]:
    yield "| guard | set | good rewrites kept | meant for (cases): refused | precision | other turns refused |"
    yield "| --- | --- | --- | --- | --- | --- |"
    guards = dict.fromkeys(row.guard for one in results.sets for row in one.rows)
    for guard in guards:
        for one in results.sets:
            for row in one.rows:
                if row.guard == guard:
                    cells = (
                        guard,
                        one.name,
                        _interval(row.good_kept),
                        _own(row, one),
                        _precision(row),
                        _share(row, "other turn"),
                    )
                    yield f"| {' | '.join(cells)} |"


def _together(results: GuardResults) -> Iterator[str]:
    yield f"| wrong | {' | '.join(one.name for one in results.sets)} |"
    yield f"| --- |{' --- |' * len(results.sets)}"
    everything = [next(row for row in one.rows if row.guard == "all by words") for one in results.sets]
    for kind in dict.fromkeys(kind for one in results.sets for kind in one.cases):
        cells = [
            f"{_share(row, kind)} ({one.cases[kind]})" if one.cases[kind] else "–"
            for one, row in zip(results.sets, everything, strict=True)
        ]
        yield f"| {kind} | {' | '.join(cells)} |"


def _own(row: Row, one: SetResult) -> str:
    counts = one.drift_cases if row.guard == "drift" else one.cases
    kinds = [kind for kind in MEANT_FOR.get(row.guard, ()) if kind in row.refused]
    return ", ".join(f"{kind} ({counts[kind]}): {_share(row, kind)}" for kind in kinds) or "–"


def _precision(row: Row) -> str:
    """Share of bad ones among those refused, were there as many bad of its kinds (each as often) as good ones."""
    kinds = [kind for kind in MEANT_FOR.get(row.guard, ("other turn",)) if kind in row.refused]
    if not kinds:
        return "–"
    caught, false = sum(row.refused[kind] for kind in kinds) / len(kinds), 1 - row.good_kept.mean
    return f"{caught / (caught + false):.3f}" if caught + false > 0 else "–"


def _interval(value: Interval) -> str:
    return f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]"


def _share(row: Row, kind: str) -> str:
    return f"{row.refused[kind]:.2f}" if kind in row.refused else "–"
