"""Rewrites of listed calls: what a program would call once a pattern of it is cured.

A rewrite preserves what is computed between calls (but for what libraries compute for a call that
goes), what is written in the end, and who waits for whom. It is a function of a traced program, so
that rewrites can be applied one after the other; its other arguments are bound by
:func:`~simulator.answers.advise.rewriting`. ``pairs`` are streams, as
:class:`~simulator.answers.calls.Columns` has them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.calls import (
    LAZY_WRITES,
    MOVES,
    OPENS,
    READS,
    SYNCED_WRITES,
    Columns,
    Numbers,
    Streams,
    inserted,
    library_ns_of,
    remade,
    without,
    written_before_syncs,
)
from simulator.answers.repeats import first_pass, of_found, read_again
from simulator.plan.codes import CLOSE, LOOKUP, PAUSE, SEEK, STAT, SYNC, SYNCED
from simulator.workload.traced import with_buffers

if TYPE_CHECKING:
    from simulator.workload.traced import Traced


def buffered(traced: Traced, pairs: Numbers, size: int) -> Traced:
    """Give each client a buffer for the files of some streams, whoever uses them.

    What is in a buffer is written before a sync or close of the file, before the client makes
    or awaits another one, and at its end.
    """
    files = np.unique(pairs & 0xFFFFFFFF)
    sizes = np.zeros(len(traced.files), np.int64)
    sizes[files] = size
    made = with_buffers(without_library(traced, files), array("q", sizes.tolist()))[0]
    return without_library(made, files, back=True)


def without_library(traced: Traced, files: Numbers, *, back: bool = False) -> Traced:
    """Return the program without what its libraries compute for reads and writes of some files.

    ``back``: with it, in a program that was made of such a one.
    """
    columns = Columns(traced)
    moves = np.isin(columns.file, files) & np.isin(columns.kind, MOVES)
    own = np.where(moves, library_ns_of(columns), 0)
    gap = columns.gap + own if back else np.maximum(columns.gap - own, 0)
    cells = array("q")
    cells.frombytes(gap.astype(np.int64).tobytes())
    return replace(traced, table=replace(traced.table, gap=cells))


def keep_open(traced: Traced, pairs: Numbers) -> Traced:
    """Open a file once, and close it once: the first open and the last close are left.

    What is looked up right after an open (``fstat``) goes with it, and the seek to where the file
    ends; and right before it the close of a file that the client has not opened: a shell's copy of
    what it had redirected.
    """
    columns = Columns(traced)
    opens, closes = columns.streams(OPENS), columns.streams((CLOSE,))
    gone = opens.rows[np.isin(opens.of, pairs) & ~opens.begins]
    keep = columns.all_but(gone)
    after = gone
    for kind in (STAT, SEEK):
        after = after[after + 1 < len(columns)]
        same = (columns.kind[after + 1] == kind) & (columns.pair[after + 1] == columns.pair[after])
        keep[after[same] + 1] = False
        after = after + same
    before = gone[gone > 0] - 1
    copies = (columns.kind[before] == CLOSE) & ~np.isin(columns.pair[before], opens.pairs)
    keep[before[copies & (columns.client[before] == columns.client[before + 1])]] = False
    ends = np.roll(closes.begins, -1)
    mine = np.isin(closes.of, pairs)
    keep[closes.rows[mine & ~ends]] = False
    size = columns.size.copy()
    wrote = closes.most(closes.sizes)  # The last close has it all.
    size[closes.rows[mine & ends]] = wrote[closes.number[mine & ends]]
    return remade(columns, keep, size=size)


def one_sync(traced: Traced, pairs: Numbers, each: int = 0) -> Traced:
    """Sync once at the end: of each stream the last sync is left; and one for ``each`` bytes.

    Writes that are synchronous by themselves (``O_SYNC``) are so no more; the last is synced.
    """
    columns = Columns(traced)
    syncs = columns.streams((SYNC, *SYNCED_WRITES))
    mine = np.isin(syncs.of, pairs)
    ends = np.roll(syncs.begins, -1)
    if each:
        filled = written_before_syncs(columns) // each
        ends |= filled > np.where(syncs.begins, 0, np.roll(filled, 1))
    ends &= mine
    alone = syncs.columns.kind[syncs.rows] == SYNC
    kind = columns.kind.copy()
    lazy = syncs.rows[mine & ~alone]
    kind[lazy] &= ~SYNCED
    keep = columns.all_but(syncs.rows[mine & alone & ~ends])
    after = syncs.rows[ends & ~alone]
    place = np.cumsum(keep)[after] - 1  # Rows become fewer, and pauses take no place before.
    cured = remade(columns, keep, kind=kind)
    return inserted(cured, place, SYNC) if len(after) else cured


def search_once(traced: Traced, *, never: bool = False) -> Traced:
    """Look for absent names once, or, if ``never``, not at all."""
    columns = Columns(traced)
    return without(columns, searches(columns) if never else repeated(columns))


def searches(columns: Columns) -> Numbers:
    """Return the rows that look for a name that is absent."""
    return np.flatnonzero(columns.kind == LOOKUP)


def repeated(columns: Columns) -> Numbers:
    """Return the rows that look for an absent name once more, each client for itself."""
    return asked_again(columns, columns.pair, (LOOKUP,))


def asked_again(columns: Columns, pair: Numbers, kinds: Sequence[int]) -> Numbers:
    """Return the rows of some kinds that ask once more for a name; ``pair``: by whom, of what."""
    rows = np.flatnonzero(np.isin(columns.kind, kinds) & (pair >= 0))
    name = np.stack([pair[rows], columns.kind[rows], columns.offset[rows]], axis=1)
    _, first = np.unique(name, axis=0, return_index=True)
    return np.delete(rows, first)


def stat_less(traced: Traced, pairs: Numbers, *, never: bool = False) -> Traced:
    """Ask for the status of some files once, or, if ``never``, not at all."""
    columns = Columns(traced)
    stats = columns.streams((STAT,))
    gone = np.isin(stats.of, pairs)
    return without(columns, stats.rows[gone if never else gone & ~stats.begins])


class Covered:
    """Bytes of a file that have been seen: disjoint extents, in order.

    >>> seen = Covered()
    >>> [seen.add(*extent) for extent in ((0, 10), (20, 30), (5, 25), (0, 30), (29, 31))]
    [10, 10, 10, 0, 1]
    """

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []

    def add(self, begin: int, end: int) -> int:
        """Add an extent; returns how many of its bytes are new."""
        begins, ends = self._begins, self._ends
        first = bisect_left(ends, begin)
        last = bisect_right(begins, end)
        if first == last:
            begins.insert(first, begin)
            ends.insert(first, end)
            return end - begin
        low, high = min(begin, begins[first]), max(end, ends[last - 1])
        old = sum(ends[one] - begins[one] for one in range(first, last))
        begins[first:last], ends[first:last] = [low], [high]
        return high - low - old

    def has(self, begin: int, end: int) -> bool:
        """Return whether all of an extent has been seen."""
        place = bisect_right(self._begins, begin) - 1
        return place >= 0 and end <= self._ends[place]


def keep_in_memory(traced: Traced, pairs: Numbers, *, made: bool = False) -> Traced:
    """Keep what has been read or written: reads without a new byte are not made again.

    What is kept takes memory, whose pages are touched first, and is read there. ``made``: what is
    computed after a read of what was read before is made of it, and is kept as well.
    """
    columns = Columns(traced)
    used = columns.streams(MOVES, moving=True)
    new = news(used, pairs)
    reads = np.isin(columns.kind[used.rows], READS) & np.isin(used.of, pairs)
    gone = used.rows[reads & (new == 0)]
    within = None
    if made:
        seen = _read_before(columns, pairs)
        first = np.isin(columns.pair, pairs) & np.isin(columns.kind, (*OPENS, *READS)) & ~seen
        which = read_again(columns, seen)
        columns.gap = of_found(columns, which)
        columns.gap, within = first_pass(columns, which, seen, first), np.flatnonzero(which)
    columns.gap = kept(columns, used.rows[reads], new[reads], gone, searched=True)
    return remade(columns, columns.all_but(gone), within=within)


def made_of(columns: Columns, pairs: Numbers) -> Numbers:
    """Return the rows before which a program computes what it has made of the same bytes before."""
    return read_again(columns, _read_before(columns, pairs))


def _read_before(columns: Columns, pairs: Numbers) -> Numbers:
    """Return which rows are reads of bytes that have been read before."""
    reads = columns.streams(READS, moving=True)
    found = np.zeros(len(columns), bool)
    found[reads.rows[again(reads, pairs)]] = True
    return found


def again(used: Streams, pairs: Numbers) -> Numbers:
    """Return which rows of streams are reads whose bytes their client has seen before.

    Only streams of some pairs are looked at.
    """
    reads = np.isin(used.columns.kind[used.rows], READS)
    found: Numbers = reads & np.isin(used.of, pairs) & (news(used, pairs) == 0)
    return found


def news(used: Streams, pairs: Numbers) -> Numbers:
    """Return of each row of streams how many of its bytes no row before it has touched.

    Only streams of some pairs are looked at; others have 0.
    """
    found = np.zeros(len(used.rows), np.int64)
    ends = np.append(used.first[1:], len(used.rows))
    for number in np.flatnonzero(np.isin(used.pairs, pairs)).tolist():
        part = slice(int(used.first[number]), int(ends[number]))
        seen = Covered()
        begin = used.offsets[part]
        until = begin + used.sizes[part]
        new = [seen.add(*extent) for extent in zip(begin.tolist(), until.tolist(), strict=True)]
        found[part] = new
    return found


def read_whole(traced: Traced, pairs: Numbers) -> Traced:
    """Read all that a stream reaches over by its first read, and nothing afterwards.

    What is kept takes memory, whose pages are touched first, and is read there.
    """
    columns = Columns(traced)
    reads = columns.streams(READS, moving=True)
    if not len(reads):
        return traced
    offset, size = columns.offset.copy(), columns.size.copy()
    mine = np.isin(reads.of, pairs)
    keep = columns.all_but(reads.rows[mine & ~reads.begins])
    first, number = reads.rows[mine & reads.begins], reads.number[mine & reads.begins]
    offset[first], size[first] = reads.low[number], (reads.high - reads.low)[number]
    columns.gap = kept(columns, first, size[first], reads.rows[mine & ~reads.begins])
    keep &= ~((columns.kind == SEEK) & np.isin(columns.pair, pairs))
    return remade(columns, keep, offset=offset, size=size)


_PAGE = 4096
_NEAR = 1 << 20
"""Bytes that a processor's own cache has, about."""


