"""One point of a sweep: a run, and the row of figures that is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.machine_file import Machine
from simulator.config.workload_file import Workload
from simulator.plan.drawn import varies
from simulator.plan.errors import SimulationError
from simulator.result.jobs import phase_times_ns
from simulator.result.totals import totals_of
from simulator.run import EngineName
from simulator.study.figures import LATENCIES, RUNS, Row, phase_column
from simulator.study.repeated import Repeated
from simulator.study.replications import seed_of

if TYPE_CHECKING:
    from simulator.config.settings import Setting
    from simulator.plan.plan import Plan
    from simulator.prepared import Plans
    from simulator.result.result import Result
    from simulator.result.totals import Totals
    from simulator.study.grid import Sweep
    from simulator.study.replications import Replications
    from simulator.unused import UnusedSettings


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
    plans: Plans
    """The maker of its plans, and of those of the other points of its grid."""
    seed: int | None
    """None: service times do not vary."""
    engine: EngineName
    unused: UnusedSettings | None = None
    """Takes note of settings that no point has used."""
    replications: Replications | None = None
    """Its runs, with other seeds; None: one."""
    varied: tuple[Setting, ...] = ()
    """The settings that make it, beside those of all points."""
    phases: tuple[str, ...] = ()
    """Names of phases whose times are kept besides, as ``application.0``."""

    def plan(self, seed: int | None) -> Plan:
        """Make its plan with a seed; None: service times do not vary."""
        return self.plans.make(self.machine, self.workload, self.digest, seed)


def run_point(point: Point, stopped: Callable[[], bool] | None = None) -> Row:
    """Run one point, or its replications; SimulationError names it.

    The native engine asks ``stopped`` now and then whether to give up (KeyboardInterrupt).
    """
    try:
        if point.replications is None:
            return _run(point, point.seed, stopped)
        return _replicated(point, point.replications, stopped)
    except SimulationError as error:
        raise SimulationError(f"at the point {point.name}: {error}") from error


def _replicated(
    point: Point, replications: Replications, stopped: Callable[[], bool] | None
) -> Row:
    """Run a point with one seed after the other, and return the means of its figures."""
    assert point.seed is not None  # What is replicated has one.
    repeated = Repeated(replications, more_columns=tuple(map(phase_column, point.phases)))
    repeated.varies = varies(*(point.plan(seed_of(point.seed, one)) for one in (0, 1)))
    while repeated.more:
        seed = seed_of(point.seed, len(repeated.rows))
        repeated.rows.append(_run(point, seed, stopped))
    return repeated.to_row()


def _run(point: Point, seed: int | None, stopped: Callable[[], bool] | None) -> Row:
    """Run a point once; a whole result is made only where it is looked at."""
    plans, plan = point.plans, point.plan(seed)
    looks = point.unused is not None and bool(point.unused.left)
    if not (looks or point.phases):
        return row_of_totals(plans.totals(plan, engine=point.engine, stopped=stopped))
    result = plans.run(plan, engine=point.engine, stopped=stopped)
    if looks:
        assert point.unused is not None
        point.unused.examine(plan, result)
    return row_of(result) | phase_times(result, point.phases)


def row_of(result: Result) -> Row:
    """Return the figures of a run that a sweep keeps; counters of all stores are added up."""
    return row_of_totals(totals_of(result))


def row_of_totals(totals: Totals) -> Row:
    """Return the figures that a sweep keeps of what a run comes to."""
    latencies: dict[str, float | None] = dict.fromkeys(LATENCIES)
    for column, operation, figure in _LATENCIES:
        one = totals.latencies.get(operation)
        if one is not None and one.count:
            time = one.mean_ns if figure == "mean" else one.quantile_ns(0.99)
            latencies[column] = round(time / 1e6, 6)
    read, written, came = totals.read, totals.written, totals.reached
    return {
        "read_MBps": round(read.rate / 1e6, 6),
        "write_MBps": round(written.rate / 1e6, 6),
        "stable_MBps": 0.0 if came is None else round(came.rate / 1e6, 6),
        "read_io_MBps": round(read.io_rate / 1e6, 6),
        "write_io_MBps": round(written.io_rate / 1e6, 6),
        "elapsed_s": totals.elapsed_ns / 1e9,
        "end_s": totals.end_ns / 1e9,
        "elapsed_ns": totals.elapsed_ns,
        "end_ns": totals.end_ns,
        "read_s": totals.read_calls_ns / 1e9,
        "write_s": totals.write_calls_ns / 1e9,
        "lost_percent": round(100 * totals.lost, 6),
        **totals.counts,
        **latencies,
        "bottleneck": totals.busiest,
    }


_LATENCIES = [(column, *column.split("_")[:2]) for column in LATENCIES]


def phase_times(result: Result, phases: Sequence[str]) -> Row:
    """Return what a process spends in each of some phases, on the average, in s, as columns.

    None for a phase that no process came to.
    """
    if not phases:
        return {}
    found = {phase: time / 1e9 for phase, time in phase_times_ns(result).items()}
    return {phase_column(phase): found.get(phase) for phase in phases}


def columns_of(sweep: Sweep) -> list[str]:
    """Name the columns of a sweep's rows."""
    varied = [name for axis in sweep.axes for name in (axis.name, axis.column) if name]
    figures = (figure for figure in sweep.figures if figure != RUNS)
    return list(dict.fromkeys([*varied, *figures, "digest"]))
