"""Rows of a store of calls, drawn from all records of a Darshan log.

Beside reads and writes there is an open of each file on each rank that used it, further opens,
stats and syncs as often as counted. When the calls of a rank were, within the times of the first
and the last one that the log has, is not in it: they are spread evenly, in their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

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
from simulator.traces.sampled.counts import WAYS, Numbers, Stream
from simulator.traces.sampled.meetings import add_barriers
from simulator.traces.sampled.streams import Counted, Drawn, Draws, Habit, reads_first
from simulator.traces.sampled.times import Times, in_turn, ns

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
    sharing = Counter(record.file for record in job.records)
    seen: Counter[str] = Counter()
    for number, record in enumerate(job.records):
        file = numbers.setdefault(record.file, len(numbers))
        if file == len(rows.files):
            rows.files.append(record.file)
        place = (seen[record.file], sharing[record.file])
        seen[record.file] += 1
        made = draws.of(record, number, place)
        rows.records += 1
        rows.wrong += bool(made.wrong)
        _add(rows, record, made, file, Times(record, made, job, habit))
    one_by_one(rows)
    if habit.meets:
        add_barriers(rows, job, habit)
    return rows


def one_by_one(rows: Rows) -> None:
    """Let the calls of each rank, on all files, begin when the one before has ended.

    Waits at barriers stay as they are.
    """
    parts = rows.parts
    if not parts["rank"]:
        return
    rank, call, begin, took = (
        np.concatenate(parts[name]) for name in ("rank", "call", "begin", "took")
    )
    order = np.lexsort((begin, rank))
    order = order[call[order] != BARRIER]
    first = np.flatnonzero(np.diff(rank[order], prepend=-1))
    for mine in np.split(order, first[1:]):
        high = float((begin[mine] + took[mine]).max(initial=0))
        begins, times = in_turn(begin[mine].astype(float), took[mine].astype(float), high)
        ends = np.rint(begins + times).astype(np.int64)
        begin[mine] = np.minimum(np.rint(begins).astype(np.int64), ends)
        took[mine] = ends - begin[mine]
    lengths = np.cumsum([len(one) for one in parts["rank"]])[:-1]
    parts["begin"], parts["took"] = (list(np.split(one, lengths)) for one in (begin, took))


def _add(rows: Rows, record: Counted, made: Drawn, file: int, times: Times) -> None:
    """Add the calls of a record."""
    syncs = record.counts.get("FSYNCS", 0) + record.counts.get("FDSYNCS", 0)
    everyone = list(range(times.job.processes)) if record.rank < 0 else []
    ranks = [one.rank for one in made.streams] or [one.rank for one in made.shares]
    ends = _add_metadata(rows, record, everyone or ranks, file)
    if record.above and syncs == record.above.get("SYNCS") and everyone:
        ends |= dict.fromkeys(everyone, _add_collective_syncs(rows, record, everyone, file))
        syncs = 0
    writes = [int(np.count_nonzero(one.writes)) for one in made.streams]
    synced = _spread(syncs, writes) if writes else []
    for stream, many in zip(made.streams, synced, strict=True):
        kind, offset, size = _with_syncs(stream, many)
        begin, took = times.of(stream.rank, kind == READ, size)
        rows.add(stream.rank, kind, file, offset=offset, size=size, begin=begin, took=took)
        ends[stream.rank] = max(ends.get(stream.rank, 0), int((begin + took).max()))
    if syncs and not made.streams:
        begin = np.full(syncs, ns(record.seconds.get("F_CLOSE_START_TIMESTAMP", 0.0)))
        rows.add(ranks[0], SYNC, file, offset=-1, size=0, begin=begin, took=0)
        ends[ranks[0]] = int(begin[0])
    if record.counts.get("OPENS", 0):
        for rank in everyone or ranks:  # The last close, behind the last call.
            at = np.array([ends[rank]])
            rows.add(rank, CLOSE, file, offset=-1, size=0, begin=at, took=_each(record))


def _add_collective_syncs(rows: Rows, record: Counted, everyone: list[int], file: int) -> int:
    """Add the syncs of MPI_File_sync, behind the last call and a barrier of all ranks.

    Return when they were, in ns.
    """
    syncs = record.counts.get("FSYNCS", 0) + record.counts.get("FDSYNCS", 0)
    last = ns(max(record.seconds.get(f"F_{way}_END_TIMESTAMP", 0.0) for way in WAYS))
    begin = ns(record.seconds.get("F_OPEN_END_TIMESTAMP", 0.0))
    number = len(rows.barriers)
    rows.barriers.append(len(everyone))
    for rank, some in zip(everyone, _spread(syncs, [1] * len(everyone)), strict=True):
        waits = {"begin": np.array([min(begin, last)]), "took": max(0, last - begin)}
        rows.add(rank, BARRIER, -1, offset=number, size=0, **waits)
        rows.add(rank, SYNC, file, offset=-1, size=0, begin=np.full(some, last), took=0)
    return last


def _spread(many: int, weights: Sequence[int]) -> list[int]:
    """Divide a number in proportion to weights, whole.

    >>> _spread(5, [2, 1, 0])
    [3, 2, 0]
    """
    total = sum(weights)
    if not total:
        return [many, *([0] * (len(weights) - 1))]
    found = [many * one // total for one in weights]
    rest = sorted(range(len(weights)), key=lambda one: (-(many * weights[one] % total), one))
    for one in rest[: many - sum(found)]:
        found[one] += 1
    return found


def _with_syncs(stream: Stream, many: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return kinds, offsets and sizes of a stream with syncs evenly behind its writes."""
    kind = stream.writes.astype(np.int64)
    if not many:
        return kind, stream.offset, stream.size
    writes = np.flatnonzero(stream.writes)
    behind = np.array([len(kind) - 1]) if not len(writes) else writes
    which = (np.arange(1, many + 1) * len(behind) + many - 1) // many - 1
    at = behind[which.clip(0)] + 1
    return (
        np.insert(kind, at, SYNC),
        np.insert(stream.offset, at, -1),
        np.insert(stream.size, at, 0),
    )


