"""The foot of every command's ``--help``."""


def examples(*commands: str) -> str:
    """Return the ``epilog`` of a command in Markdown: ``commands``, one a line, as they are typed."""
    return "\n\n".join(["**Examples**", *(f"    {command}" for command in commands)])
