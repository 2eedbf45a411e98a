"""Intent: does the last message need a search at all?"""

import dspy


class Intent(dspy.Signature):
    """Say in one word what the last message of a conversation is.

    greeting: only says hello, in any language. chitchat: thanks, goodbye, praise or small talk with the assistant. calculation: a sum of
    numbers to work out. history_question: asks what was said in this conversation. retrieval: everything else, above all anything that a
    document might answer, a name, or a "yes" to what the assistant offered. In doubt: retrieval.
    """

    last_answer: str = dspy.InputField(desc="the assistant's message right before, may be empty")
    query: str = dspy.InputField(desc="the last message")
    intent: str = dspy.OutputField(desc="greeting, chitchat, calculation, history_question or retrieval")
