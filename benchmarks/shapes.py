"""Growth of the native engine's cost with the numbers of clients and operations."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from typing import Any

from benchmarks.job import make_plan, operations_of, plain_plan
from simulator.native.run import run_native
from simulator.plan.plan import Plan

FEW, MANY = 16, 10_000


def seconds_per_operation(plan: Plan) -> tuple[float, float]:
    """Return CPU seconds and events per operation, including plan and result."""
    count = operations_of(plan)
    began = time.process_time()
    result = run_native(plan)
    return (time.process_time() - began) / count, result.events / count


def flatness(rounds: int, operations: int = 2_000_000) -> dict[str, Any]:
    """Return the cost of an operation with 10,000 clients over that with 16, alternated.

    The job of benchmarks/job.py overloads its machine: with more clients they wait more often, and
    an operation is more events. Without waiting (``plain``) the number of events is constant.
    """
    figures: dict[str, Any] = {}
    for name, make in (("job", make_plan), ("plain", plain_plan)):
        few, many = make(FEW, operations), make(MANY, operations)
        ratios, events = [], []
        for _ in range(rounds):
            cheap, less = seconds_per_operation(few)
            dear, more = seconds_per_operation(many)
            ratios.append(dear / cheap)
            events.append(more / less)
        figures[f"{name}_cost_10000_over_16_clients"] = statistics.median(ratios)
        figures[f"{name}_events_10000_over_16_clients"] = statistics.median(events)
    return figures


STATE = """
import ctypes, sys
from benchmarks.job import plain_plan
from simulator.native import kernel
from simulator.native.columns import columns_of
from simulator.native.run import advance
def resident():
    with open("/proc/self/statm") as sizes:
        return int(sizes.read().split()[1])
clients = int(sys.argv[1])
columns = columns_of(plain_plan(clients, 4 * clients, slots=64))
ctypes.CDLL(None).malloc_trim(0)
before = resident()
run = kernel.Run(columns)
while not advance(run):
    pass
print((resident() - before) * 4096)
"""


def state_per_client() -> dict[str, Any]:
    """Return the bytes of kernel memory of an additional client with one phase and one file."""
    small, large = (
        int(subprocess.check_output([sys.executable, "-c", STATE, str(clients)], text=True))
        for clients in (1024, 9216)
    )
    return {"state_per_client_bytes": round((large - small) / 8192)}


MANY_OPERATIONS = """
import json, sys, time
from benchmarks.job import operations_of, plain_plan
from simulator.native.run import run_native
plan = plain_plan(16, int(sys.argv[1]))
began = time.perf_counter()
result = run_native(plan)
seconds = time.perf_counter() - began
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps({
    "many_operations": operations_of(plan),
    "many_operations_events": result.events,
    "many_operations_seconds": seconds,
    "many_operations_peak_MB": peak * 1024 / 1e6,
}))
"""


def many_operations(operations: int = 100_000_000) -> dict[str, Any]:
    """Return wall-clock seconds and memory of 10^8 operations, in a process of their own."""
    command = [sys.executable, "-c", MANY_OPERATIONS, str(operations)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures
