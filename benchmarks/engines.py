"""Four ways to simulate one job, side by side: how fast each is, and that all agree.

The job (benchmarks/job.py): 166 clients write and read files in calls of 0.1 to 8 MB, through
crossbar ports, an SSU of 8 MB units with LRU and write-back, two channels, I/O paths and striped
disks. An operation is one call, about four events. The four programs:

- naive: ``simpy.Resource`` and ``OrderedDict``, in the style of SimPy's manual (tests/naive.py);
- reference: the engine on SimPy, with next-free times;
- native: the same model as a flat state machine, compiled (or interpreted without a C compiler);
- limit: benchmarks/limit.cpp, the same job written by hand in C++ for speed alone; it does not
  account for where the time goes.

All produce the same makespan, to the nanosecond, which is checked. Native and limit alternate, and
their ratio is the median over pairs; the two slow programs run once on the same plan.

    python -m benchmarks.engines [--operations N] [--rounds N] [--format table|json]
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.job import as_numbers, make_plan, operations_of
from benchmarks.shapes import flatness, many_operations, state_per_client
from benchmarks.table import print_figures
from simulator.engine.native import native_build
from simulator.engine.native.run import run_native
from simulator.engine.plan import Plan
from simulator.engine.reference import run_reference

CLIENTS = 166
LIMIT = Path(__file__).with_name("limit.cpp")


def naive_end(plan: Plan) -> int:
    """Run the naive model; returns when the last client ended, in ns."""
    from tests.naive import NaiveRun

    return max(NaiveRun(plan, strict=False).run())


def reference_end(plan: Plan) -> int:
    """Run the reference engine; returns when the last client ended, in ns."""
    return run_reference(plan).elapsed_ns


def native_end(plan: Plan) -> int:
    """Run the native engine; returns when the last client ended, in ns."""
    return run_native(plan).elapsed_ns


def timed(run: Callable[[Plan], int], plan: Plan) -> tuple[float, int]:
    """CPU seconds and makespan of one run, everything included but making the plan."""
    began = time.process_time()
    end = run(plan)
    return time.process_time() - began, end


class Limit:
    """The program in C++, compiled once; it times its own loop."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.program = folder / "limit"
        self.numbers = as_numbers(plan)
        compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
        if compiler is None:
            sys.exit("benchmarks.engines: there is no C++ compiler (c++) for the limit")
        subprocess.run([compiler, "-O2", "-o", str(self.program), str(LIMIT)], check=True)

    def run(self) -> tuple[float, int]:
        """CPU seconds and makespan of one run."""
        done = subprocess.run(
            [self.program], input=self.numbers, capture_output=True, text=True, check=True
        )
        _, _, seconds, end = done.stdout.split()
        return float(seconds), int(end)


def measure(operations: int, rounds: int, *, slow: bool = True) -> dict[str, Any]:
    """The speed of each, in operations per second, and their ratios."""
    plan = make_plan(CLIENTS, operations)
    count = operations_of(plan)
    ends: dict[str, int] = {}
    speed: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        limit = Limit(Path(folder), plan)
        pairs = []
        for _ in range(rounds + 1):
            native, ends["native"] = timed(native_end, plan)
            least, ends["limit"] = limit.run()
            pairs.append((native, least))
    pairs = pairs[1:]  # the first pair warms up
    speed["native"] = count / statistics.median(native for native, _ in pairs)
    speed["limit"] = count / statistics.median(least for _, least in pairs)
    for name, run in (("naive", naive_end), ("reference", reference_end)) if slow else ():
        seconds, ends[name] = timed(run, plan)
        speed[name] = count / seconds
    if len(set(ends.values())) != 1:
        raise AssertionError(f"makespans differ: {ends}")
    figures: dict[str, Any] = {
        "clients": CLIENTS,
        "operations": count,
        "rounds": rounds,
        "native_build": native_build(),
    }
    figures |= {f"{name}_ops_per_s": round(value) for name, value in sorted(speed.items())}
    figures["native_over_limit"] = statistics.median(least / native for native, least in pairs)
    if slow:
        figures["native_over_reference"] = speed["native"] / speed["reference"]
        figures["native_over_naive"] = speed["native"] / speed["naive"]
    figures |= {f"{name}_makespan_ns": value for name, value in sorted(ends.items())}
    return figures


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--operations", type=int, default=1_000_000, help="default 1000000")
    parser.add_argument("--rounds", type=int, default=7, help="counted pairs (default 7)")
    parser.add_argument("--fast", action="store_true", help="leave out naive and reference")
    parser.add_argument("--shapes", action="store_true", help="more clients, more operations too")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args()
    figures = measure(options.operations, options.rounds, slow=not options.fast)
    if options.shapes:
        figures |= flatness(options.rounds) | state_per_client() | many_operations()
    print_figures(figures, options.format)


if __name__ == "__main__":
    main()
