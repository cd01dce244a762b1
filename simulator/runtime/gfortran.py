"""The runtime library of gfortran (libgfortran), as its system calls show it.

Found by tracing gfortran 11.3 and 12.2 on Linux, whose calls this module repeats one for one.

Writing. A request is 4 bytes of length or the data of a record. A request larger than half
the buffer is not buffered when the buffer is empty, and neither when the buffer has no room
for it: then the buffer is written, and the request after it, straight from the program. Any
other request is buffered, after the buffer has been written if it has no room. A record is
four requests: a length of 0, the data, the true length in place of the 0, the length again.
When a record is done and the buffer is at least half full, it is written. So data of up to
half a buffer, less 4 bytes, always finds room behind its length; data that finds none has
driven its length out of the buffer, and costs a write of 4 bytes and two seeks more.

The data is one request for an array of one dimension. An array of more is one request for
each column, its first dimension, although it lies in memory as one piece; an array pointer or
a section with a stride is one for each element. Such data goes through the buffer where it
would otherwise go past it.

Reading. What the buffer holds is taken from it. Of the rest, up to half a buffer is read
through the buffer, a whole buffer at a time; more is read straight to the program. The
trailing length is stepped over: reading on at a place that is not the file's own costs a seek.
Columns and elements are requests here as well.

Records over 2 GiB - 9 B are split into subrecords, each with both its lengths.
"""

from __future__ import annotations

from simulator.runtime.records import (
    MARK,
    MAX_TRANSFER,
    NO_LIMIT,
    READ,
    SEEK,
    WRITE,
    Lengths,
    ReadStream,
    RecordStream,
)

DEFAULT_BUFFER = 131_072
"""Buffer of an unformatted unit while GFORTRAN_UNFORMATTED_BUFFER_SIZE is not set (12.2)."""

MAX_SUBRECORD = 2_147_483_639
"""Bytes of data in one subrecord at most (-fmax-subrecord-length of gfortran)."""

# What of a record is in hand, in the order of the requests.
_LEAD, _DATA, _LEAD_AGAIN, _TRAIL, _END, _DONE = range(6)


class GfortranWrite(RecordStream):
    """Writing: one WRITE statement of one contiguous array for each record.

    ``request`` is the size in bytes of one request, where the data is more than one.
    """

    def __init__(
        self,
        lengths: Lengths,
        *,
        buffer: int,
        request: int = NO_LIMIT,
        max_subrecord: int = MAX_SUBRECORD,
    ) -> None:
        super().__init__(lengths)
        self._buffer = buffer
        self._half = buffer // 2
        self._request_size = request
        self._max_subrecord = max_subrecord
        self._part = _LEAD
        self._left = self._length  # Data bytes that no subrecord has taken yet.
        self._piece = 0  # Data bytes of the current subrecord,
        self._rest = 0  # and those of them that no request has taken yet.
        self._run = request  # Bytes left of the current request.
        self._user = 0  # Data bytes of the request in hand, not counted as copied yet.
        self._at = 0  # Offset in the file of the next request.
        self._start = 0  # Offset in the file of the buffer's first byte.
        self._dirty = 0  # Bytes in the buffer.
        self._place = 0  # The file's own offset, where a call would land.
        # What a request makes the library write: the buffer as it was, and then the request.
        self._out = 0
        self._out_at = 0
        self._straight = 0
        self._straight_at = 0

    def _advance(self) -> bool:
        while True:
            if self._out:
                return self._write_buffer()
            self.copied += self._user
            self._user = 0
            if self._straight:
                return self._write_straight()
            if self._record < self._count:
                self._next_part()
            elif self._dirty:
                self._flush()
            else:
                return False

    def _next_part(self) -> None:
        part = self._part
        self._part += 1
        if part == _LEAD:
            self._piece = min(self._left, self._max_subrecord)
            self._rest = self._piece
            self._left -= self._piece
            self._put(MARK)
        elif part == _DATA:
            self._next_request()
        elif part == _LEAD_AGAIN:
            self._at -= self._piece + MARK
            self._put(MARK)
            self._at += self._piece
        elif part == _TRAIL:
            self._put(MARK)
        elif part == _END:
            self._end_subrecord()
        else:
            self._part = _LEAD
            self._end_record()
            self._left = self._length
            self._run = self._request_size

    def _next_request(self) -> None:
        """Write one request of data, or what the subrecord still takes of it."""
        self._user = min(self._run, self._rest)
        self._put(self._user)
        self._run -= self._user
        self._rest -= self._user
        if self._run == 0:
            self._run = self._request_size
        if self._rest:
            self._part = _DATA

    def _end_subrecord(self) -> None:
        if self._left:
            self._part = _LEAD
        elif self._dirty >= self._half:
            self._flush()

    def _put(self, size: int) -> None:
        """Write ``size`` bytes at the current offset, into the buffer or past it."""
        if size == 0:
            return
        if self._dirty == 0:
            self._start = self._at
        if self._fits(size):
            self._dirty = max(self._dirty, self._at + size - self._start)
        else:
            self._flush()
            if size > self._half:
                self._straight = size
                self._straight_at = self._at
            else:
                self._start = self._at
                self._dirty = size
        self._at += size

    def _fits(self, size: int) -> bool:
        """Whether the buffer takes the request: it must touch what is there, and leave no gap."""
        if self._dirty == 0 and size > self._half:
            return False
        if self._at + size > self._start + self._buffer:
            return False
        return self._start <= self._at <= self._start + self._dirty

    def _flush(self) -> None:
        """Have the buffer written before anything else."""
        self._out = self._dirty
        self._out_at = self._start
        self._dirty = 0

    def _write_buffer(self) -> bool:
        at, size = self._out_at, min(self._out, MAX_TRANSFER)
        if self._place != at:
            return self._seek(at)
        self._out -= size
        self._out_at += size
        return self._write(at, size)

    def _write_straight(self) -> bool:
        at, size = self._straight_at, min(self._straight, MAX_TRANSFER)
        if self._place != at:
            return self._seek(at)
        self._straight -= size
        self._straight_at += size
        return self._write(at, size)

    def _seek(self, at: int) -> bool:
        self._place = at
        return self._call(SEEK, at, 0)

    def _write(self, at: int, size: int) -> bool:
        self._place = at + size
        return self._call(WRITE, at, size)


