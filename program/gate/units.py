"""A message as the gate compares it: words and Chinese characters, without punctuation, emoji and case."""

import re
import unicodedata
from typing import NamedTuple

# Traditional forms of what the gate's words and patterns are written with.
_SIMPLIFIED = str.maketrans(
    "謝嗎沒問題對請見妳個說剛麼們結談話過總內幫繼續歷複從現後條煩還這樣減於幾億萬點兩乘講問覽錄記顧輪聽開啟"
    "勞駕慮暫時會兒訊發歲樂節歡讚厲詳細專業慶聖誕陪關係擾",
    "谢吗没问题对请见你个说刚么们结谈话过总内帮继续历复从现后条烦还这样减于几亿万点两乘讲问览录记顾轮听开启"
    "劳驾虑暂时会儿讯发岁乐节欢赞厉详细专业庆圣诞陪关系扰",
)
_EMOTICON = re.compile(r"(?<!\w)[:;=xX]['-]?[()DPpO3/]+(?!\w)|\^_*\^|<3")
_UNIT = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_APOSTROPHE = re.compile(r"(?<=\w)['’‘ʼ`](?=\w)")


class Unit(NamedTuple):
    """A word or a Chinese character, and whether it follows the one before without a break."""

    text: str
    joined: bool


def plain(text: str) -> str:
    """Return ``text`` in half width, lower case and simplified characters (those the gate knows)."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_SIMPLIFIED)


def units(text: str) -> tuple[Unit, ...]:
    """Return the units of ``text`` in order; none for punctuation and emoji alone. Apostrophes are left out ("that's": "thats")."""
    bare = _APOSTROPHE.sub("", plain(_EMOTICON.sub(" ", text)))
    found, end = [], -1
    for match in _UNIT.finditer(bare):
        found.append(Unit(match.group(), match.start() == end))
        end = match.end()
    return tuple(found)


def spelling(text: str) -> tuple[str, ...]:
    """Return what two messages have in common that differ in case, punctuation and emoji alone; of emoji alone, the emoji."""
    return tuple(unit.text for unit in units(text)) or tuple(plain(text).split())
