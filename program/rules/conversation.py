"""Walking through a history turn by turn, so that each follow-up is read with what was known when it was said."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from data.records import Message
from program.rules.entities import Focus
from program.rules.gazetteer import Gazetteer
from program.rules.steps import draft
from program.rules.turn import TurnContext, rules_for

_PUNCTUATION = re.compile(r"(?<!\d)[.,:]|[.,:](?!\d)|[?!;。、…~'\"“”‘’「」『』《》()（）-]+")
_SPACE_IN_CHINESE = re.compile(r"(?<=[\u3400-\u9fff])\s+|\s+(?=[\u3400-\u9fff])")

_GUESS = 0.4
"""Confidence of a rewrite made without any known entity."""


@dataclass
class Conversation:
    """State after a number of messages."""

    gazetteer: Gazetteer
    focus: Focus = field(default_factory=Focus)
    asked: str = ""
    """The user's last question, made stand-alone; "" before the first."""
    last_answer: str = ""
    last_user_text: str = ""
    complete: set[str] = field(default_factory=set)
    """``same_question`` of user messages that needed nothing from the conversation; asked again they still need nothing."""

    def turn(self, query: str) -> TurnContext:
        """Return ``query`` in the light of the conversation so far."""
        rules = rules_for(query, self.last_user_text)
        # A question in another language lends no words: the rewrite keeps the language of the query.
        asked = self.asked if rules_for(self.asked, self.last_user_text) is rules else ""
        return TurnContext(query, self.gazetteer, rules, self.focus, asked, self.last_answer)

    def hear(self, message: Message) -> None:
        """Move on by one message."""
        text = message.content
        if message.role == "assistant":
            self.focus.hear_assistant(text, self.gazetteer, rules_for(text, ""))
            self.last_answer = text
            return
        turn = self.turn(text)
        made = draft(turn) if self.focus.scores or self.asked else None
        # A guess is nothing to build the next rewrite on.
        stand_alone = made.rewrites[0] if made and made.confidence > _GUESS else turn.core
        if made is None:
            self.complete.add(same_question(text))
        # An answer to "which one?" and small talk leave the question standing.
        if made is not None or not (turn.rules.social.fullmatch(text) or turn.rules.affirmation.fullmatch(text)):
            self.asked = stand_alone
        self.focus.hear_user(text, stand_alone, self.gazetteer, turn.rules)
        self.last_answer = ""
        self.last_user_text = text


def same_question(text: str) -> str:
    """Return what is the same however a question is typed: no punctuation but inside numbers, one case, one width, one way of spacing."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _SPACE_IN_CHINESE.sub("", " ".join(_PUNCTUATION.sub(" ", folded).split()))


def listen(history: Sequence[Message], gazetteer: Gazetteer) -> Conversation:
    """Return the state after ``history``."""
    conversation = Conversation(gazetteer)
    for message in history:
        conversation.hear(message)
    return conversation
