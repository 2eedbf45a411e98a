"""HyDE: a passage that a document answering the question might hold, to search for its like (Gao et al. 2022, arXiv:2212.10496)."""

import dspy


class Hypothetical(dspy.Signature):
    """Write two or three sentences as they could stand in a document that answers the last question.

    Plain statements in the question's language, with the full names and the numbers of the question. They need not be true: they serve to
    find a real document. No heading, no remark about yourself.
    """

    history: str = dspy.InputField(desc="the last messages, oldest first; may be empty", default="")
    query: str = dspy.InputField(desc="the last question")
    passage: str = dspy.OutputField(desc="two or three sentences")
