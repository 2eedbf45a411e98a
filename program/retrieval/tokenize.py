"""The one tokeniser: what is indexed and what is asked are cut the same way.

Words are folded (case, width, accents) and lose stop words; Chinese runs are cut by jieba. A code such as ``WF-1000XM4`` is kept whole
and is also findable by its parts and without its hyphens.
"""

import contextlib
import functools
import itertools
import logging
import re
import unicodedata
from collections.abc import Iterator

import jieba

from program.retrieval import stop_words
from program.retrieval.cache import cache_folder

VERSION = "1"
"""Changes when the cut changes: an index built with another version is refused."""

_CHINESE = "\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_WORD = rf"[^\W_{_CHINESE}]+"
_RUN = re.compile(rf"{_WORD}(?:[-_./+'&]{_WORD})*[+#]*|[{_CHINESE}]+")
# The parts of a run; "3.5" is one part, "2024.01.15" three.
_PART = re.compile(r"(?<![\d.])\d+\.\d+(?!\d|\.\d)[^-_./+'&#]*|[^-_./+'&#]+")
# What is written together here and apart there: "Mate60Pro" and "Mate 60 Pro". A letter and a number stay together ("K3", "5G").
_PIECE = re.compile(r"\d+(?:\.\d+)?[^\W\d_](?![^\W_])|(?<![^\W\d_])[^\W\d_]\d+|\d+(?:\.\d+)?|[^\W\d_]+")

_STOP_WORDS = stop_words.ENGLISH | stop_words.CHINESE
_JOINERS = str.maketrans("", "", "-_+'&#")
_FIRST_IDEOGRAPH = re.compile(f"[{_CHINESE}]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_VARIANTS = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-")
    | dict.fromkeys("\u2018\u2019\u02bc", "'")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff")  # invisible: left inside words by PDFs and web pages
)
_THOUSANDS = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\d,])")
_CONTRACTION = re.compile(r"(?<!\w)(?:ca|wo|sha|ai)n't(?!\w)|n't(?!\w)|'(?:s|t|m|ll|re|ve|d)(?!\w)")


def tokenize(text: str) -> list[str]:
    """Cut ``text`` into index terms, in order, repeats kept.

    Compatibility forms are folded (NFKC: full-width letters and digits), and so are case, accents, the kinds of hyphen and apostrophe,
    and thousands separators. A code is followed by its parts; Chinese words that stand together, by the pairs of characters across them.
    Text without a single term, such as "?!" or "它的呢", gives an empty list: such a query finds nothing rather than everything.
    """
    return [term for run in _RUN.findall(_fold(text)) for term in (_chinese if _is_chinese(run) else _latin)(run)]


def words(text: str) -> list[str]:
    """Cut ``text`` into words and codes, folded like index terms, each once where it stands: ``tokenize`` without the parts."""
    runs = _RUN.findall(_fold(text))
    return [word for run in runs for word in (_cut(run) if _is_chinese(run) else [run]) if word not in _STOP_WORDS]


def _fold(text: str) -> str:
    text = unicodedata.normalize("NFKD", text).translate(_VARIANTS)
    text = unicodedata.normalize("NFC", _ACCENTS.sub("", text).casefold())
    return _CONTRACTION.sub(" ", _THOUSANDS.sub(lambda number: number[0].replace(",", ""), text))


def _chinese(run: str) -> Iterator[str]:
    """Words, and pairs of characters.

    jieba cuts a word otherwise in other surroundings ("保修期", "保修"), and a name that it does not know into pieces that stand
    anywhere; pairs are the same everywhere and keep the order. BM25 recall@5 of KdConv's entity oracle, dev: .570 with words alone,
    .587 with pairs inside long words, .628 with pairs across words.
    """
    for is_stop_word, stretch in itertools.groupby(_cut(run), _STOP_WORDS.__contains__):
        if not is_stop_word:
            together = list(stretch)
            joined = "".join(together)
            yield from together
            yield from (pair for pair in map("".join, itertools.pairwise(joined)) if pair not in together)


def _latin(run: str) -> Iterator[str]:
    """The word itself; for a code or a compound also its other spellings and its parts."""
    return (form for form in dict.fromkeys(_forms(run)) if form not in _STOP_WORDS)


def _forms(run: str) -> Iterator[str]:
    parts = _PART.findall(run)
    is_code = any(character.isdigit() for character in run)
    if is_code or len(parts) == 1:
        yield run
    joined = run.translate(_JOINERS)
    if len(parts) > 1 and joined.isalnum() and not joined.isdigit():
        yield joined
    for part in parts:
        yield part
        if is_code:
            yield from (piece for piece in _PIECE.findall(part) if len(piece) > 1 or piece.isdigit())


def _is_chinese(run: str) -> bool:
    return _FIRST_IDEOGRAPH.match(run) is not None


def _cut(run: str) -> Iterator[str]:
    cut: Iterator[str] = cutter().cut(run)
    return cut


@functools.cache
def cutter() -> jieba.Tokenizer:
    """An own cutter: words that other code adds to jieba's global one would cut queries otherwise than the index."""
    jieba.setLogLevel(logging.CRITICAL)  # that it cannot write its cache is no news
    cutter = jieba.Tokenizer()
    folder = cache_folder()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    cutter.tmp_dir = str(folder)  # jieba's own choice, the common temporary folder, may be missing in a container
    return cutter
