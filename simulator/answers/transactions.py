"""SQLite's transactions in listed calls, and what one for many statements would call instead.

Each transaction writes what it will change to a journal, syncs it, writes the database, syncs that,
and removes the journal (``NAME-journal``); or it appends pages to a log (``NAME-wal``) and syncs
that. A row for each transaction pays all of this for a page or two.

Not rewritten: locks (fcntl), reads of pages that are in the log, and checkpoints during a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.answers.calls import (
    OPENS,
    WRITES,
    Columns,
    Numbers,
    added,
    remade,
)
from simulator.answers.rewrites import news
from simulator.plan.codes import CLOSE, SETATTR, STAT, SYNC, UNLINK, WRITE

if TYPE_CHECKING:
    from simulator.workload.traced import Traced

JOURNAL, LOG = "-journal", "-wal"
_FRAME, _HEADER = 24, 32
"""Bytes before each page of a log, and before all of them."""
_ENTRY, _SECTOR = 8, 512
"""Bytes around each page of a journal, and before all of them."""


class Transacted(NamedTuple):
    """A database that a client writes to in transactions, or some do, one after the other."""

    clients: tuple[int, ...]
    database: int
    """The number of its file."""
    other: int
    """The number of its journal, or its log."""
    folder: int
    """The number of its folder, which is synced too; -1 without one."""
    syncs: int
    """The number of syncs of these files."""
    transactions: int
    logged: bool
    """True if it has a log."""

    @property
    def pairs(self) -> Numbers:
        """The streams that transactions are made of."""
        files = [one for one in (self.database, self.other, self.folder) if one >= 0]
        both = [client << 32 | one for client in self.clients for one in files]
        return np.array(both, np.int64)

    def mine(self, columns: Columns) -> Numbers:
        """Return which rows are its clients'."""
        return np.isin(columns.client, self.clients)


def transacted(traced: Traced, least: int) -> Iterator[Transacted]:
    """Yield databases that a client writes to in so many transactions at least.

    A database that clients of several places write to is none: their transactions keep them apart.
    """
    columns = Columns(traced)
    number = {one.name: place for place, one in enumerate(traced.files)}
    for name, database in number.items():
        for ending in (JOURNAL, LOG):
            other = number.get(f"{name}{ending}", -1)
            if other < 0:
                continue
            wrote = np.isin(columns.kind, WRITES) & np.isin(columns.file, (database, other))
            clients = tuple(np.unique(columns.client[wrote]).tolist())
            if len({traced.clients[one].place for one in clients}) != 1:
                continue
            folder = number.get(name.rpartition("/")[0], -1)
            one = Transacted(clients, database, other, folder, 0, 0, ending == LOG)
            synced = columns.file[one.mine(columns) & (columns.kind == SYNC)]
            often = [int((synced == file).sum()) for file in (database, other, folder)]
            times = often[1] if one.logged else often[0]
            if times >= least:
                yield one._replace(syncs=sum(often), transactions=times)


def one_transaction(traced: Traced, of: Transacted) -> Traced:
    """Put all statements into one transaction: each page is kept and written once."""
    columns = Columns(traced)
    mine, size = of.mine(columns), columns.size.copy()
    keep = columns.all_but(_writes(columns, mine, of.database))
    for file in (of.database, of.other, of.folder):
        _thin(columns, keep, mine & (columns.file == file), (SYNC,), last=True)
    pages = _last_pages(columns, mine & (columns.file == of.database))
    keep[pages] = True
    if not of.logged:
        other = mine & (columns.file == of.other)
        keep[other & (columns.client != of.clients[-1])] = False
        _thin_other(columns, keep, other & (columns.client == of.clients[-1]))
        _leave_journal(columns, of, keep, size, pages)
    return remade(columns, keep, size=size, within=_within(columns, of, keep))


