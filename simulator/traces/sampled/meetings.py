"""Barriers of ranks that wait for each other in collective calls of MPI-IO.

Of a collective call the log has that all ranks made it, and how long all took in all. Beneath it
the ranks that gather for the others (aggregators) call POSIX. They begin each call together.
Not modelled: the exchange of data before, which is computing.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.traces.sampled.calls import BARRIER, WRITE
from simulator.traces.sampled.counts import WAYS, Numbers, first_of
from simulator.traces.sampled.times import ns, rounds_of

if TYPE_CHECKING:
    from simulator.traces.sampled.calls import Rows
    from simulator.traces.sampled.records import Job
    from simulator.traces.sampled.streams import Counted, Habit

MOST = 10_000
"""Barriers of a file; with more collective calls each is of several."""
MOST_WAITS = 1 << 20
"""Waits of all ranks at the barriers of a file, of which each is of more calls then."""


def add_barriers(rows: Rows, job: Job, habit: Habit) -> None:
    """Add barriers between the collective calls of each file that several ranks moved.

    Of the pause before one the part ``habit.waiting`` is waiting for others, the rest computing.
    """
    call, begin = rows.whole("call"), rows.whole("begin")
    moves = np.flatnonzero(call <= WRITE)
    file, rank = rows.whole("file")[moves], rows.whole("rank")[moves]
    ends = (begin + rows.whole("took"))[moves]
    order = np.lexsort((ends, rank, file))
    file, rank, ends = file[order], rank[order], ends[order]
    places = np.searchsorted(file, np.arange(len(rows.files) + 1)).tolist()
    records: dict[str, list[Counted]] = {}
    for one in job.records:
        records.setdefault(one.file, []).append(one)
    for number, name in enumerate(rows.files):
        mine = slice(places[number], places[number + 1])
        _add_of_file(rows, records[name], job.processes, habit, (rank[mine], ends[mine]))


def _add_of_file(
    rows: Rows,
    records: list[Counted],
    processes: int,
    habit: Habit,
    moved: tuple[Numbers, Numbers],
) -> None:
    """Add the barriers of a file; ``moved``: ranks, and when their calls ended, in order."""
    rank, ends = moved
    first = first_of(rank)
    if len(first) < 2:
        return
    times = _times(records, processes, MOST_WAITS // len(first))
    if not len(times):
        return
    number = len(rows.barriers)
    rows.barriers.append(len(first))
    for low, high in pairwise([*first.tolist(), len(rank)]):
        place = np.searchsorted(ends[low:high], times, side="right") - 1
        last = np.where(place >= 0, ends[low:high][place.clip(0)], 0)
        last = np.maximum(last, np.append(0, times[:-1]))
        took = np.rint((times - last) * habit.waiting).astype(np.int64)
        waits = {"begin": times - took, "took": took}
        rows.add(rank[low], BARRIER, -1, offset=number, size=0, **waits)


def _times(records: list[Counted], processes: int, most: int) -> Any:
    """Return when collective calls of a file begin but the first, in ns; in order, none twice."""
    found: list[Any] = []
    for way in WAYS:
        known = [one for one in records if rounds_of(one, way, processes)]
        if not known:
            continue
        rounds = min(MOST, most, max(rounds_of(one, way, processes) for one in known))
        low = min(one.seconds.get(f"F_{way}_START_TIMESTAMP", 0.0) for one in known)
        high = max(one.seconds.get(f"F_{way}_END_TIMESTAMP", 0.0) for one in known)
        found.append(ns(low) + np.arange(1, rounds) * max(0, ns(high) - ns(low)) // rounds)
    return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
