"""Files of a trace: their lengths by what calls read and wrote, and what closes of them write.

Requests of a process are its own: ``process`` is for each row the process whose descriptor it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.plan.codes import CLOSE, CREATE, OPEN, PLAIN, READ, REPLACED, SETATTR, WRITE
from simulator.replay.names import EMPTIED, decide_opens, follow_renames
from simulator.workload.extents import Extents
from simulator.workload.traced import TracedFile

if TYPE_CHECKING:
    from simulator.replay.arrays import Numbers
    from simulator.replay.rows import CallRows


def measure(rows: dict[str, Numbers], log: CallRows) -> tuple[Extents, list[TracedFile]]:
    """Return the files that have a row, with their lengths; calls without an offset get one."""
    extents = Extents()
    texts = log.files.texts
    extents.grow(len(texts))
    types = {"kind": np.int8, "file": np.int32, "offset": np.int64, "size": np.int64}
    for column, kind in types.items():
        rows[column] = np.ascontiguousarray(rows[column], kind)
    stay = decide_opens(rows)
    for column in log.columns if not stay.all() else ():
        rows[column] = rows[column][stay]
    follow_renames(rows)
    if log.metadata:  # Else it is not known which are new; nor of files without an open (DXT).
        opened = rows["file"][rows["kind"] == OPEN]
        new = np.union1d(rows["file"][rows["kind"] == CREATE], _emptied(rows))
        for one in np.setdiff1d(opened, new).tolist():
            extents.old[one] = 1
    extents.add(rows["kind"] & PLAIN, rows["file"], rows["offset"], rows["size"])
    rows["offset"] = np.maximum(rows["offset"], 0)
    number = np.full(len(texts) + 1, -1, np.int32)
    used = np.unique(rows["file"])
    used = used[used >= 0]
    number[used] = np.arange(len(used))
    rows["file"] = number[rows["file"]]
    files = [
        TracedFile(texts[one], extents.length[one], extents.reach[one]) for one in used.tolist()
    ]
    return extents, files


def _emptied(rows: dict[str, Numbers]) -> Numbers:
    """Return the files that are emptied before anything else is done with their bytes."""
    empty, writes = empties(rows), _is(rows, WRITE)
    found = np.flatnonzero(empty | _is(rows, READ) | writes)
    file, first = np.unique(rows["file"][found], return_index=True)
    return np.asarray(file[empty[found[first]]])


def empties(rows: dict[str, Numbers]) -> Numbers:
    """Return which rows empty a file."""
    return np.asarray((rows["kind"] == SETATTR) & (rows["offset"] == EMPTIED))


def _is(rows: dict[str, Numbers], kind: int) -> Numbers:
    return np.asarray((rows["kind"] & PLAIN) == kind)


def _keys(rows: dict[str, Numbers], process: Numbers) -> Numbers:
    """Return a number for each process and file."""
    return np.asarray(process.astype(np.int64) << 32 | rows["file"].astype(np.int64) & 0xFFFFFFFF)


def left_open(rows: dict[str, Numbers], process: Numbers) -> list[tuple[int, int]]:
    """Return the processes and files of what a process wrote to and did not close afterwards."""
    key = _keys(rows, process)
    found = np.flatnonzero((_is(rows, WRITE) & (rows["size"] > 0)) | _is(rows, CLOSE))
    of, backwards = np.unique(key[found][::-1], return_index=True)
    last = found[len(found) - 1 - backwards]
    left = of[_is(rows, WRITE)[last]]
    return [(int(one) >> 32, int(one) & 0xFFFFFFFF) for one in left.tolist()]


def mark_closes(rows: dict[str, Numbers], process: Numbers) -> None:
    """Mark each close after which something was written since the one before, or emptied too."""
    size, empty, key = rows["size"], empties(rows), _keys(rows, process)
    found = np.flatnonzero((_is(rows, WRITE) & (size > 0)) | _is(rows, CLOSE) | empty)
    found = found[np.argsort(key[found], kind="stable")]
    closes = np.flatnonzero(_is(rows, CLOSE)[found])
    of = key[found]
    first = np.searchsorted(of, of[closes])
    again = np.flatnonzero(of[closes[1:]] == of[closes[:-1]]) + 1

    def since(which: Numbers) -> Numbers:
        so_far = np.cumsum(which)
        before = so_far[first] - which[first]
        before[again] = so_far[closes[again - 1]]
        return np.asarray(so_far[closes] > before)

    written, emptied = since(_is(rows, WRITE)[found]), since(empty[found])
    size[found[closes]] = np.where(written & emptied, REPLACED, written)
    rows["offset"][empty] = 0
