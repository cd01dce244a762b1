"""Simulation time of the page-cache study's runs, compared with the times of WRENCH's authors.

CPU time of one run each, plan included, the median of some rounds: experiment 1 with files of 20 to
100 GB, experiments 2 and 3 with 1 to 32 instances, experiment 4. WRENCH's times with a page cache
are its authors' (``experiments/pagecache/held_out.yaml``): one run each, on another computer, so
that only the growth can be compared.

    python -m benchmarks.pagecache [--rounds N] [--format table|json]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator

from benchmarks.table import print_figures
from simulator.experiments.pagecache.compared import WORKLOADS, held_out
from simulator.experiments.pagecache.runs import COUNTS, SIZES, PagecacheRuns

Run = Callable[[PagecacheRuns], object]


def runs() -> Iterator[tuple[str, Run, float | None]]:
    """Yield the name of each run, its plan, and WRENCH's time (s), if published."""
    for size in SIZES:
        yield f"1: files of {size} GB", _tasks(size), None
    for number, workload in WORKLOADS.items():
        for count in COUNTS:
            took = held_out()[number]["simulation_s"][count]
            yield f"{number}: {count} instances", _instances(workload, count), took
    yield "4", lambda made: made.nighres(), None


def _tasks(size: int) -> Run:
    return lambda made: made.tasks(size)


def _instances(workload: str, count: int) -> Run:
    return lambda made: made.instances(workload, count)


def seconds(make: Run, rounds: int) -> float:
    """Return the CPU time of a run with its plan, the median of some; files have been read."""
    took = []
    for _ in range(rounds):
        made = PagecacheRuns("native")
        made.prepare()
        began = time.process_time()
        make(made)
        took.append(time.process_time() - began)
    return statistics.median(took)


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description="CPU time of the runs of the page-cache study")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each (default: 5)")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    arguments = parser.parse_args()
    found = {}
    for name, make, took in runs():
        found[f"{name} (s)"] = round(seconds(make, arguments.rounds), 4)
        if took is not None:
            found[f"{name}, WRENCH (s)"] = took
    print_figures(found, arguments.format)


if __name__ == "__main__":
    main()
