"""One point of a sweep: a run, and the row of figures that is kept of it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.config.machine_file import Machine
from simulator.config.workload_file import Workload
from simulator.result.errors import SimulationError
from simulator.result.instances import busiest_instance
from simulator.result.jobs import moved, reached_by
from simulator.run import EngineName

if TYPE_CHECKING:
    from simulator.prepared import Plans
    from simulator.result.result import Result
    from simulator.unused import Unused

Row = dict[str, Any]
"""Column -> value."""

COUNTERS = (
    "hits",
    "misses",
    "fetched",
    "read_back",
    "written_back",
    "released",
    "rewrites_waited",
)
LATENCIES = ("read_p99_ms", "write_p99_ms", "job_mean_ms", "job_p99_ms")
COLUMNS = (
    "read_MBps",
    "write_MBps",
    "stable_MBps",
    "read_io_MBps",
    "write_io_MBps",
    "elapsed_s",
    "end_s",
    "elapsed_ns",
    "end_ns",
    "read_s",
    "write_s",
    "lost_percent",
    *COUNTERS,
    *LATENCIES,
    "bottleneck",
)
"""What is kept of a run; latencies are None where there are none."""


@dataclass(frozen=True, slots=True)
class Point:
    """One combination of values, with what they make of the files."""

    number: int
    """Its place in the grid, from 0."""
    name: str
    """Its values, for messages: ``buffer=8 MB, clients=4``."""
    machine: Machine
    workload: Workload
    digest: str
    """Of the machine and the workload."""
    seed: int | None
    """None: service times do not vary."""
    engine: EngineName
    unused: Unused | None = None
    """Takes note of settings that no point has used."""


def run_point(point: Point, stopped: Callable[[], bool] | None = None) -> Row:
    """Run one point; SimulationError names it.

    The native engine asks ``stopped`` now and then whether to give up (KeyboardInterrupt).
    """
    try:
        return row_of(_run(point, stopped))
    except SimulationError as error:
        raise SimulationError(f"at the point {point.name}: {error}") from error


def _run(point: Point, stopped: Callable[[], bool] | None) -> Result:
    plans = _before()
    plan = plans.make(point.machine, point.workload, point.digest, point.seed)
    result = plans.run(plan, engine=point.engine, stopped=stopped)
    if point.unused is not None and point.unused.left:
        point.unused.look(plan, result)
    return result


@functools.cache
def _before() -> Plans:
    """What this process knows of the points before."""
    from simulator.prepared import Plans

    return Plans()


def row_of(result: Result) -> Row:
    """Return the figures of a run that a sweep keeps; counters of all stores are added up."""
    counts = dict.fromkeys(COUNTERS, 0)
    for store in result.stores.values():
        for counter in COUNTERS:
            counts[counter] += store.counts.get(counter, 0)
    latencies: dict[str, float | None] = dict.fromkeys(LATENCIES)
    for column in LATENCIES:
        operation, figure, _ = column.split("_")
        one = result.latencies.get(operation)
        if one is not None and one.count:
            time = one.mean_ns if figure == "mean" else one.quantile_ns(0.99)
            latencies[column] = round(time / 1e6, 6)
    read, written, came = moved(result, "read"), moved(result, "write"), reached_by(result)
    return {
        "read_MBps": round(read.rate / 1e6, 6),
        "write_MBps": round(written.rate / 1e6, 6),
        "stable_MBps": 0.0 if came is None else round(came.rate / 1e6, 6),
        "read_io_MBps": round(read.io_rate / 1e6, 6),
        "write_io_MBps": round(written.io_rate / 1e6, 6),
        "elapsed_s": result.elapsed_ns / 1e9,
        "end_s": result.end_ns / 1e9,
        "elapsed_ns": result.elapsed_ns,
        "end_ns": result.end_ns,
        "read_s": result.mean_calls_ns("read") / 1e9,
        "write_s": result.mean_calls_ns("write") / 1e9,
        "lost_percent": round(100 * result.lost(), 6),
        **counts,
        **latencies,
        "bottleneck": busiest_instance(result),
    }
