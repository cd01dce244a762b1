"""Three simulations of one job compared: their speed, and their agreement.

The job (benchmarks/job.py): 166 clients write and read files in calls of 0.1 to 8 MB, through
crossbar ports, an SSU of 8 MB units with LRU and write-back, two channels, I/O paths and striped
disks. An operation is one call, about four events. The programs:

- reference: the engine on SimPy, with next-free times;
- native: the same model as a flat state machine in C++ (simulator/native);
- limit: benchmarks/limit.cpp, the same job written by hand in C++ for speed alone; it has no
  accounts of time.

All produce the same makespan, to the nanosecond, which is checked. Native and limit alternate, and
ratios are medians over rounds; the reference engine runs once on the same plan.

    python -m benchmarks.engines [--operations N] [--rounds N] [--format table|json]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.compiler import compiled
from benchmarks.job import as_numbers, make_plan, operations_of
from benchmarks.shapes import flatness, many_operations, state_per_client
from benchmarks.table import print_figures
from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference

CLIENTS = 166
LIMIT = Path(__file__).with_name("limit.cpp")


def reference_end(plan: Plan) -> int:
    """Run the reference engine; return the end of the last client, in ns."""
    return run_reference(plan).elapsed_ns


def native_end(plan: Plan) -> int:
    """Run the native engine; return the end of the last client, in ns."""
    return run_native(plan).elapsed_ns


def timed(run: Callable[[Plan], int], plan: Plan) -> tuple[float, int]:
    """Return CPU seconds and makespan of one run, excluding the plan."""
    began = time.process_time()
    end = run(plan)
    return time.process_time() - began, end


class Limit:
    """The program in C++, compiled once; it times its own loop."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.program = compiled(LIMIT, folder)
        self.numbers = as_numbers(plan)

    def run(self) -> tuple[float, int]:
        """Return CPU seconds and makespan of one run."""
        done = subprocess.run(
            [self.program], input=self.numbers, capture_output=True, text=True, check=True
        )
        _, _, seconds, end = done.stdout.split()
        return float(seconds), int(end)


def measure(operations: int, rounds: int, *, slow: bool = True) -> dict[str, Any]:
    """Measure the speed of each, in operations per second, and their ratios."""
    plan = make_plan(CLIENTS, operations)
    count = operations_of(plan)
    ends: dict[str, int] = {}
    seconds: dict[str, list[float]] = {"native": [], "limit": []}
    with tempfile.TemporaryDirectory() as folder:
        limit = Limit(Path(folder), plan)
        for _ in range(rounds + 1):
            for name, (spent, end) in (
                ("native", timed(native_end, plan)),
                ("limit", limit.run()),
            ):
                seconds[name].append(spent)
                ends[name] = end
    seconds = {name: spent[1:] for name, spent in seconds.items()}  # the first round warms up
    if slow:
        spent, ends["reference"] = timed(reference_end, plan)
        seconds["reference"] = [spent]
    if len(set(ends.values())) != 1:
        raise AssertionError(f"makespans differ: {ends}")
    return {
        "clients": CLIENTS,
        "operations": count,
        "rounds": rounds,
        **_speeds(seconds, count),
        **{f"{name}_makespan_ns": value for name, value in sorted(ends.items())},
    }


def _speeds(seconds: dict[str, list[float]], count: int) -> dict[str, float]:
    """Return operations per second, and ratios of speeds run by run."""
    speed = {name: count / statistics.median(spent) for name, spent in seconds.items()}
    figures: dict[str, float] = {
        f"{name}_ops_per_s": round(value) for name, value in sorted(speed.items())
    }
    pairs = zip(seconds["limit"], seconds["native"], strict=True)
    figures["native_over_limit"] = statistics.median(least / own for least, own in pairs)
    if "reference" in speed:
        figures["native_over_reference"] = speed["native"] / speed["reference"]
    return figures


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--operations", type=int, default=1_000_000, help="default 1000000")
    parser.add_argument("--rounds", type=int, default=7, help="counted pairs (default 7)")
    parser.add_argument("--fast", action="store_true", help="leave out the reference engine")
    parser.add_argument("--shapes", action="store_true", help="more clients, more operations too")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args()
    figures = measure(options.operations, options.rounds, slow=not options.fast)
    if options.shapes:
        figures |= flatness(options.rounds) | state_per_client() | many_operations()
    print_figures(figures, options.format)


if __name__ == "__main__":
    main()
