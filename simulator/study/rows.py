"""The rows of a sweep, read from its folder when wanted: a sweep may be larger than memory."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, overload

from simulator.answers.limits import COLUMNS as LIMITS
from simulator.study.point import COLUMNS, Row

if TYPE_CHECKING:
    from simulator.study.grid import Sweep


class Rows(Sequence[Row]):
    """One row for each point of a part: its values, the figures, its digest.

    The records are lines of JSON in ``file``; ``offsets`` says where that of each point begins.
    """

    def __init__(self, sweep: Sweep, part: range, file: Path, offsets: array[int]) -> None:
        self.sweep = sweep
        self.part = part
        self._file = file
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self.part)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        with self._file.open("rb") as file:
            if isinstance(index, slice):
                return [self._row(file, one) for one in range(*index.indices(len(self)))]
            return self._row(file, range(len(self))[index])

    def __iter__(self) -> Iterator[Row]:
        with self._file.open("rb") as file:
            end = 0
            for index, offset in enumerate(self._offsets):
                if offset != end:  # seeking empties the buffer
                    file.seek(offset)
                line = file.readline()
                end = offset + len(line)
                yield self._read(line, index)

    def moved(self, file: Path, offsets: array[int]) -> None:
        """Read the same records from another file from now on."""
        self._file, self._offsets = file, offsets

    def _row(self, file: BinaryIO, index: int) -> Row:
        file.seek(self._offsets[index])
        return self._read(file.readline(), index)

    def _read(self, line: bytes, index: int) -> Row:
        record = record_of(line)
        assert record is not None  # Nobody else writes to the folder.
        return {
            **self.sweep.values(self.part[index]),
            **{column: record[column] for column in figures_of(self.sweep.limits)},
            "digest": record["digest"],
        }


def figures_of(limits: bool) -> tuple[str, ...]:
    """Name the figures of a row; ``limits``: those that say what limits too."""
    return (*COLUMNS, *LIMITS) if limits else COLUMNS


def columns_of(sweep: Sweep) -> list[str]:
    """Name the columns of a sweep's rows."""
    varied = [name for axis in sweep.axes for name in (axis.name, axis.column) if name]
    return list(dict.fromkeys([*varied, *figures_of(sweep.limits), "digest"]))


def record_of(line: bytes) -> dict[str, Any] | None:
    """Read a record; None if the line is torn, or something else."""
    try:
        record = json.loads(line.rstrip(b",\r\n"))
    except ValueError:
        return None
    whole = isinstance(record, dict) and {"digest", *COLUMNS} <= record.keys()
    return record if whole else None
