"""Finding the statement in what a small model writes around it."""

import re

from program.sql.errors import SqlRefused

_FENCED = re.compile(r"```[ \t]*\w*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_INLINE = re.compile(r"^`(?=\s*(?:select|with)(?![a-z0-9_]))(.*?)`?$", re.IGNORECASE | re.DOTALL)
_LABEL = r"(?:(?:sql|query|answer|答案|查询|语句)(?:\s*(?:query|statement|语句|查询))?\s*[:：]\s*)?"
_COMMENT = r"(?:/\*[^\n]*?\*/[ \t]*)*"
# "With this schema, ..." and "Select one" begin a sentence as well; what follows WITH tells them apart.
_QUERY = (
    r'(?:\(\s*)*(?:select(?![a-z0-9_])|with\s+(?:recursive\s+)?(?:"[^"\n]+"|`[^`\n]+`|\w+)\s*(?:\([^)]*\)\s*)?as\b)'
)
_START = re.compile(rf"^[ \t]*{_LABEL}{_COMMENT}(?={_QUERY})", re.IGNORECASE | re.MULTILINE)
_STATEMENT = re.compile(
    r"^[ \t]*(?:alter|analyze|attach|begin|call|checkpoint|comment\s+on|commit|copy|create|deallocate|delete|describe|detach|drop|execute|"
    r"explain|export|grant|import|insert|install|load|merge|pragma|prepare|replace|reset|revoke|rollback|set|show|summarize|truncate|"
    rf"update|use|vacuum|{_QUERY})(?![a-z0-9_])", re.IGNORECASE | re.MULTILINE
)  # fmt: skip
_PIECE = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|([;；])", re.DOTALL)
_TALK = re.compile(
    r"\s*(?:explanation|note|this|the|here|it|in this|说明|解释|注[意：:]|这|该|以上|上述|此)", re.IGNORECASE
)
_CLAUSE = re.compile(
    r"\s*(?:[(),'\"*]|--|/\*|(?:and|as|case|cross|else|end|except|fetch|from|full|group|having|inner|intersect|join|left|limit|offset|on|or|"
    r"order|qualify|right|select|then|union|using|when|where|window|with)\b)", re.IGNORECASE
)  # fmt: skip
_BACKTICKS = re.compile(r"`([^`\"\n]+)`")
# "FROM灯具": a model that joins Chinese words to what is before them leaves out the space there, too.
_GLUED = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\b(select|distinct|from|join|on|where|and|or|not|by|having|as|in|like|between)(?=[\u3400-\u9fff])",
    re.IGNORECASE,
)


def statement_in(text: str) -> str | None:
    """Return the query in ``text``, without fences, labels, talk and the closing semicolon; ``None`` where none begins.

    Backticks around names become double quotes, and a key word is parted from the Chinese name
    that follows it. Of several fenced blocks the first one counts.

    Raises:
        SqlRefused: Another statement stands before or after it.
    """
    fenced = _FENCED.search(text)
    block = fenced.group(1) if fenced else _INLINE.sub(r"\1", text.strip())
    start = _START.search(block)
    if start is None:
        return None
    before, query = block[: start.start()], block[start.end() :]
    if ";" in before or _STATEMENT.search(before):
        raise SqlRefused("there is another statement before the SELECT; write one SELECT")
    end = next((piece.start() for piece in _PIECE.finditer(query) if piece.group(1)), None)
    if end is None:
        query = _without_talk(query)
    else:
        if any(_STATEMENT.search(part) for part in re.split("[;；]", query[end + 1 :])):
            raise SqlRefused("there is more than one statement; write one SELECT")
        query = query[:end]
    query = _BACKTICKS.sub(r'"\1"', query).strip()
    return _GLUED.sub(lambda match: f"{match[0]} " if match[1] else match[0], query)


def _without_talk(query: str) -> str:
    """Cut an explanation off the end. A line that goes on with the statement is kept even after a blank one: it may be the condition."""
    lines = query.splitlines()
    for number in range(1, len(lines)):
        line, after_gap = lines[number], not lines[number - 1].strip()
        if line.strip() and (_TALK.match(line) or (after_gap and not _CLAUSE.match(line))):
            return "\n".join(lines[:number])
    return query
