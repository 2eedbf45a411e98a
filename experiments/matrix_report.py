"""The cells of a matrix beside each other: a table, and two pictures."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from data.records import Record
from experiments.matrix import CellResult
from metrics.interval import Interval
from metrics.pareto import pareto_front

_HEAD = (
    "set",
    "lm",
    "optimizer",
    "stage",
    "n",
    "original",
    "rules",
    "compiled",
    "95%",
    "gain",
    "harm",
    "dev",
    "LM share",
    "tokens a turn",
    "ms a turn",
    "calls",
    "tokens",
    "minutes",
)


class Row(Record):
    """One line of the table, as text."""

    cells: tuple[str, ...]
    note: str = ""


def rows(results: Sequence[CellResult]) -> list[Row]:
    """Return a row for each cell; one without numbers says why."""
    return [_row(one) for one in results]


def to_markdown(name: str, results: Sequence[CellResult]) -> str:
    """Return the table in Markdown, and under it what failed or was stopped."""
    made = rows(results)
    lines = [f"# {name}", "", "| " + " | ".join(_HEAD) + " |", "|" + " --- |" * len(_HEAD)]
    lines += ["| " + " | ".join(row.cells) + " |" for row in made]
    notes = [row.note for row in made if row.note]
    lines += ["", *(f"- {note}" for note in notes)] if notes else []
    about = (
        "recall@5 on the test split (dev where a run was stopped); 95%: bootstrap over conversations; gain and harm against the original query; "
        "calls and tokens: the compile's, of answers that were not cached by the experiments before it as well."
    )
    return "\n".join([*lines, "", about, ""])


def recall_picture(results: Sequence[CellResult]) -> Figure:
    """Recall@5 with its interval, a group a set; the dashed lines are original and rules."""
    scored = [one for one in results if one.shown]
    sets = list(dict.fromkeys(one.set for one in scored))
    height = 0.32 * len(scored) + 0.9 * max(1, len(sets))
    figure = Figure(figsize=(8, height), layout="constrained")
    ratios = [sum(one.set == name for one in scored) + 1 for name in sets] or [1]
    grid = figure.subplots(max(1, len(sets)), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": ratios})
    for axes, name in zip(grid[:, 0], sets, strict=False):
        of_set = [one for one in scored if one.set == name]
        for place, one in enumerate(of_set):
            found = one.shown["compiled"].recall_at_5
            errors = [[max(0.0, found.mean - found.low)], [max(0.0, found.high - found.mean)]]
            axes.errorbar(found.mean, place, xerr=errors, fmt="o", color="#4477aa", ecolor="#888888", capsize=3)
        axes.set_yticks(range(len(of_set)), [_short(one) for one in of_set], fontsize=8)
        axes.set_ylim(len(of_set) - 0.5, -0.5)
        for system, colour in (("original", "#aa3377"), ("rules", "#228833")):
            axes.axvline(
                of_set[0].shown[system].recall_at_5.mean, color=colour, linestyle="--", linewidth=1, label=system
            )
        axes.set_title(name, fontsize=9, loc="left")
        axes.grid(axis="x", alpha=0.3)
        axes.set_xlim(0, 1.02)
    if sets:
        grid[0, 0].legend(frameon=False, fontsize=8, loc="lower left")
        grid[-1, 0].set_xlabel("recall@5")
    return figure


def pareto_picture(results: Sequence[CellResult]) -> Figure:
    """Recall@5 against milliseconds a turn, a panel a set; the front is joined, what others beat is pale."""
    scored = [one for one in results if one.shown]
    sets = list(dict.fromkeys(one.set for one in scored))
    columns = max(1, len(sets))
    figure = Figure(figsize=(4.2 * columns, 3.6), layout="constrained")
    panels = figure.subplots(1, columns, squeeze=False)[0]
    for axes, name in zip(panels, sets, strict=False):
        of_set = [one for one in scored if one.set == name]
        first = of_set[0].shown
        labels = ["original", "rules", *(_short(one) for one in of_set)]
        systems = [first["original"], first["rules"], *(one.shown["compiled"] for one in of_set)]
        points = [(one.recall_at_5.mean, one.elapsed_ms_per_turn) for one in systems]
        on_front = pareto_front(points)
        for (recall, ms), label, best in zip(points, labels, on_front, strict=True):
            axes.plot(ms, recall, "o", color="#4477aa" if best else "#bbbbbb")
            if best:
                axes.annotate(label, (ms, recall), fontsize=7, xytext=(4, -8), textcoords="offset points")
        front = sorted((ms, recall) for (recall, ms), best in zip(points, on_front, strict=True) if best)
        axes.plot([ms for ms, _ in front], [recall for _, recall in front], color="#4477aa", linewidth=1)
        axes.set(xlabel="ms a turn", ylabel="recall@5", title=name, xscale="log")
        axes.grid(alpha=0.3)
    return figure


def _row(one: CellResult) -> Row:
    axes = (one.set, one.lm, one.optimizer, one.stage)
    if not one.shown:
        return Row(cells=(*axes, *[""] * (len(_HEAD) - len(axes))), note=f"{one.name}: {one.failed or 'no numbers'}")
    shown, compiled = one.shown, one.shown["compiled"]
    numbers = (
        str(compiled.n),
        f"{shown['original'].recall_at_5.mean:.3f}",
        f"{shown['rules'].recall_at_5.mean:.3f}",
        f"{compiled.recall_at_5.mean:.3f}",
        _interval(compiled.recall_at_5),
        f"{compiled.gain.mean:+.3f}" if compiled.gain else "",
        "" if compiled.harm_rate is None else f"{compiled.harm_rate:.3f}",
        f"{one.dev['compiled'].recall_at_5.mean:.3f}",
        f"{compiled.lm_share:.2f}",
        f"{compiled.lm_tokens_per_turn:.0f}",
        f"{compiled.elapsed_ms_per_turn:.0f}",
        str(one.spent.get("lm_calls", "")),
        str(one.spent.get("lm_tokens", "")),
        f"{one.minutes:.1f}",
    )
    return Row(cells=(*axes, *numbers), note=f"{one.name}: stopped, {one.stopped}; dev is shown" if one.stopped else "")


def _interval(one: Interval) -> str:
    return f"{one.low:.3f}–{one.high:.3f}"


def _short(one: CellResult) -> str:
    return " ".join(part for part in (one.optimizer, one.lm, one.stage) if part not in ("default",))
