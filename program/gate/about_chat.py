"""Questions about the conversation itself, which no document answers.

Asked must be for what was said as such ("what did I ask first?"), not for what it was about ("what did you say the warranty was?",
"刚才那款的价格"): that is in the documents.
"""

import re

from program.gate.units import plain

_I = re.IGNORECASE
_WHEN = (
    r"(?:\s*\b(?:just\s+now|just|first|last|earlier|before|previously|so\s+far|already|today|again|at\s+first|at\s+the\s+(?:start|beginning)|"
    r"in\s+(?:this|our|the)\s+(?:chat|conversation|session)|a\s+(?:moment|minute|while)\s+ago|to\s+you|you|up\s+to\s+now|until\s+now|recently))*"
)
_CHAT = r"(?:chat|conversation|discussion|dialogue|dialog|exchange|questions?)"
_OPEN_EN = (
    r"^\W*(?:(?:ok(?:ay)?|so|well|hi|hello|hey|thanks|and|great|wait|sorry|please|just|now)[\s,.!]+)*"
    r"(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?|i(?:'d|\s+would)\s+like\s+(?:you\s+)?to\s+|do\s+you\s+(?:remember|recall|know)\s+|"
    r"(?:please\s+)?(?:tell|remind|give)\s+me\s+(?:again\s+)?|i\s+(?:forgot|don'?t\s+remember)\s+)*(?:please\s+)?"
)
_CLOSE_EN = r"(?:[\s,]*(?:please|thanks|thank\s+you|again|so\s+far|for\s+me|in\s+(?:short|brief|one\s+sentence|a\s+few\s+words)))*[\s?.!…]*$"
_ENGLISH = re.compile(
    _OPEN_EN + r"(?:"
    # What the user asked or said: also about a topic, since only the chat knows.
    rf"(?:what|which\s+(?:questions?|things?))\s+(?:(?:did|have|had|was|were)\s+i|i(?:'ve|\s+have|\s+had|\s+was)?){_WHEN}\s+"
    rf"(?:ask(?:ed|ing)?|typed?|wr[io]te?|mention(?:ed)?|tell|told|sa(?:y|id|ying))\b{_WHEN}(?:\s+(?:about|regarding)\s+[^,;?]{{1,40}})?|"
    rf"what\s+(?:did|have)\s+i{_WHEN}\s+(?:say|said|tell|told)\b[^,;]{{0,12}}\b(?:i|my|me)\b[^,;?]{{0,40}}|"
    rf"what\s+(?:did|have|were|was)\s+(?:we|you\s+and\s+i){_WHEN}\s+(?:talk(?:ed|ing)?|discuss(?:ed|ing)?|sa(?:y|id|ying)|cover(?:ed)?|chat(?:ted|ting)?)"
    rf"(?:\s+about)?{_WHEN}|"
    rf"what\s+(?:we|i)(?:'ve|\s+have)?\s+(?:talk(?:ed)?|discuss(?:ed)?|cover(?:ed)?)(?:\s+about)?{_WHEN}|"
    rf"how\s+many\s+(?:questions|things|messages)\s+(?:did|have)\s+(?:i|we){_WHEN}\s+(?:ask(?:ed)?|sen[dt]|written){_WHEN}|"
    rf"(?:did|have)\s+(?:i|we){_WHEN}\s+(?:ask(?:ed)?|mention(?:ed)?|talk(?:ed)?|discuss(?:ed)?|spoken?)\b{_WHEN}(?:\s+(?:about|for)?[^,;?]{{1,40}})?|"
    rf"what\s+(?:was|were|is)\s+the\s+(?:very\s+)?(?:first|last|previous)\s+(?:things?|questions?)\s+(?:that\s+)?(?:i|we|you)(?:'ve|\s+have)?{_WHEN}\s+"
    rf"(?:asked|said|typed|wrote|mentioned)(?:\s+(?:you|me|about))*{_WHEN}|"
    # What the assistant said, all of it.
    rf"what\s+(?:did|have|had|was|were)\s+you{_WHEN}\s+(?:say|said|saying|tell|told|answer(?:ed)?|reply|replied|write|written|ask(?:ed)?)(?:\s+(?:to\s+)?me)?{_WHEN}|"
    rf"repeat|(?:repeat|say|resend)\s+(?:that|it|this|(?:what\s+you(?:'ve)?{_WHEN}\s+said)|your\s+(?:last|previous|first)\s+\w+)(?:\s+(?:again|once\s+more|one\s+more\s+time))?|"
    rf"(?:what\s+(?:was|is|were)|whats|what's|repeat)\s+(?:my|your|our|the)\s+(?:very\s+)?(?:first|last|previous|second|third|earlier)\s+"
    rf"(?:questions?|messages?|answers?|repl(?:y|ies)|topics?)(?:\s+(?:i|you)\s+(?:asked|sent|gave))?{_WHEN}|"
    # The whole chat.
    rf"(?:(?:list|show(?:\s+me)?|repeat|recap|read\s+back|summari[sz]e|sum\s+up|review|outline)|(?:a\s+)?(?:summary|recap|overview|list)\s+of)\s+"
    rf"(?:(?:all|everything)\s+)?(?:of\s+)?(?:my|our|this|the|these)\s+(?:whole\s+|entire\s+|previous\s+|earlier\s+|last\s+|past\s+|recent\s+)*{_CHAT}"
    rf"(?:\s+(?:history|so\s+far|above|until\s+now|(?:that\s+)?(?:i|we)(?:'ve|\s+have)?\s+(?:asked|had|discussed)))*{_WHEN}|"
    rf"(?:list|show|repeat|recap|summari[sz]e|sum\s+up|review)\s+(?:me\s+)?(?:all\s+|everything\s+)?(?:of\s+)?(?:what|that|everything)?\s*(?:that\s+)?(?:i|we|you)(?:'ve|\s+have)?{_WHEN}\s+"
    rf"(?:asked|said|talked|discussed|covered|told|wrote|mentioned)(?:\s+(?:me|about))*{_WHEN}|"
    r"where\s+(?:were|did)\s+we(?:\s+(?:leave|stop)(?:\s+off)?)?|"
    r"(?:whats|what's|what\s+is|what\s+was)?\s*my\s+name(?:\s+(?:is|was))?"
    r")" + _CLOSE_EN, _I
)  # fmt: skip

