"""``python -m cli.settings_page``: docs/settings.md, from the settings themselves."""

from collections.abc import Iterator

from pydantic import BaseModel

from program.settings import Settings


def settings_page() -> str:
    """Every setting with its default and what it says of itself, as Markdown."""
    lines = [
        "# Settings",
        "",
        "Every parameter of a program that is not a prompt. Change one with `--set NAME=VALUE`, under `settings:` in an experiment, or in code:",
        '`with_overrides(Settings(), ["expand.hyde=true"])` from `program/overrides.py`. A compiled program keeps its own in `settings.yaml`.',
        "",
        "| name | default | what it does |",
        "| --- | --- | --- |",
        *_rows(Settings(), ""),
    ]
    return "\n".join(lines) + "\n"


def _rows(model: BaseModel, prefix: str) -> Iterator[str]:
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if isinstance(value, BaseModel):
            yield from _rows(value, f"{prefix}{name}.")
        else:
            shown = "" if value in ((), {}, "") else f"`{value}`"
            said = " ".join((field.description or "").replace("``", "`").split()).replace("|", "\\|")
            yield f"| `{prefix}{name}` | {shown} | {said} |"


if __name__ == "__main__":
    print(settings_page(), end="")  # noqa: T201 - the page is its output
