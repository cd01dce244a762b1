"""How many points a second a sweep does.

The points: 512 MB written through a buffer of 600 kB (test-write), each with another rate of the
front end's paths. Beside them, the same points as a loop over ``simulate()``, which reads both
files and checks them for every point. Alternated; the ratio is the median over pairs. A sweep is
timed whole: every point read and checked before the first is run, run, and kept in its folder.
"run only" leaves out reading and checking: what a point costs from its typed sections to its row.

    python -m benchmarks.sweep [--points N] [--rounds N] [--format table|json]
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.table import print_figures
from simulator.simulate import simulate
from simulator.study.grid import Grid, Sweep, make_sweep
from simulator.study.point import run_loaded
from simulator.study.sweep import run_sweep

PATH = "machine.frontend.path_rate"


def sweep_of(points: int) -> Sweep:
    """A sweep of so many points."""
    last = 30_000 + 10 * (points - 1)
    return make_sweep("nwt", "test-write", vary=[(PATH, f"30000 kB/s..{last} kB/s +10 kB/s")])


def swept(sweep: Sweep, jobs: int) -> float:
    """Wall-clock seconds of a whole sweep."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run_sweep(sweep, Path(folder) / "out", versions={}, jobs=jobs)
        return time.perf_counter() - began


def only_run(sweep: Sweep) -> float:
    """Wall-clock seconds of running the points of a sweep, one after the other."""
    grid = Grid(sweep)
    ready = [(point, *grid.sections(point)) for point in grid.points()]
    began = time.perf_counter()
    for point, machine, workload in ready:
        run_loaded(point, machine, workload, None)
    return time.perf_counter() - began


def one_by_one(sweep: Sweep, points: int) -> float:
    """Wall-clock seconds of so many points by ``simulate``."""
    began = time.perf_counter()
    for (value,), _ in zip(sweep.combinations(), range(points), strict=False):
        simulate("nwt", "test-write", settings=[(PATH, value)])
    return time.perf_counter() - began


def measure(points: int, rounds: int) -> dict[str, Any]:
    """Points per second: medians of alternated runs."""
    sweep = sweep_of(points)
    few = max(1, points // 20)
    rows = []
    for _ in range(rounds + 1):
        loop = few / one_by_one(sweep, few)
        rows.append(
            (points / swept(sweep, 1), points / swept(sweep, 2), points / only_run(sweep), loop)
        )
    rows = rows[1:]  # the first warms up
    one, two, run, loop = (statistics.median(column) for column in zip(*rows, strict=True))
    return {
        "points": points,
        "rounds": rounds,
        "sweep_points_per_s_1_thread": one,
        "sweep_points_per_s_2_threads": two,
        "run_only_points_per_s_1_thread": run,
        "loop_points_per_s": loop,
        "sweep_over_loop": statistics.median(row[0] / row[3] for row in rows),
    }


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
