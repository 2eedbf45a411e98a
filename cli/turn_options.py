"""The options of every command that runs turns: what the program works with, and how."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from cli.options import ApiBaseOption, LmForOption, LmOption, ProgramOption, language_models

if TYPE_CHECKING:
    from program.rewrite_program import RewriteProgram
    from program.settings import GateWords

SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Change a setting of the program, repeatable: expand.hyde=true, time.budget_ms=3000; all are in docs/settings.md.",
        show_default=False,
    ),
]
TermsOption = Annotated[
    Path | None,
    typer.Option(
        "--terms", help="Dictionary of what users say and what the corpus calls it: YAML or CSV.", show_default=False
    ),
]
GateWordsOption = Annotated[
    Path | None,
    typer.Option(
        "--gate-words",
        help="YAML with messages that are not searched, or always: lists under greeting, chitchat, history_question, retrieval.",
        show_default=False,
    ),
]
TableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--table",
        metavar="[NAME=]FILE",
        help="A CSV, TSV, Parquet, DuckDB or SQLite file for questions that count, rank or average, repeatable; --lm writes the SQL.",
        show_default=False,
    ),
]
SceneOption = Annotated[
    str,
    typer.Option(
        "--scene", help="The assistant's role or domain in a line, for the model's rewrite.", show_default=False
    ),
]
TodayOption = Annotated[
    datetime | None,
    typer.Option(
        "--today",
        formats=["%Y-%m-%d"],
        metavar="YYYY-MM-DD",
        help='The user\'s date, to search "yesterday" by its date as well.',
        show_default=False,
    ),
]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--rewrite-cache",
        help="Folder that keeps what the model answers (users' text), so that a repeated turn asks nothing.",
        show_default=False,
    ),
]
LogOption = Annotated[
    Path | None,
    typer.Option(
        "--log", help="Append each turn and its rewrites (users' text) to this JSONL file.", show_default=False
    ),
]
LogShareOption = Annotated[
    float,
    typer.Option(
        "--log-share", min=0.0, max=1.0, help="Part of the turns that --log keeps, the same ones in a replay."
    ),
]


@dataclass(frozen=True)
class TurnOptions:
    """What was chosen on the command line."""

    program: ProgramOption = None
    set_: SetOption = None
    lm: LmOption = None
    lm_for: LmForOption = None
    api_base: ApiBaseOption = None
    scene: SceneOption = ""
    today: TodayOption = None
    terms: TermsOption = None
    gate_words: GateWordsOption = None
    table: TableOption = None
    rewrite_cache: CacheOption = None
    log: LogOption = None
    log_share: LogShareOption = 1.0

    def load(self) -> "RewriteProgram":
        """Return the program with the settings that were changed; terms and words of the gate are added to its own."""
        from program.gate.words import read_gate_words
        from program.normalise.term_file import read_terms

        program = load_program(self.program, self.set_)
        settings = program.settings
        if self.terms is not None:
            settings = settings.model_copy(update={"terms": settings.terms + read_terms(self.terms)})
        if self.gate_words is not None:
            words = _joined(settings.gate.words, read_gate_words(self.gate_words))
            gate = settings.gate.model_copy(update={"words": words})
            settings = settings.model_copy(update={"gate": gate})
        program.settings = settings
        return program

    @contextmanager
    def session(self, retriever: Any) -> Iterator["Session"]:
        """Set up what the program finds in its context, and take it down again."""
        import dspy

        from program.rewrite_cache import RewriteCache
        from program.rewrite_log import RewriteLog
        from program.sql.tables import Tables

        program = self.load()  # first: a mistake in a setting shows before weights are loaded
        # The program's own choice for single signatures; what the command line says comes last and wins.
        chosen = [f"{signature}={name}" for signature, name in program.settings.lms.items() if self.lm]
        general, by_signature = language_models(self.lm, [*chosen, *(self.lm_for or [])], self.api_base)
        tables = Tables.open(self.table) if self.table else None
        cache = RewriteCache(self.rewrite_cache) if self.rewrite_cache else None
        log = RewriteLog(self.log, share=self.log_share) if self.log else None
        try:
            with dspy.context(lm=general, lms=by_signature, rm=retriever, tables=tables, rewrite_cache=cache):
                yield Session(program, self.scene, self.today, log)
        finally:
            if tables is not None:
                tables.close()


@dataclass(frozen=True)
class Session:
    """A program with all it works with."""

    program: "RewriteProgram"
    scene: str
    today: datetime | None
    log: Any

    def run(self, query: str, history: Any) -> Any:
        """Run a turn and log it; the prediction."""
        from program.rewrite_program import rewritten_of

        today = self.today.date() if self.today else None
        prediction = self.program(query=query, history=history, scene=self.scene, today=today)
        if self.log is not None:
            self.log.record(rewritten_of(prediction))
        return prediction


def with_turn_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give ``command`` the options of ``TurnOptions``, and hand them to its parameter ``options`` as one object.

    Typer reads a command's signature; this writes it, so that the options are declared once.
    """
    hints = get_type_hints(TurnOptions, include_extras=True)
    own = [one for name, one in inspect.signature(command, eval_str=True).parameters.items() if name != "options"]
    shared = [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
        for one in fields(TurnOptions)
    ]

    @wraps(command)
    def call(*args: Any, **kwargs: Any) -> None:
        chosen = {one.name: kwargs.pop(one.name) for one in fields(TurnOptions)}
        command(*args, options=TurnOptions(**chosen), **kwargs)

    call.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in [*own, *shared]}
    return call


def _joined(first: "GateWords", second: "GateWords") -> "GateWords":
    return type(first)(**{name: (*listed, *getattr(second, name)) for name, listed in first})


def load_program(folder: Path | None, assignments: list[str] | None) -> "RewriteProgram":
    """Return the program saved in ``folder``, or one with the defaults, with its settings changed as ``--set`` says."""
    from program import artefact
    from program.overrides import with_overrides
    from program.rewrite_program import RewriteProgram

    program = artefact.load(folder) if folder else RewriteProgram()
    program.settings = with_overrides(program.settings, assignments or [])
    return program
