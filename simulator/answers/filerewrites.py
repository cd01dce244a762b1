"""Rewrites of listed calls that treat files as wholes: many as one, read once, not synced.

Clients that share a place live one after the other, on one node: what they do with their files is
done as by one. Like all rewrites, these preserve computing, order, and what is written in the end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.calls import (
    LAZY_WRITES,
    MOVES,
    OPENS,
    READS,
    WRITES,
    Columns,
    Numbers,
    Streams,
    inserted,
    remade,
    without,
)
from simulator.answers.repeats import after, first_pass
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
DATA = (*MOVES, SYNC)


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
        data = rows[np.isin(columns.kind[rows], MOVES)]
        offset[data] += self.base[columns.file[data]]
        return file, offset


def sync_all(traced: Traced, pairs: Numbers) -> Traced:
    """Sync all files together at the end (``syncfs``), and none before.

    Their data are replayed as those of one file, so that what is dirty is written back at once and
    one commit makes all of it durable. Opens and closes stay those of the files.
    """
    columns = Columns(traced)
    if not len(pairs):
        return traced
    volumes = _Volumes(columns, pairs)
    mine = np.isin(columns.pair, pairs)
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


def no_sync(traced: Traced, pairs: Numbers) -> Traced:
    """Sync no file: neither by calls nor by writes that are synchronous."""
    columns = Columns(traced)
    mine = np.isin(columns.pair, pairs)
    kind = np.where(mine & (columns.kind & SYNCED != 0), columns.kind & ~SYNCED, columns.kind)
    return remade(columns, ~(mine & (columns.kind == SYNC)), kind=kind.astype(np.int8))


def one_file(traced: Traced, pairs: Numbers) -> Traced:
    """Make many files parts of one, which each client opens and closes once."""
    columns = Columns(traced)
    if not len(pairs):
        return traced
    volumes = _Volumes(columns, pairs)
    rows = np.flatnonzero(np.isin(columns.pair, pairs))
    file, offset = volumes.moved(columns, rows)
    kind, size = columns.kind.copy(), columns.size.copy()
    client = columns.client
    keep = columns.all_but(rows[np.isin(kind[rows], (*OPENS, CLOSE, STAT, SETATTR))])
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


def write_whole(traced: Traced, pairs: Numbers) -> Traced:
    """Write all that a stream writes by its last write, in the order of the file; none before.

    What is kept until then takes memory, whose pages are touched first.
    """
    columns = Columns(traced)
    writes = columns.streams(LAZY_WRITES, moving=True)
    if not len(writes):
        return traced
    offset, size = columns.offset.copy(), columns.size.copy()
    mine = np.isin(writes.pairs, pairs)
    last = writes.rows[writes.last[mine]]
    keep = ~((columns.kind == SEEK) & np.isin(columns.pair, pairs))
    keep[writes.rows[np.isin(writes.of, pairs)]] = False
    keep[last] = True
    offset[last], size[last] = writes.low[mine], (writes.high - writes.low)[mine]
    columns.gap = kept(columns, last, size[last], last[:0])
    return remade(columns, keep, offset=offset, size=size)


_OF_ROUNDS = (*OPENS, *MOVES, CLOSE, STAT, SEEK, SYNC, RENAME, SETATTR)


def last_round(traced: Traced, pairs: Numbers) -> Traced:
    """Leave the last round of files that are opened, written and put in place again and again."""
    columns = Columns(traced)
    used = columns.streams(_OF_ROUNDS)
    opens = np.where(np.isin(columns.kind[used.rows], OPENS), used.rows, -1)
    last = used.most(opens)[used.number]
    return without(columns, used.rows[np.isin(used.of, pairs) & (used.rows < last)])


def list_once(traced: Traced, pairs: Numbers, *, made: bool = False) -> Traced:
    """List folders once that are listed again and again, and keep their lists.

    ``made``: and what is computed right after each list.
    """
    columns = Columns(traced)
    rows = later_lists(columns, pairs)
    within = np.flatnonzero(of_rounds(columns, rows, made=True)) if made else None
    return remade(columns, columns.all_but(rows), within=within)


def later_lists(columns: Columns, pairs: Numbers) -> Numbers:
    """Return the rows of streams after their first list, which ends with a close."""
    used, kind, later = _rounds(columns, pairs)
    return np.sort(used.rows[later & np.isin(kind, (*OPENS, READDIR, CLOSE, STAT))])


def _rounds(columns: Columns, pairs: Numbers) -> tuple[Streams, Numbers, Numbers]:
    """Return the rows of streams, their kinds, and which come after the first close."""
    used = Streams(columns, np.flatnonzero(np.isin(columns.pair, pairs)))
    kind = columns.kind[used.rows]
    begun = np.cumsum(kind == CLOSE) - (kind == CLOSE)
    return used, kind, begun > begun[used.first][used.number]


def read_once(traced: Traced, pairs: Numbers, *, ask: bool = False, made: bool = False) -> Traced:
    """Read a file once that is opened, read and closed again and again.

    What is computed between the calls of a round goes with them: it is likely what the program
    makes of the file, which is the same each time. ``made``: and what is computed after a round.

    ``ask``: each time its status is asked for, in place of opening it; libraries compute for that
    what they do for a status.
    """
    columns = Columns(traced)
    gone = later_rounds(columns, pairs)
    kind = columns.kind.copy()
    opens = np.isin(kind[gone], OPENS)
    keep = columns.all_but(gone if not ask else gone[~opens])
    kind[gone[opens]] = STAT
    if ask:
        clients = [one.library for one in columns.traced.clients]
        now, then = (library_ns(one, clients, columns.client) for one in (columns.kind, kind))
        columns.gap = np.maximum(columns.gap - np.maximum(now - then, 0), 0)
    within, later = of_rounds(columns, gone, made=made), ~columns.all_but(gone)
    first = np.isin(columns.pair, pairs) & np.isin(columns.kind, (*OPENS, *READS)) & ~later
    columns.gap = first_pass(columns, within, later, first)
    return remade(columns, keep, kind=kind, within=np.flatnonzero(within))


def of_rounds(columns: Columns, gone: Numbers, *, made: bool) -> Numbers:
    """Return the rows before which is computed what belongs to later rounds; or ``made`` of them.

    The first row of a round has what is computed before the round.
    """
    found = ~columns.all_but(gone)
    rest = after(columns, found) if made else found
    used = Streams(columns, gone)
    first = used.rows[1:][columns.kind[used.rows[:-1]] == CLOSE]
    found[np.append(first, used.rows[used.first])] = False
    return found | rest if made else found


def later_rounds(columns: Columns, pairs: Numbers) -> Numbers:
    """Return the rows of streams after their first round, which ends with a close.

    Streams that write, or read something new, after it have none; nor do those whose first round
    leaves holes in what it touches.
    """
    used, kind, later = _rounds(columns, pairs)
    moving = np.isin(kind, MOVES) & (used.sizes > 0)
    first = Streams(columns, used.rows[moving & ~later])
    low, high = np.full(len(used), np.iinfo(np.int64).max), np.zeros(len(used), np.int64)
    at = np.searchsorted(used.pairs, first.pairs)
    low[at], high[at] = first.low, first.high
    holes = first.sums(news(first, first.pairs)) < first.high - first.low
    high[at[holes]] = 0
    fresh = (used.offsets < low[used.number]) | (used.offsets + used.sizes > high[used.number])
    bad = later & moving & (fresh | np.isin(kind, WRITES))
    good = (used.sums(bad) == 0)[used.number]
    dropped = (*OPENS, *READS, CLOSE, STAT, SEEK)
    return np.sort(used.rows[later & good & np.isin(kind, dropped)])


def larger_direct(traced: Traced, pairs: Numbers, least: int) -> Traced:
    """Make direct calls that follow each other with so many bytes each."""
    columns = Columns(traced)
    rows, run = runs(columns, pairs, DIRECTS, alike=True)
    if not len(rows):
        return traced
    offset, size = columns.offset.copy(), columns.size.copy()
    begins = offset[rows][np.flatnonzero(np.diff(run, prepend=-1))][run]
    group = (offset[rows] - begins) // least
    new = (np.diff(run, prepend=-1) != 0) | (np.diff(group, prepend=-1) != 0)
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(rows)) - 1
    # Reads are made at first, writes when all bytes are there.
    reads = np.isin(columns.kind[rows[first]], READS)
    kept = rows[np.where(reads, first, last)]
    keep = columns.all_but(rows)
    keep[kept] = True
    offset[kept] = columns.offset[rows[first]]
    size[kept] = np.add.reduceat(columns.size[rows], first)
    return remade(columns, keep, offset=offset, size=size)


def not_direct(traced: Traced, pairs: Numbers) -> Traced:
    """Read and write files through the page cache."""
    columns = Columns(traced)
    direct = np.isin(columns.pair, pairs) & np.isin(columns.kind, DIRECTS)
    kind = np.where(direct, columns.kind & ~DIRECT, columns.kind).astype(np.int8)
    return remade(columns, kind=kind)


def read_less(traced: Traced, pairs: Numbers, most: int) -> Traced:
    """Read at most so many bytes at places that neither follow others nor are followed."""
    columns = Columns(traced)
    size = columns.size.copy()
    rows = scattered(columns, pairs)
    size[rows] = np.minimum(size[rows], most)
    return remade(columns, size=size)


def scattered(columns: Columns, pairs: Numbers) -> Numbers:
    """Return the reads of streams that neither follow another nor are followed."""
    reads = columns.streams(READS, moving=True)
    follows = reads.sequential()
    alone = ~follows & ~np.append(follows[1:], False)
    found: Numbers = reads.rows[alone & np.isin(reads.of, pairs)]
    return found


EVERY = 1 << 30
"""Stripes of a file that has as many as there are members."""
_STRIPE = 1 << 20
"""Bytes of a stripe where the log does not say it: Lustre's default."""


