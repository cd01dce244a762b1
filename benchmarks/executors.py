"""Cost of a result store for a sweep, and of Dask compared with processes.

The points are those of ``benchmarks.sweep``, some 0.8 ms each: light points, for which a store and
an executor have the highest relative cost. "cpu" is of all processes together, scheduler included,
so that other work on the host hardly counts; ratios are medians over rounds, in each of which both
variants run in turn.

``store``: a sweep without a store, one into an empty store, and one with all points stored.
``dask``: points in two workers of Dask by batches of about a second, against two processes, without
a store. The workers are running already; processes are forked in milliseconds. The cost of Dask is
CPU time for each batch ("empty batch"), and for each second of its existence ("standing": its
heartbeats); with other work on the host, the same points take more seconds.

    python -m benchmarks.executors [--points N] [--rounds N] [--format table|json]
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.sweep import sweep_of
from benchmarks.table import print_figures
from simulator.study.chunks import Runner, run_all
from simulator.study.cluster import cluster
from simulator.study.executors import Executor, Processes
from simulator.study.grid import Grid, Sweep
from simulator.study.results import Results
from simulator.study.sweep import run_sweep

WORKERS = 2
STANDS_S = 3.0
EMPTY = 200
"""Number of batches without points, which measure the cost of dispatch."""


def cpu_s() -> float:
    """Return CPU seconds of this process, and of its terminated children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def cpu_of_call(act: Callable[[], object]) -> float:
    """Return CPU seconds of a function call."""
    began = cpu_s()
    act()
    return cpu_s() - began


def stored(sweep: Sweep) -> tuple[float, float, float]:
    """Measure CPU seconds without a store, into an empty one, and from a full one; one process."""
    with tempfile.TemporaryDirectory() as folder, Results(Path(folder) / "store") as results:

        def swept(name: str, of: Results | None) -> Callable[[], object]:
            out = Path(folder) / name
            return lambda: run_sweep(sweep, out, versions={}, jobs=1, results=of)

        results.count()
        return (
            cpu_of_call(swept("a", None)),
            cpu_of_call(swept("b", results)),
            cpu_of_call(swept("c", results)),
        )


def run_points(sweep: Sweep, executor: Executor) -> int:
    """Run the points of a sweep; return the number of batches."""
    numbers = iter(range(sweep.size))
    return sum(1 for _ in run_all(Runner(Grid(sweep)), numbers, sweep.size, executor))


def alone(way: str, points: int) -> dict[str, float]:
    """Run the points by one executor, in this process; return seconds, CPU seconds and batches."""
    sweep, few = sweep_of(points), sweep_of(points // 8)
    elsewhere: Callable[[], float] = float
    with ExitStack() as stack:
        executor: Executor = Processes(WORKERS)
        if way == "dask":
            executor = stack.enter_context(cluster(None, WORKERS))
            run_points(few, executor)  # Workers import the program.
            elsewhere = executor.cpu_s
        before = cpu_s() + elsewhere()
        for _ in executor.map(len, [()] * EMPTY, EMPTY):
            pass
        handed = cpu_s() + elsewhere() - before
        before = cpu_s() + elsewhere()
        time.sleep(STANDS_S)
        stands = cpu_s() + elsewhere() - before
        began, before = time.perf_counter(), cpu_s() + elsewhere()
        batches = run_points(sweep, executor)
        passed = time.perf_counter() - began
        used = cpu_s() + elsewhere() - before
        return {
            "s": passed,
            "cpu_s": used,
            "batches": batches,
            "empty_batch_cpu_ms": 1e3 * handed / EMPTY,
            "standing_cpu_ms_a_s": 1e3 * stands / STANDS_S,
        }


def distributed(points: int, rounds: int) -> dict[str, Any]:
    """Compare processes with Dask, each in a process of its own; empty if it is not installed."""
    if find_spec("distributed") is None:
        return {"dask": "not installed"}
    rows = []
    for _ in range(rounds):
        row = {}
        for way in ("processes", "dask"):
            command = [sys.executable, "-m", "benchmarks.executors", f"--points={points}"]
            done = subprocess.run([*command, "--alone", way], capture_output=True, check=True)
            row |= {f"{way}_{name}": value for name, value in json.loads(done.stdout).items()}
        row["dask_over_processes_s"] = row["dask_s"] / row["processes_s"]
        row["dask_over_processes_cpu"] = row["dask_cpu_s"] / row["processes_cpu_s"]
        rows.append(row)
    return {name: statistics.median(row[name] for row in rows) for name in rows[0]}


def measure(points: int, rounds: int) -> dict[str, Any]:
    """Measure both."""
    sweep = sweep_of(points)
    rows = [stored(sweep) for _ in range(rounds + 1)][1:]  # the first warms up
    without, empty, full = map(statistics.median, zip(*rows, strict=True))
    return {
        "points": points,
        "rounds": rounds,
        "without_store_cpu_us_a_point": 1e6 * without / points,
        "empty_store_cpu_us_a_point": 1e6 * empty / points,
        "full_store_cpu_us_a_point": 1e6 * full / points,
        "empty_store_over_without": statistics.median(row[1] / row[0] for row in rows),
        **distributed(points, rounds),
    }


MOST_PERCENT = 10.0
"""Maximum cost of a store, and of Dask with batches of a second."""


def target_sentences(figures: dict[str, Any]) -> list[str]:
    """Return a sentence for each target on whether it is met."""
    told = [_target_sentence("the store", figures["empty_store_over_without"])]
    if "dask_over_processes_cpu" not in figures:
        return told
    whose = f"Dask, {figures['points']:,} points in {figures['dask_batches']:.0f} batches,"
    batch, standing = figures["dask_empty_batch_cpu_ms"], figures["dask_standing_cpu_ms_a_s"]
    whole = 1 + batch / 1e3 + standing / 1e3 / WORKERS
    return [
        *told,
        _target_sentence(whose, figures["dask_over_processes_cpu"]),
        _target_sentence(
            "Dask, by what an empty batch and its standing take of a batch of a second,", whole
        ),
    ]


def _target_sentence(what: str, ratio: float) -> str:
    percent = 100 * (ratio - 1)
    word = "met" if percent < MOST_PERCENT else "missed"
    return (
        f"{what} costs {percent:.1f} % more CPU time; the target is under {MOST_PERCENT:.0f} %:"
        f" {word}."
    )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, default=20_000, help="default 20000")
    parser.add_argument("--rounds", type=int, default=3, help="counted rounds (default 3)")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    parser.add_argument("--alone", choices=("processes", "dask"), help="one run, in this process")
    options = parser.parse_args()
    if options.alone:
        print(json.dumps(alone(options.alone, options.points)))
        return
    figures = measure(options.points, options.rounds)
    print_figures(figures, options.format)
    if options.format == "table":
        print(*target_sentences(figures), sep="\n")


if __name__ == "__main__":
    main()
