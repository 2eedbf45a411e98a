"""What a statement must be before it runs: one SELECT over registered tables and their columns, with listed functions.

Everything is listed that may occur, so that what the parser learns in a later release is refused until someone has thought about it.
The result is written anew from the syntax tree: what was checked is what runs.
"""

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from program.sql.errors import SqlRefused
from program.sql.functions import ALLOWED, allowed_types
from program.sql.read import statement_in

if TYPE_CHECKING:
    from sqlglot import exp

    from program.sql.tables import Tables

LONGEST = 4000
"""Characters of a statement; a small model that writes more repeats itself."""

_LABEL_CHARACTERS = 60
_PARTS = """
Add Alias All Any AtTimeZone Between Boolean CTE Column DPipe DataType DataTypeParam Distinct Div EQ Escape Except Fetch Filter From GT GTE
Glob Group Having ILike Identifier IgnoreNulls In IntDiv Intersect Interval Is Join LT LTE Like Limit Literal Mod Mul NEQ Neg Not Null
NullSafeEQ NullSafeNEQ Offset Order Ordered Paren Pow Qualify Select SimilarTo Star Sub Subquery Table TableAlias Tuple Union Var Where Window
WindowSpec With WithinGroup
"""
_COMPARISONS = "EQ NEQ GT GTE LT LTE Like ILike In NullSafeEQ NullSafeNEQ"


def check(sql: str, tables: "Tables") -> str:
    """Return the one SELECT in ``sql``, a model's answer, with every name in full and quoted.

    Talk and fences around it are left out (``program.sql.read``). A double-quoted word that is no column and is compared with something is
    taken for the string that was meant. Each column of the result must come from a table: a constant there would look like a fact.

    Raises:
        SqlRefused: For any other text, whatever it is; the reason is one line.
    """
    statement = statement_in(sql)
    if statement is None:
        raise SqlRefused("there is no SELECT in it")
    if len(statement) > LONGEST:
        raise SqlRefused(f"it is longer than {LONGEST} characters")
    try:
        return _checked(statement, tables)
    except SqlRefused:
        raise
    except Exception as error:  # the parser raises many kinds on odd text, RecursionError among them
        said = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise SqlRefused(f"it cannot be read: {said.split(' Line: ')[0][:200]}") from error


def _checked(statement: str, tables: "Tables") -> str:
    import sqlglot  # noqa: PLC0415 - an optional extra
    from sqlglot import exp  # noqa: PLC0415
    from sqlglot.errors import ErrorLevel  # noqa: PLC0415
    from sqlglot.optimizer.qualify import qualify  # noqa: PLC0415

    trees = [tree for tree in sqlglot.parse(statement, dialect="duckdb") if tree is not None]
    if len(trees) != 1:
        raise SqlRefused("there is more than one statement; write one SELECT")
    tree = trees[0]
    if not isinstance(tree, exp.Query):
        raise SqlRefused("it is not a SELECT")
    _only_known_parts(tree)
    _only_known_names(tree, tables)
    _strings_in_double_quotes(tree, tables)
    spelling = {name.lower(): name for columns in tables.columns.values() for name in columns}
    spelling |= {name.lower(): name for name in tables.names}
    _label(tree)
    spelling = {one.alias.lower(): one.alias for one in tree.find_all(exp.Alias)} | spelling
    tree = qualify(tree, dialect="duckdb", schema={table: dict(columns) for table, columns in tables.columns.items()})
    _only_known_parts(tree)
    _only_registered(tree, tables)
    for identifier in tree.find_all(exp.Identifier):
        identifier.set("this", spelling.get(identifier.name.lower(), identifier.name))
    return tree.sql("duckdb", comments=False, unsupported_level=ErrorLevel.RAISE)


@functools.cache
def _allowed_parts() -> frozenset[type]:
    from sqlglot import exp  # noqa: PLC0415

    return frozenset(getattr(exp, name) for name in _PARTS.split()) | frozenset(allowed_types())


