"""Whether the turn needs a search at all."""

from program.ask import ask
from program.gate.classify import GateDecision, classify
from program.gate.intents import read_intent
from program.result import Intent
from program.stage import Reason, gave_up, not_answered, nothing_to_do
from program.trace import Step
from program.turn import LiveTurn
from program.window import Window

_SAID_CHARACTERS = 200
"""An offer or a question stands at the end of a message."""
SEARCH = GateDecision(intent="retrieval", sure=True, reason="default")


def gate(turn: LiveTurn, window: Window, step: Step) -> GateDecision:
    """What the rules say."""
    decision = classify(turn.asked, window.last_answer, turn.settings.gate.words)
    step.details = decision.model_dump()
    return decision


def intent(turn: LiveTurn, window: Window, gate: GateDecision, step: Step) -> Intent | Reason:
    """What the language model says, where the rules are unsure. It sees the query and what it replies to: no scene, no older history."""
    if gate.sure:
        return nothing_to_do("rules are sure")
    said = " ".join(window.last_answer[-_SAID_CHARACTERS:].split())
    answer = ask(turn.prompts.intent, "intent", step, last_answer=said, query=" ".join(turn.asked.split()))
    if answer is None:
        return not_answered(step)
    read = read_intent(answer)
    step.details = {"intent": read}
    return read or gave_up("no intent in the answer")


def decided(gate: GateDecision, intent: Intent | None = None) -> Intent:
    """The intent that counts: the rules' where they are sure, else the model's, else to search."""
    return gate.intent if gate.sure else intent or "retrieval"
