"""Records of a sequential unformatted file, and the stream of calls that moves them.

A record is its length in 4 bytes, its data, and its length again. A record stream says, one
call at a time, what a Fortran runtime asks of the operating system to write or read a file
of such records. It has no clock and holds no data: who pays how long for a call is decided
elsewhere, and its memory does not grow with the number of records.

Not modelled: formatted files, direct access, appending to or overwriting an existing file,
reading past the last record, calls at open and close (they move nothing).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

SEEK, READ, WRITE = 0, 1, 2

MARK = 4
"""Bytes of one record length; the default of every compiler modelled here."""

MAX_TRANSFER = 2_147_479_552
"""Bytes that Linux moves in one read or write at most; see read(2)."""


NO_LIMIT = 2**63 - 1
"""More bytes than any file holds."""


class Lengths(Protocol):
    """How long each record of a file is, in bytes of user data."""

    @property
    def count(self) -> int:
        """Number of records."""
        ...

    def length(self, i: int) -> int:
        """Bytes of user data in record ``i``, counted from 0."""
        ...


def _check_length(length: int) -> None:
    if length < 0:
        raise ValueError(f"a record has {length} bytes; give a length of 0 or more")


def _check_count(count: int) -> None:
    if count < 0:
        raise ValueError(f"there are {count} records; give a count of 0 or more")


class FixedLengths:
    """``count`` records of one length; the last may differ (a file rarely divides evenly).

    >>> lengths = FixedLengths(100, 3, last=20)
    >>> [lengths.length(i) for i in range(lengths.count)]
    [100, 100, 20]
    """

    def __init__(self, length: int, count: int, last: int | None = None) -> None:
        _check_length(length)
        _check_count(count)
        self.count = count
        self._length = length
        self._last = length if last is None else last
        _check_length(self._last)

    def __repr__(self) -> str:
        return f"FixedLengths({self._length}, {self.count}, last={self._last})"

    def length(self, i: int) -> int:
        """Bytes of user data in record ``i``, counted from 0."""
        return self._last if i == self.count - 1 else self._length


class ListedLengths:
    """Records of listed lengths; with ``count`` the list starts again until that many.

    >>> lengths = ListedLengths((8, 800), count=5)
    >>> [lengths.length(i) for i in range(lengths.count)]
    [8, 800, 8, 800, 8]
    """

    def __init__(self, lengths: Sequence[int], count: int | None = None) -> None:
        self._lengths = tuple(lengths)
        self._cycle = len(self._lengths)
        self.count = self._cycle if count is None else count
        for length in self._lengths:
            _check_length(length)
        _check_count(self.count)
        if self.count and not self._cycle:
            raise ValueError(f"{self.count} records of no listed length; list at least one")

    def __repr__(self) -> str:
        return f"ListedLengths({self._lengths}, count={self.count})"

    def length(self, i: int) -> int:
        """Bytes of user data in record ``i``, counted from 0."""
        return self._lengths[i % self._cycle]


class RecordStream:
    """The calls of one file's sequential write or read, one at a time.

    Before the first :meth:`step` there is no call yet. After the last one ``step`` returns
    False, and ``copied`` and ``records`` hold what the program still did after that call.
    """

    op: int
    """The current call: SEEK, READ or WRITE."""
    offset: int
    """Where a write lands, a read starts, or a seek goes to, in bytes of the file."""
    size: int
    """Bytes the call moves; 0 for a seek, and for a read at the end of the file what is there."""
    copied: int
    """Bytes of user data handed over between the previous call and this one.

    Data that the runtime writes straight from the program counts at the call that writes it.
    """
    records: int
    """Records completed between the previous call and this one."""

    def __init__(self, lengths: Lengths, *, longest: int = NO_LIMIT) -> None:
        self.op = SEEK
        self.offset = 0
        self.size = 0
        self.copied = 0
        self.records = 0
        self._lengths = lengths
        self._count = lengths.count
        self._longest = longest
        self._record = 0
        self._length = self._length_of(0) if self._count else 0

    def step(self) -> bool:
        """Go to the next call; False when there is none."""
        self.copied = 0
        self.records = 0
        return self._advance()

    def _advance(self) -> bool:
        """Do what the program does up to the next call, and say whether there is one."""
        raise NotImplementedError

    def _call(self, op: int, offset: int, size: int) -> bool:
        self.op = op
        self.offset = offset
        self.size = size
        return True

    def _length_of(self, i: int) -> int:
        length = self._lengths.length(i)
        if not 0 <= length <= self._longest:
            raise ValueError(f"record {i} has {length} bytes; give 0 to {self._longest}")
        return length

    def _end_record(self) -> None:
        """Count the current record as done, and take up the next."""
        self.records += 1
        self._record += 1
        if self._record < self._count:
            self._length = self._length_of(self._record)


class ReadStream(RecordStream):
    """A record stream that reads, and so must know where the file ends.

    It looks ahead over the lengths no farther than the read in hand, so that a file of
    any number of records opens at once.
    """

    def __init__(self, lengths: Lengths, *, longest: int = NO_LIMIT) -> None:
        super().__init__(lengths, longest=longest)
        self._seen = 0
        self._seen_end = 0

    def _within_file(self, end: int) -> int:
        """The offset ``end``, or the end of the file if that comes first."""
        while self._seen_end < end and self._seen < self._count:
            self._seen_end += self._extent(self._length_of(self._seen))
            self._seen += 1
        return min(end, self._seen_end)

    def _extent(self, length: int) -> int:
        """Bytes in the file of a record with ``length`` bytes of user data."""
        return length + 2 * MARK