def kept(
    columns: Columns, first: Numbers, new: Numbers, gone: Numbers, *, searched: bool = False
) -> Numbers:
    """Return the gaps of a program that keeps ``new`` bytes of some rows, and reads them there.

    Rows that are ``gone`` were reads: what they asked for is far from the processor, unless little
    is kept. ``searched``: a library keeps it, if the program has one that does.
    """
    libraries = [one.library for one in columns.traced.clients]
    costs = np.array([(one.page, one.far * (one.search if searched else 1)) for one in libraries])
    gap = columns.gap.astype(np.float64)
    gap[first] += costs[columns.client[first], 0] * new / _PAGE
    if int(new.sum()) > _NEAR:
        gap[gone] += costs[columns.client[gone], 1] * columns.size[gone] / _PAGE
    found: Numbers = np.rint(gap).astype(np.int64)
    return found


def in_order(traced: Traced, pairs: Numbers, most: int) -> Traced:
    """Make the reads of a stream in the order of their places, neighbours by one call.

    A call of ``most`` bytes takes no more neighbours. What is left has gaps in between, over which
    no system reads ahead: a page cache that does is one of calls that follow each other.
    """
    columns = Columns(traced)
    reads = columns.streams(READS, moving=True)
    mine = np.isin(reads.of, pairs)
    rows, number = reads.rows[mine], reads.number[mine]
    if not len(rows):
        return traced
    order = np.lexsort((columns.size[rows], columns.offset[rows], number))
    offset, size = columns.offset.copy(), columns.size.copy()
    begin = columns.offset[rows][order]
    end, first = begin + columns.size[rows][order], np.zeros(len(rows), bool)
    low = high = stream = -1
    for place, (start, until, of) in enumerate(
        zip(begin.tolist(), end.tolist(), number.tolist(), strict=True)
    ):
        if of != stream or start > high or max(until, high) - low > most:
            low, high, stream, first[place] = start, until, of, True
        high = max(high, until)
        end[place] = high
    last = np.append(np.flatnonzero(first)[1:], len(rows)) - 1
    offset[rows[first]], size[rows[first]] = begin[first], end[last] - begin[first]
    keep = ~((columns.kind == SEEK) & np.isin(columns.pair, pairs))
    keep[rows[~first]] = False
    return remade(columns, keep, offset=offset, size=size)


