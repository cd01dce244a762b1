"""One point of a sweep: a run, and the row of figures that is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.config import Machine, Workload
from simulator.config.plan import make_plan
from simulator.result.errors import SimulationError
from simulator.simulate import EngineName, run_plan

if TYPE_CHECKING:
    from simulator.engine.result import Result

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
COLUMNS = (
    "read_MBps",
    "write_MBps",
    "elapsed_s",
    "end_s",
    "elapsed_ns",
    "end_ns",
    "read_s",
    "write_s",
    "lost_percent",
    *COUNTERS,
    "bottleneck",
)
"""What is kept of a run."""


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


def run_point(point: Point, stopped: Callable[[], bool] | None = None) -> Row:
    """Run one point; SimulationError names it.

    The native engine asks ``stopped`` now and then whether to give up (KeyboardInterrupt).
    """
    plan = make_plan(
        point.machine,
        point.workload,
        seed=point.seed or 0,
        noisy=point.seed is not None,
        known_digest=point.digest,
    )
    try:
        return row_of(run_plan(plan, engine=point.engine, stopped=stopped))
    except SimulationError as error:
        raise SimulationError(f"at the point {point.name}: {error}") from error


def row_of(result: Result) -> Row:
    """Give the figures of a run that a sweep keeps; rates in 10^6 bytes per second."""
    return {
        "read_MBps": round(result.rate("read") / 1e6, 6),
        "write_MBps": round(result.rate("write") / 1e6, 6),
        "elapsed_s": result.elapsed_ns / 1e9,
        "end_s": result.end_ns / 1e9,
        "elapsed_ns": result.elapsed_ns,
        "end_ns": result.end_ns,
        "read_s": result.mean_elapsed_ns("read") / 1e9,
        "write_s": result.mean_elapsed_ns("write") / 1e9,
        "lost_percent": round(100 * result.lost(), 6),
        **{counter: result.cache[counter] for counter in COUNTERS},
        "bottleneck": busiest_part(result),
    }


def busiest_part(result: Result) -> str:
    """Name the part with the highest utilisation, the first of several; empty if there is none."""
    parts = result.parts
    return max(parts, key=lambda part: parts[part].utilisation(result.end_ns), default="")
