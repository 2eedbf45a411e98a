"""Listwise reranking: the order in which passages answer a question (after RankGPT, Sun et al. 2023, arXiv:2304.09542)."""

import dspy


class Rerank(dspy.Signature):
    """Order the numbered passages by how well each answers the question, best first.

    The rewrite is the same question with its names filled in. Write only the numbers, joined by ">", as in: 2 > 3 > 1
    """

    passages: str = dspy.InputField(desc="one a line, each with its number in brackets")
    query: str = dspy.InputField(desc="the question, as the user typed it")
    rewrite: str = dspy.InputField(desc="the question made to stand alone; may be empty", default="")
    order: str = dspy.OutputField(desc="all the numbers, best first, joined by >")
