"""What closes of files mean, and which files a process left open.

``process`` says for each row whose file it is: requests of a process are its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.plan.codes import CLOSE, PLAIN, REPLACED, WRITE
from simulator.traces.lengths import empties

if TYPE_CHECKING:
    Numbers = np.ndarray[Any, Any]


def left_open(rows: dict[str, Numbers], process: Numbers) -> list[tuple[int, int]]:
    """(process, file) of what a process wrote to and did not close afterwards."""
    kind, size = rows["kind"] & PLAIN, rows["size"]
    key = process.astype(np.int64) << 32 | rows["file"].astype(np.int64) & 0xFFFFFFFF
    writes = np.flatnonzero((kind == WRITE) & (size > 0))
    closes = np.flatnonzero(kind == CLOSE)
    written = np.unique(key[writes])
    last = np.full(len(written), -1)
    np.maximum.at(last, np.searchsorted(written, key[writes]), writes)
    at = np.searchsorted(written, key[closes])
    at[at == len(written)] = 0
    if len(written):
        known = written[at] == key[closes]
        closed = np.full(len(written), -1)
        np.maximum.at(closed, at[known], closes[known])
        left = written[closed < last]
        return [(int(one) >> 32, int(one) & 0xFFFFFFFF) for one in left.tolist()]
    return []


def mark_closes(rows: dict[str, Numbers], process: Numbers) -> None:
    """Say of each close whether something was written since the one before, or emptied too."""
    kind, size, empty = rows["kind"] & PLAIN, rows["size"], empties(rows)
    key = process.astype(np.int64) << 32 | rows["file"].astype(np.int64) & 0xFFFFFFFF
    found = np.flatnonzero(((kind == WRITE) & (size > 0)) | (kind == CLOSE) | empty)
    found = found[np.argsort(key[found], kind="stable")]
    closes = np.flatnonzero(kind[found] == CLOSE)
    of = key[found]
    first = np.searchsorted(of, of[closes])
    again = np.flatnonzero(of[closes[1:]] == of[closes[:-1]]) + 1

    def since(which: Numbers) -> Numbers:
        so_far = np.cumsum(which)
        before = so_far[first] - which[first]
        before[again] = so_far[closes[again - 1]]
        there: Numbers = so_far[closes] > before
        return there

    written, emptied = since(kind[found] == WRITE), since(empty[found])
    size[found[closes]] = np.where(written & emptied, REPLACED, written)
    rows["offset"][empty] = 0
