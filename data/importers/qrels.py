"""Judgements of relevance, in the tab-separated form of BEIR and the four columns of TREC."""

from collections import defaultdict
from pathlib import Path

from data.importers.raw import read_lines
from data.problems import Problem, cut

Qrels = dict[str, dict[str, int]]
"""Grades by query id and passage id, in file order."""


def read_qrels(path: Path, problems: list[Problem]) -> Qrels:
    """Read ``query-id corpus-id score`` (BEIR, with or without its header) or ``query 0 passage grade`` (TREC).

    Columns are parted by tabs, else by any white space. The highest of several grades of a pair counts.
    """
    qrels: Qrels = defaultdict(dict)
    for place, line in read_lines(path, problems):
        columns = line.split("\t") if "\t" in line else line.split()
        columns = [column.strip() for column in columns]
        if place.line == 1 and columns[0].lower() in ("query-id", "query_id", "qid"):
            continue
        if len(columns) not in (3, 4):
            problems.append(place.problem("", "query, passage and score in 3 columns (4 in TREC's form)", cut(line)))
            continue
        query, passage, score = columns[0], columns[-2], columns[-1]
        try:
            grade = int(float(score))
        except (ValueError, OverflowError):
            problems.append(place.problem("score", "a number", cut(score)))
            continue
        if not query or not passage:
            problems.append(place.problem("", "a query id and a passage id", cut(line)))
            continue
        qrels[query][passage] = max(grade, qrels[query].get(passage, grade))
    return dict(qrels)


def relevant(grades: dict[str, int], least: int) -> list[str]:
    """Return the passages whose grade is ``least`` or more, in file order."""
    return [passage for passage, grade in grades.items() if grade >= least]
