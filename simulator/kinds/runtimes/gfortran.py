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

from simulator.runtime.library import Runtime
from simulator.runtime.operations import READ, SEEK, WRITE
from simulator.runtime.records import MARK, MAX_TRANSFER
from simulator.runtime.streamtable import StreamTable

MAX_SUBRECORD = 2_147_483_639
"""Bytes of data in one subrecord at most (-fmax-subrecord-length of gfortran)."""

# What of a record comes next, in the order of the requests. _LEAD to _END are of a subrecord.
_NEW, _LEAD, _DATA, _LEAD_AGAIN, _TRAIL, _END, _DONE = range(7)


class Gfortran(Runtime):
    """GNU Fortran."""

    default_buffer = 131_072
    """Of an unformatted unit while GFORTRAN_UNFORMATTED_BUFFER_SIZE is not set (12.2)."""
    how_buffer = "set GFORTRAN_UNFORMATTED_BUFFER_SIZE={bytes} in the environment of the program"
    goes_back = True


# -- writing --------------------------------------------------------------------------------


def next_write(table: StreamTable, row: int) -> int:
    """Go to the next call of a write.

    A request that finds no room has the buffer written, and is put again after that.
    """
    while True:
        if table.out[row]:
            return _write_buffer(table, row)
        if table.straight[row]:
            return _write_straight(table, row)
        if table.record[row] < table.count[row]:
            _write_part(table, row)
        elif table.fill[row]:
            table.out[row] = table.fill[row]
        else:
            return 0


def _write_part(table: StreamTable, row: int) -> None:
    part = table.part[row]
    at = table.at[row]
    if part == _NEW:
        _put_whole_records(table, row)
    elif part == _LEAD:
        if _put(table, row, at, MARK):
            _begin_subrecord(table, row)
    elif part == _DATA:
        _put_data(table, row)
    elif part == _LEAD_AGAIN:
        if _put(table, row, at, MARK):
            table.part[row] = _TRAIL
    elif part == _TRAIL:
        if _put(table, row, at + MARK + table.piece[row], MARK):
            table.part[row] = _END
    elif part == _END:
        _end_subrecord(table, row)
    else:
        table.part[row] = _NEW
        table.go_on(row, 1)