def go_on(traced: Traced, pairs: Numbers) -> Traced:
    """Read each byte once where reads go back into the one before; no seeks."""
    columns = Columns(traced)
    reads = columns.streams(READS, moving=True)
    back = reads.goes_on() & np.isin(reads.of, pairs)
    end, rows = reads.offsets + reads.sizes, reads.rows[back]
    begin = np.minimum(np.roll(end, 1), end)[back]
    offset, size = columns.offset.copy(), columns.size.copy()
    offset[rows], size[rows] = begin, end[back] - begin
    keep = ~((columns.kind == SEEK) & np.isin(columns.pair, pairs))
    keep[rows[size[rows] == 0]] = False
    return remade(columns, keep, offset=offset, size=size)


def read_new(traced: Traced, pairs: Numbers) -> Traced:
    """Leave out reads of bytes that their client has seen, and seeks: it has them in an array."""
    columns = Columns(traced)
    used = columns.streams(MOVES, moving=True)
    keep = columns.all_but(used.rows[again(used, pairs)])
    return remade(columns, keep & ~((columns.kind == SEEK) & np.isin(columns.pair, pairs)))


def align(traced: Traced, pairs: Numbers, unit: int) -> Traced:
    """Write whole units: what a write leaves of its last one is written with the next write.

    A run is a stretch of writes of a stream, each where the one before ended, with no other call on
    the file and no other process made or awaited in between; it ends with its last byte.
    """
    columns = Columns(traced)
    rows, run = runs(columns, pairs, LAZY_WRITES)
    if not len(rows):
        return traced
    offset, size = columns.offset.copy(), columns.size.copy()
    end = offset[rows] + size[rows]
    first = np.flatnonzero(np.diff(run, prepend=-1))
    last = np.zeros(len(rows), bool)
    last[np.append(first[1:], len(rows)) - 1] = True
    begin = offset[rows][first][run]
    until = np.where(last, end, np.maximum(end // unit * unit, begin))
    since = np.roll(until, 1)
    since[first] = begin[first]
    offset[rows], size[rows] = since, until - since
    return remade(columns, columns.all_but(rows[until == since]), offset=offset, size=size)


def runs(
    columns: Columns, pairs: Numbers, kinds: Sequence[int], *, alike: bool = False
) -> tuple[Numbers, Numbers]:
    """Return the rows of runs of calls of some kinds, stream by stream, and the run of each.

    In a run each call begins where the one before ended, with no other call on the file, and no
    other process made or awaited, in between. ``alike``: all calls of a run are of one kind.
    """
    calls = columns.streams(range(128))
    mine = np.isin(calls.of, pairs) & ~np.isin(columns.kind[calls.rows], (SEEK, STAT))
    mine &= ~(np.isin(columns.kind[calls.rows], READS) & (calls.sizes == 0))
    rows, of = calls.rows[mine], calls.of[mine]
    if not len(rows):
        return rows, rows
    meets = np.cumsum((columns.file < 0) & (columns.kind != PAUSE))
    kind = columns.kind[rows]
    moved = np.isin(kind, kinds) & (columns.size[rows] > 0)
    offset = columns.offset[rows]
    end = offset + columns.size[rows]
    new = np.ones(len(rows), bool)
    new[1:] = ~(
        moved[1:]
        & moved[:-1]
        & (of[1:] == of[:-1])
        & (offset[1:] == end[:-1])
        & (meets[rows[1:]] == meets[rows[:-1]])
    )
    if alike:
        new[1:] |= kind[1:] != kind[:-1]
    run = (np.cumsum(new) - 1)[moved]
    return rows[moved], np.unique(run, return_inverse=True)[1] if len(run) else run
