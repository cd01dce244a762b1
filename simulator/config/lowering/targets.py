"""Where files begin among the members that they are placed on: in turn, at random, or least used.

A file has two numbers: that of the member that it begins at, in the order in which nodes take turns
(docs/composition.md), and one for the members within a node that a stripe has decided.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from simulator.config.tiers.layout import RANDOM
from simulator.mixing import mix
from simulator.plan.noise import stream_key

if TYPE_CHECKING:
    from simulator.config.lowering.paths import Block


class Placed(NamedTuple):
    """How a stripe places files, if not in turn."""

    how: str
    members: int
    unit: int
    width: int


class Targets:
    """The files that have been placed on each kind of device."""

    def __init__(self, seed: int) -> None:
        self._key = stream_key(seed, 0, "placement")
        self._files: dict[str, int] = defaultdict(int)
        self._used: dict[tuple[str, int], Used] = {}

    def of(self, block: Block, size: int) -> tuple[int, int]:
        """Return the two numbers of the next file, of ``size`` bytes; the second may be -1."""
        number = self._files[block.device]
        self._files[block.device] += 1
        divided, nodes = block.around
        rounds, first = divmod(number, nodes)
        # In each round over the nodes a node gets the stripes of so many files after each other.
        within = rounds * divided + (first if divided > 1 else 0)
        if block.placed is None:
            return number, -1 if within == number else within
        placed = block.placed
        if placed.how == RANDOM:
            return mix(self._key, number) % placed.members, within
        key = block.device, placed.members
        if key not in self._used:
            self._used[key] = Used(placed.members)
        return self._used[key].place(size, placed.unit, placed.width), within


class Used:
    """The bytes that lie on each of some members, by the sizes of their files."""

    def __init__(self, members: int) -> None:
        self.bytes = [0] * members
        self._least = [(0, member) for member in range(members)]
        """A heap of (bytes, member); one whose bytes have changed since does not count."""

    def place(self, size: int, unit: int, width: int) -> int:
        """Place a file that begins where the fewest bytes lie, the first of several."""
        while self._least[0] != (self.bytes[self._least[0][1]], self._least[0][1]):
            heappop(self._least)
        first = self._least[0][1]
        rows, rest = divmod(size, unit * width)
        for index in range(min(width, -(-size // unit))):
            member = (first + index) % len(self.bytes)
            self.bytes[member] += rows * unit + min(max(0, rest - index * unit), unit)
            heappush(self._least, (self.bytes[member], member))
        return first
