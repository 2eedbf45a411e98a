"""Answer: the user's own question, from the passages found."""

import dspy


class Answer(dspy.Signature):
    """Answer the last question from the numbered passages alone, in the question's language, in one to three full sentences.

    End each sentence with the number of the passage that says so, as in: The lamp costs 39 euros [2]. The conversation only tells what the
    question is about. If the passages do not hold the answer, write exactly: NOT IN THE PASSAGES
    """

    history: str = dspy.InputField(desc="the last messages, oldest first; may be empty", default="")
    passages: str = dspy.InputField(desc="one a line, each with its number in brackets")
    query: str = dspy.InputField(desc="the last question, as the user typed it")
    answer: str = dspy.OutputField(desc="the answer with its [numbers], or NOT IN THE PASSAGES")
