"""Programs whose calls are listed one by one, as in a trace.

A table holds the calls of many clients, one after the other; each client has a contiguous part of
it. A row is the client's next operation, after computing for the row's gap:

- ``SEEK``, ``READ``, ``WRITE``: a call of the operating system; a read or write of 0 bytes is a
  call that moves nothing (the end of a file, an error);
- ``OPEN``, ``CLOSE``: a metadata operation of the file system; closing a file that the client has
  written (size 1) may begin its write-back;
- ``PASS``: a point for which others may wait; the offset is the number of the mark;
- ``READ | DIRECT``, ``WRITE | DIRECT``: bypassing the page cache of the node; ``WRITE | SYNCED``,
  with or without ``DIRECT``: a write whose data go to the device at once;
- ``WAIT``: wait until the mark in the offset has been passed;
- ``PAUSE``: only the gap; with a size, the client then is idle for that many ns, without a
  processor;
- ``SYNC``: the file's dirty data go to the device;
- ``STAT``, ``CREATE``, ``LOOKUP`` (of a name that is absent), ``UNLINK``, ``RENAME``, ``MKDIR``,
  ``RMDIR``, ``READDIR``, ``SETATTR``: metadata operations, as ``OPEN`` and ``CLOSE`` are.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from simulator.runtime.operations import (
    CREATE,
    DIRECT,
    LOCK,
    OPERATIONS,
    READ,
    SETATTR,
    SYNCED,
    WRITE,
    name_of,
)

KINDS = {kind: OPERATIONS[kind] for kind in (*range(LOCK), *range(CREATE, SETATTR + 1))}
"""The name of each kind of row."""

DURABLE = {
    kind: name_of(kind)
    for kind in (WRITE | SYNCED, READ | DIRECT, WRITE | DIRECT, WRITE | DIRECT | SYNCED)
}
"""Names of kinds with these bits."""


@dataclass(slots=True)
class Rows:
    """Operations of processes, a row each, as columns."""

    kind: array[int] = field(default_factory=lambda: array("b"))
    """Operation; a read or a write may have the bits ``DIRECT`` and ``SYNCED``."""
    file: array[int] = field(default_factory=lambda: array("i"))
    """Number of the file in the plan; -1 for rows without one."""
    offset: array[int] = field(default_factory=lambda: array("q"))
    size: array[int] = field(default_factory=lambda: array("q"))
    """Bytes that the call moves; of a pause, ns."""
    gap: array[int] = field(default_factory=lambda: array("q"))
    """Time of the process before the operation; ns."""

    def __len__(self) -> int:
        return len(self.kind)

    def add(
        self, kind: int, file: int = -1, offset: int = 0, size: int = 0, *, gap: int = 0
    ) -> None:
        """Append a row."""
        self.kind.append(kind)
        self.file.append(file)
        self.offset.append(offset)
        self.size.append(size)
        self.gap.append(gap)


@dataclass(slots=True)
class CallTable(Rows):
    """The calls of many clients; 29 bytes per call."""

    marks: int = 0
    """Number of marks, numbered from 0."""