def _only_known_parts(tree: "exp.Expr") -> None:
    from sqlglot import exp  # noqa: PLC0415

    for node in tree.walk():
        if isinstance(node, exp.Anonymous) and isinstance(node.parent, exp.Table):
            raise SqlRefused(f"tables by function are not allowed: {node.name.lower()}")
        if isinstance(node, exp.Anonymous):
            if node.name.lower() not in ALLOWED:
                raise SqlRefused(f"the function {node.name.lower()} is not allowed")
        elif type(node) not in _allowed_parts():
            kind = node.sql_name().lower() if isinstance(node, exp.Func) else type(node).__name__
            raise SqlRefused(f"{kind} is not allowed; write a plain SELECT")
        elif isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier):
            raise SqlRefused("tables by function are not allowed")


def _only_known_names(tree: "exp.Expr", tables: "Tables") -> None:
    """Say which table is unknown, before the search for columns only says that one is missing."""
    from sqlglot import exp  # noqa: PLC0415

    known = {name.lower() for name in tables.names} | {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if table.args.get("db") or table.name.lower() not in known:
            raise SqlRefused(f"unknown table {table.sql('duckdb')}; the tables are: {', '.join(tables.names)}")


def _strings_in_double_quotes(tree: "exp.Expr", tables: "Tables") -> None:
    from sqlglot import exp  # noqa: PLC0415

    known = {name.lower() for columns in tables.columns.values() for name in columns}
    known |= {one.alias.lower() for one in tree.find_all(exp.Alias)}
    known |= {name.lower() for one in tree.find_all(exp.TableAlias) for name in one.alias_column_names}
    comparisons = tuple(getattr(exp, name) for name in _COMPARISONS.split())
    for column in list(tree.find_all(exp.Column)):
        name = column.this
        is_string = isinstance(name, exp.Identifier) and name.quoted and name.name.lower() not in known
        if is_string and not column.table and isinstance(column.parent, comparisons):
            column.replace(exp.Literal.string(column.name))


def _label(tree: "exp.Expr") -> None:
    """Name each calculated column by its own text, so that a row can be read: "COUNT(*)", not "_col_0"."""
    from sqlglot import exp  # noqa: PLC0415

    for select in tree.find_all(exp.Select):
        for column in list(select.expressions):
            if not isinstance(column, exp.Alias | exp.Column | exp.Star):
                label = column.sql("duckdb", comments=False)[:_LABEL_CHARACTERS]
                column.replace(exp.alias_(column.copy(), label, quoted=True))


def _only_registered(tree: "exp.Expr", tables: "Tables") -> None:
    """Every table is registered or defined where it is used, at least one is registered, and no column of the result is a constant."""
    from sqlglot import exp  # noqa: PLC0415

    known = {name.lower() for name in tables.names}
    resolved = {id(table): is_read for table, is_read in _resolved(tree, known)}
    if any(id(table) not in resolved for table in tree.find_all(exp.Table)):
        raise SqlRefused("a table is used where it is not known")
    if not any(resolved.values()):
        raise SqlRefused("it reads no table")
    for select in tree.find_all(exp.Select):
        made_up = [column for column in select.expressions if not column.find(exp.Column, exp.Count, exp.RowNumber)]
        if made_up and not select.find_ancestor(exp.Exists):
            raise SqlRefused(f"the column {made_up[0].alias_or_name!r} of the result comes from no table")


def _resolved(tree: "exp.Expr", known: set[str]) -> Iterator[tuple["exp.Expr", bool]]:
    """Each table in use that means something, and whether it is a registered one (else a part of the statement)."""
    from sqlglot import exp  # noqa: PLC0415
    from sqlglot.optimizer.scope import traverse_scope  # noqa: PLC0415

    for scope in traverse_scope(tree):
        for node, source in scope.selected_sources.values():
            if not isinstance(source, exp.Table):
                yield node, False
            elif source.name.lower() in known and not source.args.get("db"):
                yield node, True
