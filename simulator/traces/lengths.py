"""How long the files of a trace are, by what its calls read and wrote, and which are emptied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.plan.codes import CREATE, PLAIN, READ, SETATTR, WRITE
from simulator.traces.named import EMPTIED, settled, told_apart
from simulator.workload.extents import Extents
from simulator.workload.traced import TracedFile

if TYPE_CHECKING:
    from simulator.traces.gather import Gathered

    Numbers = np.ndarray[Any, Any]


def measure(rows: dict[str, Numbers], gathered: Gathered) -> tuple[Extents, list[TracedFile]]:
    """Find the files that have a row, and their lengths; what has no offset gets one."""
    extents = Extents()
    texts = gathered.files.texts
    extents.grow(len(texts))
    for column, kind in (("kind", np.int8), ("file", np.int32), ("offset", np.int64)):
        rows[column] = np.ascontiguousarray(rows[column], kind)
    rows["size"] = np.ascontiguousarray(rows["size"], np.int64)
    stay = settled(rows)
    for column in gathered.columns if not stay.all() else ():
        rows[column] = rows[column][stay]
    told_apart(rows)
    if gathered.metadata:  # Else it is not known which are new.
        new = np.union1d(rows["file"][rows["kind"] == CREATE], _emptied(rows))
        for one in np.setdiff1d(np.arange(len(texts)), new).tolist():
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
    kind = rows["kind"] & PLAIN
    empty = empties(rows)
    found = np.flatnonzero(empty | (kind == READ) | (kind == WRITE))
    file, first = np.unique(rows["file"][found], return_index=True)
    emptied: Numbers = file[empty[found[first]]]
    return emptied


def empties(rows: dict[str, Numbers]) -> Numbers:
    """Return which rows empty a file."""
    found: Numbers = (rows["kind"] == SETATTR) & (rows["offset"] == EMPTIED)
    return found
