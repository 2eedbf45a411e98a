"""Numbers and units of a rewrite are the conversation's, and those of the query survive."""

from program.guard.choice import without_choice
from program.guard.context import Context, core
from program.guard.quantities import numbers, quantities


def refuse_numbers(rewrite: str, context: Context) -> str | None:
    """Return which number of ``rewrite`` was never said or has another unit, or which of the query is lost, or ``None``."""
    said = context.said_numbers
    values = {one.value for one in said}
    for one in quantities(without_choice(rewrite)):
        if one.value not in values:
            return f"numbers: {one.written} was never said"
        units = {other.unit for other in said if other.value == one.value}
        if one.unit and None not in units and one.unit not in units:
            return f"numbers: {one.written} has another unit"
    kept = numbers(rewrite)
    for one in quantities(without_choice(core(context))):
        if not any(
            one.value == other.value and (one.unit == other.unit or not (one.unit and other.unit)) for other in kept
        ):
            return f"numbers: {one.written} is lost"
    return None
