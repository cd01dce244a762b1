"""The state of many record streams: a table with a row for each stream.

Each runtime has a module of its own, with functions that advance a stream to its next call, for
writes and for reads. All keep their state here, and share columns of the same meaning. A row does
not grow with the records.
"""

from __future__ import annotations

from simulator.runtime.columns import columns, new_cells
from simulator.runtime.lengthtable import LengthTable
from simulator.runtime.records import MARK

ROW = 32
"""Cells of a row: whole cache lines. A stream is named by its first one."""
_CELLS = ROW


class StreamTable:
    """State of the streams of all runtimes, and the steps common to all of them.

    ``subrecord`` is the maximum data of gfortran in one piece of a record.
    """

    def __init__(self, rows: int, lengths: LengthTable, subrecord: int) -> None:
        self.rows = rows
        self.lengths = lengths
        self.subrecord = subrecord
        self.cells = new_cells(ROW * rows)
        (
            # The call: SEEK, READ or WRITE; its offset; bytes it moves.
            self.op,
            self.offset,
            self.size,
            # Between the previous call and this one: data copied, records completed.
            self.copied,
            self.records,
            # Parameters of the stream; its records, and the current one: number, length,
            # next part.
            self.policy,
            self.write,
            self.lengths_row,
            self.count,
            self.record,
            self.length,
            self.part,
            self.left,  # Remaining bytes of the part, or data of the record.
            self.at,  # Offset of the record or its next byte in the file.
            self.arrived,  # Bytes of the last call.
            # Bytes of its buffer, and of a request.
            self.buffer,
            self.request,
            # The buffer: the offset in the file of its first byte, bytes in it, dirty bytes of
            # them; for reading, the offset after its last byte.
            self.start,
            self.fill,
            self.out,
            self.end,
            # Offset of the next call; end of the file.
            self.place,
            self.file_end,
            # Data of a subrecord; its part not yet moved; rest of a request.
            self.piece,
            self.rest,
            self.run,
            # Bytes that bypass the buffer, and their offset.
            self.straight,
            self.straight_at,
            self.want,  # Bytes that must have been read before the program continues.
            self.prediction,  # The length that was written ahead of the data.
            *_,
        ) = columns(self.cells, ROW)

    def clear(self, row: int) -> None:
        """Reset a row."""
        for column in range(_CELLS):
            self.cells[row + column] = 0

    def call(self, row: int, op: int, offset: int, size: int) -> int:
        """Set the current call; return 1, for "there is one"."""
        self.op[row] = op
        self.offset[row] = offset
        self.size[row] = size
        return 1

    def go_on(self, row: int, records: int) -> None:
        """Complete a number of records from the current one on, and begin the next."""
        self.records[row] += records
        self.record[row] += records
        if self.record[row] < self.count[row]:
            self.length[row] = self.lengths.length(self.lengths_row[row], self.record[row])

    def take_whole(self, row: int, records: int) -> None:
        """Hand over a number of whole records, all of the current length."""
        self.copied[row] += records * self.length[row]
        self.go_on(row, records)

    def fitting(self, row: int, room: int) -> int:
        """Return how many records of the current length fit in ``room`` bytes, lengths included.

        It takes one step for any number of equal records, and is at most 1 otherwise.
        """
        extent = self.length[row] + 2 * MARK
        if extent > room:
            return 0
        alike = self.alike(row)
        return 1 if alike == 1 else min(alike, room // extent)

    def alike(self, row: int) -> int:
        """Return a number of records from the current one on of known equal length; 1 or more."""
        return self.lengths.alike(self.lengths_row[row], self.record[row])

    def within_file(self, row: int, end: int) -> int:
        """Return the offset ``end``, or the end of the file if that comes first."""
        return min(end, self.file_end[row])
