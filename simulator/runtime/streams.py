"""Record streams of all runtimes: start a stream, and advance from call to call.

A record stream is the sequence of calls with which a runtime writes or reads a file of records. It
has no clock and holds no data: the times of calls are determined elsewhere.

Not modelled: formatted files, direct access, appending to or overwriting an existing file,
reading past the last record, calls at open and close (they move nothing).
"""

from __future__ import annotations

from array import array
from functools import partial
from itertools import accumulate, chain

from simulator.kinds import class_of, runtimes
from simulator.kinds.runtimes import flang, gfortran, nwt, posix
from simulator.kinds.runtimes.gfortran import MAX_SUBRECORD
from simulator.runtime.lengthtable import ROW as LENGTHS
from simulator.runtime.lengthtable import LengthTable
from simulator.runtime.library import CELLS, Library, check_count, listed
from simulator.runtime.operations import READ, WRITE
from simulator.runtime.policies import FLANG as _FLANG
from simulator.runtime.policies import GFORTRAN as _GFORTRAN
from simulator.runtime.policies import POLICY_NAMES, runtime_of
from simulator.runtime.records import LARGEST_FILE, MARK, NO_LIMIT
from simulator.runtime.streamtable import ROW, StreamTable

_ENDLESS = 2 * LARGEST_FILE  # A buffer that is never full, nor half full.

_LISTED = len(POLICY_NAMES)  # From this number on a policy is a list of calls.
_NEXT = (
    (nwt.next_read, partial(nwt.next_write, predicted=0)),
    (nwt.next_read, partial(nwt.next_write, predicted=1)),
    (gfortran.next_read, gfortran.next_write),
    (flang.next_read, flang.next_write),
    (posix.next_read, posix.next_write),
)
"""By policy: the functions that advance a read, and a write."""
_LONGEST = tuple(runtime_of(name).longest for name in POLICY_NAMES)


