"""The recall table as a picture: one panel a data set and retriever."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.bench.quality_results import Results, Row

_COLUMNS = 2
_ROW_INCHES = 0.32
_OURS, _OTHERS = "#4477aa", "#bbbbbb"
_NAMES = {
    "zero_shot": "zero-shot",
    "compiled": "compiled (ours)",
    "llama_index": "LlamaIndex",
    "llama_index_fused": "LlamaIndex, fused",
}


def picture(results: Results) -> Figure:
    """Recall@5 of every system on the turns that all systems share, as bars with 95% intervals; the compiled program stands out."""
    references = {facts.data: facts.reference for facts in results.sets}
    panels: dict[tuple[str, str], list[Row]] = {}
    for row in results.rows:
        if row.turns == results.lm_turns(row.data):
            panels.setdefault((row.data, row.retriever), []).append(row)
    lines = -(-len(panels) // _COLUMNS)
    most = max(len(rows) for rows in panels.values())
    figure = Figure(figsize=(11, lines * (_ROW_INCHES * most + 0.9)), layout="constrained")
    axes = figure.subplots(lines, min(_COLUMNS, len(panels)), squeeze=False).flat
    for panel, ((data, retriever), rows) in zip(axes, panels.items(), strict=False):
        _bars(panel, rows, {**_NAMES, "reference": references[data]})
        panel.set_title(f"{data}, {retriever}, {rows[0].summary.n} turns", fontsize=10)
    for unused in list(axes)[len(panels) :]:
        unused.set_axis_off()
    return figure


def _bars(axes: Axes, rows: Sequence[Row], names: dict[str, str]) -> None:
    ordered = list(rows)[::-1]
    intervals = [row.summary.recall_at_5 for row in ordered]
    means = [interval.mean for interval in intervals]
    # Rounding can put a mean a hair outside its interval, and matplotlib refuses negative lengths.
    errors = [
        [max(0.0, interval.mean - interval.low) for interval in intervals],
        [max(0.0, interval.high - interval.mean) for interval in intervals],
    ]
    colors = [_OURS if row.system == "compiled" else _OTHERS for row in ordered]
    axes.barh(
        [names.get(row.system, row.system) for row in ordered],
        means,
        xerr=errors,
        color=colors,
        ecolor="#333333",
        capsize=2,
        height=0.7,
    )
    for place, interval in enumerate(intervals):
        axes.text(interval.high + 0.02, place, f"{interval.mean:.2f}", va="center", fontsize=8)
    axes.set(xlim=(0, 1.12), xlabel="recall@5")
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
