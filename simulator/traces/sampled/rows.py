"""Rows of a store of calls, drawn from all records of a Darshan log.

Beside reads and writes there is an open of each file on each rank that used it, further opens,
stats and syncs as often as counted. When the calls of a rank were, within the times of the first
and the last one that the log has, is not in it: they are spread evenly, in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.traces.sampled.counts import WAYS, Numbers, Stream
from simulator.traces.sampled.streams import Counted, Drawn, Draws

if TYPE_CHECKING:
    import pyarrow

Random = np.random.Generator
CALLS = ("read", "write", "open", "stat", "fsync")
READ, WRITE, OPEN, STAT, SYNC = range(len(CALLS))
FLAGS = ("O_RDONLY", "O_RDWR|O_CREAT")
SECOND = 1e9
BATCH = 1 << 17


MOST_BURSTS = 256


def _bursts(random: Random) -> int:
    """Return in how many bursts each rank makes the calls of a file; 0: evenly.

    The log has the times of the first and the last call only. All ranks make theirs at once.
    """
    return int(random.choice([0, round(MOST_BURSTS ** random.random())]))


@dataclass(slots=True)
class Rows:
    """Rows as columns of numbers, in parts."""

    bursts: int = 0
    """In how many bursts each rank makes the calls of a file; 0: evenly."""
    parts: dict[str, list[Numbers]] = field(
        default_factory=lambda: {
            name: [] for name in ("rank", "call", "file", "offset", "size", "begin", "took")
        }
    )
    files: list[str] = field(default_factory=list)
    created: list[bool] = field(default_factory=list)
    """Of each file, whether it was written."""
    records: int = 0
    wrong: int = 0
    """Records of which a counter of the calls is not that of the log."""

    def add(self, rank: int, call: Any, file: int, **columns: Any) -> None:
        """Add the calls of a rank on a file; times are in ns from the begin of the job."""
        count = len(columns["begin"])
        for name, values in {"rank": rank, "call": call, "file": file, **columns}.items():
            whole = isinstance(
                values, np.ndarray
            )  # Of few calls numpy's broadcast_to takes longer.
            self.parts[name].append(values if whole else np.full(count, values, np.int64))


def rows_of(records: Iterable[Counted], processes: int, seed: int) -> Rows:
    """Draw the calls of all records; of the same seed they are the same."""
    rows = Rows(bursts=_bursts(np.random.default_rng(seed)))
    numbers: dict[str, int] = {}
    draws = Draws(processes, seed)
    for number, record in enumerate(records):
        file = numbers.setdefault(record.file, len(numbers))
        if file == len(rows.files):
            rows.files.append(record.file)
            rows.created.append(False)
        rows.created[file] |= bool(record.counts.get("WRITES", 0))
        made = draws.of(record, number)
        rows.records += 1
        rows.wrong += bool(made.wrong)
        _add(rows, record, made, file)
    return rows


def _add(rows: Rows, record: Counted, made: Drawn, file: int) -> None:
    """Add the calls of a record."""
    syncs = record.counts.get("FSYNCS", 0) + record.counts.get("FDSYNCS", 0)
    writes = [int(np.count_nonzero(one.writes)) for one in made.streams]
    synced = _spread(syncs, writes) if writes else []
    shares = {one.rank: one for one in made.shares}
    ranks = [one.rank for one in made.streams] or [one.rank for one in made.shares]
    _add_metadata(rows, record, ranks, file)
    for stream, many in zip(made.streams, synced, strict=True):
        kind, offset, size = _with_syncs(stream, many)
        part = shares[stream.rank].time if len(made.shares) > 1 else 1.0
        begin, took = _times(record, kind, part, rows.bursts)
        rows.add(stream.rank, kind, file, offset=offset, size=size, begin=begin, took=took)
    if syncs and not made.streams:
        last = np.full(syncs, _ns(record.seconds.get("F_CLOSE_START_TIMESTAMP", 0.0)))
        rows.add(ranks[0], SYNC, file, offset=-1, size=0, begin=last, took=0)


def _ns(seconds: float) -> int:
    return max(0, round(seconds * SECOND))


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


def _times(record: Counted, kind: Numbers, part: float, bursts: int) -> tuple[Numbers, Numbers]:
    """Return when the calls of one rank began, and how long they took, in ns.

    ``part``: the rank's of the time of all.
    """
    seconds = record.seconds
    begin, took = np.zeros(len(kind)), np.zeros(len(kind))
    for way in WAYS:
        mine = np.flatnonzero((kind == READ) == (way == "READ"))
        if not len(mine):
            continue
        low = seconds.get(f"F_{way}_START_TIMESTAMP", 0.0)
        high = max(low, seconds.get(f"F_{way}_END_TIMESTAMP", low))
        whole = seconds.get(f"F_{way}_TIME", 0.0)
        each = min(whole * part, high - low) / len(mine)
        begin[mine] = _spaced(len(mine), low, high, each, bursts)
        took[mine] = each
    begin = np.maximum.accumulate(begin)
    took = np.minimum(took, np.append(np.diff(begin), np.inf))
    start = np.rint(begin * SECOND).astype(np.int64)
    return start, np.rint((begin + took) * SECOND).astype(np.int64) - start


def _spaced(many: int, low: float, high: float, each: float, bursts: int) -> Any:
    """Return when calls begin that take ``each``, between two times: evenly, or in bursts.

    The first begins at the first time, and the last ends at the other one.

    >>> _spaced(4, 0.0, 10.0, 1.0, 2).tolist()
    [0.0, 1.0, 8.0, 9.0]
    """
    numbers = np.arange(many)
    if not bursts or bursts >= many:
        return low + numbers * ((high - low - each) / max(1, many - 1))
    burst = numbers * bursts // many
    pause = (high - low - many * each) / max(1, bursts - 1)
    begin = low + numbers * each + burst * pause
    if bursts == 1:
        begin[-1] = high - each
    return begin


def _add_metadata(rows: Rows, record: Counted, ranks: list[int], file: int) -> None:
    """Add opens and stats, at the times that the log has of the first and the last open."""
    counts, seconds = record.counts, record.seconds
    opens, stats = counts.get("OPENS", 0), counts.get("STATS", 0)
    if not opens + stats:
        return
    low = seconds.get("F_OPEN_START_TIMESTAMP", 0.0)
    each = seconds.get("F_META_TIME", 0.0) / (opens + stats)
    for call, many in ((OPEN, opens), (STAT, stats)):
        for rank, some in zip(ranks, _spread(many, [1] * len(ranks)), strict=True):
            if some:
                begin = np.full(some, _ns(low))
                rows.add(rank, call, file, offset=-1, size=0, begin=begin, took=_ns(each))


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
    created = np.array(rows.created)
    for first in range(0, len(order), BATCH):
        here = order[first : first + BATCH]
        one = {name: values[here] for name, values in whole.items()}
        opens = one["call"] == OPEN
        moves = one["call"] <= WRITE
        codes = {
            "call": one["call"],
            "kind": np.zeros(len(here), np.int64),
            "file": one["file"],
            "flags": created[one["file"]].astype(np.int64),
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
                absent = ~opens if column.name == "flags" else None
                indices = pa.array(codes[column.name].astype(np.int32), pa.int32(), mask=absent)
                made.append(pa.DictionaryArray.from_arrays(indices, pa.array(texts[column.name])))
            elif column.name in numbers:
                values, absent = numbers[column.name]
                made.append(pa.array(values, column.type, mask=absent))
            else:
                made.append(pa.nulls(len(here), column.type))
        yield pa.RecordBatch.from_arrays(made, schema=schema())
