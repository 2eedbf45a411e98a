"""How alike the rewrite is to its turn, by embedding."""

from program.guard.drift import drift_of, turn_texts
from program.stage import Reason, nothing_to_do
from program.trace import Step
from program.turn import LiveTurn
from program.window import Window


def drift(turn: LiveTurn, window: Window, rewrite: str | None, step: Step) -> float | Reason:
    """The similarity that the guard judges by, where the program has a threshold for the retriever's embedder."""
    if rewrite is None:
        return nothing_to_do("no rewrite")
    embedder = turn.embedder
    if embedder is None:
        return nothing_to_do("no embedder")
    if embedder.identity not in turn.settings.guard.drift:
        return nothing_to_do("no threshold for this embedder: anaphora calibrate finds it")
    similarity = drift_of(turn_texts(turn.asked, window.messages, turn.gazetteer), rewrite, embedder)
    step.details = {"similarity": round(similarity, 4), "threshold": turn.settings.guard.drift[embedder.identity]}
    return similarity
