"""A program that writes and reads its records itself: one call for each, and no library.

This is what a C program does with write(2) and read(2): no buffer, no lengths in the file.
A record over the most that Linux moves in one call is several calls; one without data is a
call of 0 bytes.
"""

from __future__ import annotations

from simulator.runtime.library import Runtime
from simulator.runtime.operations import READ, WRITE
from simulator.runtime.records import MAX_TRANSFER
from simulator.runtime.streamtable import StreamTable

# What of a record comes next: its first call, another one, or counting it.
_NEW, _DATA, _DONE = range(3)


class Posix(Runtime):
    """No library."""

    default_buffer = 1  # It counts for nothing.
    unbuffered = "whose calls go to the system as they are"
    marked = False


def next_write(table: StreamTable, row: int) -> int:
    """Go to the next call of a write."""
    if not _has_more(table, row):
        return 0
    at = table.at[row]
    size = _next_size(table, row)
    table.copied[row] += size
    return table.call(row, WRITE, at, size)


def next_read(table: StreamTable, row: int) -> int:
    """Go to the next call of a read."""
    table.copied[row] += table.arrived[row]
    table.arrived[row] = 0
    if not _has_more(table, row):
        return 0
    at = table.at[row]
    size = _next_size(table, row)
    table.arrived[row] = size
    return table.call(row, READ, at, size)


def _has_more(table: StreamTable, row: int) -> int:
    """Count a record whose last call was made; whether there is another call."""
    if table.part[row] == _DONE:
        table.part[row] = _NEW
        table.go_on(row, 1)
    return table.record[row] < table.count[row]


def _next_size(table: StreamTable, row: int) -> int:
    """Take the bytes of one call off what is left of the record."""
    if table.part[row] == _NEW:
        table.left[row] = table.length[row]
    size = min(table.left[row], MAX_TRANSFER)
    table.left[row] -= size
    table.at[row] += size
    table.part[row] = _DATA if table.left[row] else _DONE
    return size
