"""Programs whose calls are listed one by one, as a trace has them.

A table holds the calls of many clients, one after the other; a client has a stretch of it. A
row says what the client does next, after computing for the row's gap:

- ``SEEK``, ``READ``, ``WRITE``: a call of the operating system; a read or write of 0 bytes
  moves nothing and is one all the same (the end of a file, an error);
- ``OPEN``, ``CLOSE``: what the file system's metadata cost; closing a file that the client has
  written (size 1) may begin its write-back;
- ``PASS``: others may wait for the client to come here; the offset is the number of the mark;
- ``READ | DIRECT``, ``WRITE | DIRECT``: past the page cache of the node; ``WRITE | SYNCED``, with
  or without ``DIRECT``: a write whose data go to the device at once;
- ``WAIT``: wait for somebody to have passed the mark that the offset names;
- ``PAUSE``: nothing but the gap;
- ``SYNC``: the file's dirty data go to the device;
- ``STAT``, ``CREATE``, ``LOOKUP`` (of a name that is absent), ``UNLINK``, ``RENAME``, ``MKDIR``,
  ``RMDIR``, ``READDIR``, ``SETATTR``: metadata operations, as ``OPEN`` and ``CLOSE`` are.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from simulator.runtime.records import READ, SEEK, WRITE

OPEN, CLOSE, PASS, WAIT, PAUSE, STAT, SYNC = 3, 4, 5, 6, 7, 8, 9

CREATE, LOOKUP, UNLINK, RENAME, MKDIR, RMDIR, READDIR, SETATTR = range(21, 29)
"""The numbers of ``simulator/plan/codes.py``."""

KINDS = {
    SEEK: "seek",
    READ: "read",
    WRITE: "write",
    OPEN: "open",
    CLOSE: "close",
    PASS: "pass",
    WAIT: "wait",
    PAUSE: "pause",
    STAT: "stat",
    SYNC: "sync",
    CREATE: "create",
    LOOKUP: "lookup",
    UNLINK: "unlink",
    RENAME: "rename",
    MKDIR: "mkdir",
    RMDIR: "rmdir",
    READDIR: "readdir",
    SETATTR: "setattr",
}
"""The name of each kind of row."""

PLAIN, DIRECT, SYNCED = 31, 32, 64
"""Bits of a kind: its number; those of reads and writes beside it."""

DURABLE = {
    WRITE | SYNCED: "write-sync",
    READ | DIRECT: "read-direct",
    WRITE | DIRECT: "write-direct",
    WRITE | DIRECT | SYNCED: "write-direct-sync",
}
"""The name of each kind with such bits."""

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
