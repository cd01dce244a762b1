"""The exchange of two-phase I/O: who has which window of the file, and owes whom what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simulator.runtime.iotables import Asked
from simulator.runtime.subfiles import SubFiles, Whole

if TYPE_CHECKING:
    from simulator.runtime.mpilibrary import LibrarySpec


class Exchange:
    """The file from the first byte asked for to the last, in as many domains as processes.

    A domain begins on a whole block of the buffer cache, and is gone through in windows of the size
    of the library's buffer.
    """

    def __init__(self, asked: Sequence[Asked], library: LibrarySpec, files: SubFiles) -> None:
        self.processes = len(asked)
        self.buffer = library.exchange_buffer
        low = min(int(one.offset[0]) for one in asked)
        high = max(int((one.offset + one.size)[-1]) for one in asked)
        self.low = low // files.block * files.block
        self.high = high
        share = -(-(self.high - self.low) // self.processes)
        self.domain = -(-share // files.block) * files.block
        self.rounds = -(-self.domain // self.buffer)
        self._first = low
        self._bytes = self._count(asked)

    def _count(self, asked: Sequence[Asked]) -> Whole:
        """Bytes of each round, domain and process that wants them."""
        table = np.zeros((self.rounds, self.processes, self.processes), dtype=np.int64)
        for process, one in enumerate(asked):
            offset, size = one.offset - self.low, one.size
            while len(offset):
                domain, within = offset // self.domain, offset % self.domain
                turn = within // self.buffer
                edge = np.minimum((turn + 1) * self.buffer, self.domain) - within
                here = np.minimum(size, edge)
                np.add.at(table[:, :, process], (turn, domain), here)
                rest = size > here
                offset, size = (offset + here)[rest], (size - here)[rest]
        return table

    def window(self, process: int, turn: int) -> tuple[int, int] | None:
        """Where a process's window begins and ends in some round; None if it has none."""
        domain = self.low + process * self.domain
        begin = max(domain + turn * self.buffer, self._first)
        end = min(domain + min(self.domain, (turn + 1) * self.buffer), self.high)
        return (begin, end) if begin < end else None

    def wanted(self, process: int, turn: int) -> int:
        """Bytes of a window that anybody wants."""
        return int(self._bytes[turn, process].sum())

    def given(self, process: int, turn: int, *, write: bool) -> list[int]:
        """Bytes that a process sends to each other; to itself it only copies."""
        row = self._bytes[turn, :, process] if write else self._bytes[turn, process]
        return [int(one) for one in row]

    def taken(self, process: int, turn: int, *, write: bool) -> list[int]:
        """Bytes that it gets from each."""
        return self.given(process, turn, write=not write)

    def memory(self) -> int:
        """Bytes of buffers: windows, and the most that comes or goes in a round."""
        total = self.processes * min(self.buffer, self.domain)
        for process in range(self.processes):
            others = np.arange(self.processes) != process
            out = self._bytes[:, process, others].sum(axis=1)
            into = self._bytes[:, others, process].sum(axis=1)
            total += int(max(out.max(), into.max())) if self.processes > 1 else 0
        return total
