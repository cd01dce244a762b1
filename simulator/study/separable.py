"""Fitted values that move one figure each, which can be fitted apart from the others.

What is left to fit together is smaller, and figures that are expensive to simulate are not
simulated again for a value that does not move them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float64]

LONGEST = 1.0
"""The longest step of a search for a root."""


@dataclass(frozen=True, slots=True)
class Own:
    """A column of derivatives with one entry, and the row of that entry."""

    column: int
    row: int
    alone: bool
    """Whether no other column has an entry in the row."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Derivatives divided into columns that each have a row of their own, and the rest."""

    own: tuple[Own, ...]
    columns: tuple[int, ...]
    """The other columns,"""
    rows: tuple[int, ...]
    """and the rows that are no column's own."""


def parts_of(derived: Vector) -> Parts:
    """Divide a matrix of derivatives; a row that two columns could own is neither's.

    >>> parts = parts_of(np.array([[1.0, 0, 0], [0, 2.0, 3.0], [0, 4.0, 0]]))
    >>> parts.own
    (Own(column=0, row=0, alone=True), Own(column=2, row=1, alone=False))
    >>> parts.columns, parts.rows
    ((1,), (2,))
    """
    moves = derived != 0
    single = [c for c in range(moves.shape[1]) if moves[:, c].sum() == 1]
    row_of = {c: int(moves[:, c].argmax()) for c in single}
    rows = list(row_of.values())
    own = tuple(
        Own(c, row, bool(moves[row].sum() == 1))
        for c, row in row_of.items()
        if rows.count(row) == 1
    )
    columns, taken = {one.column for one in own}, {one.row for one in own}
    return Parts(
        own,
        tuple(c for c in range(moves.shape[1]) if c not in columns),
        tuple(r for r in range(moves.shape[0]) if r not in taken),
    )


def root(
    function: Callable[[float], float | None],
    start: tuple[float, float],
    slope: float,
    bounds: tuple[float, float],
    *,
    near: float,
    most: int,
) -> tuple[float, float]:
    """Search for the root of a function of one variable; returns the best x, and its value there.

    ``start``: the first x and the value there; ``slope``: about how steep it is. The search ends
    where the value is at most ``near``, at a bound that the root lies beyond, or after ``most``
    values. By secants; once two values have different signs the root is kept between them. A
    function that fails (None) is tried at half the step.

    >>> x, value = root(lambda x: x**3 - 8, (1.0, -7.0), 3.0, (0.0, 5.0), near=0.01, most=20)
    >>> round(x, 2)
    2.0
    >>> root(lambda x: x - 8, (1.0, -7.0), 1.0, (0.0, 5.0), near=0.01, most=20)
    (5.0, -3.0)
    """
    x, value = best = start
    ends: dict[bool, float] = {value > 0: x}
    limit = LONGEST
    for _ in range(most):
        if abs(best[1]) <= near:
            break
        step = float(np.clip(-value / slope if slope else limit, -limit, limit))
        there = float(np.clip(x + step, *bounds))
        if len(ends) == 2 and not min(ends.values()) < there < max(ends.values()):
            there = sum(ends.values()) / 2
        if there == x:
            break
        found = function(there)
        if found is None:
            limit /= 2
            continue
        slope = (found - value) / (there - x) or slope
        x, value = there, found
        ends[value > 0] = x
        if abs(value) < abs(best[1]):
            best = x, value
    return best
