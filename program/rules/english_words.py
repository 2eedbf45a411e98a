"""English word lists for :mod:`program.rules.english`; those with bars are alternatives of a pattern."""

import re

NOUNS = (
    "one|model|device|product|machine|unit|plan|version|tier|policy|place|town|city|village|island|area"
    "|hotel|company|band|group|service|feature|tool|system|platform|app|course|book|film|movie|show|album"
    "|song|team|project|option|connector|module|command|leave|thing"
)
"""What "this" and "that" can stand before when they point at an entity."""
TIME = (
    "week|weekend|month|year|morning|afternoon|evening|time|summer|winter|spring|autumn|quarter|season|day"
    "|period|way|case|moment|point"
)
"""What they stand before when they point at a time or a manner."""
BEFORE_THAT = (
    "is|was|are|were|does|did|do|can|could|will|would|should|about|for|of|with|to|from|in|on|at|after"
    "|before|than|like|by|has|had|have|use|using|get|install|reset|clean|cancel|buy|why|how|when|where"
    "|what|who|into"
)
"""What stands before a "that" that is no conjunction."""
ADJECTIVES = (
    "possible|ok|okay|true|safe|necessary|worth|better|best|normal|allowed|legal|likely|easy|easier|hard"
    "|difficult|important|mandatory|required|recommended|cheaper|advisable|fine|wise|enough|common|good"
    "|bad"
)
""""is it ... to": the "it" stands for nothing."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
FUNCTION_WORDS = frozenset(
    re.findall(
        r"\S+",
        "a about actually also an and another any are as at be been but by can could did do does else exactly "
        "far for from get had has have how i i'm if in into is it it's its just know long many me more much "
        "my need no not of often old on or other our please really should so some soon tell than that the "
        "their them then there there's they this to us want was we were what what's when where which who whom "
        "whose why will with would you your ",
    )
)
"""Words that say nothing about the topic."""
