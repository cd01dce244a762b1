"""The first parts of calls that other lines interrupt, until their second parts come.

A first part is kept in a place: its bytes, and where in them each argument begins. A place that is
free again is used again, so memory grows with the calls that are under way at once.
"""

from __future__ import annotations

from array import array

from simulator.traces.arrays import Longs, grown
from simulator.traces.bytesearch import copy_bytes, cut_bytes
from simulator.traces.codes import *
from simulator.traces.text import Text

FIRST = 64
JOINED = 8192


class Heads:
    """First parts of calls."""

    def __init__(self) -> None:
        self.bytes = bytearray(FIRST * ROOM)
        self.numbers = array("q", [0]) * (FIRST * FIELDS)
        self.next_free = array("q", [-1]) * FIRST
        self.free = -1
        self.count = 0
        self.long: dict[int, bytes] = {}
        self.joined = bytearray(JOINED)
        """A call whose parts were put together, from its first argument on."""
        self.size = 0
        """How much of it is of the first part."""

    def keep(self, text: Text, tokens: Longs, row: int) -> int:
        """Keep the arguments of a token; gives their place."""
        place = self.free
        if place >= 0:
            self.free = self.next_free[place]
        else:
            place = self.count
            if place == len(self.next_free):
                self.grow()
            self.count = place + 1
        start = tokens[row + ARGS]
        end = tokens[row + ARGS_END]
        self.numbers[place * FIELDS] = end - start
        self.numbers[place * FIELDS + 1] = tokens[row + COUNT]
        for k in range(MOST_ARGS):
            self.numbers[place * FIELDS + 2 + k] = tokens[row + ARG + k] - start
        if end - start <= ROOM:
            copy_bytes(self.bytes, place * ROOM, text.bytes, start, end)
        else:
            self.long[place] = cut_bytes(text.bytes, start, end)
        return place

    def grow(self) -> None:
        """Have room for twice as many."""
        size = len(self.bytes)
        longer = bytearray(2 * size)
        copy_bytes(longer, 0, self.bytes, 0, size)
        self.bytes = longer
        self.numbers = grown(self.numbers, 0)
        self.next_free = grown(self.next_free, -1)

    def recall(self, place: int, tokens: Longs, row: int) -> None:
        """Note the arguments of a first part in a token, as they stand in ``joined``."""
        tokens[row + COUNT] = self.numbers[place * FIELDS + 1]
        for k in range(MOST_ARGS):
            tokens[row + ARG + k] = self.numbers[place * FIELDS + 2 + k]

    def leave(self, place: int) -> None:
        """A first part is needed no more."""
        if place >= 0:
            if self.numbers[place * FIELDS] > ROOM:
                del self.long[place]
            self.next_free[place] = self.free
            self.free = place

    def join(self, place: int, text: Text, start: int, end: int) -> int:
        """Put a first part before [start, end) of a text, in ``joined``; gives the length.

        The first part is needed no more. A line's end follows what was joined.
        """
        size = self.numbers[place * FIELDS]
        if size + end - start + 1 > len(self.joined):
            self.joined = bytearray(2 * (size + end - start + 1))
        if size <= ROOM:
            copy_bytes(self.joined, 0, self.bytes, place * ROOM, place * ROOM + size)
        else:
            copy_bytes(self.joined, 0, self.long[place], 0, size)
        copy_bytes(self.joined, size, text.bytes, start, end)
        self.joined[size + end - start] = 10
        self.size = size
        self.leave(place)
        return size + end - start
