"""Streams of calls drawn from the counters of one record of a Darshan log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from simulator.traces.sampled.counts import WAYS, Numbers, Streams, counters_of, first_of, many_of
from simulator.traces.sampled.places import File, jumps_of, offsets_of
from simulator.traces.sampled.ranks import Shares, dealt, shares_of
from simulator.traces.sampled.sizes import sizes_of

Random = np.random.Generator
EXACT = ("READS", "WRITES", "BYTES_", "SIZE_", "SEQ_", "CONSEC_", "MAX_BYTE_", "RW_SWITCHES")
"""Begins of the names of counters that a sample is to have; alignment it has as nearly as can be,
and of strides and common sizes Darshan keeps four only."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One record: the counters of a file on one rank, or on all that share it (rank -1)."""

    rank: int
    file: str
    counts: Mapping[str, int]
    seconds: Mapping[str, float]
    """Counters that begin with ``F_``: times, and variances over ranks."""
    module: str = "POSIX"
    above: Mapping[str, float] = field(default_factory=dict)
    """Counters and times of MPI-IO for the same file; empty if it was not used."""


@dataclass(slots=True)
class Drawn:
    """Calls of a record, and the share of each rank that moved bytes."""

    streams: Streams
    shares: Shares
    wrong: list[str] = field(default_factory=list)
    """Counters that are not those of the record."""


@dataclass(frozen=True, slots=True)
class Habit:
    """What a sample presumes of a program that a log does not say, alike for all ranks."""

    again: bool
    """Where a rank goes back it goes to the begin of the run before, else to any place before."""
    regular: bool
    """Jumps are evenly spaced, as those of loops, else anywhere."""
    bursts: int
    """In how many bursts each rank makes the calls of a file; 0: evenly."""
    within: float
    """How much of the time that a rank of a shared record is in no call is between its calls; the
    rest is behind its last one."""
    meets: bool
    """Ranks begin collective calls together; else each goes on as soon as it can."""
    waiting: float
    """How much of a pause before a collective call is waiting for other ranks, if they meet; and
    how much time of a rank that writes for all others in collective calls goes with its calls."""

    @classmethod
    def of(cls, seed: int) -> Habit:
        """Return that of a sample: eight that follow each other have each of two ways four times.

        With bursts the logarithm of their number is evenly distributed.
        """
        random = np.random.default_rng(seed)
        again, regular, meets = (bool(seed >> bit & 1) for bit in range(3))
        many = round(MOST_BURSTS ** random.random())
        within, waiting = (float(random.random()) for _ in range(2))
        return cls(again, regular, many * (again ^ regular ^ meets), within, meets, waiting)


MOST_BURSTS = 256
TRIES, ALIGNING = 12, 4
"""Times that a record is drawn until all counters are right; of these, until alignment is, too."""


def drawn(
    record: Counted,
    processes: int,
    random: Random,
    habit: Habit | None = None,
    place: tuple[int, int] = (0, 1),
) -> Drawn:
    """Draw the reads and writes of a record, as its counters say.

    ``place``: of a record of one rank, which of how many of the file it is. What is drawn is
    counted again; of some tries the one that is right in most is taken.
    """
    best: tuple[tuple[int, int], Drawn] | None = None
    habit = habit or Habit.of(int(random.integers(8)))
    for number in range(TRIES):
        made = _try(record, processes, random, habit, place, grouped=number % 2 == 1)
        found = counters_of(made.streams, record.counts.get("FILE_ALIGNMENT", 0))
        made.wrong = [
            name
            for name in sorted({*found, *record.counts})
            if name.startswith(EXACT) and found.get(name, 0) != record.counts.get(name, 0)
        ]
        unaligned = found.get("FILE_NOT_ALIGNED", 0) - record.counts.get("FILE_NOT_ALIGNED", 0)
        score = (len(made.wrong), abs(unaligned))
        if best is None or score < best[0]:
            best = (score, made)
        if not best[0][0] and (not best[0][1] or number >= ALIGNING):
            break
    assert best is not None
    return best[1]


KEPT = 8
"""Draws of records with the same counters on one rank, of which further such records have one."""


class Draws:
    """Draws of the records of a log, of which many may have the same counters.

    A log of ten thousand files of one kind would take seconds to draw one by one.
    """

    def __init__(self, processes: int, seed: int, habit: Habit | None = None) -> None:
        self._processes, self._seed, self._habit = processes, seed, habit
        self._known: dict[Any, list[Drawn]] = {}

    def of(self, record: Counted, number: int, place: tuple[int, int] = (0, 1)) -> Drawn:
        """Return a draw of a record, the ``number``th of the log; ``place`` as :func:`drawn`."""
        if record.rank < 0 or place[1] > 1:
            return self._drawn(record, number, place)
        known = self._known.setdefault((*record.counts.items(), reads_first(record)), [])
        if len(known) < KEPT:
            known.append(self._drawn(record, number, place))
            return known[-1]
        made = known[number % KEPT]
        rank = np.full(len(made.streams.rank), record.rank)
        shares = replace(made.shares, rank=np.array([record.rank]))
        return Drawn(replace(made.streams, rank=rank), shares, made.wrong)

    def _drawn(self, record: Counted, number: int, place: tuple[int, int]) -> Drawn:
        random = np.random.default_rng((self._seed, number))
        return drawn(record, self._processes, random, self._habit, place)