def restriped(traced: Traced, files: Numbers, stripes: int) -> Traced:
    """Return it with other numbers of stripes of some files, each of as many bytes as before."""
    made = list(traced.files)
    for one in files.tolist():
        made[one] = replace(made[one], stripes=(stripes, made[one].stripes[1] or _STRIPE))
    return replace(traced, files=tuple(made))


def own_files(traced: Traced, shared: Numbers) -> Traced:
    """Give each client a file of its own instead of some shared ones, without holes in it.

    The first client of a file keeps its name. ``shared``: the numbers of the files.
    """
    columns = Columns(traced)
    file, offset = columns.file.copy(), columns.offset.copy()
    mine = np.flatnonzero(np.isin(file, shared))
    if not len(mine):
        return traced
    moved = np.where(np.isin(columns.kind, MOVES), columns.size, 0)
    order = np.argsort(columns.pair[mine], kind="stable")
    pairs, first = np.unique(columns.pair[mine][order], return_index=True)
    files = list(traced.files)
    seen: set[int] = set()
    for pair, rows in zip(pairs.tolist(), np.split(mine[order], first[1:]), strict=True):
        old = pair & 0xFFFFFFFF
        offset[rows], size = packed(offset[rows], moved[rows])
        number, name = len(files), files[old].name
        if old not in seen:
            seen.add(old)
            number = old
            files[old] = replace(files[old], length=0, size=size)
        else:
            name = f"{name}.{traced.clients[pair >> 32].name}"
            files.append(replace(files[old], name=name, length=0, size=size))
        file[rows] = number
    kept = remade(columns, file=file, offset=offset)
    return replace(kept, files=tuple(files))


def packed(offset: Numbers, size: Numbers) -> tuple[Numbers, int]:
    """Return offsets without the holes between what calls touch, and where the last one ends.

    >>> packed(np.array([100, 300, 110]), np.array([20, 10, 20]))
    (array([ 0, 30, 10]), 40)
    """
    order = np.lexsort((size, offset))
    begin = offset[order]
    reach = np.maximum.accumulate(begin + size[order])
    holes = np.cumsum(np.maximum(begin - np.append(0, reach[:-1]), 0))
    found = np.empty_like(offset)
    found[order] = begin - holes
    return found, int((found + size).max(initial=0))
