"""Writes of one file by several processes of a node, which take turns: the lock of its inode.

Each write has the lock from its begin to its end. One whose bytes follow those of another process
takes longer by the file system's ``write_lock``: the page, and what else changes with each write,
are in that one's processor. Not modelled: reads (ext4 has no lock for them), writes past the page
cache, O_SYNC, and the processor's time of who waits for a short lock (it looks again and again).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.config.lowering.tables import LOCKS
from simulator.plan.codes import LOCK, UNLOCK, WRITE

if TYPE_CHECKING:
    from simulator.config.lowering.plan import Lowering

Numbers = np.ndarray[Any, Any]
COLUMNS = ("kind", "file", "offset", "size", "gap", "column", "path")


def take_turns(
    whole: Lowering, first: int, clients: Sequence[tuple[int, int]], nodes: Sequence[int]
) -> list[tuple[int, int]]:
    """Put locks around writes among the rows from ``first`` on.

    ``clients``: the first row of each, and how many, counted from there; these are returned anew.
    """
    into = whole.operations
    rows = {name: np.array(getattr(into, name)[first:]) for name in COLUMNS}
    longer = np.array([*map(whole.files.write_lock_ns, range(len(whole.files.files))), 0])
    writes = (rows["kind"] == WRITE) & (rows["size"] > 0)
    places = np.flatnonzero(writes & (longer[rows["file"]] > 0))
    owner = np.repeat(np.arange(len(clients)), [count for _, count in clients])[places]
    node = np.array(nodes)[owner]
    shared, follows = _shared(rows, places, owner, node)
    if not shared.any():
        return list(clients)
    places, node, follows = (some[shared] for some in (places, node, follows))
    file = rows["file"][places]
    names = [f"{one}@{at}" for one, at in zip(file.tolist(), node.tolist(), strict=True)]
    gaps = rows["gap"][places], np.where(follows, longer[file], 0)
    rows["gap"][places] = 0
    made: dict[str, Any] = {
        "kind": np.tile([LOCK, UNLOCK], len(places)),
        "offset": np.repeat([whole.locks.setdefault(one, len(whole.locks)) for one in names], 2),
        "size": 0,
        "gap": np.stack(gaps, 1).ravel(),
        "column": np.tile([-1, whole.machine.tables.column(LOCKS)], len(places)),
    }
    around = np.stack([places, places + 1], 1).ravel()
    for name, old in rows.items():
        column = getattr(into, name)
        new = np.insert(old, around, made.get(name, -1))
        del column[first:]
        column.frombytes(new.astype(column.typecode).tobytes())
    moved = [
        [row + 2 * int(np.searchsorted(places, row)) for row in (begin, begin + count)]
        for begin, count in clients
    ]
    return [(begin, end - begin) for begin, end in moved]


def _shared(
    rows: dict[str, Numbers], places: Numbers, owner: Numbers, node: Numbers
) -> tuple[Numbers, Numbers]:
    """Return which writes are of a file that several clients of a node write.

    And which of them begin where another client's bytes end, or within these.
    """
    shared, follows = np.zeros(len(places), bool), np.zeros(len(places), bool)
    file, begin = rows["file"][places], rows["offset"][places]
    order = np.lexsort((begin, node, file))
    of, at, who = file[order], node[order], owner[order]
    new = np.flatnonzero((np.diff(of, prepend=-1) != 0) | (np.diff(at, prepend=-1) != 0))
    if not len(new):
        return shared, follows
    several = np.minimum.reduceat(who, new) < np.maximum.reduceat(who, new)
    shared[order] = np.repeat(several, np.diff(new, append=len(order)))
    end = (begin + rows["size"][places])[order]
    behind = np.append(False, (who[1:] != who[:-1]) & (begin[order][1:] <= end[:-1]))
    behind[new] = False
    follows[order] = behind
    return shared, follows
