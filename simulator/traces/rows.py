"""The rows of a batch, column by column; texts are numbers of :class:`Names`."""

from __future__ import annotations

from array import array
from typing import Any

from simulator.traces.codes import *
from simulator.traces.names import Names
from simulator.traces.used import Used

MOST_REQUESTS = 1024
"""Rows of requests of one call of io_submit."""


class Rows:
    """The columns of the store, for as many rows as a batch has."""

    def __init__(self, files: Names, capacity: int) -> None:
        self.files = Used(files, capacity)
        self.to_files = Used(files, capacity)
        self.capacity = capacity
        self.last = capacity - min(MOST_REQUESTS, capacity // 4) - 4
        """With so many rows it is full: a call may have more than one."""
        self.count = 0
        self.arrays: list[array[int]] = []
        self.begin()

    def begin(self) -> None:
        """Begin a new batch, in arrays of its own: the last one's belong to who has it now."""
        self.time = self.array("q")
        self.duration = self.array("q")
        self.offset = self.array("q")
        self.to_offset = self.array("q")
        self.requested = self.array("q")
        self.returned = self.array("q")
        self.pid = self.array("i")
        self.process = self.array("i")
        self.call = self.array("i")
        self.fd = self.array("i")
        self.kind = self.array("i")
        self.file = self.array("i")
        self.to_file = self.array("i")
        self.error = self.array("i")
        self.flags = self.array("i")
        self.count = 0

    def array(self, kind: str) -> memoryview:
        """Return an array that nobody looks at any more, else a new one."""
        for old in self.arrays:
            if old.typecode == kind:
                try:
                    old.append(0)  # refused while somebody has a view of it
                except BufferError:
                    continue
                old.pop()
                self.arrays.remove(old)
                self.arrays.append(old)
                return memoryview(old)
        new = array(kind, bytes((8 if kind == "q" else 4) * self.capacity))
        self.arrays.append(new)
        return memoryview(new)

    def columns(self) -> dict[str, Any]:
        """Return the arrays by the names of the store's columns."""
        return {
            "time_ns": self.time,
            "duration_ns": self.duration,
            "pid": self.pid,
            "process": self.process,
            "call": self.call,
            "fd": self.fd,
            "kind": self.kind,
            "file": self.file,
            "to_file": self.to_file,
            "offset": self.offset,
            "to_offset": self.to_offset,
            "requested": self.requested,
            "returned": self.returned,
            "error": self.error,
            "flags": self.flags,
        }

    def add(
        self,
        time: int,
        duration: int,
        pid: int,
        process: int,
        call: int,
        fd: int,
        kind: int,
        file: int,
        to_file: int,
        offset: int,
        to_offset: int,
        requested: int,
        returned: int,
        error: int,
        flags: int,
    ) -> None:
        """Write a row; where a column has 32 bits, a negative number is none."""
        row = self.count
        self.count = row + 1
        self.time[row] = time
        self.duration[row] = duration
        self.pid[row] = pid
        self.process[row] = process
        self.call[row] = call
        self.fd[row] = fd if fd >= 0 else ABSENT
        self.kind[row] = kind if kind >= 0 else ABSENT
        self.file[row] = self.files.local(file) if file >= 0 else ABSENT
        self.to_file[row] = self.to_files.local(to_file) if to_file >= 0 else ABSENT
        self.offset[row] = offset
        self.to_offset[row] = to_offset
        self.requested[row] = requested
        self.returned[row] = returned
        self.error[row] = error if error >= 0 else ABSENT
        self.flags[row] = flags if flags >= 0 else ABSENT