def _leave_journal(
    columns: Columns, of: Transacted, keep: Numbers, size: Numbers, pages: Numbers
) -> None:
    """Leave the journal of a transaction: each page that was there before, once."""
    pair = np.array([of.clients[-1] << 32 | of.other], np.int64)
    writes = columns.streams((WRITE,), moving=True)
    rows = writes.rows[writes.of == pair[0]]
    if not len(rows):
        return
    fresh = rows[news(writes, pair)[writes.of == pair[0]] > 0]
    keep[rows] = False
    keep[fresh] = True
    length = columns.traced.files[of.database].length
    old = pages[columns.offset[pages] < length]
    wanted = _SECTOR + int((columns.size[old] + _ENTRY).sum())
    size[fresh[-1]] += max(0, wanted - int(columns.size[fresh].sum()))


def write_ahead(traced: Traced, of: Transacted, *, lazy: bool = False) -> Traced:
    """Give a database a log instead of a journal, and write it from the log at the end.

    ``lazy``: a commit does not sync the log (``PRAGMA synchronous = NORMAL``).
    """
    columns = Columns(traced)
    mine = of.mine(columns)
    keep = columns.all_but(_writes(columns, mine, of.other))
    file, offset, size = columns.file.copy(), columns.offset.copy(), columns.size.copy()
    other, database = mine & (columns.file == of.other), mine & (columns.file == of.database)
    keep[other & (columns.kind == SYNC)] = False
    _thin_other(columns, keep, other)
    _thin(columns, keep, mine & (columns.file == of.folder), (SYNC,), last=True)
    frames = _writes(columns, mine, of.database)
    file[frames] = of.other
    size[frames] += _FRAME
    offset[frames] = _HEADER + np.cumsum(size[frames]) - size[frames]
    commits = np.flatnonzero(database & (columns.kind == SYNC))
    file[commits] = of.other
    if lazy:
        keep[commits] = False
    keep[commits[-1]] = True
    pages = _last_pages(columns, database)
    after = np.full(len(pages) + 1, int(np.cumsum(keep)[commits[-1]]) - 1, np.int64)
    logged = remade(columns, keep, offset=offset, size=size, file=file)
    kinds = np.append(columns.kind[pages], SYNC)
    checkpoint = {
        "kind": kinds,
        "file": np.full(len(kinds), of.database),
        "offset": np.append(columns.offset[pages], 0),
        "size": np.append(columns.size[pages], 0),
    }
    return added(logged, after, checkpoint)


def _within(columns: Columns, of: Transacted, keep: Numbers) -> Numbers:
    """Return the rows that go from the inside of transactions, before which SQLite computes.

    A transaction ends when its journal is removed, or its log is synced.
    """
    mine = of.mine(columns) & np.isin(
        columns.file, [one for one in (of.database, of.other, of.folder) if one >= 0]
    )
    ends = (SYNC,) if of.logged else (UNLINK, SETATTR)
    over = mine & (columns.file == of.other) & np.isin(columns.kind, ends)
    inside = mine & ~over
    return np.flatnonzero(mine[1:] & inside[:-1] & ~keep[1:]) + 1


def _writes(columns: Columns, mine: Numbers, file: int) -> Numbers:
    """Return the rows that write to a file."""
    return np.flatnonzero(mine & (columns.file == file) & columns.moving(WRITES))


def _last_pages(columns: Columns, which: Numbers) -> Numbers:
    """Return the row that writes each page for the last time, in their order."""
    rows = np.flatnonzero(which & columns.moving(WRITES))
    extents = np.stack([columns.offset[rows], columns.size[rows]], axis=1)
    _, place = np.unique(extents[::-1], axis=0, return_index=True)
    found: Numbers = np.sort(rows[::-1][place])
    return found


def _thin_other(columns: Columns, keep: Numbers, which: Numbers) -> None:
    """Keep the first open of a journal or a log, and the last call of other kinds."""
    _thin(columns, keep, which, OPENS, last=False)
    for kind in (CLOSE, UNLINK, SETATTR, STAT):
        _thin(columns, keep, which, (kind,), last=True)


def _thin(
    columns: Columns, keep: Numbers, which: Numbers, kinds: tuple[int, ...], *, last: bool
) -> None:
    """Keep only the last, or the first, of some calls."""
    rows = np.flatnonzero(which & np.isin(columns.kind, kinds))
    if len(rows):
        keep[rows] = False
        keep[rows[-1 if last else 0]] = True
