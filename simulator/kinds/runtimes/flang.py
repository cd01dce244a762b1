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

from simulator.runtime.library import Runtime
from simulator.runtime.operations import READ, WRITE
from simulator.runtime.records import MARK, MAX_TRANSFER
from simulator.runtime.streamtable import StreamTable

_GROWTH = 65_536  # Bytes by which the buffer grows at least, and its first size.

# What of a record is put together, or needed, next; the last is counting it.
_NEW, _LEAD, _DATA, _TRAIL, _DONE = range(5)


class Flang(Runtime):
    """LLVM Fortran."""

    default_buffer = 1  # It counts for nothing.
    unbuffered = "whose buffer grows with the records"
    longest = 2**32 - 1 - 2 * MARK
    """There are no subrecords, and a length is unsigned, in 4 bytes."""


# -- writing --------------------------------------------------------------------------------


def next_write(table: StreamTable, row: int) -> int:
    """Go to the next call of a write: one WRITE of one contiguous array for each record."""
    while True:
        if table.out[row]:
            return _write_buffer(table, row)
        if table.record[row] < table.count[row]:
            _put_part(table, row)
        elif table.fill[row]:
            table.out[row] = table.fill[row]
        else:
            return 0


def _put_part(table: StreamTable, row: int) -> None:
    part = table.part[row]
    length = table.length[row]
    if part == _NEW:
        _put_whole_records(table, row)
        return
    table.part[row] = part + 1
    if part == _LEAD:
        _make_room(table, row, MARK)
    elif part == _DATA:
        _make_room(table, row, MARK + length)
    elif part == _TRAIL:
        table.copied[row] += length
        _make_room(table, row, MARK + length + MARK)
    else:
        table.fill[row] += MARK + length + MARK
        table.part[row] = _NEW
        table.go_on(row, 1)


def _put_whole_records(table: StreamTable, row: int) -> None:
    """Put records together that have room in the buffer, or begin one."""
    records = table.fitting(row, table.buffer[row] - table.fill[row])
    if records:
        table.fill[row] += records * (table.length[row] + 2 * MARK)
        table.take_whole(row, records)
    else:
        table.part[row] = _LEAD


def _make_room(table: StreamTable, row: int, size: int) -> None:
    """See to ``size`` bytes for the current record, after the whole records or alone."""
    _grow(table, row, size)
    if table.fill[row] + size > table.buffer[row]:
        table.out[row] = table.fill[row]


def _grow(table: StreamTable, row: int, size: int) -> None:
    if size > table.buffer[row]:
        table.buffer[row] = max(size, table.buffer[row] + _GROWTH)


def _write_buffer(table: StreamTable, row: int) -> int:
    start = table.start[row]
    size = min(table.out[row], MAX_TRANSFER)
    table.start[row] += size
    table.out[row] -= size
    table.fill[row] -= size
    return table.call(row, WRITE, start, size)


# -- reading --------------------------------------------------------------------------------


def next_read(table: StreamTable, row: int) -> int:
    """Go to the next call of a read: one READ of one contiguous array for each record.

    What must be in the buffer begins with the trailing length of the record before.
    """
    while table.record[row] < table.count[row]:
        if table.part[row] == _NEW:
            _take_whole_records(table, row)
        elif table.end[row] < table.at[row] + table.want[row]:
            return _read(table, row)
        else:
            _go_to_next_part(table, row)
    return 0


def _take_whole_records(table: StreamTable, row: int) -> None:
    """Take records that are in the buffer with all their lengths, or begin one."""
    before = _before(table, row)
    records = table.fitting(row, table.end[row] - table.at[row] - before)
    if records:
        table.at[row] += before + records * (table.length[row] + 2 * MARK) - MARK
        table.take_whole(row, records)
    else:
        table.part[row] = _LEAD
        _make_frame(table, row, before + MARK)


def _before(table: StreamTable, row: int) -> int:
    """Bytes that are needed before the current record: the length that ends the one before."""
    return MARK if table.record[row] else 0


def _go_to_next_part(table: StreamTable, row: int) -> None:
    before = _before(table, row)
    length = table.length[row]
    if table.part[row] == _LEAD:
        table.part[row] = _DATA
        _make_frame(table, row, before + MARK + length + MARK)
    else:
        table.copied[row] += length
        table.at[row] += before + MARK + length
        table.part[row] = _NEW
        table.go_on(row, 1)


def _make_frame(table: StreamTable, row: int, want: int) -> None:
    """Make the buffer hold so much from the frame on; drop what comes before if need be."""
    table.want[row] = want
    _grow(table, row, want)
    if table.at[row] + want > table.start[row] + table.buffer[row]:
        table.start[row] = table.at[row]


def _read(table: StreamTable, row: int) -> int:
    start = table.end[row]
    room = table.start[row] + table.buffer[row] - start
    table.end[row] = table.within_file(row, start + min(room, MAX_TRANSFER))
    return table.call(row, READ, start, table.end[row] - start)
