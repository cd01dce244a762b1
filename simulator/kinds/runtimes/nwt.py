"""A Fortran library that goes back to write lengths of records: the NWT's, also as it was cured.

Everything goes through one buffer, and a call is issued as soon as the buffer is full (paper
NWT, sec. 4.2). The length of a record is known when its data has gone by, so the library goes
back to write it (sec. 5.2): in the buffer while it is still there, in the file otherwise. The
cure (sec. 5.3) writes the previous record's length in advance, and goes back only when that was
wrong.

Not in the paper, and assumed here: the length waits for the end of its record also where that
fills the buffer, which has been written by then (docs/decisions/0048); the library returns to the
end of the file at once; a file is closed with its lengths right.
Reading fills the buffer when the next byte is not in it. The trailing length of the last
record is read like any other byte, so every byte of the file is.
"""

from __future__ import annotations

from simulator.runtime.library import Runtime
from simulator.runtime.operations import READ, SEEK, WRITE
from simulator.runtime.records import MARK
from simulator.runtime.streamtable import StreamTable


class Nwt(Runtime):
    """The library as it was."""

    default_buffer = 600_000
    """The system's standard buffer, printed as 600KB (paper NWT, sec. 4.2)."""
    longest = 2**31 - 1
    """Its length is a signed number of 4 bytes."""
    goes_back = True


# What of a record comes next. _LEAD to _TRAIL go through the buffer, _BACK to _FORTH are calls.
_NEW, _LEAD, _DATA, _TRAIL, _BACK, _FIX, _FORTH, _DONE = range(8)


# -- writing --------------------------------------------------------------------------------


def next_write(table: StreamTable, row: int, predicted: int) -> int:
    """Go to the next call of a write, with the leading length predicted or not."""
    while table.record[row] < table.count[row]:
        part = table.part[row]
        if part == _NEW:
            _put_whole_records(table, row)
        elif part == _DONE:
            _end_record(table, row)
        elif part >= _BACK:
            return _rewrite(table, row)
        elif table.fill[row] == table.buffer[row]:
            return _write_buffer(table, row)
        elif table.left[row] == 0:
            _end_part(table, row, predicted)
        else:
            _put(table, row)
    return _write_buffer(table, row) if table.fill[row] else 0


def _put_whole_records(table: StreamTable, row: int) -> None:
    """Put records into the buffer that do not fill it with both lengths, or begin one."""
    records = table.fitting(row, table.buffer[row] - table.fill[row] - 1)
    if records:
        table.fill[row] += records * (table.length[row] + 2 * MARK)
        table.prediction[row] = table.length[row]
        table.take_whole(row, records)
    else:
        table.at[row] = table.start[row] + table.fill[row]
        table.part[row] = _LEAD
        table.left[row] = MARK


def _put(table: StreamTable, row: int) -> None:
    """Put into the buffer what it takes of the current part."""
    moved = min(table.left[row], table.buffer[row] - table.fill[row])
    table.fill[row] += moved
    table.left[row] -= moved
    if table.part[row] == _DATA:
        table.copied[row] += moved


def _end_part(table: StreamTable, row: int, predicted: int) -> None:
    part = table.part[row]
    if part == _LEAD:
        table.part[row] = _DATA
        table.left[row] = table.length[row]
    elif part == _DATA:
        table.part[row] = _TRAIL
        table.left[row] = MARK
    elif table.at[row] >= table.start[row]:
        table.part[row] = _DONE  # The leading length is still in the buffer.
    else:
        right = predicted and table.prediction[row] == table.length[row]
        table.part[row] = _DONE if right else _BACK


def _write_buffer(table: StreamTable, row: int) -> int:
    start = table.start[row]
    size = table.fill[row]
    table.start[row] += size
    table.fill[row] = 0
    return table.call(row, WRITE, start, size)


def _rewrite(table: StreamTable, row: int) -> int:
    """Go back, write what of the length has left the buffer, and return to the end."""
    part = table.part[row]
    lead = table.at[row]
    start = table.start[row]
    table.part[row] = part + 1
    if part == _BACK:
        return table.call(row, SEEK, lead, 0)
    if part == _FIX:
        return table.call(row, WRITE, lead, min(MARK, start - lead))
    return table.call(row, SEEK, start, 0)


def _end_record(table: StreamTable, row: int) -> None:
    table.prediction[row] = table.length[row]
    table.part[row] = _NEW
    table.go_on(row, 1)


# -- reading --------------------------------------------------------------------------------


def next_read(table: StreamTable, row: int) -> int:
    """Go to the next call of a read."""
    while table.record[row] < table.count[row]:
        if table.part[row] == _NEW:
            _take_whole_records(table, row)
        elif table.left[row] == 0:
            _go_to_next_part(table, row)
        elif table.at[row] == table.end[row]:
            return _read_buffer(table, row)
        else:
            _take(table, row)
    return 0


def _take_whole_records(table: StreamTable, row: int) -> None:
    """Take records that are in the buffer with both lengths, or begin one."""
    records = table.fitting(row, table.end[row] - table.at[row])
    if records:
        table.at[row] += records * (table.length[row] + 2 * MARK)
        table.take_whole(row, records)
    else:
        table.part[row] = _LEAD
        table.left[row] = MARK


def _go_to_next_part(table: StreamTable, row: int) -> None:
    part = table.part[row]
    if part == _LEAD:
        table.part[row] = _DATA
        table.left[row] = table.length[row]
    elif part == _DATA:
        table.part[row] = _TRAIL
        table.left[row] = MARK
    else:
        table.part[row] = _NEW
        table.go_on(row, 1)


def _read_buffer(table: StreamTable, row: int) -> int:
    at = table.at[row]
    table.end[row] = table.within_file(row, at + table.buffer[row])
    return table.call(row, READ, at, table.end[row] - at)


def _take(table: StreamTable, row: int) -> None:
    """Take what is in the buffer of the current part."""
    moved = min(table.left[row], table.end[row] - table.at[row])
    table.at[row] += moved
    table.left[row] -= moved
    if table.part[row] == _DATA:
        table.copied[row] += moved
