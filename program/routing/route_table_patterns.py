"""Patterns of questions for tables, Chinese and English; ``program.routing.route_tables`` says how they are weighed. Texts are NFKC."""

import re

_ZH_NUMBER = r"[¥$€£]?\s*(?:\d[\d,.]{0,14}|[一二两三四五六七八九十百千万亿]{1,12})\s*"
_ZH_AMOUNT = rf"{_ZH_NUMBER}[^\W\d_]{{0,4}}"
# "010-5550…" is a telephone.
_RANGE_STARTS = r"(?<![\d-])(?!0\d)"
_CLASSIFIER = "[款个种家台项位名只件部座本条间辆支架所]"
_KIND = rf"(?:{_CLASSIFIER}|人|员工|产品|商品|型号|城市|客户|订单|供应商)"
_DEGREE = "[贵高低多少大小长短快慢重轻早晚远近新旧老强弱]"
_ATTRIBUTE = (
    "(?:价格?|售价|单价|费用|成本|金额|重量|销[量售]额?|评分|得分|分数|成绩|[工薪][资水]|年龄|人口|面积|功率|容量|速度|续航|距离|海拔|库存|"
    "收入|利润|数量|次数|人数|产量|时长|利率|温度|排量|票房|业绩|营业额|流量)"
)
# "最晚哪天" asks for a date that a text states.
_WHICH = "(?:谁|哪(?!天|年|一[天年]|个时))"
_EN_NUMBER = (
    r"(?:(?:[¥$€£]\s*)?(?:\d[\d,.]{0,14}|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|(?:an?|one) (?:hundred|thousand|million))\b))"
)
_SUPERLATIVE = "(?:largest|biggest|smallest|highest|lowest|longest|shortest|heaviest|lightest|fastest|slowest|oldest|youngest|newest)"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


EXPLAINS = _any(
    r"怎么(?!样)|咋(?!样)|如何|为什么|为何|为啥|怎样|什么(?:流程|原因|意思|是)",
    r"\b(?:how (?:do|does|did|can|could|should|would|is|are|to)|why|explain|what (?:does|do) .* mean|meaning of)\b",
)
"""Asks for an explanation, whatever is compared or counted in it."""

RULE = _any(
    r"如果|要是|假如|的话|是否|能否|可否|能不能|可不可以|是不是|会不会|要不要|需不需要|需要|应该|[要由找让]谁|可以.*[吗么]|[吗么嘛]\s*[?。]?\s*$",
    r"\b(?:if|when|unless|what happens|may|must|should|allowed|required|need)\b",
    r"^(?:is|are|do|does|did|can|could|will|would|am|has|have)\b",
)
"""Asks what holds under a condition: "请假超过 3 天要谁批"."""

LISTS = _any(
    rf"哪{_CLASSIFIER}|哪[些几]|列[出举一]|找[出到]|筛选|查[询一出找]|多少{_KIND}|几{_KIND}|所有|全部|推荐|名单|清单",
    r"\b(?:which|list|show|find|filter|give me|how many|number of|who)\b",
)
"""Asks for things of a kind."""

ASKS_ENGLISH = _any(
    r"\b(?:what|how|why|when|where|is|are|was|were|do|does|did|can|could|will|would|has|have|i|my|you|your|we|any|anything|else)\b"
)
"""A sentence, where "printers under $50" is none."""

RANKING = _any(
    r"最(?:便宜|昂贵|贵|畅销|年轻|年长|省电|实惠|划算|受欢迎|热门)",
    rf"(?:哪一?{_CLASSIFIER}|哪里|谁)[^,。?!;]{{0,14}}最{_DEGREE}",
    rf"最{_DEGREE}的?[前那这]?\s*(?:{_ZH_NUMBER}|几)?{_CLASSIFIER}|最{_DEGREE}的(?:是|有|[?。]|$)",
    rf"最{_DEGREE}(?:的|是|的是){_WHICH}|最{_DEGREE}[^,。?!最能可要]{{1,4}}的[^,。?!]{{0,4}}{_WHICH}",
    rf"{_ATTRIBUTE}是?最(?:[好差优]|{_DEGREE}(?!要|可|能|为|是多少))|{_ATTRIBUTE}前{_ZH_NUMBER}",
    rf"排[名行]|排在?前|排[第序]|前{_ZH_NUMBER}[名强大甲]|[升降]序|从[高低大小多少贵新旧早晚][到至往][高低大小多少便贵新旧早晚]",
    r"\btop[- ]?(?:\d+|three|five|ten|twenty)\b",
    r"\b(?:cheapest|priciest|(?:most|least) (?:expensive|popular)|(?:best|top)[- ]selling)\b",
    rf"\b(?:which|who|whose|list|show|find|rank)\b[^.?!;]*\b(?:{_SUPERLATIVE}|earliest|fewest|(?<!at )(?:most|least))\b(?! likely\b)",
    rf"\b{_EN_NUMBER} {_SUPERLATIVE}\b",
    rf"\b{_SUPERLATIVE} \w+ (?:by \w+|(?:that )?(?:you|we|they) (?:sell|have|offer|stock))\b",
    r"\b(?:rank(?:ed|ing|s)?|sort(?:ed)?|order(?:ed)?) (?:\w+ ){0,3}by\b|\b(?:de|a)scending\b",
)

