"""A striped file system under load: the native engine compared with a dedicated C++ program.

The machine (striped-machine.yaml): 64 clients with page caches of 4 KiB blocks in extents, dirty
limit, watermarks and write-back workers; 8 servers with threads, caches and disks that files are
striped over; a metadata server. The job (striped-workload.yaml): opens, writes, reads, closes. The
limit: benchmarks/limit_striped.cpp, the same machine written by hand for speed alone; it has no
accounts of time. Makespan, events and all counters of stores and parts are compared.

The two alternate; their ratio is the median over pairs.

    python -m benchmarks.striped [--scale N] [--rounds N] [--format table|json]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.compiler import compiled
from benchmarks.table import print_figures
from simulator.native.run import run_native
from simulator.plan.noise import stream_key
from simulator.run import load_plan

if TYPE_CHECKING:
    from simulator.plan.parts import StorePlan
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.service import ServiceSpec

HERE = Path(__file__).parent
LIMIT = HERE / "limit_striped.cpp"
LOW, HIGH = 1_000, 1_000_000
"""Bytes of the smallest and the largest record, as in striped-workload.yaml."""


def make_plan(scale: float = 1.0) -> Plan:
    """Make the plan of the two files, its files ``scale`` times as large."""
    sizes = {"new": 96, "old": 96, "both": 48}
    settings = [
        (f"workload.files.{name}.size", f"{max(1, round(size * scale))} MiB")
        for name, size in sizes.items()
    ]
    machine, workload = (HERE / f"striped-{name}.yaml" for name in ("machine", "workload"))
    return load_plan(machine, workload, settings=settings)


def as_numbers(plan: Plan) -> str:
    """Return the plan as the input of ``limit_striped.cpp``."""
    part = {one.label: one for one in plan.parts}
    cpu, disk = part["cpu"].spec, part["disk"].spec
    assert cpu is not None
    assert disk is not None
    stripe = next(tier for tier in plan.tiers if tier.width > 1)
    header = next(tier.header for tier in plan.tiers if tier.header)
    _, cache = plan.stores
    phases = [(one.name, phase) for one in plan.processes for phase in one.phases]
    lines: list[list[object]] = [
        [len(plan.processes), cache.count, plan.first_branch, plan.width, stripe.size],
        [stripe.width, header, part["threads"].servers, len(plan.processes[0].phases)],
        [repr(1e9 / cpu.copy_rate), cpu.call_overhead_ns],
        [disk.seek_ns + disk.turn_ns // 2, part["nic.out"].latency_ns],
    ]
    specs = (part["memory"].service, part["nic.in"].service, part["rpc"].service)
    lines += map(_service, (*specs, disk.transfer(), part["lookups"].service))
    lines.append([part["rpc"].servers, part["lookups"].servers])
    lines += map(_store, plan.stores)
    lines.append([len(plan.files)])
    for file in plan.files:
        rows, rest = divmod(file.length, stripe.size * stripe.width)
        lines.append([file.base, file.lead, file.size])
        lines.append([file.length, rows * stripe.size + min(rest, stripe.size)])
    for number, (name, phase) in enumerate(phases):
        lengths = phase.lengths
        assert lengths is not None
        key = stream_key(0, 0, f"{name}/{number % len(plan.processes[0].phases)}/records")
        last = lengths.length(lengths.count - 1)
        lines.append([int(phase.write), phase.file, lengths.count, last, LOW, HIGH - LOW + 1, key])
    lines.append([-1])  # initial position of a disk's head
    return "\n".join(" ".join(map(str, line)) for line in lines) + "\n"


def _service(spec: ServiceSpec) -> list[object]:
    return [repr(spec.ns_per_byte), spec.overhead_ns]


def _store(store: StorePlan) -> list[object]:
    sizes = [store.block, store.extent, store.slots, store.dirty_limit]
    return [*sizes, store.high, store.low, store.workers, store.first_worker]


def counted(result: Result) -> dict[str, int]:
    """Return the counters of both programs, by the names in ``limit_striped.cpp``."""
    count: Counter[str] = Counter()
    for store in result.stores.values():
        for name, value in store.counts.items():
            count[f"{store.store}.{name}"] += value
    for instance, part in result.parts.items():
        name = part.part
        if name.startswith("nic"):
            name = f"{instance.partition('.')[0].rstrip('0123456789')}.nic"
        count[f"{name}.requests"] += part.requests
        count[f"{name}.bytes"] += part.bytes
        count[f"{name}.busy_ns"] += part.busy_ns
    count["makespan_ns"] = max(one.ended_ns for one in result.processes)
    count["end_ns"] = result.end_ns
    count["events"] = result.events
    return dict(count)


class Limit:
    """The program in C++, compiled once; it times its own loop."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.program = compiled(LIMIT, folder)
        self.numbers = as_numbers(plan)

    def run(self) -> tuple[float, dict[str, int]]:
        """Return CPU seconds and counters of one run."""
        done = subprocess.run(
            [self.program], input=self.numbers, capture_output=True, text=True, check=True
        )
        first, *lines = done.stdout.splitlines()
        events, seconds = first.split()
        count = {name: int(value) for name, value in map(str.split, lines)}
        return float(seconds), count | {"events": int(events)}


def differences(native: dict[str, int], limit: dict[str, int]) -> list[str]:
    """Return lines on the counters in which the two programs differ."""
    return [
        f"{name}: native {native.get(name, 0)}, limit {value}"
        for name, value in limit.items()
        if native.get(name, 0) != value
    ]


def measure(scale: float, rounds: int) -> dict[str, Any]:
    """Measure the speed of both, and their ratio."""
    plan = make_plan(scale)
    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        limit = Limit(Path(folder), plan)
        for _ in range(rounds + 1):
            began = time.process_time()
            result = run_native(plan)
            native = time.process_time() - began
            least, limits = limit.run()
            pairs.append((native, least))
            if different := differences(counted(result), limits):
                raise AssertionError("; ".join(different))
    pairs = pairs[1:]  # the first pair warms up
    pages = limits["pages.hits"] + limits["pages.misses"]
    return {
        "events": limits["events"],
        "blocks_looked_at": pages,
        "rounds": rounds,
        "native_s": statistics.median(native for native, _ in pairs),
        "limit_s": statistics.median(least for _, least in pairs),
        "native_over_limit": statistics.median(least / native for native, least in pairs),
        "makespan_ns": limits["makespan_ns"],
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0, help="size of the files (default 1)")
    parser.add_argument("--rounds", type=int, default=7, help="counted pairs (default 7)")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args()
    print_figures(measure(options.scale, options.rounds), options.format)


if __name__ == "__main__":
    main()
