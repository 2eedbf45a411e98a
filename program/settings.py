"""Every parameter of a program that is not a prompt. Saved with it as YAML; unknown keys are refused."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

SignatureName = Literal[
    "coreference",
    "multi_query",
    "decomposition",
    "step_back",
    "hypothetical",
    "plan",
    "intent",
    "router",
    "summary",
    "text_to_sql",
    "answer",
    "rerank",
]
"""What a language model can be asked for, each with its own model if wanted (``dspy.context(lms={name: lm})``)."""


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class WindowSettings(_Settings):
    """How much of the conversation the language model sees."""

    turns: int = Field(default=3, ge=0)
    """Exchanges shown, the last ones: a user's message and the assistant's answer to it."""
    message_characters: int = Field(default=100, ge=10)
    """Budget per message, in Chinese characters; English has an equal budget of tokens."""
    message_tokens: int | None = Field(default=None, ge=5)
    """Budget per message in tokens instead."""
    summary: bool = False
    """Have the language model sum up what is older than the window; costs a call whenever that part grows."""


class GateWords(_Settings):
    """Expressions added to those that the gate knows; whole messages, case and punctuation aside."""

    greeting: tuple[str, ...] = ()
    """These only say hello."""
    chitchat: tuple[str, ...] = ()
    """These are thanks, goodbyes and small talk."""
    history_question: tuple[str, ...] = ()
    """These ask what was said in the conversation."""
    retrieval: tuple[str, ...] = ()
    """These always retrieve, whatever the rules think."""


class GateSettings(_Settings):
    """Which turns are not searched at all."""

    rules: bool = True
    """Let the rules keep greetings, small talk, sums and questions about the conversation itself from being searched."""
    ask_lm: bool = False
    """Ask the language model where the rules of the gate (which must be on) are unsure; without an answer the turn is searched."""
    words: GateWords = GateWords()


class RewriteSettings(_Settings):
    """Which rewriters run, and when."""

    rules: bool = True
    """Let the rules put in names and topics that the conversation holds."""
    ask_lm: Literal["never", "unsure", "follow_ups", "every_turn"] = "unsure"
    """``unsure``: only where the rules say so; ``follow_ups``: every turn with history that the rules do not find complete or social;
    ``every_turn``: first and complete ones too."""
    scene: str = ""
    """A line about the assistant's role or domain, for the rewriter alone; a call may bring its own."""
    demos_per_turn: int | None = Field(default=None, ge=0)
    """Demos shown at each turn, the ones most like it; all without a number (``knn_few_shot`` sets it)."""


class ExpandSettings(_Settings):
    """Further queries by the language model; all off by default (``docs/stages/expand.md`` has their measured effect)."""

    plan: bool = False
    """Rewrite, variants and key words in one call, instead of the calls for each."""
    multi_query: int = Field(default=0, ge=0, le=5)
    """Other phrasings of the question; 0 is off, 3 to 5 are useful."""
    decomposition: bool = False
    """Split a question that asks for several things, and search each."""
    multi_hop: bool = False
    """Answer the sub-questions that later ones build on, from passages, before those are searched; needs ``decomposition``."""
    step_back: bool = False
    """Search one more general question as well."""
    hyde: bool = False
    """Search, by vectors alone, for a passage that the model makes up."""


class Term(_Settings):
    """What users say, and what the corpus calls it."""

    says: str = Field(min_length=1)
    means: tuple[str, ...] = Field(min_length=1)


class GuardSettings(_Settings):
    """Which checks a language model's rewrite must pass."""

    answer: bool = True
    """Refuse a rewrite that answers, or asks something else."""
    language: bool = True
    """Refuse another language than the query's."""
    numbers: bool = True
    """Refuse numbers that were never said, and the loss of those in the query."""
    negation: bool = True
    """Refuse the loss of a negation."""
    entities: bool = True
    """Refuse names that were never said, and the loss of those in the query."""
    old_topic: bool = True
    """Refuse an old topic beside a new one."""
    longest_ratio: float = Field(default=4.0, gt=0)
    """A rewrite longer than this many times the query, plus ``longest_extra`` characters, is refused."""
    longest_extra: int = Field(default=60, ge=0)
    """In characters."""
    drift: dict[str, Annotated[float, Field(ge=-1, le=1)]] = Field(default_factory=dict)
    """Least cosine between a rewrite and its turn, by the identity of the embedder (``anaphora calibrate`` sets it); others do not judge."""


