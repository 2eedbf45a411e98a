"""The rows of a dictionary of terms, as written, with their lines."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import yaml

from program.normalise.whole_words import folded

_HEADER = ["says", "means"]


class Row(NamedTuple):
    """One entry as written; ``None`` stands for what is no text at all."""

    line: int
    says: str | None
    means: Sequence[str | None]


class BadLineError(Exception):
    """Nothing can be read from ``line`` on."""

    def __init__(self, line: int, expected: str, got: str) -> None:
        super().__init__(expected)
        self.line, self.expected, self.got = line, expected, got


def yaml_rows(text: str) -> Iterator[Row]:
    """Yield the entries of a mapping.

    They are read off the nodes, not the values: nodes have lines, keep repeated keys, and do not turn ``no`` into false.

    Raises:
        BadLineError: No YAML, or no mapping.
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise BadLineError(
            mark.line + 1 if mark else 1, "YAML", " ".join(str(getattr(error, "problem", error)).split())
        ) from error
    if node is None:
        return
    if not isinstance(node, yaml.MappingNode):
        raise BadLineError(node.start_mark.line + 1, "a mapping (says: means)", "something else")
    for key, value in node.value:
        targets = value.value if isinstance(value, yaml.SequenceNode) else [value]
        yield Row(key.start_mark.line + 1, _scalar(key), [_scalar(target) for target in targets])


def _scalar(node: yaml.Node) -> str | None:
    if not isinstance(node, yaml.ScalarNode):
        return None
    return "" if node.value == "~" else str(node.value)


def csv_rows(text: str) -> Iterator[Row]:
    """Yield the rows of two columns, the header and blank ones left out; others with ``says`` None and all their cells.

    Raises:
        BadLineError: A quotation mark is not closed or stands where none may.
    """
    rows = csv.reader(io.StringIO(text, newline=""), strict=True, skipinitialspace=True)
    while True:
        line = rows.line_num + 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise BadLineError(line, "CSV", str(error)) from error
        first = line == 1 and [folded(cell).casefold() for cell in cells] == _HEADER
        if first or not any(cell.strip() for cell in cells):
            continue
        if len(cells) == 2:
            yield Row(line, cells[0], cells[1].split("|"))
        else:
            yield Row(line, None, cells)
