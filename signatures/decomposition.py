"""Decomposition: several needs in one question, each searched alone."""

import dspy


class Decomposition(dspy.Signature):
    """Split a question that asks for several things, or compares things, into two to four short questions, one a line.

    Each must stand alone, with the full name instead of "it" or "它", and keep the question's language, names, numbers and negations.
    Where a question needs the answer of the first line, write #1 in its place (#2 for the second), as in:
    Who wrote the book?
    Where was #1 born?
    A question that asks for one thing is repeated unchanged. Never answer.
    """

    history: str = dspy.InputField(desc="the last messages, oldest first; may be empty", default="")
    query: str = dspy.InputField(desc="the last question")
    sub_questions: str = dspy.OutputField(desc="one question a line")
