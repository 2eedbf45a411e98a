"""Summary: what a conversation was about before the messages that a rewriter sees."""

import dspy


class Summary(dspy.Signature):
    """Sum up the earlier part of a conversation in at most three short sentences.

    Write in the language of the conversation. Keep names, numbers, decisions and questions that are still open; drop greetings and
    chatter. Add nothing that was not said.
    """

    history: str = dspy.InputField(desc="the older messages, oldest first")
    summary: str = dspy.OutputField(desc="at most three short sentences")
