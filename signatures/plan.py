"""One-call plan: rewrite, variants and key words of a question in a single answer."""

import dspy


class Plan(dspy.Signature):
    """Prepare the last question of a conversation for searching: answer with one JSON object and nothing else.

    {"rewrite": "...", "variants": ["...", "..."], "keywords": ["...", "..."]}
    rewrite: the question as one short query that stands alone, with the full name instead of "it", "that one", "它", "那里"; unchanged if it
    is already complete. variants: two other phrasings of it. keywords: two to five words to look up.
    Keep the question's language, names, numbers and negations. Never answer the question.
    """

    scene: str = dspy.InputField(desc="who the assistant is; may be empty", default="")
    history: str = dspy.InputField(desc="the last messages, oldest first; may be empty", default="")
    entities: str = dspy.InputField(desc="names mentioned in them, most likely first; may be empty", default="")
    query: str = dspy.InputField(desc="the last question")
    plan: str = dspy.OutputField(desc="a JSON object with rewrite, variants and keywords")
