"""What rewriting gave and what it took, against searching with the original query."""

from collections.abc import Sequence


def gain(original: Sequence[float], program: Sequence[float]) -> float:
    """Return the mean of the program's recall less the original's, -1 to 1; positive is better.

    Args:
        original: Recall of the original query, one value a turn.
        program: Recall of the program for the same turns in the same order.

    Raises:
        ValueError: Different lengths, or no turns.
    """
    _check_pairs(original, program)
    return sum(after - before for before, after in zip(original, program, strict=True)) / len(original)


def harm_rate(original: Sequence[float], program: Sequence[float]) -> float | None:
    """Return the share of the original query's finds that the program damaged, 0 to 1; lower is better.

    A find is a turn where the original has a recall above 0; it is damaged when the program's recall is lower. A mean
    gain can hide this: users notice the question that worked yesterday.

    Returns:
        None when the original found nothing, for then there was nothing to lose: neither 0 (safe) nor 1.

    Raises:
        ValueError: Different lengths, or no turns.
    """
    _check_pairs(original, program)
    damaged = [after < before for before, after in zip(original, program, strict=True) if before > 0]
    return sum(damaged) / len(damaged) if damaged else None


def _check_pairs(original: Sequence[float], program: Sequence[float]) -> None:
    if len(original) != len(program):
        raise ValueError(f"{len(original)} values of the original and {len(program)} of the program: expected pairs")
    if not original:
        raise ValueError("no turns to compare")
