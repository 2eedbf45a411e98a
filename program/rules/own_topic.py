"""Whether a question that names no entity has a topic of its own, so that the entity in focus must stay out of it."""

import re

from program.retrieval.tokenize import words
from program.rules.english_words import FUNCTION_WORDS
from program.rules.rarity import RAREST, stem
from program.rules.turn import TurnContext

_GREETED = re.compile(
    r"(?:hi|hello|hey|dear|greetings|good\s+(?:morning|afternoon|evening))(?:\s+there)?"
    r"[\s,]+(?P<en>[^\W\d_][\w'’.-]*(?:\s+[^\W\d_][\w'’.-]*){0,2})[\s!.,]*"
    r"|(?:你好|您好|嗨|哈喽|早上好|上午好|中午好|下午好|晚上好)[\s，,!！]*(?P<zh>[\u4e00-\u9fff]{2,4})[\s!！。,，~]*", re.IGNORECASE
)  # fmt: skip
# Frequent family names that seldom begin another word; or a form of address at the end.
_CHINESE_NAME = re.compile(
    r"[王李张刘陈杨赵吴周徐孙朱胡郭何林罗郑梁谢宋唐许邓韩冯曹彭曾肖田董潘袁蔡蒋余杜叶程苏魏吕丁任卢姚沈钟姜崔谭陆范汪廖石贾韦邹][\u4e00-\u9fff]{1,2}"
    r"|[\u4e00-\u9fff]{1,3}(?:先生|女士|小姐|老师|经理|总|医生|同学|师傅|主任)|[小老阿][\u4e00-\u9fff]"
)
_HELP = re.compile(
    r"(?:请|我?需要|我?想要|能|可以)*(?:(?:一点|一些)?帮助|求助|救命|帮帮我|帮帮忙|帮个?忙|帮我一?下"
    r"|人工(?:客服|服务)?|转人工|转接人工|找?客服|菜单)[吗吧啊呀]?[\s。.！!？?~～…]*"
    r"|(?:please\s+|can you\s+|could you\s+|i\s+need\s+(?:some\s+)?)*(?:help(?:\s+me)?(?:\s+out)?"
    r"|sos|support|menu|(?:a\s+)?human(?:\s+agent)?|(?:an?\s+)?agent)"
    r"(?:\s+please|[,]\s*please)?[\s.!?]*", re.IGNORECASE
)  # fmt: skip
_ORGANISATION = (
    "公司|单位|集团|总部|总公司|分公司|部门|员工|职工|新员工|实习生|学校|食堂|人事部?|财务部?|行政部?|办公室|会议室"
)
# "公司年会", "公司的总部", not "公司给报吗": what follows is a thing, no verb.
_CHINESE_OWNER = re.compile(
    r"^(?:怎么|如何|怎样|在哪里?)?(?:申请|预[订定约])?(?:食堂|班车|年会|考勤|公积金|社保|会议室)"
    rf"|(?:^|[在从向给把让怎样么何])(?:(?:我们|咱们?|贵|本|全|整个|新|各)?(?:{_ORGANISATION}))的?"
    r"(?![会要能可给让给也都还就不没有是在怎如什哪几多吗呢么自怎个管报出付发批交扣包允规派负承提收补安和跟买用换退寄送修])[\u4e00-\u9fff]{2,}"
)
_ENGLISH_OWNER = re.compile(
    r"\b(?:(?:of|at|in|by|for|from)\s+(?:the|our|my|your)\s+(?:company|organi[sz]ation|firm|office|headquarters|department)"
    r"|(?<!does )(?<!did )(?<!will )(?<!can )(?:\bthe|\bour|\bmy|\byour)\s+(?:company|organi[sz]ation|firm|office)(?:'s|’s)?\s+[a-z]{4,}"
    r"|(?:head|main|branch)\s+offices?|headquarters|human\s+resources|payroll|canteen|cafeteria|employees|colleagues|coworkers|new\s+hires|interns)\b",
    re.IGNORECASE,
)
_EMPTY_CHINESE = re.compile(
    r"什么时候|什么地方|什么|怎么样?|怎样|如何|为什么|多少|多久|几点|哪[里儿个些]|可以|需要|知道|有没有|是不是|能不能"
)
_LEANS = re.compile(
    r"里[面头边]|[这那][里儿边]|据说|听说|好像|还有|别的|其[他它]|另外|过去|第[一二三四五六\d]|[哪那]些|[咋啥]|不$|[，,]"
    r"|\b(?:else|other|others|another|any|anyone|anything|something|some|one|ones|then|that|too|also|again|still)\b", re.IGNORECASE
)  # fmt: skip
"""Says that something was said before, or is how people talk on."""
_OTHERS = 2
"""Words of other documents from which on a question is about those."""
_MANY = 3
"""Words that no document has often, from which on a question may be about anything."""


def needs_nothing(turn: TurnContext) -> bool:
    """Whether the turn calls for help, or greets somebody by name: no product is meant."""
    text = turn.query.strip()
    if _HELP.fullmatch(text):
        return True
    greeted = _GREETED.fullmatch(text)
    if greeted is None or turn.mentions:
        return False
    if name := greeted["zh"]:
        return bool(_CHINESE_NAME.fullmatch(name)) and not turn.rules.question.search(name)
    name = greeted["en"]
    capital = all(part[0].isupper() for part in name.split())
    unknown = all(turn.gazetteer.rarity(word) == RAREST for word in words(name))
    return not turn.rules.question.search(name) and unknown and (capital or len(name.split()) == 1)


def has_own_topic(turn: TurnContext) -> bool:
    """Whether the question is surely about something else than the entity in focus.

    Its words are those of documents that speak of no entity, or it asks about a company, its places and its people. A pronoun, a noun of
    the entity's own name ("the school"), or the name itself speak against it.
    """
    if turn.mentions or not turn.focus.scores or turn.rules.reference(turn.core, turn.heads):
        return False
    asked = _content(turn)
    folded = turn.core.lower()
    if any(head.lower() in folded for head in turn.heads):
        return False
    if sum(turn.gazetteer.is_elsewhere(word) for word in asked) >= _OTHERS:
        return True
    if turn.rules.joiner == "，":
        return _CHINESE_OWNER.search(turn.core) is not None
    return _ENGLISH_OWNER.search(turn.core) is not None and len(asked) >= _OTHERS


def may_have_own_topic(turn: TurnContext) -> bool:
    """Whether the question could be about something else: most of what it says is in no document of an entity."""
    if _LEANS.search(turn.core) or not turn.rules.question.search(turn.query):
        return False
    asked = _content(turn)
    elsewhere = sum(turn.gazetteer.is_elsewhere(word) for word in asked)
    unknown = sum(turn.gazetteer.rarity(word) == RAREST for word in asked)
    known = bool(turn.gazetteer.frequent)
    return elsewhere > 0 or (known and len(asked) >= _MANY and unknown == len(asked))


def _content(turn: TurnContext) -> set[str]:
    text = _EMPTY_CHINESE.sub(" ", turn.core)
    return {stem(word) for word in words(text) if word not in FUNCTION_WORDS and (len(word) > 1 or word.isascii())}