def _each(record: Counted) -> int:
    """Return how long an open, close or stat took on average, in ns."""
    calls = 2 * record.counts.get("OPENS", 0) + record.counts.get("STATS", 0)
    return ns(record.seconds.get("F_META_TIME", 0.0) / calls) if calls else 0


def _add_metadata(rows: Rows, record: Counted, ranks: list[int], file: int) -> dict[int, int]:
    """Add opens, a close ahead of each further open, and stats.

    Of several opens on one rank the last is at the time of the last one, the others evenly between.
    A file that is written before it is read is taken for a new one: its first open creates it.
    Return when the last of these calls ended on each rank, in ns.
    """
    counts, seconds = record.counts, record.seconds
    each = _each(record)
    first = ns(seconds.get("F_OPEN_START_TIMESTAMP", 0.0))
    last = max(first, ns(seconds.get("F_OPEN_END_TIMESTAMP", 0.0)) - each)
    writes = int(counts.get("WRITES", 0) > 0)
    new = writes and not reads_first(record) and file not in rows.opened
    for call, many in ((OPEN, counts.get("OPENS", 0)), (STAT, counts.get("STATS", 0))):
        for rank, some in zip(ranks, _spread(many, [1] * len(ranks)), strict=True):
            if not some:
                continue
            flags = np.full(some, writes)
            flags[0] += call == OPEN and new
            new = new and call != OPEN
            begins = np.linspace(first, last, some).astype(np.int64)
            columns = {"begin": begins, "took": each, "flags": flags}
            rows.add(rank, call, file, offset=-1, size=0, **columns)
            if call == OPEN and some > 1:
                begins = np.maximum(begins[1:] - each, first)
                rows.add(rank, CLOSE, file, offset=-1, size=0, begin=begins, took=each)
    if counts.get("OPENS", 0):
        rows.opened.add(file)
    return dict.fromkeys(ranks, last + each)


def batches_of(rows: Rows, start_ns: int) -> Iterator[pyarrow.RecordBatch]:
    """Yield the rows in the order in which the calls ended, one after the other on each rank."""
    import pyarrow as pa

    from simulator.traces.columns import schema

    whole = {name: np.concatenate(parts) for name, parts in rows.parts.items() if parts}
    if not whole:
        return
    order = np.lexsort((whole["begin"], whole["begin"] + whole["took"]))
    ranks, process = np.unique(whole["rank"], return_inverse=True)
    texts = {"call": list(CALLS), "kind": ["file"], "file": rows.files, "flags": list(FLAGS)}
    for first in range(0, len(order), BATCH):
        here = order[first : first + BATCH]
        one = {name: values[here] for name, values in whole.items()}
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
