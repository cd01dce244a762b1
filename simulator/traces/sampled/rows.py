"""Rows of a store of calls, drawn from all records of a Darshan log.

Beside reads and writes there is an open of each file on each rank that used it, further opens,
stats and syncs as often as counted. When the calls of a rank were, within the times of the first
and the last one that the log has, is not in it: they are spread evenly, in their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.traces.sampled.bins import Heat
from simulator.traces.sampled.calls import (
    BARRIER,
    CALLS,
    CLOSE,
    FLAGS,
    OPEN,
    READ,
    STAT,
    SYNC,
    WRITE,
    Rows,
)
from simulator.traces.sampled.counts import WAYS, Numbers, Streams, first_of, many_of
from simulator.traces.sampled.meetings import add_barriers
from simulator.traces.sampled.streams import Counted, Drawn, Draws, Habit, reads_first
from simulator.traces.sampled.times import Times, TimesApart, in_turn, ns

if TYPE_CHECKING:
    import pyarrow

    from simulator.traces.sampled.records import Job

Random = np.random.Generator
BATCH = 1 << 17


def rows_of(job: Job, seed: int) -> Rows:
    """Draw the calls of all records; of the same seed they are the same."""
    rows = Rows()
    habit = Habit.of(seed)
    numbers: dict[str, int] = {}
    draws = Draws(job.processes, seed, habit)
    heat = Heat(job.heat, job.processes) if job.heat else None
    sharing = Counter(record.file for record in job.records)
    seen: Counter[str] = Counter()
    alone: list[Alone] = []
    for number, record in enumerate(job.records):
        file = numbers.setdefault(record.file, len(numbers))
        if file == len(rows.files):
            rows.files.append(record.file)
        place = (seen[record.file], sharing[record.file])
        seen[record.file] += 1
        made = draws.of(record, number, place)
        rows.records += 1
        rows.wrong += bool(made.wrong)
        if record.rank >= 0 and not record.above and len(made.streams.rank):
            alone.append(Alone(record, made.streams, file, _makes(rows, record, file)))
            continue
        times = Times(record, made.shares, job.processes, heat, habit)
        _add(rows, record, made, file, times)
    if alone:
        _add_alone(rows, alone, TimesApart([one.record for one in alone], heat, habit))
    one_by_one(rows)
    if habit.meets:
        add_barriers(rows, job, habit)
    return rows


def one_by_one(rows: Rows) -> None:
    """Let the calls of each rank, on all files, begin when the one before has ended.

    Waits at barriers stay as they are.
    """
    rank, begin, took = (rows.whole(name) for name in ("rank", "begin", "took"))
    if not len(rank):
        return
    order = np.lexsort((begin, rank))
    order = order[rows.whole("call")[order] != BARRIER]
    first = first_of(rank[order])
    number = np.repeat(np.arange(len(first)), many_of(first, len(order)))
    high = np.maximum.reduceat(begin[order] + took[order], first)
    begin, took = begin.copy(), took.copy()
    begin[order], took[order] = in_turn(number, begin[order], took[order], high)
    rows.replace("begin", begin)
    rows.replace("took", took)


def _add(rows: Rows, record: Counted, made: Drawn, file: int, times: Times) -> None:
    """Add the calls of a record."""
    syncs = _syncs(record)
    streams = made.streams
    moving = streams.rank[streams.first] if len(streams.rank) else made.shares.rank
    everyone = np.arange(times.processes) if record.rank < 0 else moving
    ends = _add_metadata(rows, record, everyone, file)
    if record.above and syncs == record.above.get("SYNCS") and record.rank < 0:
        ends[:] = _add_collective_syncs(rows, record, everyone, file)
        syncs = 0
    at = np.searchsorted(everyone, moving)
    if len(streams.rank):
        kind, rank, offset, size = _with_syncs(streams, syncs)
        begin, took = times.of(np.searchsorted(times.ranks, rank), kind == READ, size)
        rows.add(rank, kind, file, offset=offset, size=size, begin=begin, took=took)
        ends[at] = np.maximum(ends[at], np.maximum.reduceat(begin + took, first_of(rank)))
    elif syncs:
        begin = np.full(syncs, ns(record.seconds.get("F_CLOSE_START_TIMESTAMP", 0.0)))
        rows.add(moving[0], SYNC, file, offset=-1, size=0, begin=begin, took=0)
        ends[at[0]] = begin[0]
    if record.counts.get("OPENS", 0):  # The last close, behind the last call.
        rows.add(everyone, CLOSE, file, offset=-1, size=0, begin=ends, took=_each(record))


class Alone(NamedTuple):
    """A record of one rank, without MPI-IO above, and what was drawn of it."""

    record: Counted
    streams: Streams
    file: int
    new: bool
    """Whether its first open creates the file."""


def _add_alone(rows: Rows, alone: Sequence[Alone], times: TimesApart) -> None:
    """Add the calls of records as :func:`_add` does, of all at once."""
    records = [one.record for one in alone]
    rank, file = times.ranks, np.array([one.file for one in alone])
    each = np.array([_each(one) for one in records])
    begun = [_opens(one, took) for one, took in zip(records, each.tolist(), strict=True)]
    first, last = np.array(begun).T
    names = ("OPENS", "STATS", "WRITES")
    many, stats, writes = np.array(
        [[one.counts.get(name, 0) for name in names] for one in records]
    ).T
    for call, some in ((OPEN, many), (STAT, stats)):
        owner = np.repeat(np.arange(len(alone)), some)
        number = np.arange(len(owner)) - np.repeat(np.cumsum(some) - some, some)
        begin = first[owner] + number * (last - first)[owner] // np.maximum(1, some - 1)[owner]
        flags = (writes > 0).astype(np.int64)[owner]
        flags[number == 0] += np.array([one.new for one in alone])[some > 0] & (call == OPEN)
        about = {"offset": -1, "size": 0}
        rows.add(
            rank[owner], call, file[owner], **about, begin=begin, took=each[owner], flags=flags
        )
        if call == OPEN:
            owner, begin = owner[number > 0], begin[number > 0]
            begin = np.maximum(begin - each[owner], first[owner])
            rows.add(rank[owner], CLOSE, file[owner], **about, begin=begin, took=each[owner])
    streams = [_with_syncs(one.streams, _syncs(one.record)) for one in alone]
    owner = np.repeat(np.arange(len(alone)), [len(one[0]) for one in streams])
    kind, _, offset, size = (np.concatenate(one) for one in zip(*streams, strict=True))
    begin, took = times.of(owner, kind == READ, size)
    rows.add(rank[owner], kind, file[owner], offset=offset, size=size, begin=begin, took=took)
    ends = np.maximum(last + each, np.maximum.reduceat(begin + took, first_of(owner)))
    some = many > 0
    about = {"offset": -1, "size": 0, "begin": ends[some], "took": each[some]}
    rows.add(rank[some], CLOSE, file[some], **about)


def _makes(rows: Rows, record: Counted, file: int) -> bool:
    """Return whether the first open of a record creates its file; its opens count from now on.

    A file that is written before it is read is taken for a new one.
    """
    before = file in rows.opened
    if record.counts.get("OPENS", 0):
        rows.opened.add(file)
    return record.counts.get("WRITES", 0) > 0 and not reads_first(record) and not before


def _syncs(record: Counted) -> int:
    return record.counts.get("FSYNCS", 0) + record.counts.get("FDSYNCS", 0)


def _opens(record: Counted, each: int) -> tuple[int, int]:
    """Return when the first and the last open began, in ns; each took so long."""
    first = ns(record.seconds.get("F_OPEN_START_TIMESTAMP", 0.0))
    return first, max(first, ns(record.seconds.get("F_OPEN_END_TIMESTAMP", 0.0)) - each)


def _add_collective_syncs(rows: Rows, record: Counted, everyone: Numbers, file: int) -> int:
    """Add the syncs of MPI_File_sync, behind the last call and a barrier of all ranks.

    Return when they were, in ns.
    """
    syncs = _syncs(record)
    last = ns(max(record.seconds.get(f"F_{way}_END_TIMESTAMP", 0.0) for way in WAYS))
    begin = ns(record.seconds.get("F_OPEN_END_TIMESTAMP", 0.0))
    number = len(rows.barriers)
    rows.barriers.append(len(everyone))
    waits = {"begin": np.full(len(everyone), min(begin, last)), "took": max(0, last - begin)}
    rows.add(everyone, BARRIER, -1, offset=number, size=0, **waits)
    ranks = np.repeat(everyone, _spread(syncs, np.ones(len(everyone), np.int64)))
    rows.add(ranks, SYNC, file, offset=-1, size=0, begin=np.full(syncs, last), took=0)
    return last


def _spread(many: int, weights: Numbers) -> Numbers:
    """Divide a number in proportion to weights, whole.

    >>> _spread(5, np.array([2, 1, 0])).tolist()
    [3, 2, 0]
    """
    if len(weights) == 1:
        return np.array([many])
    total = int(weights.sum())
    if not total:
        return np.array([many, *([0] * (len(weights) - 1))])
    whole: Numbers = many * weights
    found = whole // total
    rest = np.argsort(-(whole % total), kind="stable")
    found[rest[: many - int(found.sum())]] += 1
    return found


def _with_syncs(streams: Streams, many: int) -> tuple[Numbers, ...]:
    """Return kinds, ranks, offsets and sizes of streams, with syncs evenly behind their writes."""
    kind, rank = streams.writes.astype(np.int64), streams.rank
    if not many:
        return kind, rank, streams.offset, streams.size
    first = streams.first
    writes = np.add.reduceat(kind, first)
    syncs = _spread(many, writes)
    owner = np.repeat(np.arange(len(first)), syncs)
    number = np.arange(1, many + 1) - np.repeat(np.cumsum(syncs) - syncs, syncs)
    which = (number * writes[owner] + syncs[owner] - 1) // syncs[owner] - 1
    if not writes.any():  # Of a file that is read.
        at = np.append(first[1:], len(kind))[owner]
    else:
        at = np.flatnonzero(kind)[(np.cumsum(writes) - writes)[owner] + which.clip(0)] + 1
    return (
        np.insert(kind, at, SYNC),
        np.insert(rank, at, rank[first][owner]),
        np.insert(streams.offset, at, -1),
        np.insert(streams.size, at, 0),
    )


def _each(record: Counted) -> int:
    """Return how long an open, close or stat took on average, in ns."""
    calls = 2 * record.counts.get("OPENS", 0) + record.counts.get("STATS", 0)
    return ns(record.seconds.get("F_META_TIME", 0.0) / calls) if calls else 0


def _add_metadata(rows: Rows, record: Counted, ranks: Numbers, file: int) -> Numbers:
    """Add opens, a close ahead of each further open, and stats.

    Of several opens on one rank the last is at the time of the last one, the others evenly between.
    Return when the last of these calls ended on each rank, in ns.
    """
    counts, each = record.counts, _each(record)
    first, last = _opens(record, each)
    writes, new = int(counts.get("WRITES", 0) > 0), _makes(rows, record, file)
    for call, many in ((OPEN, counts.get("OPENS", 0)), (STAT, counts.get("STATS", 0))):
        if not many:
            continue
        some = _spread(many, np.ones(len(ranks), np.int64))
        owner = np.repeat(np.arange(len(ranks)), some)
        number = np.arange(many) - np.repeat(np.cumsum(some) - some, some)
        begin = first + number * (last - first) // np.maximum(1, some - 1)[owner]
        flags = np.full(many, writes)
        flags[0] += call == OPEN and new
        rank = ranks[owner]
        rows.add(rank, call, file, offset=-1, size=0, begin=begin, took=each, flags=flags)
        again = number > 0
        if call == OPEN and again.any():
            begin = np.maximum(begin[again] - each, first)
            rows.add(rank[again], CLOSE, file, offset=-1, size=0, begin=begin, took=each)
    return np.full(len(ranks), last + each)


def batches_of(rows: Rows, start_ns: int) -> Iterator[pyarrow.RecordBatch]:
    """Yield the rows in the order in which the calls ended, one after the other on each rank."""
    import pyarrow as pa

    from simulator.traces.columns import schema

    whole = {name: rows.whole(name) for name in rows.parts}
    if not len(whole["rank"]):
        return
    order = np.lexsort((whole["begin"], whole["begin"] + whole["took"]))
    ranks, process = np.unique(whole["rank"], return_inverse=True)
    texts = {"call": list(CALLS), "kind": ["file"], "file": rows.files, "flags": list(FLAGS)}
    for first in range(0, len(order), BATCH):
        here = order[first : first + BATCH]
        one = {name: values[here].astype(np.int64) for name, values in whole.items()}
        opens = one["call"] == OPEN
        moves = (one["call"] <= WRITE) | (one["call"] == BARRIER)
        codes = {
            "call": one["call"],
            "kind": np.zeros(len(here), np.int64),
            "file": np.maximum(one["file"], 0),
            "flags": one["flags"],
        }
        numbers = {
            "time_ns": (start_ns + one["begin"], None),
            "duration_ns": (one["took"], None),
            "pid": (ranks[process[here]], None),
            "process": (process[here], None),
            "offset": (one["offset"], ~moves),
            "requested": (one["size"], ~moves),
            "returned": (np.where(opens, 3, one["size"]), None),
        }
        made = []
        for column in schema():
            if column.name in texts:
                absent = {"flags": ~opens, "file": one["file"] < 0}.get(column.name)
                indices = pa.array(codes[column.name].astype(np.int32), pa.int32(), mask=absent)
                made.append(pa.DictionaryArray.from_arrays(indices, pa.array(texts[column.name])))
            elif column.name in numbers:
                values, absent = numbers[column.name]
                made.append(pa.array(values, column.type, mask=absent))
            else:
                made.append(pa.nulls(len(here), column.type))
        yield pa.RecordBatch.from_arrays(made, schema=schema())
