import unicodedata

import jieba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.retrieval import stop_words
from program.retrieval.tokenize import tokenize, words

TEXTS = st.text(
    st.sampled_from("aAéßI'’-–_./+#&,1２30 \u00ad的清蒸鲈鱼保修期們Ｘｐ·？!\n\u200b"), max_size=30
) | st.text(max_size=30)


@pytest.mark.parametrize(
    ("indexed", "asked"),
    [
        ("WF-1000XM4", "wf-1000xm4"),
        ("WF-1000XM4", "WF1000XM4"),
        ("WF-1000XM4", "1000XM4"),
        ("WF-1000XM4", "XM4"),
        ("WF-1000XM4", "ＷＦ－１０００ＸＭ４"),
        ("WF-1000XM4 耳机", "WF–1000XM4的保修"),  # a dash for a hyphen
        ("X200-Pro", "X200"),
        ("X200-Pro", "X200 pro"),
        ("X200 Pro", "x200pro"),
        ("故障码 E-04", "E04 是什么"),
        ("故障码E04", "e-04怎么办"),
        ("Ｅ－０４", "E-04"),
        ("K3 Pro", "K3Pro"),
        ("K3Pro打印机", "k3-pro"),
        ("Mate 60 Pro", "Mate60Pro多少钱"),
        ("iPhone15", "iPhone 15"),
        ("Galaxy S9+", "s9"),
        ("16GB 内存", "16 gb"),
        ("售价1,999元", "1999"),
        ("1,234,567 users", "1234567"),
        ("成立于2019，300人", "2019"),
        ("2024.01.15 发布", "2024年"),
        ("wi-fi 设置", "WiFi"),
        ("Send an e-mail", "email"),
        ("Café Zoë", "cafe zoe"),
        ("R&D budget", "r&d"),
        ("John’s printer", "john's"),
        ("manu\u00adal", "manual"),
        ("保修期为两年", "保修多久"),
        ("鱼香肉丝盖饭", "肉丝"),
        ("请輸入訂單編號", "訂單編號"),
    ],
)
def test_a_text_is_found_by_other_spellings_and_parts(indexed: str, asked: str) -> None:
    assert set(tokenize(indexed)) & set(tokenize(asked))


@pytest.mark.parametrize(
    ("indexed", "asked"),
    [
        ("3.5", "35"),  # a decimal point is not dropped
        ("3.5", "3"),
        ("10-20", "1020"),
        ("this thistle", "this"),
        ("don't you?", "don"),
        ("we'll see", "ll"),
        ("it's", "s"),
        ("can't", "ca"),
    ],
)
def test_what_only_looks_alike_is_not_found(indexed: str, asked: str) -> None:
    assert not set(tokenize(indexed)) & set(tokenize(asked))


@pytest.mark.parametrize("code", ["wf-1000xm4", "x200-pro", "e-04", "c++", "c#", "3.5", "2024-01-15", "k3"])
def test_a_code_is_kept_whole(code: str) -> None:
    assert tokenize(code.upper())[0] == code


@pytest.mark.parametrize(
    "text", ["", " \n", "?!", "它的呢", "what is it?", "这个呢", "這個嗎？", "It's the", "——", "\ud800"]
)
def test_a_text_that_says_nothing_has_no_terms(text: str) -> None:
    assert tokenize(text) == []


@pytest.mark.parametrize("text", ["Model S", "vitamin D", "T 恤"])
def test_single_letters_that_name_something_are_terms(text: str) -> None:
    assert len(tokenize(text)) == 2


def test_pairs_run_across_words_and_stop_at_stop_words() -> None:
    assert tokenize("清蒸鲈鱼的步骤") == ["清蒸", "鲈鱼", "蒸鲈", "步骤"]


def test_words_are_the_cut_without_parts() -> None:
    assert words("WF-1000XM4 的保修期, it's 3.5 kg") == ["wf-1000xm4", "保修期", "3.5", "kg"]


@given(TEXTS)
def test_compatibility_forms_do_not_matter(text: str) -> None:
    assert tokenize(unicodedata.normalize("NFKC", text)) == tokenize(text)


@given(TEXTS)
def test_a_term_is_a_folded_word_that_says_something(text: str) -> None:
    for term in tokenize(text):
        assert term == term.casefold()
        assert term.split() == [term]
        assert term not in stop_words.ENGLISH | stop_words.CHINESE


@given(st.lists(TEXTS, min_size=2, max_size=3))
def test_texts_side_by_side_keep_their_terms(texts: list[str]) -> None:
    assert tokenize("\n".join(texts)) == [term for text in texts for term in tokenize(text)]


def test_the_host_s_jieba_words_do_not_change_the_cut() -> None:
    before = tokenize("鲈鱼步骤说明")
    jieba.add_word("鲈鱼步骤")
    try:
        assert tokenize("鲈鱼步骤说明") == before
    finally:
        jieba.del_word("鲈鱼步骤")
