"""Rewrites of listed calls that treat files as wholes: many as one, read once, not synced.

Clients that share a place live one after the other, on one node: what they do with their files is
done as by one. Like all rewrites, these preserve computing, order, and what is written in the end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.calls import (
    LAZY_WRITES,
    OPENS,
    READS,
    WRITES,
    Columns,
    Numbers,
    Streams,
    inserted,
    pairs_in,
    remade,
    without,
)
from simulator.answers.rewrites import kept, news, runs
from simulator.plan.codes import (
    CLOSE,
    CREATE,
    DIRECT,
    OPEN,
    READ,
    READDIR,
    RENAME,
    SEEK,
    SETATTR,
    STAT,
    SYNC,
    SYNCED,
    WRITE,
)
from simulator.workload.libraries import library_ns
from simulator.workload.traced import TracedFile

if TYPE_CHECKING:
    from simulator.workload.traced import Traced

DIRECTS = (READ | DIRECT, WRITE | DIRECT, WRITE | DIRECT | SYNCED)
"""Kinds of calls past the page cache."""
DATA = (*READS, *WRITES, SYNC)


class _Volumes:
    """Files of one place put one after the other into one, which is a new file."""

    def __init__(self, columns: Columns, pairs: Numbers) -> None:
        """``pairs``: streams; a file is of one place. There is no room between files."""
        traced = columns.traced
        self.files = list(traced.files)
        self.number = np.arange(len(self.files), dtype=np.int32)
        """File -> the volume that it is in."""
        self.base = np.zeros(len(self.files), np.int64)
        """File -> where in it."""
        place = np.array([one.place for one in traced.clients], np.int64)
        self.place = place[pairs >> 32]
        for one in np.unique(self.place).tolist():
            numbers = np.unique(pairs[self.place == one] & 0xFFFFFFFF).tolist()
            if len(numbers) == 1:  # It stays what it is.
                continue
            end = length = 0
            for number in numbers:
                file = traced.files[number]
                self.number[number], self.base[number] = len(self.files), end
                end += max(file.size, file.length)
                length = end if file.length else length
            name = f"{traced.files[numbers[0]].name} and {len(numbers) - 1} more"
            self.files.append(TracedFile(name, length, end))

    def moved(self, columns: Columns, rows: Numbers) -> tuple[Numbers, Numbers]:
        """Return the columns of files and offsets with some rows in their volumes."""
        file, offset = columns.file.copy(), columns.offset.copy()
        old = columns.file[rows]
        file[rows] = self.number[old]
        data = rows[np.isin(columns.kind[rows], (*READS, *WRITES))]
        offset[data] += self.base[columns.file[data]]
        return file, offset


@dataclass(frozen=True, slots=True, eq=False)
class SyncAll:
    """All files are synced together at the end (``syncfs``), and none before.

    Their data are replayed as those of one file, so that what is dirty is written back at once and
    one commit makes all of it durable. Opens and closes stay those of the files.
    """

    pairs: Numbers

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that syncs once."""
        columns = Columns(traced)
        if not len(self.pairs):
            return traced
        volumes = _Volumes(columns, self.pairs)
        mine = pairs_in(columns.pair, self.pairs)
        data = np.isin(columns.kind, DATA) | ((columns.kind == CLOSE) & (columns.size > 0))
        file, offset = volumes.moved(columns, np.flatnonzero(mine & data))
        durable = mine & ((columns.kind == SYNC) | (columns.kind & SYNCED != 0))
        keep, kind = ~(durable & (columns.kind == SYNC)), columns.kind.copy()
        kind[durable & ~(columns.kind == SYNC)] &= ~SYNCED
        rows = np.flatnonzero(durable)
        last = _last(file[rows], rows)
        keep[last] = True
        cured = remade(columns, keep, kind=kind, file=file, offset=offset)
        cured = replace(cured, files=tuple(volumes.files))
        lazy = last[columns.kind[last] != SYNC]
        return inserted(cured, np.cumsum(keep)[lazy] - 1, SYNC) if len(lazy) else cured


def _last(groups: Numbers, rows: Numbers) -> Numbers:
    """Return the last row of each group; rows are in order."""
    _, place = np.unique(groups[::-1], return_index=True)
    found: Numbers = np.sort(rows[::-1][place])
    return found


