"""The same job with another buffer: its calls gathered, or divided, as a library would do it.

``buffered.hpp`` is the same in C++, for where it is compiled. Each client has a buffer of the given
size for each of its files. Writes that touch or overlap what the buffer holds go into it, as long
as it has room for all of it; it is written when the next write does not fit, when the client reads
from the file, closes it, or ends. Reads are served from it; what it does not hold is read in whole
buffers. What is larger than the buffer goes past it. Seeks disappear: a library knows where it is.
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

from simulator.runtime.listed import CallTable
from simulator.runtime.operations import CLOSE, OPEN, PASS, PAUSE, READ, SEEK, STAT, WRITE

Row: TypeAlias = tuple[int, int, int, int, int]
"""Kind, file, offset, size and gap."""
NONE, CLEAN, DIRTY = 0, 1, 2
"""What a buffer holds: nothing, bytes that were read, bytes to be written."""


def gather(
    table: CallTable, clients: array[int], sizes: array[int], reach: array[int], ordered: bool
) -> tuple[bytes, ...]:
    """Return the columns of the rows that are made, what row caused each, and where clients end.

    ``clients`` has for each its first row and the one behind its last, ``sizes`` the bytes of the
    buffer of each file (0: it has none, and its calls stay as they are), and ``reach`` how far the
    files go. ``ordered``: buffers are written before other clients are made, or waited for.
    """
    made = Gatherer(sizes, reach, ordered=ordered)
    rows = list(zip(table.kind, table.file, table.offset, table.size, table.gap, strict=True))
    ends = array("q")
    for client in range(len(clients) // 2):
        made.gather(client, rows, clients[2 * client], clients[2 * client + 1])
        ends.append(len(made.rows))
    columns = zip(*made.rows, strict=True) if made.rows else ((),) * 6
    whole = [array(code, column) for code, column in zip("biqqqq", columns, strict=True)]
    return tuple(column.tobytes() for column in (*whole, ends))


class Gatherer:
    """Makes the rows of one client after the other."""

    def __init__(self, sizes: array[int], reach: array[int], *, ordered: bool) -> None:
        self.ordered = ordered
        self.sizes = sizes
        self.reach = reach
        files = len(sizes)
        self.owner = [-1] * files
        """The client whose buffer of the file this is."""
        self.state = [NONE] * files
        self.low = [0] * files
        self.high = [0] * files
        # The files that the client has had bytes to write for: a chain, with each file once.
        self.chained = [-1] * files
        self.next_dirty = [-1] * files
        self.first_dirty = -1
        self.pending = 0
        """Computing since the last row that was made; ns."""
        self.rows: list[tuple[int, int, int, int, int, int]] = []
        """Kind, file, offset, size and gap of each row that is made, and the row that caused it."""

    def put(self, cause: int, kind: int, file: int, offset: int, size: int) -> None:
        """Make a row."""
        self.rows.append((kind, file, offset, size, self.pending, cause))
        self.pending = 0

    def gather(self, client: int, rows: list[Row], first: int, end: int) -> None:
        """Take in the rows of a client; what it leaves in its buffers is written at its end.

        That is before a pause and the marks that may follow its last call: others wait for these.
        """
        self.pending = 0
        last = end
        while last > first and rows[last - 1][0] == PASS:
            last -= 1
        if last > first and rows[last - 1][0] == PAUSE:
            last -= 1
        for row in range(first, end):
            if row == last:
                self.flush_all(row)
            self.take(client, row, *rows[row])
        if last == end:
            self.flush_all(end - 1)
        if self.pending:
            self.put(end - 1, PAUSE, -1, 0, 0)

    def take(
        self, client: int, row: int, kind: int, file: int, offset: int, size: int, gap: int
    ) -> None:
        """Take in the next row of a client."""
        self.pending += gap
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
        """Assign the buffer of a file to the client; it begins empty."""
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