AGGREGATE = _any(
    r"平均|均[值价]|中位数|总[和额]|求和|众数|标准差|同比|环比",
    r"[按分各每][个家类位种]?(?:部门|类别|类型|地区|城市|品牌|月份?|季度|年份?|产品|客户)(?:统计|汇总|分组|的?总|的?平均|的?数量|的?人数)",
    r"\b(?:average|avg|median|sum of|mean (?:price|value|salary|score|age)|standard deviation|what percentage of|grouped? by)\b",
    r"\btotal (?:number|amount|sales|revenue|count|value|spend(?:ing)?)\b|\bper (?:department|category|region|city|brand|customer)\b",
)

RANGE = _any(
    rf"{_RANGE_STARTS}{_ZH_AMOUNT}\s*(?:到|至|-|~|—)\s*{_ZH_AMOUNT}(?:之间|的|以内)|{_ZH_AMOUNT}\s*[和与]\s*{_ZH_AMOUNT}之间|介于.{{0,12}}[和与到]",
    rf"\b(?:between|from)\s+{_EN_NUMBER}[^.?!;]{{0,12}}?\s+(?:and|to)\s+{_EN_NUMBER}",
)

COMPARES = _any(
    rf"(?:[超高低晚早大小多少贵]于?过?|不到|不足|至少|最[多少]|便宜于|[><]=?|≥|≤)\s*{_ZH_NUMBER}",
    rf"{_ZH_AMOUNT}(?:以[上下内外]|之[内前后])",
    rf"\b(?:over|above|under|below|at (?:least|most)|up to|exceed(?:s|ing)?|before|after|since)\s+{_EN_NUMBER}",
    rf"\b(?:more|less|fewer|greater|higher|lower|cheaper|older|younger|longer|larger|heavier|lighter) than\s+{_EN_NUMBER}",
    rf"[><]=?\s*{_EN_NUMBER}|{_EN_NUMBER}\s*\w{{0,8}}\s+or (?:more|less|above|below|fewer)\b",
)

COMPARED_THING = _any(
    rf"(?:(?:超过|[高低大小多少]于|不到|不足|不超过)\s*{_ZH_AMOUNT}|{_ZH_AMOUNT}以[上下内])的(?![呢吗吧话])"
)
"""What is compared is what is wanted: "超过 500 元的打印机"."""

COUNT = _any(
    rf"多少{_KIND}|[一总共合][共计有][^,。?!]{{0,8}}几{_KIND}|几{_KIND}.{{0,10}}(?:超过|以上|以下|低于|高于)|有几{_CLASSIFIER}|总数|统计|数一[下数]",
    r"\bhow many (?!of\b|(?:\w+ ){1,3}(?:can|could|may|does \w+ (?:allow|support|include|hold))\b|"
    r"(?:\w+ )?(?:days?|hours?|weeks?|months?|years?|minutes?|seconds?|nights?|times|kilomet\w+|miles?|percent)\b)",
    r"^(?:the )?(?:total )?(?:number|count) of\b|\b(?:what is|what's|show|list|give|find|tell) (?:me )?the (?:total )?(?:number|count) of\b",
    r"\bcount (?:the|all|how)\b",
)

CAPACITY = _any(r"最[多少]|至[多少]|[能可许允]|\bat (?:most|least)\b")
"""Asks for a limit, which a text states: "最多能带多少人"."""
