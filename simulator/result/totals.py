"""Totals of a run, without its processes, parts and stores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.result.instances import busiest_instance
from simulator.result.jobs import StableData, moved, reached
from simulator.result.queues import with_stays
from simulator.result.result import Stable

if TYPE_CHECKING:
    from simulator.result.latency import Latency
    from simulator.result.result import Result, Transfer

COUNTERS = (
    "hits",
    "misses",
    "fetched",
    "read_back",
    "written_back",
    "released",
    "rewrites_waited",
)
"""Counters of stores that are added up."""


@dataclass(slots=True)
class Totals:
    """The outcome of one run, added up."""

    elapsed_ns: int
    """Time until the last process ended."""
    end_ns: int
    """Time until the last event."""
    read: Transfer
    """Data that all processes read together."""
    written: Transfer
    """Data that all processes wrote together."""
    stable: Stable
    """Data on stable storage."""
    read_calls_ns: int
    """Mean time of a process in calls that read."""
    write_calls_ns: int
    """Mean time of a process in calls that write."""
    lost: float
    """Fraction of the processes' time that was not computing."""
    counts: Mapping[str, int]
    """``COUNTERS`` of all stores."""
    latencies: Mapping[str, Latency]
    """By operation; only those that occurred."""
    busiest: str
    """Instance with the highest utilisation; empty without any."""

    @property
    def reached(self) -> StableData | None:
        """Written data on stable storage; None if nothing was written."""
        return reached(self.written, [self.stable]) if self.written.begin_ns >= 0 else None


def totals_of(result: Result) -> Totals:
    """Add up a result."""
    stable = Stable()
    for one in result.stable.values():
        if one.bytes:
            stable.add(one.bytes, one.last_ns)
    return Totals(
        result.elapsed_ns,
        result.end_ns,
        moved(result, "read"),
        moved(result, "write"),
        stable,
        result.mean_calls_ns("read"),
        result.mean_calls_ns("write"),
        result.lost(),
        sum_of(store.counts for store in result.stores.values()),
        with_stays(result.latencies, result.queues),
        busiest_instance(result),
    )


def sum_of(counters: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add up ``COUNTERS``; a missing one counts as 0."""
    total = dict.fromkeys(COUNTERS, 0)
    for counts in counters:
        for name in COUNTERS:
            total[name] += counts.get(name, 0)
    return total
