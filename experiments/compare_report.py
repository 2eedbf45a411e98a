"""A comparison as Markdown that reads as plain text too: the verdict first, then tables, then the turns won and lost."""

from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len

from experiments.compare import Case, CompareResult, Comparison, GroupDifference, Side
from metrics.interval import Interval


def to_markdown(result: CompareResult, title: str = "", cases: int = 10) -> str:
    """Return the report, with users' text in it.

    Args:
        result: What was found.
        title: The first line, without its number sign.
        cases: Most wins, and most losses, that are listed for each pair.
    """
    return "\n".join(_report(result, title, cases)).strip() + "\n"


def _report(result: CompareResult, title: str, cases: int) -> Iterator[str]:
    if title:
        yield from (f"# {title}", "")
    for one in result.comparisons:
        yield f"**{one.verdict.sentence}.**"
        yield ""
    if result.notes:
        yield from (*(f"- {note}" for note in result.notes), "")
    yield f"{result.n} turns of {result.conversations} conversations, seed {result.seed}."
    yield ""
    yield from _systems(result)
    for one in result.comparisons:
        yield from _pair(one, cases)


def _systems(result: CompareResult) -> Iterator[str]:
    header = ("system", "recall@5 [95%]", "success@5", "MRR", "harm", "LM", "tokens a turn", "ms a turn")
    rows = [
        (
            name,
            f"{one.recall_at_5.mean:.3f} [{one.recall_at_5.low:.3f}, {one.recall_at_5.high:.3f}]",
            f"{one.success_at_5:.3f}",
            f"{one.mrr:.3f}",
            "–" if one.harm_rate is None else f"{one.harm_rate:.1%}",
            f"{one.lm_share:.0%}",
            f"{one.lm_tokens_per_turn:.0f}",
            f"{one.elapsed_ms_per_turn:.0f}",
        )
        for name, one in result.systems.items()
    ]
    yield from _table(header, rows)


def _pair(one: Comparison, cases: int) -> Iterator[str]:
    yield from ("", f"## {one.second} less {one.first}", "")
    for warning in one.warnings:
        yield f"- Warning: {warning}"
    for evidence in one.evidence:
        needed = "" if evidence.needed_n is None else f", n for 80% power {evidence.needed_n}"
        p = _p(evidence.p)
        if evidence.p != one.p_uncorrected:
            p = f"{p} ({_p(one.p_uncorrected)} uncorrected)"
        yield f"- {evidence.metric} {_gap(evidence.difference)}, permutation p {p}{needed}"
    success = one.success_at_5
    yield (
        f"- success@5: {success.second_only} turns by {one.second} alone, {success.first_only} by {one.first} alone, "
        f"McNemar p {_p(success.p)}"
    )
    harm = "" if one.harm_rate is None else f"; {one.harm_rate:.1%} of what {one.first} finds is damaged"
    yield f"- wins {len(one.wins)}, losses {len(one.losses)}{harm}"
    if one.differs:
        yield ""
        yield from _table(("differs", one.first, one.second), [(d.name, d.first, d.second) for d in one.differs])
    groups = {"turn": one.by_turn, "language": one.by_language, "phenomenon": one.by_phenomenon}
    yield ""
    yield from _table(("group", "n", one.first, one.second, "difference [95%]"), _group_rows(groups))
    yield from _cases("Losses", one, one.losses, cases)
    yield from _cases("Wins", one, one.wins, cases)


def _group_rows(groups: Mapping[str, Mapping[str, GroupDifference]]) -> list[tuple[str, ...]]:
    return [
        (f"{kind} {name}", str(group.n), f"{group.first:.3f}", f"{group.second:.3f}", _gap(group.difference))
        for kind, members in groups.items()
        for name, group in members.items()
    ]


def _cases(heading: str, pair: Comparison, found: Sequence[Case], most: int) -> Iterator[str]:
    shown = found[:most]
    if not shown:
        return
    count = f"{len(found)}" if len(shown) == len(found) else f"{len(shown)} of {len(found)}"
    yield from ("", f"### {heading} of {pair.second} ({count})")
    for case in shown:
        about = ", ".join([f"turn {case.turn}", case.language, *case.phenomena])
        yield from ("", f"- {case.turn_id} ({about}), {case.difference:+.2f}: {_plain(case.query)}")
        yield f"    - {pair.first}: {_side(case.first)}"
        yield f"    - {pair.second}: {_side(case.second)}"


def _side(side: Side) -> str:
    ranks = ", ".join(f"{id_} {'not found' if rank is None else f'at {rank}'}" for id_, rank in side.ranks.items())
    queries = "; ".join(f"{_plain(query.text)} ({query.kind})" for query in side.queries) or "nothing searched"
    return f"{ranks} ← {queries}"


def _p(value: float) -> str:
    return "below 0.0001" if value < 0.0001 else f"{value:.4f}"


def _gap(interval: Interval) -> str:
    return f"{interval.mean:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Cells are padded to the widest of their column; a Chinese character is two wide."""
    cells = [[_plain(cell).replace("|", "\\|") for cell in row] for row in [header, *rows]]
    widths = [max(3, *map(cell_len, column)) for column in zip(*cells, strict=True)]
    for place, row in enumerate(cells):
        padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))
        yield f"| {' | '.join(padded)} |"
        if place == 0:
            yield f"| {' | '.join('-' * width for width in widths)} |"


def _plain(text: str) -> str:
    return " ".join(text.split())