class GfortranRead(ReadStream):
    """Reading: one READ statement of one contiguous array, all of the record, for each.

    ``request`` is the size in bytes of one request, where the data is more than one.
    """

    def __init__(
        self,
        lengths: Lengths,
        *,
        buffer: int,
        request: int = NO_LIMIT,
        max_subrecord: int = MAX_SUBRECORD,
    ) -> None:
        super().__init__(lengths)
        self._buffer = buffer
        self._half = buffer // 2
        self._request_size = request
        self._max_subrecord = max_subrecord
        self._part = _LEAD
        self._left = self._length  # Data bytes that no subrecord has given yet.
        self._rest = 0  # Data bytes of the current subrecord that no request has taken yet.
        self._run = request  # Bytes left of the current request.
        self._at = 0  # Offset in the file of the next byte the program takes.
        self._want = MARK  # Bytes of the current request that have not arrived.
        self._end = 0  # Offset in the file after the buffer's last byte.
        self._place = 0  # The file's own offset, where a call would land.
        self._straight = 0  # Bytes of the request that are read past the buffer.
        self._arrived = 0  # Bytes that the last call brought to the program.

    def _advance(self) -> bool:
        self._take(self._arrived)
        self._arrived = 0
        if self._straight:
            return self._read_straight()
        while self._record < self._count:
            if self._want == 0:
                self._next_part()
                continue
            self._take(min(self._want, max(0, self._end - self._at)))
            if self._want:
                return self._read()
        return False

    def _take(self, size: int) -> None:
        self._at += size
        self._want -= size
        if self._part == _DATA:
            self.copied += size

    def _next_part(self) -> None:
        if self._part == _LEAD:
            self._part = _DATA
            self._rest = min(self._left, self._max_subrecord)
            self._left -= self._rest
            self._next_request()
        elif self._rest:
            self._next_request()
        else:
            self._end_subrecord()

    def _next_request(self) -> None:
        """Ask for one request of data, or what the subrecord still has of it."""
        self._want = min(self._run, self._rest)
        self._run -= self._want
        self._rest -= self._want
        if self._run == 0:
            self._run = self._request_size

    def _end_subrecord(self) -> None:
        """Step over the trailing length, and ask for the next leading one."""
        self._at += MARK
        self._part = _LEAD
        self._want = MARK
        if self._left == 0:
            self._end_record()
            self._left = self._length
            self._run = self._request_size

    def _read(self) -> bool:
        """Read what the buffer does not have, through it or past it."""
        if self._place != self._at:
            self._place = self._at
            return self._call(SEEK, self._at, 0)
        if self._want > self._half:
            self._straight = self._want
            return self._read_straight()
        self._end = self._within_file(self._at + self._buffer)
        self._place = self._end
        return self._call(READ, self._at, self._end - self._at)

    def _read_straight(self) -> bool:
        size = min(self._straight, MAX_TRANSFER)
        self._straight -= size
        self._arrived = size
        self._place = self._at + size
        return self._call(READ, self._at, size)

    def _extent(self, length: int) -> int:
        pieces = max(1, -(-length // self._max_subrecord))
        return length + pieces * 2 * MARK
