"""Observed and predicted times of a replayed log, by call and by file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.plan.codes import LOCK, METADATA, PLAIN, READ, SEEK, SYNC, UNLOCK, WRITE
from simulator.replay.arrays import Numbers, view_of
from simulator.replay.operations import MEETINGS

if TYPE_CHECKING:
    from simulator.replay.replay import Log
    from simulator.result.result import CallLog


@dataclass(frozen=True, slots=True)
class Compared:
    """A call's name, or a file: how often, how much, and how long it took there and here."""

    name: str
    calls: int
    bytes: int
    observed_ns: int | None
    """None: the log has no durations."""
    predicted_ns: int | None
    """None: the model has no cost for it."""


def compare(
    log: Log, made: CallLog, cause: Numbers, timed_here: Sequence[int]
) -> tuple[list[Compared], list[Compared]]:
    """Add up observed and predicted times by call and by file; ``timed_here`` have a cost.

    ``cause``: the row of the log for which each call was made. Turns at the lock of a file have no
    row there.
    """
    observed = log.observed
    table = observed.traced.table
    kind, file, size = view_of(table.kind) & PLAIN, view_of(table.file), view_of(table.size)
    known = (SEEK, READ, WRITE, SYNC, *METADATA, *MEETINGS)
    real = np.isin(kind, known) & (observed.name >= 0)
    here = view_of(made.kind) & PLAIN
    own = np.isin(here, (LOCK, UNLOCK)) & (len(here) > len(cause))
    has_cost = np.isin(here, timed_here)
    took = np.where(has_cost, view_of(made.end) - view_of(made.begin), 0)[~own]
    moves = real & ~np.isin(kind, METADATA) & (observed.counts > 0)
    numbers = (
        np.where(real, observed.counts, 0),
        np.where(moves, size, 0),
        np.where(real, observed.duration, 0),
        np.isin(kind, timed_here) & real,
    )
    timed = log.about.get("durations", False)

    def rows(texts: Sequence[str], groups: Numbers, here: Numbers) -> list[Compared]:
        many = len(texts)
        count, moved, time, modelled = (_sums(groups, values, many) for values in numbers)
        predicted = _sums(here, took, many)
        found = [
            Compared(
                name=texts[one],
                calls=count[one],
                bytes=moved[one],
                observed_ns=time[one] if timed else None,
                # A close has no cost of its own, but may empty a buffer.
                predicted_ns=predicted[one] if modelled[one] or predicted[one] else None,
            )
            for one in np.flatnonzero(count).tolist()
        ]
        found.sort(key=lambda one: (-(one.predicted_ns or 0), -(one.observed_ns or 0), one.name))
        return found

    names = observed.name[cause] if len(cause) else cause
    files = [one.name for one in observed.traced.files]
    return rows(observed.names, observed.name, names), rows(files, file, view_of(made.file)[~own])


def _sums(groups: Numbers, values: Numbers, many: int) -> Any:
    """Return the sum of the values of each group, exactly; groups below 0 are left out."""
    sums = np.zeros(many, np.int64)
    good = groups >= 0
    np.add.at(sums, groups[good], values[good])
    return sums.tolist()
