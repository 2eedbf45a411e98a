"""Parts of a query that must be found as they are written: codes, model numbers, identifiers, quotations."""

import re
import unicodedata
from collections.abc import Iterator

CHARACTERS_READ = 2000
"""What is longer is a pasted text; rules read its beginning."""

_QUOTED = re.compile(
    r"「[^「」\n]{1,60}」|『[^『』\n]{1,60}』|《[^《》\n]{1,60}》|“[^“”\n]{1,60}”|`[^`\n]{1,60}`|"
    # An inch mark (15") opens no quotation, an apostrophe (users') neither.
    r"(?<![\d\"])\"[^\"\n]{1,60}\"|(?<![\w'])'[^'\n]{2,60}'(?![\w'])|(?<!\w)‘[^‘’\n]{2,60}’(?!\w)"
)
_TOKEN = re.compile(r"(?<![A-Za-z0-9_.])[A-Za-z0-9]+(?:[-_./][A-Za-z0-9]+)*")
_LETTERS_AND_DIGITS = re.compile(r"(?=.*[A-Za-z])(?=.*\d)", re.ASCII)
_UNITS = (
    "[kmcnμ]?m|[km]?g|m?l|[kmg]?wh?|k?v|m?ah?|[kmg]?hz|[kmgt]i?b|[kmg]bps|k|[dc]|fps|dpi|ppm|db|h|hrs?|m?s|mins?|st|nd|rd|th|x|p|am|pm|"
    "px|pt|in|ft|oz|lbs?|bn|usd|rmb|cny|eur|yrs?"
)
# "30cm", "5G", "1080p", "9am", "2nd", "2020s" count something; a range of them does too.
_QUANTITY = re.compile(rf"\d+(?:\.\d+)?(?:{_UNITS})?(?:\d+(?:{_UNITS})?)?", re.IGNORECASE)
# Written like codes, and found everywhere: formats, quarters, places in a list; "24-hour", "3-in-1", "mid-2024".
_COMMON = re.compile(
    r"a[345]|b[45]|mp[34]|h5|[bcop]2[bcop]|co2|h2o|web[23]|q[1-4]|[qh][12]\d{2,4}|\d{2,4}[qh][1-4]|covid-?19|utf-?8|wi-?fi-?\d|"
    r"(?:top|step|option|item|part|page|day|week|level|no)[-.]?\d+|\d+(?:-[a-z]{2,})+|\d+(?:st|nd|rd|th)(?:-[a-z]+)+|"
    r"\d+-[a-z]+-\d+|(?:mid|pre|post)-\d+|24/7\w*",
    re.IGNORECASE,
)
_YEAR = r"(?:19|20)\d\d(?!\d)"
_NUMBERED = re.compile(
    # A standard or a status: "RFC 7231", "ISO 9001", but no money and no year.
    rf"(?<![A-Za-z])(?!(?:USD|RMB|CNY|EUR|GBP|JPY|HKD)\b)[A-Z]{{2,6}}[ -](?!{_YEAR})\d{{3,}}(?![\d.,]*\d)|"
    r"#\d{2,}|(?<!\d)0x[0-9a-fA-F]+|"
    r"(?i:\b(?:error|status|exit)(?: code)?|\bcode)\s*[:#]?\s*\d+|(?:错误码?|错误代码|故障码|报错代?码?|状态码|返回码|代码)\s*[::#]?\s*\d+|"
    r"(?i:\b(?:order|ticket|invoice|case|sku|serial|model|part|issue|contract)(?: (?:number|no\.?|id))?)\s*[:#]?\s*\d{3,}|"
    r"(?:订单|工单|单|发票|合同|编|型|货|序列)号?\s*[::#]?\s*\d{3,}"
)
# A bare number this long names something, unless it counts.
_LONG_NUMBER = re.compile(
    r"(?<![\d.,$€£¥])\d{6,}(?![\d.,]*\d|\s*(?:[元块人个次条台件万亿%年]|yuan|dollars?|euros?|people|users?|rows?|records?|times))",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"\b[A-Za-z]\w*_\w+|(?<![\w-])--[a-z][\w-]+|\b[A-Za-z_]\w*\(\)")


def literals(query: str) -> tuple[str, ...]:
    """Return codes and quotations of ``query``, each once; empty when nothing in it has to be matched to the letter.

    Amounts ("30cm", "5G"), dates, ordinals and formats everyone has ("A4", "MP3") are no codes.
    """
    text = unicodedata.normalize("NFKC", query)[:CHARACTERS_READ]
    return tuple(dict.fromkeys(part for part in (*_quotations(text), *_codes(text)) if part.strip()))


def _quotations(text: str) -> Iterator[str]:
    return (match.group()[1:-1] for match in _QUOTED.finditer(text) if any(map(str.isalnum, match.group())))


def _codes(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        token = match.group()
        if _LETTERS_AND_DIGITS.match(token) and not _COMMON.fullmatch(token) and not _counts(token):
            yield token
    for pattern in (_NUMBERED, _LONG_NUMBER, _IDENTIFIER):
        yield from (match.group() for match in pattern.finditer(text))


def _counts(token: str) -> bool:
    return all(_QUANTITY.fullmatch(part) for part in re.split(r"[-/]", token))