def _try(
    record: Counted,
    processes: int,
    random: Random,
    habit: Habit,
    place: tuple[int, int],
    *,
    grouped: bool,
) -> Drawn:
    """Draw a record once; ``grouped``: calls of one size stand together."""
    shares = shares_of(record.rank, processes, record.counts, record.seconds, random)
    sizes = sizes_of(record.counts, random)
    parts = {way: dealt(sizes[way], shares, random, grouped=grouped) for way in WAYS}
    moves = {
        way: Moves(owner, size, _places(way, record, owner, size, place, random, habit))
        for way, (owner, size) in parts.items()
    }
    if is_modifying(record.counts):
        moves["READ"] = _all_read_before(moves["READ"], moves["WRITE"], len(shares.rank))
    return Drawn(_mixed(record, shares, moves, random), shares)


@dataclass(frozen=True, slots=True)
class Moves:
    """The reads, or the writes, of a record, rank by rank."""

    owner: Numbers
    """Which of the ranks that moved bytes makes each."""
    size: Numbers
    offset: Numbers


def _mixed(record: Counted, shares: Shares, moves: dict[str, Moves], random: Random) -> Streams:
    """Return the reads and writes of each rank in turn, as often as they switch."""
    ranks = len(shares.rank)
    reads, writes = (np.bincount(moves[way].owner, minlength=ranks) for way in WAYS)
    switches = _switches(record.counts.get("RW_SWITCHES", 0), reads, writes, random)
    order = _order(reads, writes, switches, random, reads_first=reads_first(record))
    offset, size = np.zeros(len(order), np.int64), np.zeros(len(order), np.int64)
    for way, which in zip(WAYS, (~order, order), strict=True):
        offset[which], size[which] = moves[way].offset, moves[way].size
    owner = np.repeat(np.arange(ranks), reads + writes)
    return Streams(shares.rank[owner], order, offset, size)


def is_modifying(counts: Mapping[str, int]) -> bool:
    """Return whether a program reads what it then writes: it changes between them at each call.

    So does MPI-IO where it writes pieces with holes between them (data sieving).
    """
    reads, writes = (counts.get(f"{way}S", 0) for way in WAYS)
    return 4 <= reads <= writes <= 2 * reads and counts.get("RW_SWITCHES", 0) >= 1.6 * reads


def _all_read_before(reads: Moves, writes: Moves, ranks: int) -> Moves:
    """Return the reads of all ranks, each of what the write behind it writes."""
    made = []
    ends = [np.searchsorted(one.owner, np.arange(ranks + 1)).tolist() for one in (reads, writes)]
    for rank in range(ranks):
        read, written = (slice(some[rank], some[rank + 1]) for some in ends)
        made.append(_read_before(reads.size[read], writes.size[written], writes.offset[written]))
    owner = np.repeat(np.arange(ranks), [len(sizes) for sizes, _ in made])
    return Moves(owner, *(np.concatenate(columns) for columns in zip(*made, strict=True)))


def _read_before(read: Numbers, written: Numbers, offset: Numbers) -> tuple[Numbers, Numbers]:
    """Return sizes and offsets of reads, each of what the write behind it writes.

    Reads of other sizes than the writes' stand where the writes' runs begin.
    """
    if not len(read) or len(read) > len(written):
        return read, np.zeros(len(read), np.int64)
    inner = np.concatenate([np.zeros(1, bool), offset[1:] == offset[:-1] + written[:-1]])
    left = Counter(read.tolist())
    sizes = np.full(len(written), -1, np.int64)
    for one in [*np.flatnonzero(inner).tolist(), *np.flatnonzero(~inner).tolist()]:
        size = int(written[one])
        if left[size]:
            left[size] -= 1
            sizes[one] = size
    bare = sorted(np.flatnonzero(sizes < 0).tolist(), key=lambda one: (inner[one], -written[one]))
    for one, size in zip(bare, sorted(left.elements()), strict=False):
        sizes[one] = size
    kept = sizes >= 0
    return sizes[kept], offset[kept]


