"""The rule of fair sharing, in whole numbers and without a clock of its own.

``n`` transfers under way each get 1/n of a link. The rule keeps one *virtual time*, the
service that each transfer under way has had so far; a transfer ends when the virtual time
has grown by what it needs (Parekh and Gallager, 1993). It is counted in 1/1024 ns.

Not modelled: shares by weight, a rate limit of single transfers.
"""

from __future__ import annotations

from array import array

SCALE = 10
"""Bits of a nanosecond in the virtual time."""


class FairShare:
    """Processor sharing of one server among transfers, each with a number of its own.

    >>> link = FairShare(2)
    >>> link.add(0, 0, 100); link.add(50, 1, 100)   # at 50 ns half of the first is done
    >>> link.next_end()
    150
    >>> link.finish(150), link.finish(150), link.next_end(), link.finish(200)
    (0, -1, 200, 1)
    """

    def __init__(self, most: int) -> None:
        self.count = 0
        self._virtual = 0
        self._since = 0
        self._goal = array("q", [0]) * max(1, most)
        self._number = array("q", [0]) * max(1, most)

    def add(self, now_ns: int, number: int, service_ns: int) -> None:
        """Begin transfer ``number``, which alone would take ``service_ns``."""
        self._advance(now_ns)
        goal = self._virtual + (service_ns << SCALE)
        place = self.count
        self.count += 1
        while place > 0:
            above = (place - 1) >> 1
            if not self._before(goal, number, above):
                break
            self._goal[place] = self._goal[above]
            self._number[place] = self._number[above]
            place = above
        self._goal[place] = goal
        self._number[place] = number

    def next_end(self) -> int:
        """The time at which the next transfer ends if none is added before; -1 for none."""
        if not self.count:
            return -1
        left = (self._goal[0] - self._virtual) * self.count
        return self._since + max(0, (left + (1 << SCALE) - 1) >> SCALE)

    def finish(self, now_ns: int) -> int:
        """End one transfer that is done by now; returns its number, or -1 if none is."""
        self._advance(now_ns)
        if not self.count or self._goal[0] > self._virtual:
            return -1
        number = self._number[0]
        self.count -= 1
        if self.count:
            self._sink(self._goal[self.count], self._number[self.count])
        else:
            self._virtual = 0
        return number

    def _advance(self, now_ns: int) -> None:
        if self.count:
            self._virtual += ((now_ns - self._since) << SCALE) // self.count
        self._since = now_ns

    def _before(self, goal: int, number: int, place: int) -> bool:
        other = self._goal[place]
        return goal < other or (goal == other and number < self._number[place])

    def _sink(self, goal: int, number: int) -> None:
        """Put what was the last of the heap at its top, and down from there."""
        place = 0
        while True:
            below = 2 * place + 1
            if below >= self.count:
                break
            right = below + 1
            if right < self.count and self._before(self._goal[right], self._number[right], below):
                below = right
            if self._before(goal, number, below):
                break
            self._goal[place] = self._goal[below]
            self._number[place] = self._number[below]
            place = below
        self._goal[place] = goal
        self._number[place] = number
