"""Chinese: pronouns, ordinals and word order for the resolver."""

import re
from collections.abc import Sequence

from program.rules.language_rules import LanguageRules, Slot

_NOUNS = (
    "景点|地方|景区|产品|设备|机器|机型|套餐|版本|型号|东西|公司|政策|制度|假期|假"
    "|费用|服务|功能|系统|平台|软件|应用|课程"
    "|酒店|餐厅|城市|公园|学校|大学|项目|方案|计划|会员|店|馆|模块|插件|工具|组件"
)
_MEASURE = "个|款|种|台|项|家|座|条|份|部|本|张|套|件|类|位|处|门|场|间"
_NUMERALS = {c: i for i, c in enumerate("一二三四五六七八九十", start=1)} | {"两": 2}
_TIME = "次|周|星期|礼拜|月|年|天|时候|时|会儿|段时间|样|么|些年|期间|里有|边有"
_REFERENCE = re.compile(
    r"(?P<one>(?:刚才|刚刚|上面|前面)?(?:说的|提到的|推荐的|介绍的)?(?:那|这|该|此)(?:一)?"
    rf"(?:{_MEASURE})?(?P<noun>{{nouns}})(?:它)?(?:那里|这里|里面)?)"
    rf"|(?P<bare>(?:这|那)(?:一)?(?:{_MEASURE})(?!月|星期|礼拜|小时|钟头|季度|人|意思|问题|时候))"
    r"|(?P<place>(?<![\u4e00-\u9fff])(?:这|那)(?:里|儿|边)|(?<=[在去到从离对是逛住你我道])(?:这"
    r"|那)(?:里|儿|边)|此地|此处|该处)"
    r"|(?P<pronoun>它(?:那里|这里|那边|那儿)?|(?<![其吉])他(?!们|人)|她(?!们)|其(?!他"
    r"|它|实|中|余|次|间)|该(?=产品|款))"
    r"|(?P<this>(?:^|(?<=[，,。；：:\s是在对把和跟]))(?:这|那)(?=是什么|是啥|是谁"
    r"|怎么|多少钱|要多|需要|能|可以|会|有什么|支持|包括|贵|和|跟|的))"
)
_EMPTY_WORDS = re.compile(
    r"(?:有?什么|有?哪些|多少钱?|多久|多长时间|几[个天点年月]?|哪[个里儿]?|谁|怎么样?"
    r"|如何|为什么|吗|呢|啊|吧|是否|能不能|可不可以|可以|有没有|请问|我想|[？?，,。！!])+"
)


class Chinese(LanguageRules):
    """The Chinese rules; :data:`program.rules.chinese_patterns.CHINESE` is the one instance."""

    @property
    def joiner(self) -> str:
        """A full-width comma."""
        return "，"

    def reference(self, text: str, heads: Sequence[str]) -> Slot | None:
        """Return the first demonstrative or pronoun; dummy and temporal ones ("这么", "那天") are none."""
        nouns = "|".join([*(re.escape(head) for head in heads), _NOUNS])
        for match in re.finditer(_REFERENCE.pattern.replace("{nouns}", f"(?:{nouns})"), text):
            if match.lastgroup is None or re.match(rf"[这那](?:{_TIME})", match.group(0)):
                continue
            return Slot(match.start(), match.end())
        return None

    def ordinal(self, text: str) -> Slot | None:
        """Return "第二个", "最后一个", "前者", "后者"; a bare "第二季度" is no place in a list."""
        match = re.search(
            rf"(?P<first>最(?:开始|先|早|初)(?:说的|问的|提到的|提的)?的?(?:那|这)?一?(?:{_MEASURE}))"
            rf"|(?P<last>最后(?:那|这)?一?(?:{_MEASURE}|点|步))|(?P<former>前者)|(?P<latter>后者"
            r"|后面?那个|后一(?:个|款|种|台|家|项|座|档))"
            rf"|第\s*(?P<n>[一二两三四五六七八九十]|\d{{1,2}})\s*(?:{_MEASURE}|点|步)(?:{_NOUNS})?",
            text,
        )
        if match is None:
            return None
        if match["n"]:
            number = int(match["n"]) if match["n"].isdigit() else _NUMERALS[match["n"]]
        else:
            number = 1 if match["former"] or match["first"] else -1
        return Slot(match.start(), match.end(), number)

    def fill(self, text: str, slot: Slot, referent: str) -> str:
        """Put the referent in place, set off by a space where a new clause follows directly."""
        before, after = text[: slot.start], text[slot.end :]
        gap = "" if not after or after[0] in "的，,。？?！! " else " "
        return f"{before}{referent}{gap}{after}".strip()

    def attach(self, referent: str, question: str) -> str:
        """Put the referent in front: "X 几点开门"."""
        return f"{referent} {question}"

    def prefix(self, words: str, question: str) -> str:
        """Put the words right in front: "第二季度差旅一共报了多少"."""
        return words + question

    def topic(self, question: str) -> str:
        """Drop question words and particles."""
        return _EMPTY_WORDS.sub(" ", question).strip()

    def enumerate(self, names: Sequence[str]) -> str:
        """Return "甲、乙和丙"."""
        return names[0] if len(names) == 1 else "、".join(names[:-1]) + "和" + names[-1]

    def heads(self, term: str) -> tuple[str, ...]:
        """Return the endings of the name that can be its common noun, longest first."""
        tail = re.search(r"[\u4e00-\u9fff]{2,}$", term)
        if tail is None:
            return ()
        word = tail.group(0)
        return tuple(word[-size:] for size in (5, 4, 3, 2) if len(word) >= size)

    def stands_alone(self, text: str, *, needs: bool) -> bool:
        """Only a long question about nothing named is taken as complete."""
        letters = re.findall(r"[\u4e00-\u9fff]|[A-Za-z0-9]+", text)
        return len(letters) > (28 if needs else 12)
