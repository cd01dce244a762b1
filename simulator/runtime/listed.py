"""Programs whose calls are listed one by one, as a trace has them.

A table holds the calls of many clients, one after the other; a client has a stretch of it. A
row says what the client does next, after computing for the row's gap:

- ``SEEK``, ``READ``, ``WRITE``: a call of the operating system; a read or write of 0 bytes
  moves nothing and is one all the same (the end of a file, an error);
- ``OPEN``, ``CLOSE``: no source says what they cost, so they take no time; closing a file that
  the client has written (size 1) may begin its write-back;
- ``PASS``: others may wait for the client to come here; the offset is the number of the mark;
- ``WAIT``: wait for somebody to have passed the mark that the offset names;
- ``PAUSE``: nothing but the gap.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

from simulator.runtime.records import LARGEST_FILE, READ, SEEK, WRITE

OPEN, CLOSE, PASS, WAIT, PAUSE = 3, 4, 5, 6, 7

KINDS = ("seek", "read", "write", "open", "close", "pass", "wait", "pause")
"""The name of each kind of row; its place is the kind's number."""

CALLS = (SEEK, READ, WRITE)
"""Rows that take the time of a call."""


@dataclass(frozen=True)
class CallTable:
    """The calls of many clients; 29 bytes for each, whatever their number."""

    kind: array[int] = field(default_factory=lambda: array("b"))
    file: array[int] = field(default_factory=lambda: array("i"))
    """Number of the file in the plan; -1 for rows without one."""
    offset: array[int] = field(default_factory=lambda: array("q"))
    size: array[int] = field(default_factory=lambda: array("q"))
    """Bytes that the call moves."""
    gap: array[int] = field(default_factory=lambda: array("q"))
    """Computing before it; ns."""
    marks: int = 0
    """How many marks there are, numbered from 0."""

    def __len__(self) -> int:
        return len(self.kind)

    def add(
        self, kind: int, file: int = -1, offset: int = 0, size: int = 0, *, gap: int = 0
    ) -> None:
        """Add one row at the end."""
        self.kind.append(kind)
        self.file.append(file)
        self.offset.append(offset)
        self.size.append(size)
        self.gap.append(gap)

    def faults(self, files: int) -> Iterable[str]:
        """What an engine could not carry out, with the row's number; one row at a time."""
        for i, kind in enumerate(self.kind):
            moves = kind <= CLOSE
            if not 0 <= kind < len(KINDS):
                yield f"row {i} is of kind {kind}; there are 0 to {len(KINDS) - 1}"
            elif moves and not 0 <= self.file[i] < files:
                yield f"row {i} uses file {self.file[i]}; there are {files}"
            elif not moves and kind != PAUSE and not 0 <= self.offset[i] < self.marks:
                yield f"row {i} names mark {self.offset[i]}; there are {self.marks}"
            elif min(self.offset[i], self.size[i], self.gap[i]) < 0:
                yield f"row {i} has a negative number"
            elif self.offset[i] + self.size[i] > LARGEST_FILE:
                yield f"row {i} ends at byte {self.offset[i] + self.size[i]}"
