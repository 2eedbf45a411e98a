"""Multi-query: the same question in other words, against low recall."""

import dspy


class MultiQuery(dspy.Signature):
    """Write several search queries for the last question of a conversation, one a line, each asking the same in other words.

    Use synonyms and another order of words. Each stands alone with the full name instead of "it" or "它", and keeps the question's language,
    names, numbers and negations. Never answer the question.
    """

    count: int = dspy.InputField(desc="how many to write, a line each")
    history: str = dspy.InputField(desc="the last messages, oldest first; may be empty", default="")
    query: str = dspy.InputField(desc="the last question")
    phrasings: str = dspy.OutputField(desc="the search queries, one a line")
