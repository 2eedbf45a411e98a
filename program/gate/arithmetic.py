"""Whether a message is arithmetic and nothing else. It is recognised, never worked out.

"3+5 套餐多少钱" is none, since a word remains; nor are dates, phone numbers, addresses, codes and "24/7", whose signs are no operators.
"""

import ast
import re
from typing import Literal

from program.gate.units import plain

_LONGEST = 120
_POLITE = r"(?:(?:你好|您好|嗨|好的?|嗯|那么?|请问?|麻烦|帮我|给我|hi|hello|hey|okay|ok|so|and|please|can you|could you|tell me)[\s,，。!！]*)*"
# They ask for a result, whatever follows or precedes.
_STRONG = re.compile(
    r"(?:等于|=)\s*\d+(?:\.\d+)?\s*(?:吗|对吗|对不对)?[?？\s]*$|(?:等于|=|equals?)(?:多少|几|什么|what)?|(?:一共|总共)?(?:算|计算)(?:一下|下|算|出来)?(?:一共)?|"
    r"得(?:多少|几)|\b(?:calculate|compute|work out|evaluate|solve|add up)\b"
)
_WEAK = re.compile(
    r"是(?:多少|几|什么)|(?:一共|总共)(?:是)?(?:多少|几)|\b(?:what\s+is|what's|whats|how\s+much\s+is|what\s+(?:are|does|do))\b|多少$"
)
_FRAME_END = re.compile(r"[\s?？。.!！~吗呢呀啊吧]+$|\b(?:please|thanks)\b[\s!.?]*$|(?:谢谢)[\s!！。]*$")
# Signs that are no operators, whatever is asked about them.
_DATE = re.compile(
    r"(?<!\d)(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{2,4}|\d{4}[-/](?:0\d|1[0-2]))(?!\d)"
)
_NO_SUM = re.compile(
    r"^\s*(?:\+?\d+(?:-\d{3,}){2,}|\d{3,}-\d{4,}|24\s*[/*x×]\s*7|7\s*[/*x×]\s*24|(?:一|one\s*)(?:加|plus)\s*\d+\w*)\s*$"
)
_NUMERAL = r"(?:\d+(?:\.\d+)?|[〇零一二两三四五六七八九十百千万亿]+(?:点[〇零一二三四五六七八九]+)?)"
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_ONES = "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_ENGLISH_NUMBER = re.compile(
    rf"\b(?:a\s+(?=hundred|thousand|million))?(?:{_TENS}|{_ONES}|hundred|thousand|million)(?:(?:[\s-]+|\s+and\s+)(?:{_TENS}|{_ONES}|hundred|thousand|million))*\b"
)
# In this order: each turns words into the signs of a Python expression.
_SIGNS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), sign)
    for pattern, sign in (
        (r"(?<=\d),(?=\d{3}(?!\d))", ""),
        (r"[$€£¥]\s*(?=\d)", ""),
        (r"(?<=[\d〇零一二两三四五六七八九十百千万亿])\s*(?:元|块钱?|美元|欧元|人民币|dollars?|euros?|pounds?|yuan)(?![a-z])", " "),
        (rf"百分之({_NUMERAL})", r"\1%"),
        (r"(?<=\d)\s*(?:percent|per\s+cent)\b", "%"),
        (rf"({_NUMERAL})\s*的\s*(?:平方根?|立方根?|立方|开方|阶乘)|根号\s*({_NUMERAL})", r"1*2"),
        (rf"({_NUMERAL})\s*的\s*({_NUMERAL})\s*次方", r"1*2"),
        (rf"({_NUMERAL})\s*的\s*({_NUMERAL})\s*倍", r"1*2"),
        (rf"({_NUMERAL})\s*的\s*({_NUMERAL})%", r"1*2"),
        (rf"({_NUMERAL})\s*的一半", r"1*2"),
        (rf"({_NUMERAL})\s*[和与跟]\s*({_NUMERAL})\s*的\s*(?:和|差|积|商|乘积|平均[数值]|总和)", r"1+2"),
        (r"(?:the\s+)?\b(?:sum|difference|product|average|mean|quotient)\s+(?:of|between)\s+[\d.]+\s*(?:and|,)\s*[\d.]+", "1+2"),
        (r"(?<=[\d)])\s+of\s+(?=[\d(])", " * "),
        (rf"({_NUMERAL})\s*打\s*{_NUMERAL}\s*折", r"1*2"),
        (r"(?:the\s+)?(?:square|cube)\s+root\s+of|\bsqrt\b|√", " 1*"),
        (r"(?<=\d)\s*(?:squared|cubed|!(?=\s*$))", "*1"),
        (r"\bhalf\s+of\b", " 1*"),
        (r"%\s*(?:of|off)\b", " *"),
        (r"(?<=\d)%", " "),
        (r"\bto\s+the\s+power\s+of\b|\*\*|\^", " ** "),
        (r"乘以?|\b(?:times|multiplied\s+by)\b", " mul "),
        (r"除以|\bdivided\s+by\b", " div "),
        (r"加上?|再加上?|\bplus\b", " + "),
        (r"减去?|\bminus\b", " sub "),
        (r"÷", " div "),
    )
)  # fmt: skip
_EXPRESSION = re.compile(r"[\d.+\-*/×x()（）\s]*(?:(?:mul|div|sub)[\d.+\-*/×x()（）\s]*)*")
_OPERATOR = re.compile(r"\*\*|[+\-*/×x]|mul|div|sub")
# Not "(202)-555-1147".
_GROUP = re.compile(r"\([^()]*[-+*/×x][^()]*\)")
_CLEAR = frozenset(["+", "**", "mul", "div", "sub"])
_SIZE = 100
"""From here on both sides of a bare "1920*1080" look like a size."""

