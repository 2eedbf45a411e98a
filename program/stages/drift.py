"""How alike the rewrite is to its turn, by embedding."""

from program.guard.drift import drift_of, turn_texts
from program.rules.gazetteer import Gazetteer
from program.stage import Reason, nothing_to_do
from program.trace import Step
from program.turn import LiveTurn
from program.window import Window


def drift(turn: LiveTurn, window: Window, rewrite: str | None, step: Step) -> float | Reason:
    """The similarity that the guard judges by, where the program has a threshold for the retriever's embedder."""
    if rewrite is None:
        return nothing_to_do("no rewrite")
    # A retriever of the user's own need not have one.
    embedder = getattr(turn.retriever, "embedder", None)
    if embedder is None:
        return nothing_to_do("no embedder")
    if embedder.identity not in turn.settings.guard.drift:
        return nothing_to_do("no threshold for this embedder: anaphora calibrate finds it")
    gazetteer = turn.retriever.gazetteer if turn.retriever is not None else Gazetteer()
    similarity = drift_of(turn_texts(turn.asked, window.messages, gazetteer), rewrite, embedder)
    step.details = {"similarity": round(similarity, 4), "threshold": turn.settings.guard.drift[embedder.identity]}
    return similarity
