"""The runtime library of LLVM's flang, as its system calls show it.

Found by tracing flang 19.1 and 22.1 on Linux, whose calls this module repeats one for one.
There is no buffer size to choose: the buffer grows with the records.

Writing. A record is put together whole in the buffer, with both its lengths, so nothing is
ever rewritten in the file. The buffer starts at 64 KiB and grows, to what is needed but by
64 KiB at least, when a record alone is larger. Records that fit are written together: when
the next has no room, all before it go out in one write.

Reading. The buffer is filled to its end, beginning with the trailing length of the record
before, and never with less than one whole record.
"""

from __future__ import annotations

from simulator.runtime.records import (
    MARK,
    MAX_TRANSFER,
    READ,
    WRITE,
    Lengths,
    ReadStream,
    RecordStream,
)

GROWTH = 65_536
"""Bytes by which the buffer grows at least, and its first size."""

LONGEST = 2**32 - 1 - 2 * MARK
"""Bytes of the longest record: flang has no subrecords, and its length is unsigned, in 4 bytes."""

# What of a record is put together next; the last is counting it.
_LEAD, _DATA, _TRAIL, _DONE = range(4)


class FlangWrite(RecordStream):
    """Writing: one WRITE statement of one contiguous array for each record."""

    def __init__(self, lengths: Lengths) -> None:
        super().__init__(lengths, longest=LONGEST)
        self._capacity = 0  # Size of the buffer.
        self._start = 0  # Offset in the file of the buffer's first byte.
        self._whole = 0  # Bytes of whole records in the buffer.
        self._out = 0  # Bytes at the buffer's start that have to be written.
        self._part = _LEAD

    def _advance(self) -> bool:
        while True:
            if self._out:
                return self._write()
            if self._record < self._count:
                self._next_part()
            elif self._whole:
                self._out = self._whole
                self._whole = 0
            else:
                return False

    def _next_part(self) -> None:
        part = self._part
        self._part += 1
        if part == _LEAD:
            self._make_room(MARK)
        elif part == _DATA:
            self._make_room(MARK + self._length)
        elif part == _TRAIL:
            self.copied += self._length
            self._make_room(MARK + self._length + MARK)
        else:
            self._whole += MARK + self._length + MARK
            self._part = _LEAD
            self._end_record()

    def _make_room(self, size: int) -> None:
        """See to ``size`` bytes for the current record, after the whole records or alone."""
        if size > self._capacity:
            self._capacity = max(size, self._capacity + GROWTH)
        if self._whole + size > self._capacity:
            self._out = self._whole
            self._whole = 0

    def _write(self) -> bool:
        start, size = self._start, min(self._out, MAX_TRANSFER)
        self._start += size
        self._out -= size
        return self._call(WRITE, start, size)


class FlangRead(ReadStream):
    """Reading: one READ statement of one contiguous array, all of the record, for each."""

    def __init__(self, lengths: Lengths) -> None:
        super().__init__(lengths, longest=LONGEST)
        self._capacity = 0  # Size of the buffer.
        self._start = 0  # Offset in the file of the buffer's first byte.
        self._end = 0  # Offset in the file after the buffer's last byte.
        self._frame = 0  # Offset in the file of what must be in the buffer.
        self._before = 0  # Bytes of the frame before the record: the length that ends the last.
        self._want = MARK  # Bytes of the frame that must be in the buffer.
        self._part = _LEAD
        self._make_room()

    def _advance(self) -> bool:
        while self._record < self._count:
            if self._end < self._frame + self._want:
                return self._read()
            self._next_part()
        return False

    def _next_part(self) -> None:
        record = MARK + self._length
        if self._part == _LEAD:
            self._part = _DATA
            self._want = self._before + record + MARK
        else:
            self.copied += self._length
            self._frame += self._before + record
            self._before = MARK
            self._part = _LEAD
            self._want = MARK + MARK
            self._end_record()
        self._make_room()

    def _make_room(self) -> None:
        """Let the buffer hold the frame, dropping what comes before it if it must."""
        if self._want > self._capacity:
            self._capacity = max(self._want, self._capacity + GROWTH)
        if self._frame + self._want > self._start + self._capacity:
            self._start = self._frame

    def _read(self) -> bool:
        start = self._end
        room = self._start + self._capacity - start
        self._end = self._within_file(start + min(room, MAX_TRANSFER))
        return self._call(READ, start, self._end - start)