Arithmetic = Literal["yes", "maybe", "no"]


def arithmetic(query: str) -> Arithmetic:
    """Return whether ``query`` is a sum to work out; ``maybe`` where its signs may mean something else ("10-20", "1920*1080")."""
    text = plain(query).strip()
    if len(text) > _LONGEST or _DATE.search(text):
        return "no"
    text = re.sub(rf"^{_POLITE}", "", text)
    text, strong = _without(_STRONG, text)
    text, weak = _without(_WEAK, text)
    text = _FRAME_END.sub("", text).strip(" ,，:：")
    if _NO_SUM.match(text) and not (strong and not text.startswith("24")):
        return "no"
    signs = _signs(text)
    if signs is None:
        return "no"
    if strong or weak:
        return "yes"
    return "yes" if _clearly_meant(signs) else "maybe"


def _without(frame: re.Pattern[str], text: str) -> tuple[str, bool]:
    rest = frame.sub(" ", text)
    return _FRAME_END.sub("", rest), rest != text


def _signs(text: str) -> str | None:
    """Return ``text`` with its words as signs, or ``None`` when it is no expression with at least one operator."""
    for pattern, sign in _SIGNS:
        text = pattern.sub(sign, _ENGLISH_NUMBER.sub(" 1 ", text))
    text = re.sub(r"[〇零一二两三四五六七八九十百千万亿]+", " 1 ", text)
    if not _EXPRESSION.fullmatch(text):
        return None
    python = text.translate(str.maketrans("×x（）", "**()"))
    for word, sign in (("mul", "*"), ("div", "/"), ("sub", "-")):
        python = python.replace(word, sign)
    try:
        tree = ast.parse(python.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    nodes = list(ast.walk(tree.body))
    plainly = all(
        isinstance(node, ast.BinOp | ast.UnaryOp | ast.Constant | ast.operator | ast.unaryop) for node in nodes
    )
    return text if plainly and any(isinstance(node, ast.BinOp) for node in nodes) else None


def _clearly_meant(signs: str) -> bool:
    """Whether an expression that nobody asks the result of is a sum: "3+5" and "100 - 37" are, "10-20", "4x4" and "30*40*50" may not be."""
    operators = _OPERATOR.findall(signs)
    if _CLEAR & set(operators) or _GROUP.search(signs) or len(set(operators)) > 1:
        return True
    if len(operators) > 1 or operators[0] == "x":
        return False
    left, right = (float(part.strip(" ()")) for part in re.split(r"[-*/×]", signs))
    if operators[0] in ("*", "×"):
        return min(left, right) < _SIZE
    spaced = re.search(r"\s[-/]\s", signs) is not None
    return spaced and (operators[0] == "/" or left > right)
