"""Coreference rewrite: make the last question of a chat stand alone."""

import dspy


class CoreferenceRewrite(dspy.Signature):
    """Turn the last question of a conversation into one short search query that stands alone.

    Write the full name instead of "it", "that one", "它", "那里", and add the name or the topic that the question leaves out.
    Keep the question's language, its numbers and its negations. Drop greetings and chatter. Never answer the question.
    A question that is already complete is repeated unchanged.
    """

    scene: str = dspy.InputField(desc="who the assistant is; may be empty", default="")
    history: str = dspy.InputField(desc="the last messages, oldest first")
    entities: str = dspy.InputField(desc="names mentioned in them, most likely first")
    query: str = dspy.InputField(desc="the last question")
    rewrite: str = dspy.OutputField(desc="the stand-alone search query")
