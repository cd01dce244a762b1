"""Points per second of a sweep.

The points: 512 MB written through a buffer of 600 kB (test-write), each with another rate of the
front end's paths. For comparison, the same points in a loop over ``load_plan`` and ``run_plan``,
which reads and checks both files for every point. Runs alternate; speeds are medians, and the ratio
is the median over pairs. A sweep is the whole command in a process of its own, from its start to
its files (without plots): points are checked, made, run, and stored in its folder; "per cpu s" is
of one process, its start included. "run only" excludes making and checking: the cost of a point
from its typed sections to its row. Then the steps of a point one by one: lowering to a plan, the
columns that the kernel takes, beginning it, running, adding up, and the row; work shared with the
previous point is cached.

    python -m benchmarks.sweep [--points N] [--rounds N] [--format table|json]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from benchmarks.table import print_figures
from simulator.native import kernel
from simulator.native.columns import ColumnCache
from simulator.native.outcome import outcome_of
from simulator.native.run import SHARE, advance
from simulator.native.totals import totals_of
from simulator.prepared import Plans
from simulator.run import load_plan, run_plan
from simulator.study.grid import Grid, Sweep, make_sweep
from simulator.study.point import row_of_totals, run_point

MACHINE, WORKLOAD, PATH = "nwt", "test-write", "machine.parts.paths.rate"


def spec_of(points: int) -> str:
    """Return a number of values."""
    return f"30000 kB/s..{30_000 + 10 * (points - 1)} kB/s +10 kB/s"


def sweep_of(points: int) -> Sweep:
    """Return a sweep with a number of points."""
    return make_sweep(MACHINE, WORKLOAD, vary=[(PATH, spec_of(points))])


def swept(points: int, jobs: int) -> tuple[float, float]:
    """Return wall-clock and CPU seconds of a whole ``nwtsim sweep``, on a number of processes."""
    with tempfile.TemporaryDirectory() as folder:
        words = [
            "sweep",
            MACHINE,
            WORKLOAD,
            "--vary",
            f"{PATH}={spec_of(points)}",
            "--no-plot",
            "--no-store",
        ]
        command = [sys.executable, "-m", "simulator", *words, f"--jobs={jobs}", "--out", folder]
        began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        passed, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        return passed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def only_run(sweep: Sweep) -> float:
    """Return wall-clock seconds of running the points of a sweep, one after the other."""
    ready = list(Grid(sweep).points())
    began = time.perf_counter()
    for point in ready:
        run_point(point)
    return time.perf_counter() - began


def one_by_one(sweep: Sweep, points: int) -> float:
    """Return wall-clock seconds of points that are each read from their files."""
    began = time.perf_counter()
    for value in sweep.axes[0].texts[:points]:
        run_plan(load_plan(MACHINE, WORKLOAD, settings=[(PATH, value)]))
    return time.perf_counter() - began


def steps(sweep: Sweep) -> dict[str, float]:
    """Return CPU microseconds of a point, step by step, excluding the first (nothing shared)."""
    names = ("lower", "columns", "begin", "run", "totals", "row")
    began = time.process_time()
    ready = list(Grid(sweep).points())
    spent = {"make_and_check": time.process_time() - began} | dict.fromkeys(names, 0.0)
    plans, known = Plans(), ColumnCache()
    for number, point in enumerate(ready):
        times = [time.process_time()]
        plan = plans.make(point.machine, point.workload, point.digest, point.seed)
        times.append(time.process_time())
        columns = known.columns(plan)
        times.append(time.process_time())
        run = kernel.Run(columns)
        times.append(time.process_time())
        run.fast_forward(SHARE)
        while not advance(run):
            pass
        times.append(time.process_time())
        totals = totals_of(outcome_of(run, plan))
        times.append(time.process_time())
        assert totals is not None
        row_of_totals(totals)
        times.append(time.process_time())
        for name, begin, end in zip(names, times, times[1:], strict=False):
            spent[name] += (end - begin) * (number > 0)
    return {f"{name}_us": 1e6 * seconds / len(ready) for name, seconds in spent.items()}


def measure(points: int, rounds: int) -> dict[str, Any]:
    """Measure points per second: medians of alternated runs."""
    sweep = sweep_of(points)
    few = max(1, points // 20)
    rows = []
    for _ in range(rounds + 1):
        loop = few / one_by_one(sweep_of(points), few)
        (alone, cpu), (together, _) = (swept(points, jobs) for jobs in (1, 2))
        one, two = points / alone, points / together
        run = points / only_run(sweep)
        rows.append((one, points / cpu, two, run, loop, two / one, one / loop, two / loop))
    rows = rows[1:]  # the first warms up
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    names = (
        "sweep_points_per_s_1_process",
        "sweep_points_per_cpu_s",
        "sweep_points_per_s_2_processes",
        "run_only_points_per_s_1_process",
        "loop_points_per_s",
        "sweep_2_processes_over_1",
        "sweep_1_process_over_loop",
        "sweep_2_processes_over_loop",
    )
    figures: dict[str, Any] = {"points": points, "rounds": rounds}
    figures |= dict(zip(names, medians, strict=True))
    return figures | steps(sweep)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, default=4_000, help="default 4000")
    parser.add_argument("--rounds", type=int, default=3, help="counted rounds (default 3)")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args()
    print_figures(measure(options.points, options.rounds), options.format)


if __name__ == "__main__":
    main()
