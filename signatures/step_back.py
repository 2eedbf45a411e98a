"""Step-back: one more general question, for background that a very specific one needs."""

import dspy


class StepBack(dspy.Signature):
    """Write one more general question whose answer gives the background for the last question.

    Ask about the kind of thing or the principle behind it; leave out numbers and single details. Keep the question's language and what it is
    about, with the full name instead of "it" or "它". Never answer.
    """

    history: str = dspy.InputField(desc="the last messages, oldest first; may be empty", default="")
    query: str = dspy.InputField(desc="the last, specific question")
    general_question: str = dspy.OutputField(desc="one more general question")