@dataclass(frozen=True, slots=True, eq=False)
class NoSync:
    """Files are not synced: neither by calls nor by writes that are synchronous."""

    pairs: Numbers

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that syncs none of these files."""
        columns = Columns(traced)
        mine = pairs_in(columns.pair, self.pairs)
        kind = np.where(mine & (columns.kind & SYNCED != 0), columns.kind & ~SYNCED, columns.kind)
        return remade(columns, ~(mine & (columns.kind == SYNC)), kind=kind.astype(np.int8))


@dataclass(frozen=True, slots=True, eq=False)
class OneFile:
    """Many files are parts of one, which each client opens and closes once."""

    pairs: Numbers

    def __call__(self, traced: Traced) -> Traced:
        """Return the program with one file for those of each place."""
        columns = Columns(traced)
        if not len(self.pairs):
            return traced
        volumes = _Volumes(columns, self.pairs)
        rows = np.flatnonzero(pairs_in(columns.pair, self.pairs))
        file, offset = volumes.moved(columns, rows)
        kind, size = columns.kind.copy(), columns.size.copy()
        client = columns.client
        keep = np.ones(len(columns), bool)
        keep[rows[np.isin(kind[rows], (*OPENS, CLOSE, STAT, SETATTR))]] = False
        opens = rows[np.isin(kind[rows], OPENS)]
        _, first = np.unique(client[opens], return_index=True)
        keep[opens[first]] = True
        kind[opens[first]] = OPEN
        _, made = np.unique(file[opens], return_index=True)
        new = [volumes.files[one].length == 0 for one in file[opens[made]].tolist()]
        kind[opens[made]] = np.where(new, CREATE, OPEN)
        closes = rows[columns.kind[rows] == CLOSE]
        last = _last(client[closes], closes)
        keep[last] = True
        for row in last.tolist():  # The last close has it all.
            size[row] = int(columns.size[closes[client[closes] == client[row]]].max())
        cured = remade(columns, keep, kind=kind, size=size, file=file, offset=offset)
        return replace(cured, files=tuple(volumes.files))


@dataclass(frozen=True, slots=True, eq=False)
class WriteWhole:
    """Write all that a stream writes by its last write, in the order of the file; none before.

    What is kept until then takes memory, whose pages are touched first.
    """

    pairs: Numbers

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that writes these files as a whole."""
        columns = Columns(traced)
        writes = columns.streams(LAZY_WRITES, moving=True)
        if not len(writes):
            return traced
        offset, size = columns.offset.copy(), columns.size.copy()
        begin = np.minimum.reduceat(writes.offsets, writes.first)
        end = np.maximum.reduceat(writes.offsets + writes.sizes, writes.first)
        mine = pairs_in(writes.pairs, self.pairs)
        last = writes.rows[writes.last[mine]]
        keep = ~((columns.kind == SEEK) & pairs_in(columns.pair, self.pairs))
        keep[writes.rows[pairs_in(writes.of, self.pairs)]] = False
        keep[last] = True
        offset[last], size[last] = begin[mine], (end - begin)[mine]
        columns.gap = kept(columns, last, size[last], last[:0])
        return remade(columns, keep, offset=offset, size=size)


_OF_ROUNDS = (*OPENS, *READS, *WRITES, CLOSE, STAT, SEEK, SYNC, RENAME, SETATTR)


@dataclass(frozen=True, slots=True, eq=False)
class LastRound:
    """Of files that are opened, written and put in place again and again the last round is left."""

    pairs: Numbers

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that writes these files once."""
        columns = Columns(traced)
        used = columns.streams(_OF_ROUNDS)
        opens = np.where(np.isin(columns.kind[used.rows], OPENS), used.rows, -1)
        last = np.maximum.reduceat(opens, used.first)[used.number] if len(used) else opens
        return without(columns, used.rows[pairs_in(used.of, self.pairs) & (used.rows < last)])


@dataclass(frozen=True, slots=True, eq=False)
class ListOnce:
    """Folders that are listed again and again are listed once, and their list is kept."""

    pairs: Numbers

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that keeps these lists."""
        columns = Columns(traced)
        return without(columns, later_lists(columns, self.pairs))


def later_lists(columns: Columns, pairs: Numbers) -> Numbers:
    """Return the rows of streams after their first list, which ends with a close."""
    used = Streams(columns, np.flatnonzero(pairs_in(columns.pair, pairs)))
    if not len(used):
        return used.rows
    kind = columns.kind[used.rows]
    closes = np.cumsum(kind == CLOSE)
    begun = closes - (kind == CLOSE)
    later = begun > begun[used.first][used.number]
    return np.sort(used.rows[later & np.isin(kind, (*OPENS, READDIR, CLOSE, STAT))])


