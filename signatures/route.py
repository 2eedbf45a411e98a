"""Router: which engine can answer a question."""

import dspy


class Router(dspy.Signature):
    """Say which search can answer the question: keyword, hybrid or sql.

    keyword: it names a code, a model number or exact words to be found as they are written.
    sql: it counts, ranks, averages or filters rows of one of the tables.
    hybrid: anything else, and whenever in doubt.
    Answer with that one word. Never answer the question.
    """

    tables: str = dspy.InputField(desc="the tables and their columns; empty when there are none")
    query: str = dspy.InputField(desc="a stand-alone question")
    route: str = dspy.OutputField(desc="keyword, hybrid or sql")