_TIME = (
    r"(?:刚(?:刚|才)?(?!刚|才)|之前|前面|上面|先前|最开始|一开始|开头|开始|最初|最先"
    r"|首先|到目前为止|目前|今天|上次|上一次|第一次|一共|总共|已经|曾经?|都|又|还)"
)
_ASKED = r"(?:问|提|聊|说|讲|谈|谈论|讨论|提问|提到|询问|咨询)"
_WHAT = r"些?(?:什么|啥|哪些|哪几|几|多少)"
_WE = rf"{_TIME}*的?(?:我们?|咱们?|我和你|你和我){_TIME}*"
_LIST = r"(?:列|总结|整理|汇总|归纳|概括|重复|罗列|回顾|梳理|复述|念)"
_THING = r"(?:个|条|次|句|种)?(?:问题|话题|内容|东西|事情?|话|消息)?"
_OPEN_ZH = (
    r"^\W*(?:(?:好的?|嗯|那么?|你好|您好|谢谢|对了|麻烦|请|请问|等等|抱歉|不好意思)[\s,，。!！]*)*"
    r"(?:(?:你|您)?(?:还)?(?:能不能|可不可以|可以|能否|可否|能|帮忙|帮我|给我|替我|跟我|记得|记不记得|知道|告诉我|忘了|我忘了|我想知道|再)(?:一下)?)*"
)
_CLOSE_ZH = (
    r"(?:来着|来的|吗|么|呢|呀|啊|吧|嘛|哦|了|一下|出来|一遍|好吗|可以吗|行吗|谢谢你?|列表|给我|看看)*[\s?？。.!！~…]*$"
)
_CHINESE = re.compile(
    _OPEN_ZH + r"(?:"
    rf"{_WE}(?:跟你|和你|向你|对你)?{_ASKED}的?(?:第[一二三四五\d]个|最后一个|上一个)?(?:问题)?(?:是|了|过|到|的是)+(?:你|我)?{_WHAT}{_THING}|"
    rf"(?:{_TIME}+(?:的?(?:我们?|咱们?){_TIME}*)?|(?:我们?|咱们?){_TIME}+)(?:跟你|和你|向你|对你)?{_ASKED}(?:你)?(?:到|了|过|的是?)*{_WHAT}{_THING}(?:地方)?(?:了|过)?|"
    rf"{_TIME}*(?:我们?|咱们?)?{_TIME}*{_ASKED}到(?:哪儿?|哪里)了?|"
    # The user's own words about themselves.
    rf"我{_TIME}+(?:跟你|和你|对你|告诉你|)?(?:说|讲|提到?|告诉你)(?:过|的)?(?:我|自己)[^,，。?？]{{0,12}}(?:什么|啥|哪|几|多少|谁|吗|来着)[^,，。?？]{{0,6}}|"
    rf"{_WE}(?:跟你|和你|向你)?(?:问|提|聊|提到)过(?:你)?[^,，。?？]{{0,12}}(?:吗|没有|没)|"
    rf"{_WE}(?:有没有|是不是|是否){_TIME}*(?:跟你|和你|向你)?(?:问|提|聊|提到)过(?:你)?[^,，。?？]{{0,12}}|"
    r"我(?:的名字)?(?:叫|是)(?:什么名字|什么|啥|谁)|我的名字(?:是什么)?|"
    # What the assistant said.
    rf"{_TIME}*(?:你|您){_TIME}*(?:跟我|和我|对我)?(?:说|讲|回答|回复|答|告诉我|问)(?:了|过|的(?:是|话是)?)?(?:我)?(?:什么|啥|哪些){_THING}|"
    rf"(?:把)?(?:你|您)?{_TIME}*(?:的)?(?:上一?[条个句次]|最后一?[条个句]|{_TIME}的?)(?:的)?(?:回答|回复|话|答案|消息)(?:是什么|是啥|再?(?:重复|说|发|讲|念))+|"
    r"(?:再|重新|重复)(?:说|讲|发|重复|念|回答)?(?:一?遍|一次|一下)(?:你|您)?(?:刚才|上面|之前|前面)?的?(?:话|回答|内容|回复)?|"
    # Listing and summing up.
    rf"(?:把)?(?:我们?|咱们?){_TIME}*{_ASKED}(?:了|过|到)?的?(?:所有|全部)?(?:问题|内容|话题|东西|话)?(?:都)?(?:列|总结|整理|汇总|归纳|概括|重复|罗列|回顾)(?:一下|出来|成)?(?:清单|列表)?|"
    rf"(?:列|总结|回顾|概括|归纳|汇总|整理|复述|重复|梳理|小结)(?:出|一下|下|一遍)*(?:我们?|咱们?|你我)?(?:的)?{_TIME}*的?(?:所有|全部|整个|这次|这段|本次|这轮|以上)*(?:的)?"
    rf"(?:(?:{_ASKED})(?:了|过|到)*的?)?(?:所有|全部)*(?:对话|聊天|谈话|会话|聊天记录|对话内容|聊天内容|交流|问题|内容|要点|话题|话|提问)+(?:的?(?:内容|要点|重点))?|"
    rf"{_LIST}(?:出|一下|下|一遍)*(?:我们?|咱们?|你|您)(?:的)?{_TIME}*的?(?:{_ASKED}的?)?"
    r"(?:第[一二三四五六七八九十\d]+|最后一?|上一?|前[一二三四五两几])(?:个|条|次|句)?(?:问题|提问|话题|话|消息|回答|回复|答案)|"
    rf"{_LIST}(?:出|一下|下|一遍)*(?:我们?|咱们?){_TIME}*{_ASKED}(?:了|过|到|你|您)+的?(?:所有|全部)?(?:问题|提问|内容|话题|东西|话|事)?|"
    rf"把(?:我们?|咱们?){_TIME}*(?:{_ASKED}(?:了|过|到|你|您)*的?|的(?=问题|提问))(?:所有|全部)?(?:问题|提问|内容|话题|东西|话|事)?"
    rf"(?:都|再|全部|重新)*{_LIST}(?:成|个|出|一)?(?:来|下|遍|清单|列表)*|"
    rf"我?(?:上一?|最后一?|第[一二三四五\d])(?:个|条|句|次){_ASKED}的?是?{_WHAT}|"
    rf"把(?:我们?|咱们?|你我)?(?:的)?{_TIME}*的?(?:所有|全部|整个|这次|这段|本次|这轮|以上)*的?(?:对话|聊天|谈话|会话|问题|聊天记录|对话内容|聊天内容|内容)(?:都|再)?"
    r"(?:列|总结|整理|汇总|归纳|概括|重复|罗列|回顾|梳理)(?:一下|出来|成)?(?:清单|列表)?|"
    rf"(?:我|我们)?(?:的)?(?:上一?|第[一二三四五\d]|最后一|最初的?|{_TIME}的?)(?:个|条)?(?:问题|提问|消息)(?:是|问)的?(?:是)?(?:什么|啥|哪个)?"
    r")" + _CLOSE_ZH
)  # fmt: skip
_NEEDS_OBJECT = re.compile(
    rf"(?:{_OPEN_EN}(?:repeat\b(?!\s+(?:my|our))|say\s+(?:that|it|this))|{_OPEN_ZH}(?:再|重新|重复)?(?:说|讲|发|念|重复)?(?:一?遍|一次|一下))",
    _I,
)
_LONGEST = 120


def asks_about_chat(query: str, last_answer: str = "") -> bool:
    """Whether ``query`` asks for what was asked, said or discussed before. "Say that again" does where there is a ``last_answer``."""
    text = plain(query).strip()
    if len(text) > _LONGEST or not (_ENGLISH.match(text) or _CHINESE.match(text)):
        return False
    return bool(last_answer.strip()) or not _NEEDS_OBJECT.match(text)
