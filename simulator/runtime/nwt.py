"""The Fortran library of the Numerical Wind Tunnel, as it was and as it was cured.

Everything goes through one buffer, and a call is issued only when the buffer is full
(paper NWT, sec. 4.2). The length of a record is known when its data has gone by, so the
library goes back to write it (sec. 5.2): in the buffer while it is still there, in the file
otherwise. The cure (sec. 5.3) writes the previous record's length in advance, and goes back
only when that was wrong.

Not in the paper, and assumed here: a full buffer is written when the next byte needs room;
the library returns to the end of the file at once; a file is closed with its lengths right.
"""

from __future__ import annotations

from simulator.runtime.records import (
    MARK,
    READ,
    SEEK,
    WRITE,
    Lengths,
    ReadStream,
    RecordStream,
)

DEFAULT_BUFFER = 600_000
"""The system's standard buffer, printed as 600KB (paper NWT, sec. 4.2)."""

LONGEST = 2**31 - 1
"""Bytes of the longest record: its length is a signed number of 4 bytes."""

# What of a record is in hand. The first three go through the buffer.
_LEAD, _DATA, _TRAIL, _BACK, _FIX, _FORTH, _DONE = range(7)


class NwtWrite(RecordStream):
    """Writing through the buffer, with the leading length predicted or not."""

    def __init__(self, lengths: Lengths, *, buffer: int, predicted: bool) -> None:
        super().__init__(lengths, longest=LONGEST)
        self._buffer = buffer
        self._predicted = predicted
        self._prediction = 0
        self._start = 0  # Offset in the file of the buffer's first byte.
        self._fill = 0
        self._lead = 0  # Offset in the file of the current record.
        self._part = _LEAD
        self._left = MARK  # Bytes of the current part that still have to go in.

    def _advance(self) -> bool:
        while self._record < self._count:
            if self._part > _TRAIL:
                if self._part != _DONE:
                    return self._rewrite()
                self._begin_next()
            elif self._left == 0:
                self._next_part()
            elif self._fill == self._buffer:
                return self._write_buffer()
            else:
                self._fill_buffer()
        return self._fill > 0 and self._write_buffer()

    def _fill_buffer(self) -> None:
        moved = min(self._left, self._buffer - self._fill)
        self._fill += moved
        self._left -= moved
        if self._part == _DATA:
            self.copied += moved

    def _write_buffer(self) -> bool:
        start, size = self._start, self._fill
        self._start += size
        self._fill = 0
        return self._call(WRITE, start, size)

    def _next_part(self) -> None:
        if self._part == _LEAD:
            self._part = _DATA
            self._left = self._length
        elif self._part == _DATA:
            self._part = _TRAIL
            self._left = MARK
        else:
            right = self._predicted and self._prediction == self._length
            self._part = _DONE if right or self._lead >= self._start else _BACK

    def _rewrite(self) -> bool:
        """Go back, write what of the length has left the buffer, and return to the end."""
        part = self._part
        self._part += 1
        if part == _BACK:
            return self._call(SEEK, self._lead, 0)
        if part == _FIX:
            return self._call(WRITE, self._lead, min(MARK, self._start - self._lead))
        return self._call(SEEK, self._start, 0)

    def _begin_next(self) -> None:
        self._prediction = self._length
        self._lead = self._start + self._fill
        self._part = _LEAD
        self._left = MARK
        self._end_record()


class NwtRead(ReadStream):
    """Reading buffer by buffer to the end of the file; the last read is short.

    A read is issued when the next byte is not in the buffer. The trailing length of the last
    record is read like any other byte, so every byte of the file is.
    """

    def __init__(self, lengths: Lengths, *, buffer: int) -> None:
        super().__init__(lengths, longest=LONGEST)
        self._buffer = buffer
        self._at = 0  # Offset in the file of the next byte the program takes.
        self._end = 0  # Offset in the file after the buffer's last byte.
        self._part = _LEAD
        self._left = MARK

    def _advance(self) -> bool:
        while self._record < self._count:
            if self._left == 0:
                self._next_part()
            elif self._at == self._end:
                self._end = self._within_file(self._at + self._buffer)
                return self._call(READ, self._at, self._end - self._at)
            else:
                self._take()
        return False

    def _take(self) -> None:
        moved = min(self._left, self._end - self._at)
        self._at += moved
        self._left -= moved
        if self._part == _DATA:
            self.copied += moved

    def _next_part(self) -> None:
        if self._part == _LEAD:
            self._part = _DATA
            self._left = self._length
            return
        if self._part == _DATA:
            self._part = _TRAIL
        else:
            self._part = _LEAD
            self._end_record()
        self._left = MARK
