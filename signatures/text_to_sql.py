"""Text-to-SQL: a question to one SELECT over registered tables."""

import dspy


class TextToSql(dspy.Signature):
    """Write one DuckDB SELECT statement that answers the question from the tables.

    Use only the tables and columns given, and the values as they are spelt there. Put names that are not plain words in double
    quotes and text values in single quotes. Select the columns that name a row beside those that are asked for. No explanation.
    """

    tables: str = dspy.InputField(desc="one table a line: its columns, their types, and some of their values")
    query: str = dspy.InputField(desc="a stand-alone question")
    sql: str = dspy.OutputField(desc="one SELECT statement")
