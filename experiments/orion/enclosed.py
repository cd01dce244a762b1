"""Where a function of whole numbers becomes positive, found with few evaluations.

Each evaluation is a set of simulated runs, so a search should need as few as it can.
"""

from __future__ import annotations

from collections.abc import Callable


def first_true(test: Callable[[int], bool], least: int, guess: int) -> int:
    """Return the first number, not before ``least``, from which on a test holds.

    The search begins at ``guess``, goes away from it in steps that double, and halves the rest.

    >>> first_true(lambda number: number >= 1413, 1, 1414)
    1413
    """
    step, below, above = 1, guess, guess
    if test(guess):
        while above > least and test(below := max(least, guess - step)):
            above, step = below, 2 * step
        if above <= least:
            return least
    else:
        while not test(above := guess + step):
            below, step = above, 2 * step
    while above - below > 1:
        middle = (below + above) // 2
        if test(middle):
            above = middle
        else:
            below = middle
    return above


def enclosed(
    value: Callable[[int], float],
    low: int,
    high: int,
    *,
    near: Callable[[int], int] = lambda _: 1,
    scale: Callable[[int], float] = float,
) -> tuple[int, int]:
    """Return numbers at most ``near(low)`` apart: value(low) < 0 <= value(high).

    That must be so of the two given. A line between the ends, with numbers drawn to ``scale``,
    foretells the crossing; next tried is what lies just beyond it as seen from the nearer end, so
    that the next range is short. Two steps that leave more than half of it are followed by halving.

    >>> enclosed(lambda number: number - 700, 0, 1000)
    (699, 700)
    """
    below, above = value(low), value(high)
    slow, width = 0, high - low
    while high - low > near(low):
        tried = (low + high) // 2
        if slow < 2:
            part = below / (below - above)
            place = scale(low) + part * (scale(high) - scale(low))
            crossing = _number_at(place, low, high, scale)
            room = max(1, near(low) // 2)
            tried = crossing + room if crossing - low < high - crossing else crossing - room
            tried = min(max(tried, low + 1), high - 1)
        found = value(tried)
        if found < 0:
            low, below = tried, found
        else:
            high, above = tried, found
        slow = slow + 1 if 2 * (high - low) > width and slow < 2 else 0
        width = high - low
    return low, high


def _number_at(place: float, low: int, high: int, scale: Callable[[int], float]) -> int:
    """Return the first number whose place is not before the one given."""
    while high - low > 1:
        middle = (low + high) // 2
        if scale(middle) < place:
            low = middle
        else:
            high = middle
    return high
