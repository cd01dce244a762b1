"""Lengths of files, from the calls on them in the order in which they ended.

``extents.hpp`` has the loop in C++, for where it is compiled. What a read finds was there before
unless a write before it went as far; of a file that is known to be an old one so was what a write
leaves out beyond that. What has no offset goes on where the file was touched last (a read), or to
its end as far as that is known (a write: it was opened for appending).
"""

from __future__ import annotations

from array import array
from importlib.util import find_spec
from typing import Any

from simulator.runtime.operations import READ, WRITE

COMPILED = find_spec("simulator.rowloops") is not None

UNKNOWN = -1
"""An offset that the log does not say."""


class Extents:
    """The lengths of numbered files; bytes."""

    def __init__(self) -> None:
        self.length = array("q")
        """What must have been there before."""
        self.reach = array("q")
        """How far it has been read or written."""
        self.last = array("q")
        """Where it was touched last."""
        self.old = array("b")
        """Whether it is known to be an old one."""
        self.placed = 0
        """Calls without an offset, which got one."""

    def grow(self, files: int) -> None:
        """Make room for so many files."""
        more = max(files - len(self.length), 0)
        for column in (self.length, self.reach, self.last, self.old):
            column.extend([0] * more)

    def add(self, kind: Any, file: Any, offset: Any, size: Any) -> None:
        """Add calls, one after the other; those without an offset get one.

        Each column is an array, of Python's or NumPy's, of 8, 32, 64 and 64 bits.
        """
        if len(kind):
            known = (self.length, self.reach, self.last, self.old)
            if COMPILED:
                from simulator import rowloops

                self.placed += rowloops.follow(kind, file, offset, size, *known)
            else:
                self.placed += follow(kind, file, offset, size, *known)

    def add_one(self, kind: int, file: int, offset: int, size: int) -> None:
        """Add one call."""
        self.add(array("b", [kind]), array("i", [file]), array("q", [offset]), array("q", [size]))


def follow(
    kind: array[int],
    file: array[int],
    offset: array[int],
    size: array[int],
    length: array[int],
    reach: array[int],
    last: array[int],
    old: array[int],
) -> int:
    """Extend the files by calls, one after the other; return how many had no offset."""
    placed = 0
    for i in range(len(kind)):
        if kind[i] != READ and kind[i] != WRITE:
            continue
        number = file[i]
        if offset[i] == UNKNOWN:
            placed += size[i] > 0
            offset[i] = last[number] if kind[i] == READ else reach[number]
        end = offset[i] + size[i]
        if size[i] > 0:
            if kind[i] == READ and end > reach[number]:
                length[number] = end
            elif kind[i] == WRITE and offset[i] > reach[number] and old[number]:
                length[number] = offset[i]
            reach[number] = max(reach[number], end)
            last[number] = end
    return placed
