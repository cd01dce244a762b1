"""Lattices: the combinations of levels of several axes, each with a number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence


class Lattice:
    """All combinations of so many levels of each axis; the first axis varies slowest.

    >>> lattice = Lattice([2, 3])
    >>> lattice.size, lattice.places(4), lattice.number((1, 1))
    (6, (1, 1), 4)
    """

    def __init__(self, lengths: Sequence[int]) -> None:
        self.lengths = tuple(lengths)

    @property
    def size(self) -> int:
        """The number of combinations."""
        return math.prod(self.lengths)

    def places(self, number: int) -> tuple[int, ...]:
        """Return the level of each axis in the combination of this number, from 0."""
        places = []
        for length in reversed(self.lengths):
            number, place = divmod(number, length)
            places.append(place)
        return tuple(reversed(places))

    def number(self, places: Iterable[int]) -> int:
        """Return the number of the combination with these levels of the axes."""
        number = 0
        for length, place in zip(self.lengths, places, strict=True):
            number = number * length + place
        return number

    def step(self, number: int, *steps: tuple[int, int]) -> int | None:
        """Return the combination so many levels further on some axes; None if there is none.

        >>> Lattice([2, 3]).step(4, (0, -1), (1, 1)), Lattice([2, 3]).step(4, (0, 1))
        (2, None)
        """
        places = list(self.places(number))
        for axis, levels in steps:
            places[axis] += levels
            if not 0 <= places[axis] < self.lengths[axis]:
                return None
        return self.number(places)
