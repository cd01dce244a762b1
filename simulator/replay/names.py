"""Names of files in a log: those that lead to storage, that exist at a call, and their files."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from simulator.plan.codes import CREATE, LOOKUP, OPEN, RENAME, SETATTR, STAT, UNLINK
from simulator.replay.arrays import Numbers, grown
from simulator.replay.operations import MAYBE
from simulator.traces.inodes import LINKED, MADE, OPENED, REMOVED, RENAMED, Inodes

EMPTIED = 1
"""The offset of a ``setattr`` that empties a file, by its open (O_TRUNC) or by ``truncate``."""
EXCHANGED = -2
"""The offset of a ``rename`` whose names change places; of others the number of the
second name and one, 0 if that is not known."""
EVENTS = (OPEN, CREATE, STAT, LOOKUP, UNLINK, RENAME, MAYBE)
"""Rows that show whether a name is there."""
NOT_STORED = ("/proc/", "/sys/", "/dev/")
"""Names under these lead to no storage."""
_EVENT_OF = {CREATE: MADE, OPEN: OPENED, RENAME: RENAMED, UNLINK: REMOVED}
"""What rows of these kinds do to a name."""


class Stored:
    """The names that lead to storage which is of interest; each name is looked at once."""

    def __init__(self, exclude: Iterable[str] = ()) -> None:
        """``exclude``: folders; names below them are left out."""
        self._below = tuple(folder.rstrip("/") + "/" for folder in exclude)
        self._good = np.ones(1, bool)
        """For each name, and at the end for none, whether it leads to storage;"""
        self._out = np.zeros(1, bool)
        """and whether it is left out."""
        self._folder = np.zeros(0, np.int64)

    def of(self, numbers: Numbers, names: dict[str, int]) -> tuple[Numbers, Numbers]:
        """Return the numbers of names that count, -1 for others; and which are left out."""
        known = len(self._good) - 1
        if known < len(names):
            new = list(names)[known:]
            out = [name.startswith(self._below) for name in new] if self._below else [False]
            good = [not name.startswith(NOT_STORED) for name in new]
            self._out = np.concatenate([self._out[:-1], np.broadcast_to(out, len(new)), [False]])
            self._good = np.concatenate([self._good[:-1], good, [False]])
        out_of: Numbers = self._out[numbers]
        return np.where(self._good[numbers] & ~out_of, numbers, -1), out_of

    def folders(self, numbers: Numbers, names: dict[str, int]) -> Numbers:
        """Return the numbers of the folders in which names are."""
        self._folder = grown(self._folder, len(names), -1)
        new = np.unique(numbers)
        new = new[self._folder[new] < 0]
        if len(new):
            texts = list(names)
            for number in new.tolist():
                folder = texts[number].rpartition("/")[0] or ("/" if "/" in texts[number] else ".")
                self._folder[number] = names.setdefault(folder, len(names))
        return np.asarray(self._folder[numbers])


def decide_opens(rows: dict[str, Numbers]) -> Numbers:
    """Decide what depends on whether a name is there; return which rows stay.

    An open with O_CREAT creates its file if it was not there yet, or has gone; there is nothing to
    empty then. A rename to a name that is there has the size 1.
    """
    kind, offset = rows["kind"], rows["offset"]
    renames = np.flatnonzero(kind == RENAME)
    target = offset[renames]
    swaps, renames = renames[target == EXCHANGED], renames[target > 0]
    unsure = np.flatnonzero(kind == MAYBE)
    file = np.where(kind == LOOKUP, offset, rows["file"])
    concerned = np.zeros(int(max(file.max(initial=0), target.max(initial=0))) + 2, bool)
    concerned[np.concatenate([file[unsure], offset[renames] - 1])] = True
    here = np.flatnonzero(concerned[file] & np.isin(kind, EVENTS))
    row = np.concatenate([here, renames])
    name = np.concatenate([file[here], offset[renames] - 1])
    comes = np.arange(len(row)) >= len(here)
    goes = np.isin(kind[row], (LOOKUP, UNLINK, RENAME)) & ~comes & ~np.isin(row, swaps)
    order = np.lexsort((row, name))
    row, name, comes, goes = row[order], name[order], comes[order], goes[order]
    absent = np.concatenate([[True], (name[1:] != name[:-1]) | goes[:-1]])[: len(row)]
    kind[unsure] = OPEN
    kind[row[np.isin(row, unsure) & absent]] = CREATE
    rows["size"][row[comes & ~absent]] = 1
    of_open = (kind == SETATTR) & (offset == EMPTIED) & (rows["order"] % 2 == 1)
    return np.asarray(~(of_open & (np.roll(kind, 1) == CREATE)))


def follow_renames(rows: dict[str, Numbers]) -> None:
    """Number each file that got a name of its own in the end by that name from its beginning.

    A file that is made as ``.tmp`` and renamed to ``a`` is ``a``; the next ``.tmp`` is another one.
    Those that are removed, or renamed over each other again and again, stay with the name by which
    they were used. The calls that rename keep the first name.
    """
    kind, file, offset = rows["kind"], rows["file"], rows["offset"]
    moved = np.flatnonzero(np.isin(kind, (RENAME, CREATE)) & (offset > 0))
    links = moved[kind[moved] == CREATE]
    second = file.copy()
    second[moved] = offset[moved] - 1
    file[links], second[links] = second[links], file[links].copy()
    offset[np.isin(kind, (RENAME, CREATE))] = 0
    if not len(moved):
        return
    names = np.unique(np.concatenate([file[moved], second[moved]]))
    events = np.flatnonzero(np.isin(file, names) & np.isin(kind, (*_EVENT_OF,)))
    columns = (events, np.isin(events, links), kind[events], file[events], second[events])
    inodes: Inodes[int] = Inodes(
        (row, LINKED if link else _EVENT_OF[what], name, to_name)
        for row, link, what, name, to_name in zip(*(c.tolist() for c in columns), strict=True)
    )
    used = np.flatnonzero(np.isin(file, names) & (kind != RENAME) & (kind != LOOKUP))
    used = np.setdiff1d(used, links, assume_unique=True)
    begins = np.array(sorted(inodes.begins), np.int64)
    key = begins[:, 0] << 40 | begins[:, 1]
    at = np.searchsorted(key, file[used].astype(np.int64) << 40 | used, side="right") - 1
    inode, home = begins[at, 2], np.array(inodes.home, np.int64)
    alone, count = np.unique(home[np.unique(inode)], return_counts=True)
    own = np.isin(home[inode], alone[count == 1])
    file[used[own]] = home[inode[own]]
    apart = np.isin(file[links], names) & np.isin(second[links], alone[count == 1])
    kind[links[apart]] = RENAME
    file[links[~apart]] = second[links[~apart]]