class RecordStreams(StreamTable):
    """A table of streams. Rows are independent, and may be restarted at any time.

    The rows are 0, ``ROW``, ``2 * ROW``, ...: each is named by its first cell.

    After a :meth:`step` the columns ``op``, ``offset`` and ``size`` describe the call, and
    ``copied`` and ``records`` the program's work before it: bytes of user data copied, and records
    completed. Data that is written straight from the program counts at the call that writes it, and
    data that is read straight to it after the call. Before the first step there is no call yet.
    After the last one ``step`` returns 0, and ``copied`` and ``records`` hold the program's
    remaining work.

    >>> from simulator.runtime.lengthtable import LengthTable
    >>> lengths = LengthTable()
    >>> records = lengths.add_in_turn([52], count=1, last=52)
    >>> streams = RecordStreams(2, lengths)
    >>> nwt = POLICY_NAMES.index("nwt")
    >>> streams.begin(ROW, nwt, write=1, buffer=50, request=1, lengths_row=records)
    >>> streams.step(ROW), streams.op[ROW], streams.offset[ROW], streams.size[ROW]
    (1, 2, 0, 50)
    >>> streams.copied[ROW]
    46
    """

    def __init__(self, rows: int, lengths: LengthTable, subrecord: int = MAX_SUBRECORD) -> None:
        if subrecord < 1:
            raise ValueError(f"a subrecord has {subrecord} bytes; give 1 or more")
        super().__init__(rows, lengths, subrecord)
        self._listings: dict[tuple[str, int, int, int], int] = {}
        self._calls: list[array[int]] = []
        """The calls of each listed policy."""

    def number_of(self, name: str, write: int, buffer: int, lengths_row: int) -> int:
        """Return the number with which streams of a policy begin, for reads or writes.

        It is the same for all streams, except those of a user's library, whose calls are listed
        here. InputError if that makes impossible calls.
        """
        if name in POLICY_NAMES:
            return POLICY_NAMES.index(name)
        key = (name, int(bool(write)), buffer, lengths_row)
        if key not in self._listings:
            self.check(_LISTED - 1, buffer, NO_LIMIT, lengths_row)
            count = self.lengths.count[lengths_row]
            check_count(name, count)
            lengths = [self.lengths.length(lengths_row, i) for i in range(count)]
            steps = listed(_library(name), lengths, buffer, write=bool(write))
            self._calls.append(steps)
            self._listings[key] = _LISTED + len(self._listings)
        return self._listings[key]

    def all_calls(self) -> array[int]:
        """Return the calls of all listed policies, concatenated."""
        return array("q", chain.from_iterable(self._calls))

    def all_firsts(self) -> array[int]:
        """Return the first call of each listed policy."""
        sizes = (len(calls) // CELLS for calls in self._calls)
        return array("q", [0, *accumulate(sizes)][:-1])

    def check(self, policy: int, buffer: int, request: int, lengths_row: int) -> None:
        """Raise ValueError for impossible parameters of a stream."""
        most = _LISTED + len(self._listings) - 1
        if not 0 <= policy <= most:
            raise ValueError(f"there is no policy {policy}; give 0 to {most}")
        if not 0 <= lengths_row < self.lengths.rows * LENGTHS or lengths_row % LENGTHS:
            raise ValueError(f"there is no row {lengths_row} of lengths; give one of the table's")
        if buffer < 1:
            raise ValueError(f"the buffer has {buffer} bytes; give 1 or more")
        if request < 1:
            raise ValueError(f"a request has {request} bytes; give 1 or more")
        most = _LONGEST[policy] if policy < _LISTED else NO_LIMIT
        record = self.lengths.first_over(lengths_row, most)
        if record >= 0:
            length = self.lengths.length(lengths_row, record)
            raise ValueError(f"record {record} has {length} bytes; give 0 to {most}")

    def begin(
        self, row: int, policy: int, write: int, buffer: int, request: int, lengths_row: int
    ) -> None:
        """Begin a new stream in a row, after a :meth:`check`."""
        if not 0 <= row < self.rows * ROW or row % ROW:
            most = (self.rows - 1) * ROW
            raise ValueError(f"there is no stream {row}; give 0, {ROW}, ... to {most}")
        self.check(policy, buffer, request, lengths_row)
        self.restart(row, policy, write, buffer, request, lengths_row)

    def restart(
        self, row: int, policy: int, write: int, buffer: int, request: int, lengths_row: int
    ) -> None:
        """Restart a stream without a check."""
        self.clear(row)
        self.policy[row] = policy
        self.write[row] = write
        self.buffer[row] = 0 if policy == _FLANG else min(buffer, _ENDLESS)
        self.request[row] = request
        self.lengths_row[row] = lengths_row
        self.count[row] = self.lengths.count[lengths_row]
        self.go_on(row, 0)
        if policy < _LISTED and not write:
            most = self.subrecord if policy == _GFORTRAN else NO_LIMIT
            marks = 2 * MARK * self.lengths.pieces(lengths_row, most)
            self.file_end[row] = self.lengths.total[lengths_row] + marks

    def step(self, row: int) -> int:
        """Advance to the next call; return 0 when there is none."""
        self.copied[row] = 0
        self.records[row] = 0
        policy = self.policy[row]
        if policy >= _LISTED:
            return self._listed(row, self._calls[policy - _LISTED])
        return _NEXT[policy][self.write[row]](self, row)

    def add_up(self, row: int) -> tuple[int, int, int, int, int]:
        """Consume all calls of a row; return the sums of those that move bytes.

        These are reads and their bytes, writes and their bytes, and the end of the written bytes.
        """
        reads = read = writes = written = end = 0
        while self.step(row):
            size = self.size[row]
            if size and self.op[row] == READ:
                reads += 1
                read += size
            elif size and self.op[row] == WRITE:
                writes += 1
                written += size
                if self.offset[row] + size > end:  # noqa: PLR1730 - as C
                    end = self.offset[row] + size
        return reads, read, writes, written, end

    def _listed(self, row: int, calls: array[int]) -> int:
        """Advance to the next call of a list."""
        at = self.at[row]
        op, offset, size, self.copied[row], self.records[row] = calls[at : at + CELLS]
        if op < 0:
            return 0
        self.at[row] = at + CELLS
        return self.call(row, op, offset, size)


def _library(name: str) -> Library:
    made: Library = class_of(runtimes, name, Library)()  # type: ignore[type-abstract]
    return made
