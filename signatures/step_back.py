"""Step-back: one more general question, for background that a very specific one needs."""

import dspy


class StepBack(dspy.Signature):
    """Write one more general question whose answer gives the background for the question.

    Keep its language and the names that say what it is about; drop the details of the single case. Never answer.
    """

    query: str = dspy.InputField(desc="a stand-alone, specific question")
    general_question: str = dspy.OutputField(desc="one more general question")
