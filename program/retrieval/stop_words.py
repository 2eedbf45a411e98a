"""Words that say nothing about what a passage holds: neither indexed nor searched."""

# Lucene's English stop words, with the pronouns, auxiliaries and question words that every turn has and no passage is about.
# Single letters other than "a" and "i" are no stop words: "Model S", "vitamin D". What contractions leave is cut by the tokeniser.
_ENGLISH = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with
about am been being can could did do does had has have he her him his how i its me my our shall she should so than them us we were
what when where which who whom whose why would you your
"""
# Particles, copulas and pronouns, simplified and traditional: a follow-up such as "它的呢" has nothing else.
_CHINESE = """
的 了 吗 呢 吧 啊 呀 哦 嗯 嘛 哈 是 我 你 您 他 她 它 们 我们 你们 他们 她们 它们 这 那 这个 那个 在 有 和 与 就 都 也 还 很 请问 一下
嗎 們 我們 你們 他們 她們 它們 這 這個 那個 與 還 請問
"""

ENGLISH = frozenset(_ENGLISH.split())
CHINESE = frozenset(_CHINESE.split())
