"""What of the conversation is looked at, and a summary of what is older."""

from program.ask import ask
from program.stage import Reason, gave_up, not_answered, nothing_to_do
from program.trace import Step
from program.turn import LiveTurn
from program.window import Window, make_window, prompt_text

NO_WINDOW = Window(messages=(), text="")


def window(turn: LiveTurn, step: Step) -> Window:
    """The conversation, normalised; its last turns, trimmed."""
    settings = turn.settings.window
    made = make_window(
        turn.history,
        turns=settings.turns,
        message_characters=settings.message_characters,
        message_tokens=settings.message_tokens,
    )
    step.details = {"messages": len(made.messages), "characters": len(made.text)}
    return made


def summary(turn: LiveTurn, window: Window, step: Step) -> str | Reason:
    """The part of the conversation that is older than the window's text, in a sentence or two by the language model.

    The older part grows by whole blocks of ``window.turns`` exchanges, so that the model (or a cache) is asked once a block, not once a turn.
    """
    size = 2 * turn.settings.window.turns
    older = window.messages[: max(0, len(window.messages) - size)]
    older = older[: len(older) - len(older) % size] if size else older
    if not older:
        return nothing_to_do("nothing is older than the window")
    text = prompt_text(older, turn.settings.window.message_characters, turn.settings.window.message_tokens)
    made = ask(turn.prompts.summary, "summary", step, history=text)
    if made is None:
        return not_answered(step)
    made = " ".join(made.split())[: 4 * turn.settings.window.message_characters]
    return made or gave_up("empty")