@dataclass(frozen=True, slots=True, eq=False)
class ReadOnce:
    """A file that is opened, read and closed again and again is read once.

    What is computed between the calls of a round goes with them: it is likely what the program
    makes of the file, which is the same each time.

    ``ask``: each time its status is asked for, in place of opening it; libraries compute for that
    what they do for a status.
    """

    pairs: Numbers
    ask: bool = False

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that keeps what it has read."""
        columns = Columns(traced)
        gone = later_rounds(columns, self.pairs)
        kind, keep = columns.kind.copy(), np.ones(len(columns), bool)
        opens = np.isin(kind[gone], OPENS)
        keep[gone if not self.ask else gone[~opens]] = False
        kind[gone[opens]] = STAT
        if self.ask:
            clients = [one.library for one in columns.traced.clients]
            now, then = (library_ns(one, clients, columns.client) for one in (columns.kind, kind))
            columns.gap = np.maximum(columns.gap - np.maximum(now - then, 0), 0)
        used = Streams(columns, np.flatnonzero(pairs_in(columns.pair, self.pairs)))
        begins = used.rows[1:][columns.kind[used.rows[:-1]] == CLOSE]
        return remade(columns, keep, kind=kind, within=np.setdiff1d(gone, begins))


def later_rounds(columns: Columns, pairs: Numbers) -> Numbers:
    """Return the rows of streams after their first round, which ends with a close.

    Streams that write, or read something new, after it have none; nor do those whose first round
    leaves holes in what it touches.
    """
    used = Streams(columns, np.flatnonzero(pairs_in(columns.pair, pairs)))
    if not len(used):
        return used.rows
    kind = columns.kind[used.rows]
    closes = np.cumsum(kind == CLOSE)
    begun = closes - (kind == CLOSE)
    later = begun > begun[used.first][used.number]
    moving = np.isin(kind, (*READS, *WRITES)) & (used.sizes > 0)
    first = Streams(columns, used.rows[moving & ~later])
    low, high = np.full(len(used), np.iinfo(np.int64).max), np.zeros(len(used), np.int64)
    if len(first):
        at = np.searchsorted(used.pairs, first.pairs)
        low[at] = np.minimum.reduceat(first.offsets, first.first)
        high[at] = np.maximum.reduceat(first.offsets + first.sizes, first.first)
        holes = first.sums(news(first, first.pairs)) < high[at] - low[at]
        high[at[holes]] = 0
    fresh = (used.offsets < low[used.number]) | (used.offsets + used.sizes > high[used.number])
    bad = later & moving & (fresh | np.isin(kind, WRITES))
    good = (used.sums(bad) == 0)[used.number]
    dropped = (*OPENS, *READS, CLOSE, STAT, SEEK)
    return np.sort(used.rows[later & good & np.isin(kind, dropped)])


@dataclass(frozen=True, slots=True, eq=False)
class LargerDirect:
    """Direct calls that follow each other are made with so many bytes each."""

    pairs: Numbers
    size: int

    def __call__(self, traced: Traced) -> Traced:
        """Return the program with fewer direct calls."""
        columns = Columns(traced)
        rows, run = runs(columns, self.pairs, DIRECTS, alike=True)
        if not len(rows):
            return traced
        offset, size = columns.offset.copy(), columns.size.copy()
        begins = offset[rows][np.flatnonzero(np.diff(run, prepend=-1))][run]
        group = (offset[rows] - begins) // self.size
        new = (np.diff(run, prepend=-1) != 0) | (np.diff(group, prepend=-1) != 0)
        first = np.flatnonzero(new)
        last = np.append(first[1:], len(rows)) - 1
        # Reads are made at first, writes when all bytes are there.
        reads = np.isin(columns.kind[rows[first]], READS)
        kept = rows[np.where(reads, first, last)]
        keep = np.ones(len(columns), bool)
        keep[rows] = False
        keep[kept] = True
        offset[kept] = columns.offset[rows[first]]
        size[kept] = np.add.reduceat(columns.size[rows], first)
        return remade(columns, keep, offset=offset, size=size)


@dataclass(frozen=True, slots=True, eq=False)
class NotDirect:
    """Files are read and written through the page cache."""

    pairs: Numbers

    def __call__(self, traced: Traced) -> Traced:
        """Return the program without O_DIRECT."""
        columns = Columns(traced)
        direct = pairs_in(columns.pair, self.pairs) & np.isin(columns.kind, DIRECTS)
        kind = np.where(direct, columns.kind & ~DIRECT, columns.kind).astype(np.int8)
        return remade(columns, np.ones(len(columns), bool), kind=kind)


@dataclass(frozen=True, slots=True, eq=False)
class ReadLess:
    """Reads that go elsewhere than on have at most so many bytes."""

    pairs: Numbers
    most: int

    def __call__(self, traced: Traced) -> Traced:
        """Return the program that reads no more than it uses."""
        columns = Columns(traced)
        size = columns.size.copy()
        rows = scattered(columns, self.pairs)
        size[rows] = np.minimum(size[rows], self.most)
        return remade(columns, np.ones(len(columns), bool), size=size)


def scattered(columns: Columns, pairs: Numbers) -> Numbers:
    """Return the reads of streams that neither follow another nor are followed."""
    reads = columns.streams(READS, moving=True)
    follows = reads.sequential()
    alone = ~follows & ~np.append(follows[1:], False)
    found: Numbers = reads.rows[alone & pairs_in(reads.of, pairs)]
    return found