class RouteSettings(_Settings):
    """Which engines a query is sent to."""

    rules: bool = True
    """Send codes and quotations to BM25 first, and questions of tables to SQL; without it all is hybrid."""
    ask_lm: bool = False
    """Ask the language model where the rules see nothing special."""
    sql_timeout_ms: int = Field(default=2000, ge=1)
    """For each statement."""
    sql_rows: int = Field(default=20, ge=1)
    """Rows at most that a table gives as hits."""


class FusionSettings(_Settings):
    """How the lists of several queries and engines become one. See ``program.fusion.fuse`` for the strategies."""

    strategy: Literal["best_relative", "best_raw", "rrf", "reserved", "by_confidence"] = "best_relative"
    """How lists are merged, see ``program.fusion.fuse``."""
    vector_share: float = Field(default=0.5, ge=0, le=1)
    """Weight of the vector engine; BM25 has the rest. 0 or 1 leaves the other engine out."""
    keyword_vector_share: float = Field(default=0.4, ge=0, le=1)
    """The same for queries on the keyword route, where it is lower than ``vector_share``."""
    original: float = Field(default=0.3, ge=0)
    """Weight of the original query beside a rewrite; alone it counts fully."""
    rules: float = Field(default=0.7, ge=0)
    """Weight of a rule rewrite beside one by the language model; alone the first one counts fully."""
    further: float = Field(default=0.9, ge=0)
    """Factor for each further candidate of the rules after the first, which names another entity."""
    hedge_below: float = Field(default=0.7, ge=0, le=1)
    """The further candidates are searched only where the rules are less sure than this of the first."""
    title: float = Field(default=0.7, ge=0)
    """Weight of the query under a document's title, where the conversation quotes one in full."""
    context: float = Field(default=0.8, ge=0)
    """Weight of the query with the conversation's topic words, where it is too vague to be resolved."""
    multi_query: float = Field(default=0.5, ge=0)
    """Weight of each phrasing."""
    decomposition: float = Field(default=0.5, ge=0)
    """Weight of each sub-question."""
    step_back: float = Field(default=0.5, ge=0)
    """Weight of the general question."""
    hyde: float = Field(default=0.5, ge=0)
    """Weight of the made-up passage."""
    keywords: float = Field(default=0.5, ge=0)
    """Weight of the plan's key words."""
    terms: float = Field(default=0.9, ge=0)
    """Weight of the leading query with the dictionary's terms, or a date, added."""
    confident_from: float = Field(default=0.6, ge=0, le=1)
    """Confidence from which ``by_confidence`` trusts the rewrite; below it the original's best hits have their slots."""
    rrf_k: int = Field(default=60, ge=1)
    """Constant of ``rrf``: how little the first ranks count above later ones."""
    reserved_slots: int = Field(default=1, ge=0)
    """Last places that ``reserved`` keeps for the original's best hits."""
    depth: int = Field(default=20, ge=1)
    """Hits that each engine gives for each query."""
    unique: Literal["passage", "source"] = "passage"
    """``source`` keeps the best passage of each document."""


class TimeSettings(_Settings):
    """How long a turn may take. Experiments lift the limit: ``dspy.context(budget_ms=math.inf)``."""

    budget_ms: float = Field(default=30_000, gt=0)
    """All of a turn; then it answers with what it has. Generous, for models on two cores: a hosted one answers within 3000."""
    search_share: float = Field(default=0.2, ge=0, lt=1)
    """The part of the budget that is kept for searching: language models are given up before it begins."""
    lm_rest_ms: float = Field(default=30_000, ge=0)
    """How long a language model that hung or failed is left alone."""


class Settings(_Settings):
    """All of it."""

    window: WindowSettings = WindowSettings()
    gate: GateSettings = GateSettings()
    rewrite: RewriteSettings = RewriteSettings()
    expand: ExpandSettings = ExpandSettings()
    terms: tuple[Term, ...] = ()
    """A dictionary of slang and abbreviations, see ``program.normalise.terms``."""
    guard: GuardSettings = GuardSettings()
    route: RouteSettings = RouteSettings()
    fusion: FusionSettings = FusionSettings()
    rerank: Literal["off", "lm", "given"] = "off"
    """``lm``: by the language model, in one list; ``given``: by the reranker of ``dspy.context(reranker=...)``."""
    rerank_depth: int = Field(default=10, ge=2)
    """Hits that a reranker sees."""
    time: TimeSettings = TimeSettings()
    lms: dict[SignatureName, str] = Field(default_factory=dict)
    """Language models of single signatures, as for `--lm-for`; used where there is a general one too."""
    k: int = Field(default=5, ge=1)
    """Hits returned."""
