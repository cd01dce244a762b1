"""Barriers of ranks that wait for each other in collective calls of MPI-IO.

Of a collective call the log has that all ranks made it, and how long all took in all. Beneath it
the ranks that gather for the others (aggregators) call POSIX. They begin each call together.
Not modelled: the exchange of data before, which is computing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.traces.sampled.calls import BARRIER, WRITE
from simulator.traces.sampled.counts import WAYS
from simulator.traces.sampled.times import ns, rounds_of

if TYPE_CHECKING:
    from simulator.traces.sampled.calls import Rows
    from simulator.traces.sampled.records import Job
    from simulator.traces.sampled.streams import Counted, Habit

MOST = 10_000
"""Barriers of a file; with more collective calls each is of several."""


def add_barriers(rows: Rows, job: Job, habit: Habit) -> None:
    """Add barriers between the collective calls of each file that several ranks moved.

    Of the pause before one the part ``habit.waiting`` is waiting for others, the rest computing.
    """
    moved = _moved(rows)
    for file, name in enumerate(rows.files):
        ranks = sorted(rank for rank, one in moved if one == file)
        if len(ranks) < 2:
            continue
        number = len(rows.barriers)
        times = _times([one for one in job.records if one.file == name], job.processes)
        if not len(times):
            continue
        rows.barriers.append(len(ranks))
        for rank in ranks:
            ends = moved[rank, file]
            place = np.searchsorted(ends, times, side="right") - 1
            before = np.where(place >= 0, ends[place.clip(0)], 0)
            before = np.maximum(before, np.append(0, times[:-1]))
            took = np.rint((times - before) * habit.waiting).astype(np.int64)
            rows.add(rank, BARRIER, -1, offset=number, size=0, begin=times - took, took=took)


def _moved(rows: Rows) -> dict[tuple[int, int], Any]:
    """Return when the reads and writes of each rank on each file ended, in order."""
    found: dict[tuple[int, int], list[Any]] = {}
    columns = (rows.parts[name] for name in ("rank", "call", "file", "begin", "took"))
    for rank, call, file, begin, took in zip(*columns, strict=True):
        if len(call) and (call <= WRITE).any():
            moves = call <= WRITE
            ends = (begin + took)[moves]
            found.setdefault((int(rank[0]), int(file[0])), []).append(ends)
    return {key: np.sort(np.concatenate(ends)) for key, ends in found.items()}


def _times(records: list[Counted], processes: int) -> Any:
    """Return when collective calls of a file begin but the first, in ns; in order, none twice."""
    found: list[Any] = []
    for way in WAYS:
        known = [one for one in records if rounds_of(one, way, processes)]
        if not known:
            continue
        rounds = min(MOST, max(rounds_of(one, way, processes) for one in known))
        low = min(one.seconds.get(f"F_{way}_START_TIMESTAMP", 0.0) for one in known)
        high = max(one.seconds.get(f"F_{way}_END_TIMESTAMP", 0.0) for one in known)
        found.append(ns(low) + np.arange(1, rounds) * max(0, ns(high) - ns(low)) // rounds)
    return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
