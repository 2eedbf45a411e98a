"""Reading a dictionary of terms from YAML or CSV, with every bad line reported at once. ``docs/stages/normalise.md`` has the forms."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from data.errors import ConfigError
from data.problems import Problem, shown
from program.normalise.term_rows import BadLineError, Row, csv_rows, yaml_rows
from program.normalise.whole_words import folded
from program.settings import Term

# A screenful: ``fields["problems"]`` has them all.
_PRINTED = 20


def read_terms(path: Path) -> tuple[Term, ...]:
    """Read a dictionary, in file order; entries for one expression (case and width aside) become one term, repeated targets one target.

    Args:
        path: ``.yaml`` or ``.yml``: a mapping of what users say to a target or a list of targets, taken as written (``no`` is a word).
            ``.csv``: two columns, with or without the header ``says,means``; ``a|b`` in the second are two targets. UTF-8, with or
            without a byte order mark.

    Raises:
        ConfigError: No such file, another ending, no UTF-8, no entry, or bad lines: a line for each, with file, line and field.
    """
    read = {".yaml": yaml_rows, ".yml": yaml_rows, ".csv": csv_rows}.get(path.suffix.lower())
    if read is None:
        raise ConfigError(f"{path}: expected a file that ends in .yaml, .yml or .csv", path=str(path))
    entries: list[Term] = []
    problems: list[Problem] = []
    try:
        for row in read(_text(path)):
            bad = list(_problems(path.name, row))
            problems += bad
            if not bad:
                means = tuple(str(target).strip() for target in row.means)
                entries.append(Term(says=str(row.says).strip(), means=means))
    except BadLineError as stop:
        problems.append(Problem(file=path.name, line=stop.line, field="", expected=stop.expected, got=stop.got))
    if not entries and not problems:
        problems.append(Problem(file=path.name, line=None, field="", expected="at least one term", got="none"))
    if problems:
        raise _error(path, problems)
    return _merged(entries)


def _merged(entries: Sequence[Term]) -> tuple[Term, ...]:
    """One term for each expression, in its first spelling, with each of its targets in its first spelling."""
    merged: dict[str, Term] = {}
    for entry in entries:
        known = merged.setdefault(_key(entry.says), Term(says=entry.says, means=entry.means[:1]))
        targets = {_key(target): target for target in reversed(known.means + entry.means)}
        merged[_key(entry.says)] = Term(says=known.says, means=tuple(reversed(targets.values())))
    return tuple(merged.values())


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}", path=str(path)) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path.name}:{line}: expected UTF-8, got another encoding", advice="save it as UTF-8", path=str(path)
        ) from error


def _problems(file: str, row: Row) -> Iterator[Problem]:
    if row.says is None:
        got = "a list or mapping" if file.lower().endswith(("yaml", "yml")) else f"{len(row.means)} columns"
        yield Problem(
            file=file, line=row.line, field="says", expected="one expression (CSV: two columns, says,means)", got=got
        )
        return
    if not folded(row.says):
        yield Problem(file=file, line=row.line, field="says", expected="text that is not blank", got=shown(row.says))
    if not row.means:
        yield Problem(file=file, line=row.line, field="means", expected="at least one target", got="none")
    for target in row.means:
        if target is None:
            yield Problem(
                file=file,
                line=row.line,
                field="means",
                expected="a target or a list of targets",
                got="a list or mapping in it",
            )
        elif not folded(target):
            yield Problem(file=file, line=row.line, field="means", expected="text that is not blank", got=shown(target))


def _key(written: str) -> str:
    return folded(written).casefold()


def _error(path: Path, problems: Sequence[Problem]) -> ConfigError:
    lines = [str(problem) for problem in problems[:_PRINTED]]
    if len(problems) > _PRINTED:
        lines.append(f"… and {len(problems) - _PRINTED} more")
    return ConfigError("\n".join(lines), path=str(path), problems=[problem.model_dump() for problem in problems])