def _places(
    way: str,
    record: Counted,
    owner: Numbers,
    size: Numbers,
    place: tuple[int, int],
    random: Random,
    habit: Habit,
) -> Numbers:
    """Return the offsets of the reads, or writes, of all ranks."""
    counts = record.counts
    past = "READ" if way == "READ" else "WRITTEN"
    if not len(owner):
        return owner
    calls = many_of(first_of(owner), len(owner))
    file = File(counts.get(f"MAX_BYTE_{past}", 0) + 1, *_alignment(counts))
    order = (counts.get(f"CONSEC_{way}S", 0), counts.get(f"SEQ_{way}S", 0))
    first, many = place if record.rank >= 0 else (0, len(calls))
    strides = _strides(counts, way, random)
    jumps = jumps_of(calls, *order, strides, random, begins=first == 0, regular=habit.regular)
    share = (first + np.arange(len(calls))) / max(1, many - 1)
    # A file that has just the bytes that were moved had each of them moved once.
    whole = counts.get(f"BYTES_{past}", 0) == file.extent and record.rank < 0
    return offsets_of(jumps, size, file, share, random, again=habit.again and not whole)


def _alignment(counts: Mapping[str, int]) -> tuple[int, float]:
    """Return the alignment of the file system, and the part of the calls that keep to it."""
    calls = counts.get("READS", 0) + counts.get("WRITES", 0)
    return max(1, counts.get("FILE_ALIGNMENT", 0)), 1 - counts.get("FILE_NOT_ALIGNED", 0) / calls


def _strides(counts: Mapping[str, int], way: str, random: Random) -> dict[int, int]:
    """Return the strides of the reads, or writes: their part of those of both."""
    reads, writes = (counts.get(f"{one}S", 0) for one in WAYS)
    part = (reads if way == "READ" else writes) / max(1, reads + writes)
    found: dict[int, int] = {}
    for number in (1, 2, 3, 4):
        stride, many = (counts.get(f"STRIDE{number}_{what}", 0) for what in ("STRIDE", "COUNT"))
        mine = many if part in {0.0, 1.0} else int(random.binomial(many, part))
        if stride > 0 and mine:
            found[stride] = found.get(stride, 0) + mine
    return found


def reads_first(record: Counted) -> bool:
    """Return whether a record's first read was before its first write."""
    starts = [record.seconds.get(f"F_{way}_START_TIMESTAMP", 0.0) or np.inf for way in WAYS]
    return bool(starts[0] <= starts[1])


def _switches(many: int, reads: Numbers, writes: Numbers, random: Random) -> Numbers:
    """Divide switches between reads and writes among the ranks that do both."""
    both = np.minimum(reads, writes)
    found: Numbers = (both > 0).astype(np.int64)
    left = many - int(found.sum())
    room = np.where(both > 0, 2 * both - (reads == writes), 0) - found
    if left > 0 and room.sum():
        found = found + random.multivariate_hypergeometric(room, min(left, int(room.sum())))
    return found


def _order(
    reads: Numbers, writes: Numbers, switches: Numbers, random: Random, *, reads_first: bool
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which calls are writes: blocks of reads and writes of each rank in turn."""
    both = (reads > 0) & (writes > 0)
    blocks = np.where(both, np.maximum(2, switches + 1), 1)
    of_first, of_second = (blocks + 1) // 2, blocks // 2
    first, second = (reads, writes) if reads_first else (writes, reads)
    other = both & ((of_first > first) | (of_second > second))  # The other kind begins.
    read = np.where(both, other ^ reads_first, reads > 0)
    first, second = np.where(read, reads, writes), np.where(read, writes, reads)
    start = np.cumsum(blocks) - blocks
    number = np.arange(int(blocks.sum())) - np.repeat(start, blocks)
    lengths = np.zeros(len(number), np.int64)
    for odd, (many, of) in enumerate(((first, of_first), (second, of_second))):
        parts = np.minimum(many, of)
        used = (number % 2 == odd) & (number // 2 < np.repeat(parts, blocks))
        lengths[used] = _cut(many, parts, random)
    kinds = (number % 2 == 0) ^ np.repeat(read, blocks)
    return np.repeat(kinds, lengths)


def _cut(many: Numbers, parts: Numbers, random: Random) -> Numbers:
    """Cut numbers into parts of at least one each, at random; of 0 parts there is none."""
    many = np.where(parts > 0, many, 0)
    if (parts <= 1).all():
        return many[parts > 0]
    owner = np.repeat(np.arange(len(many)), many)
    start = np.cumsum(many) - many
    key = random.random(len(owner))
    key[start[many > 0]] = -1.0  # Each begins with its first call.
    rank_in = np.arange(len(owner)) - np.repeat(start, many)
    begins = np.sort(np.lexsort((key, owner))[rank_in < np.repeat(parts, many)])
    return np.diff(begins, append=len(owner))
