"""The same job with another buffer: its calls gathered, or divided, as a library would do it.

Compiled where there is a C compiler. Each client has a buffer of the given size for each of its
files. Writes that touch or overlap what the buffer holds go into it, as long as it has room for
all of it; it is written when the next write does not fit, when the client reads from the file,
closes it, or ends. Reads are served from it; what it does not hold is read in whole buffers. What
is larger than the buffer goes past it. Seeks disappear: a library knows where it is.
"""

from __future__ import annotations

from array import array

from simulator.runtime.listed import CallTable
from simulator.runtime.operations import CLOSE, OPEN, PASS, PAUSE, READ, SEEK, STAT, WRITE

NONE, CLEAN, DIRTY = 0, 1, 2
"""What a buffer holds: nothing, bytes that were read, bytes to be written."""


class Gatherer:
    """Makes the rows of one client after the other."""

    def __init__(self, table: CallTable, buffer: int, reach: array[int]) -> None:
        self.old_kind = table.kind
        self.old_file = table.file
        self.old_offset = table.offset
        self.old_size = table.size
        self.old_gap = table.gap
        self.ordered = False
        """Whether buffers are written before other clients are made, or waited for."""
        self.reach = reach
        """How far each file goes."""
        files = max(1, len(reach))
        self.sizes = array("q", [buffer]) * files
        """Bytes of the buffer of each file; 0: it has none, and its calls stay as they are."""
        self.owner = array("q", [-1]) * files
        """The client whose buffer of the file this is."""
        self.state = array("q", [NONE]) * files
        self.low = array("q", [0]) * files
        self.high = array("q", [0]) * files
        # The files that the client has had bytes to write for: a chain, with each file once.
        self.chained = array("q", [-1]) * files
        self.next_dirty = array("q", [-1]) * files
        self.first_dirty = -1
        self.pending = 0
        """Computing since the last row that was made; ns."""
        # The rows that are made; each has the number of the row that caused it.
        self.rows = 0
        self.kind = array("b", [0]) * 1024
        self.file = array("i", [0]) * 1024
        self.offset = array("q", [0]) * 1024
        self.size = array("q", [0]) * 1024
        self.gap = array("q", [0]) * 1024
        self.cause = array("q", [0]) * 1024

    def room(self) -> None:
        """Double the room for rows."""
        self.kind = _twice("b", self.kind)
        self.file = _twice("i", self.file)
        self.offset = _twice("q", self.offset)
        self.size = _twice("q", self.size)
        self.gap = _twice("q", self.gap)
        self.cause = _twice("q", self.cause)

    def put(self, cause: int, kind: int, file: int, offset: int, size: int) -> None:
        """Make a row."""
        if self.rows == len(self.kind):
            self.room()
        row = self.rows
        self.kind[row] = kind
        self.file[row] = file
        self.offset[row] = offset
        self.size[row] = size
        self.gap[row] = self.pending
        self.cause[row] = cause
        self.pending = 0
        self.rows = row + 1

    def gather(self, client: int, first: int, end: int) -> None:
        """Take in the rows of a client; what it leaves in its buffers is written at its end.

        That is before a pause and the marks that may follow its last call: others wait for these.
        """
        self.pending = 0
        last = end
        while last > first and self.old_kind[last - 1] == PASS:
            last -= 1
        if last > first and self.old_kind[last - 1] == PAUSE:
            last -= 1
        for row in range(first, end):
            if row == last:
                self.flush_all(row)
            self.take(client, row)
        if last == end:
            self.flush_all(end - 1)
        if self.pending:
            self.put(end - 1, PAUSE, -1, 0, 0)

    def take(self, client: int, row: int) -> None:
        """Take in the next row of a client."""
        self.pending += self.old_gap[row]
        kind, file = self.old_kind[row], self.old_file[row]
        offset, size = self.old_offset[row], self.old_size[row]
        if file < 0:
            if self.ordered and kind != PAUSE:
                self.flush_all(row)
            self.put(row, kind, file, offset, size)
        elif self.sizes[file] == 0:
            self.put(row, kind, file, offset, size)
        elif kind != SEEK:
            self.own(client, file)
            self.buffered(client, row, kind, file, offset, size)

    def buffered(self, client: int, row: int, kind: int, file: int, offset: int, size: int) -> None:
        """Take in a call on a file with a buffer."""
        if kind == WRITE and size > 0:
            self.write(client, row, file, offset, size)
        elif kind == READ and size > 0:
            self.read(row, file, offset, size)
        else:
            if kind not in (READ, WRITE, OPEN, STAT):  # A close, or a sync.
                self.flush(row, file)
            if kind == CLOSE:
                self.state[file] = NONE
            self.put(row, kind, file, offset, size)

    def own(self, client: int, file: int) -> None:
        """Let the buffer of a file be the client's; it begins empty."""
        if self.owner[file] != client:
            self.owner[file] = client
            self.state[file] = NONE

    def write(self, client: int, row: int, file: int, offset: int, size: int) -> None:
        """Write into the buffer, or past it."""
        end = offset + size
        if self.state[file] == DIRTY:
            low = min(self.low[file], offset)
            high = max(self.high[file], end)
            touches = offset <= self.high[file] and end >= self.low[file]
            if touches and high - low <= self.sizes[file]:
                self.low[file] = low
                self.high[file] = high
                return
            self.flush(row, file)
        if size >= self.sizes[file]:
            self.state[file] = NONE
            self.put(row, WRITE, file, offset, size)
            return
        self.state[file] = DIRTY
        self.low[file] = offset
        self.high[file] = end
        if self.chained[file] != client:
            self.chained[file] = client
            self.next_dirty[file] = self.first_dirty
            self.first_dirty = file

    def read(self, row: int, file: int, offset: int, size: int) -> None:
        """Read from the buffer, and what it does not hold in whole buffers."""
        self.flush(row, file)
        end = offset + size
        at = offset
        buffer = self.sizes[file]
        if self.state[file] == CLEAN and self.low[file] <= at < self.high[file]:
            at = min(end, self.high[file])
        while at < end:
            length = end - at
            if length < buffer:
                length = max(length, min(buffer, self.reach[file] - at))
            self.put(row, READ, file, at, length)
            self.state[file] = CLEAN
            self.low[file] = at
            self.high[file] = at + length
            at += length

    def flush(self, row: int, file: int) -> None:
        """Write what the buffer of a file holds."""
        if self.state[file] == DIRTY:
            self.state[file] = NONE
            self.put(row, WRITE, file, self.low[file], self.high[file] - self.low[file])

    def flush_all(self, row: int) -> None:
        """Write what all buffers of the client hold, the last one first."""
        file = self.first_dirty
        while file >= 0:
            self.flush(row, file)
            self.chained[file] = -1
            file = self.next_dirty[file]
        self.first_dirty = -1


def _twice(code: str, column: array[int]) -> array[int]:
    again = array(code)
    again.frombytes(bytes(memoryview(column).cast("B")))
    return again * 2
