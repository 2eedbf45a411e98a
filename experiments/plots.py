"""Pictures of a run."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from metrics.summary import Summary


def recall_by_turn(summaries: Mapping[str, Summary], title: str) -> Figure:
    """Recall@5 against the turn number, one line a system, with its 95% interval."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name, summary in summaries.items():
        groups = summary.by_turn
        means = [group.recall_at_5.mean for group in groups.values()]
        (line,) = axes.plot(list(groups), means, marker="o", label=name)
        axes.fill_between(
            list(groups),
            [group.recall_at_5.low for group in groups.values()],
            [group.recall_at_5.high for group in groups.values()],
            color=line.get_color(),
            alpha=0.12,
        )
    axes.set(xlabel="turn", ylabel="recall@5", ylim=(0, 1.02), title=title)
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
    return figure


def recall_by_system(summaries: Mapping[str, Summary], title: str) -> Figure:
    """Recall@5 of each system as bars, with its 95% interval."""
    figure = Figure(figsize=(7, 0.6 * len(summaries) + 1.4), layout="constrained")
    axes = figure.subplots()
    names = list(summaries)[::-1]
    intervals = [summaries[name].recall_at_5 for name in names]
    means = [interval.mean for interval in intervals]
    errors = [
        [max(0.0, interval.mean - interval.low) for interval in intervals],
        [max(0.0, interval.high - interval.mean) for interval in intervals],
    ]
    axes.barh(names, means, xerr=errors, color="#4477aa", ecolor="#333333", capsize=3, height=0.6)
    for place, interval in enumerate(intervals):
        axes.text(min(interval.high + 0.015, 1.02), place, f"{interval.mean:.3f}", va="center")
    axes.set(xlim=(0, 1.12), xlabel="recall@5", title=title)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
