"""A turn's way through the house. A new stage is a function in ``program/stages`` and a line here."""

from program.stage import Stage
from program.stages.drift import drift
from program.stages.expand import decomposition, hyde, multi_query, step_back
from program.stages.fuse import fuse
from program.stages.gate import SEARCH, gate, intent
from program.stages.guard import Accepted, guard
from program.stages.hops import hops
from program.stages.plan import plan
from program.stages.queries import queries
from program.stages.rerank import rerank
from program.stages.rewrite import rewrite
from program.stages.route import HYBRID, route, router
from program.stages.rules import UNCLEAR, rules
from program.stages.search import search, search_original
from program.stages.sql import sql
from program.stages.terms import terms
from program.stages.window import NO_WINDOW, summary, window
from program.turn import LiveTurn


def _each_on_its_own(turn: LiveTurn) -> bool:
    return not turn.settings.expand.plan


PIPELINE = (
    Stage(window, otherwise=NO_WINDOW),
    Stage(gate, on=lambda turn: turn.settings.gate.rules, otherwise=SEARCH),
    Stage(search_original, waits=True, until="end"),
    Stage(intent, on=lambda turn: turn.settings.gate.ask_lm, waits=True),
    Stage(rules, otherwise=UNCLEAR),
    Stage(summary, on=lambda turn: turn.settings.window.summary, otherwise="", waits=True),
    Stage(plan, on=lambda turn: turn.settings.expand.plan, waits=True),
    Stage(rewrite, on=lambda turn: turn.settings.rewrite.ask_lm != "never", waits=True),
    Stage(
        multi_query,
        on=lambda turn: _each_on_its_own(turn) and turn.settings.expand.multi_query,
        otherwise=(),
        waits=True,
    ),
    Stage(
        decomposition,
        on=lambda turn: _each_on_its_own(turn) and turn.settings.expand.decomposition,
        otherwise=(),
        waits=True,
    ),
    Stage(
        step_back, on=lambda turn: _each_on_its_own(turn) and turn.settings.expand.step_back, otherwise=(), waits=True
    ),
    Stage(hyde, on=lambda turn: _each_on_its_own(turn) and turn.settings.expand.hyde, otherwise=(), waits=True),
    Stage(drift, on=lambda turn: turn.settings.guard.drift, waits=True),
    Stage(guard, otherwise=Accepted()),
    Stage(terms, on=lambda turn: turn.settings.terms or turn.today),
    Stage(hops, on=lambda turn: turn.settings.expand.multi_hop, otherwise=(), waits=True),
    Stage(router, on=lambda turn: turn.settings.route.ask_lm, waits=True),
    Stage(route, otherwise=HYBRID),
    Stage(queries, otherwise=()),
    Stage(sql, on=lambda turn: turn.tables is not None, otherwise=(), waits=True),
    Stage(search, waits=True, until="end"),
    Stage(fuse, otherwise=()),
    Stage(rerank, on=lambda turn: turn.settings.rerank != "off", waits=True, until="end"),
)