def _put_whole_records(table: StreamTable, row: int) -> None:
    """Put records that have room in the buffer, until it is half full; or begin one.

    What the buffer holds now ends where the record begins, and is less than half of it.
    """
    length = table.length[row]
    extent = length + 2 * MARK
    fill = table.fill[row]
    half = table.buffer[row] // 2
    records = 0
    if length <= table.subrecord:
        records = min(table.alike(row), (half - fill + extent - 1) // extent)
        if fill + records * extent > table.buffer[row]:
            records -= 1
    if records == 0:
        table.part[row] = _LEAD
        table.left[row] = length
        table.run[row] = table.request[row]
        return
    if fill == 0:
        table.start[row] = table.at[row]
    table.fill[row] = fill + records * extent
    table.copied[row] += records * length
    # The last one may have filled the buffer by half: that is seen to when it ends.
    table.go_on(row, records - 1)
    table.at[row] += (records - 1) * extent
    table.piece[row] = length
    table.left[row] = 0
    table.part[row] = _END


def _begin_subrecord(table: StreamTable, row: int) -> None:
    """Begin the data of a subrecord, whose length has been put as 0."""
    piece = min(table.left[row], table.subrecord)
    table.piece[row] = piece
    table.rest[row] = piece
    table.left[row] -= piece
    table.part[row] = _DATA if piece else _LEAD_AGAIN


def _put_data(table: StreamTable, row: int) -> None:
    """Put one request of data, or as many as the buffer takes one after the other."""
    at = table.at[row] + MARK + table.piece[row] - table.rest[row]
    room = table.start[row] + table.buffer[row] - at if table.fill[row] else 0
    asked = _asked(table, row, room)
    if _put(table, row, at, asked):
        table.copied[row] += asked
        _count_request(table, row, asked)
        if table.rest[row] == 0:
            table.part[row] = _LEAD_AGAIN


def _asked(table: StreamTable, row: int, room: int) -> int:
    """Bytes of the next request, or of all whole ones that fit in ``room``."""
    request = table.request[row]
    asked = min(table.run[row], table.rest[row])
    if asked == request and room > request:
        return min(room, table.rest[row]) // request * request
    return asked


def _count_request(table: StreamTable, row: int, size: int) -> None:
    """Count so many bytes of data as asked for; whole requests may be several."""
    table.rest[row] -= size
    if size < table.run[row]:
        table.run[row] -= size
    else:
        table.run[row] = table.request[row]


def _put(table: StreamTable, row: int, at: int, size: int) -> int:
    """Put ``size`` bytes that belong at an offset into the buffer, or past it.

    Returns 0, and has the buffer written, if that must be before.
    """
    fill = table.fill[row]
    if fill == 0:
        if size > table.buffer[row] // 2:
            table.straight[row] = size
            table.straight_at[row] = at
        else:
            table.start[row] = at
            table.fill[row] = size
        return 1
    end = at + size - table.start[row]
    # It must touch what is there, and leave no gap.
    if end > table.buffer[row] or not 0 <= at - table.start[row] <= fill:
        table.out[row] = fill
        return 0
    table.fill[row] = max(fill, end)
    return 1


def _end_subrecord(table: StreamTable, row: int) -> None:
    """Go on to the next one, or end the record and write a buffer that is half full."""
    table.at[row] += table.piece[row] + 2 * MARK
    if table.left[row]:
        table.part[row] = _LEAD
        return
    table.part[row] = _DONE
    if table.fill[row] >= table.buffer[row] // 2:
        table.out[row] = table.fill[row]


def _write_buffer(table: StreamTable, row: int) -> int:
    at = table.start[row]
    if table.place[row] != at:
        return _seek(table, row, at)
    size = min(table.out[row], MAX_TRANSFER)
    table.start[row] += size
    table.out[row] -= size
    table.fill[row] -= size
    table.place[row] += size
    return table.call(row, WRITE, at, size)


def _write_straight(table: StreamTable, row: int) -> int:
    at = table.straight_at[row]
    if table.place[row] != at:
        return _seek(table, row, at)
    size = min(table.straight[row], MAX_TRANSFER)
    table.straight_at[row] += size
    table.straight[row] -= size
    table.place[row] += size
    return table.call(row, WRITE, at, size)


def _seek(table: StreamTable, row: int, at: int) -> int:
    table.place[row] = at
    return table.call(row, SEEK, at, 0)


# -- reading --------------------------------------------------------------------------------


def next_read(table: StreamTable, row: int) -> int:
    """Go to the next call of a read."""
    _take(table, row, table.arrived[row])
    table.arrived[row] = 0
    if table.straight[row]:
        return _read_straight(table, row)
    while table.record[row] < table.count[row]:
        if table.part[row] == _NEW:
            _take_whole_records(table, row)
        elif table.want[row] == 0:
            _go_to_next_part(table, row)
        elif table.at[row] < table.end[row]:
            _take(table, row, min(table.want[row], table.end[row] - table.at[row]))
        else:
            return _read(table, row)
    return 0


def _take_whole_records(table: StreamTable, row: int) -> None:
    """Take records whose data is all in the buffer, or begin one."""
    length = table.length[row]
    there = table.end[row] - table.at[row]
    records = 0
    if there > 0 and length <= table.subrecord:
        # The trailing length of the last need not be there: it is stepped over.
        records = table.fitting(row, there + MARK)
    if records:
        table.at[row] += records * (length + 2 * MARK)
        table.take_whole(row, records)
    else:
        table.part[row] = _LEAD
        table.want[row] = MARK
        table.left[row] = length
        table.run[row] = table.request[row]


def _take(table: StreamTable, row: int, size: int) -> None:
    table.at[row] += size
    table.want[row] -= size
    if table.part[row] == _DATA:
        table.copied[row] += size


def _go_to_next_part(table: StreamTable, row: int) -> None:
    if table.part[row] == _LEAD:
        piece = min(table.left[row], table.subrecord)
        table.part[row] = _DATA
        table.rest[row] = piece
        table.left[row] -= piece
    if table.rest[row]:
        table.want[row] = _asked(table, row, table.end[row] - table.at[row])
        _count_request(table, row, table.want[row])
    else:
        _step_over(table, row)


def _step_over(table: StreamTable, row: int) -> None:
    """Step over the trailing length of a subrecord, to the next or to the next record."""
    table.at[row] += MARK
    if table.left[row]:
        table.part[row] = _LEAD
        table.want[row] = MARK
    else:
        table.part[row] = _NEW
        table.go_on(row, 1)


def _read(table: StreamTable, row: int) -> int:
    """Read what the buffer does not have, through it or past it."""
    at = table.at[row]
    if table.place[row] != at:
        return _seek(table, row, at)
    if table.want[row] > table.buffer[row] // 2:
        table.straight[row] = table.want[row]
        return _read_straight(table, row)
    table.end[row] = table.within_file(row, at + table.buffer[row])
    table.place[row] = table.end[row]
    return table.call(row, READ, at, table.end[row] - at)


def _read_straight(table: StreamTable, row: int) -> int:
    at = table.at[row]
    size = min(table.straight[row], MAX_TRANSFER)
    table.straight[row] -= size
    table.arrived[row] = size
    table.place[row] = at + size
    return table.call(row, READ, at, size)
