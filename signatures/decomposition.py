"""Decomposition: several needs in one question, each searched alone."""

import dspy


class Decomposition(dspy.Signature):
    """Split a question that asks for several things, or compares things, into two to four short questions, one a line.

    Each must stand alone and keep the question's language, names, numbers and negations. A question that asks for one thing is repeated
    unchanged. Never answer.
    """

    query: str = dspy.InputField(desc="a stand-alone question")
    sub_questions: str = dspy.OutputField(desc="one question a line")
