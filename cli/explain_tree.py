"""A turn as a tree for people."""

from typing import Any

from rich.markup import escape
from rich.tree import Tree

from program.result import Retrieved
from program.trace import Step

_MARKS = {"done": "[green]✓[/green]", "skipped": "[dim]–[/dim]", "fallback": "[red]✗[/red]"}
_LONGEST = 160


def explain_tree(result: Retrieved) -> Tree:
    """Return what each stage decided and took, the queries, and the hits with the queries that found them.

    Stages that are switched off share one line.
    """
    took_ms = max((step.started_ms + step.elapsed_ms for step in result.trace), default=0.0)
    calls, tokens = (sum(getattr(step, name) for step in result.trace) for name in ("lm_calls", "lm_tokens"))
    tree = Tree(f"[bold]{escape(result.query)}[/bold]  {took_ms:.0f} ms, {calls} LM calls, {tokens} tokens")
    stages = tree.add("stages")
    for step in result.trace:
        if step.reason != "switched off":
            _add(stages, step)
    if off := [step.stage for step in result.trace if step.reason == "switched off"]:
        stages.add(f"[dim]switched off: {', '.join(off)}[/dim]")
    queries = tree.add("queries" if result.queries else f"no query ({result.intent})")
    for query in result.queries:
        route = "" if query.route == "hybrid" else f" → {query.route}"
        queries.add(f"{query.weight:.2f} {query.kind}{route}: {escape(_short(query.text))}")
    searched = any(step.stage == "search_original" and step.status != "skipped" for step in result.trace)
    hits = tree.add("hits" if result.hits else "no hits" if searched else "nothing was searched")
    for hit in result.hits:
        found = ", ".join(hit.found_by)
        hits.add(f"{hit.score:.3f} [bold]{escape(hit.id)}[/bold] by {found}: {escape(_short(hit.text))}")
    if result.degraded:
        tree.add("[red]a part of the search failed[/red]")
    return tree


def _add(tree: Tree, step: Step) -> None:
    cost = f"{step.elapsed_ms:.0f} ms" + (f", {step.lm_calls} calls, {step.lm_tokens} tokens" if step.lm_calls else "")
    reason = f": {escape(step.reason)}" if step.reason else ""
    branch = tree.add(
        f"{_MARKS[step.status]} [bold]{step.stage}[/bold] [dim]at {step.started_ms:.0f}, {cost}[/dim]{reason}"
    )
    for name, value in step.details.items():
        if value not in (None, "", [], {}, ()):
            branch.add(f"[dim]{name}[/dim] {escape(_short(_plain(value)))}")


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_plain(one)}" for name, one in value.items())
    return ", ".join(map(_plain, value)) if isinstance(value, list | tuple) else str(value)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
