"""The job of benchmarks/engines.py: 166 clients that write and read files record by record.

Crossbar ports, an SSU of 8 MB units with LRU and write-back between two watermarks, two channels,
I/O paths and striped disks; calls of 0.1 to 8 MB, drawn. The machine and the workload are in
records-machine.yaml and records-workload.yaml; the program in C++ reads a list of numbers.
"""

from __future__ import annotations

from pathlib import Path

from simulator.inputfile import Text
from simulator.plan.noise import stream_key
from simulator.plan.parts import PartPlan
from simulator.plan.plan import Plan
from simulator.run import Setting, load_plan

HERE = Path(__file__).parent
MACHINE, WORKLOAD = (HERE / f"records-{name}.yaml" for name in ("machine", "workload"))
LOW, HIGH = 100_000, 8_000_000
"""Bytes of the smallest and the largest call."""
MEAN = (LOW + HIGH) // 2
PHASES = 4
"""Phases of each client: write a file, read another, twice."""
UNIT = 8_000_000
PES = 166

PLAIN = 1_000_000
"""Bytes of a call of the plain job."""
PLAIN_JOB = """\
format: workload/2
name: plain
files: {own: {size: 1 MB}}
jobs:
  - {name: client, record: 1 MB, policy: posix, phases: [{do: write, file: own}]}
"""
FAST = (
    ("machine.parts.paths.rate", "4.1 GB/s"),
    ("machine.parts.paths.overhead", "1 us"),
    ("machine.parts.disk.rate", "3.6 GB/s"),
    ("machine.parts.disk.overhead", "0 s"),
    ("machine.filesystems.files.tiers.2.pieces", "1"),
    ("machine.stores.ssu.writers", "4"),
)


def size_of(clients: int, operations: int) -> int:
    """Return the bytes of each file, for an approximate number of calls in all."""
    return max(1, operations * MEAN // (clients * PHASES))


def key_of(client: int, phase: int) -> int:
    """Return the key of a client's random lengths in a phase."""
    return stream_key(0, 0, f"client.{client}/{phase}/records")


def _clients(clients: int) -> list[Setting]:
    """Return a number of clients, each on a PE of its own."""
    return [
        ("workload.jobs.0.processes", str(clients)),
        ("machine.nodes.pe.count", str(max(PES, clients))),
    ]


def make_plan(clients: int, operations: int) -> Plan:
    """Make a plan with an approximate number of calls."""
    size = f"{size_of(clients, operations)} B"
    files = ("written", "found", "rewritten", "found-again")
    settings = [(f"workload.files.{name}.size", size) for name in files]
    return load_plan(MACHINE, WORKLOAD, settings=[*settings, *_clients(clients)])


def plain_plan(clients: int, operations: int, slots: int = 0) -> Plan:
    """Make a plan with an approximate number of calls of 1 MB: each client writes its own file.

    The SSU has ``slots``, or room for all dirty data, so that no client waits for it.
    """
    each = max(1, operations // clients)
    settings = [
        ("workload.files.own.size", f"{each} MB"),
        ("machine.stores.ssu.capacity", f"{(slots or 4 * clients) * UNIT} B"),
        *FAST,
        *_clients(clients),
    ]
    return load_plan(MACHINE, Text(PLAIN_JOB, "plain.yaml"), settings=settings)


def operations_of(plan: Plan) -> int:
    """Return the number of calls of a plan."""
    return sum(
        phase.lengths.count
        for process in plan.processes
        for phase in process.phases
        if phase.lengths is not None
    )


def as_numbers(plan: Plan) -> str:
    """Return the plan as the input of ``limit.cpp``."""

    def part(name: str, way: str = "") -> PartPlan:
        return next(one for one in plan.parts if (one.name, one.way) == (name, way))

    (ssu,) = plan.stores
    channels = part("channel", "read"), part("channel", "write")
    paths, disks, cpu = part("paths"), part("disk"), part("pe").spec
    assert disks.spec is not None
    assert cpu is not None
    pieces = next(tier.pieces for tier in plan.tiers if tier.pieces)
    lines: list[list[int | str]] = [
        [len(plan.processes), PHASES, ssu.block, ssu.slots, channels[0].servers],
        [ssu.workers, paths.servers, disks.count, pieces],
        [ssu.high, ssu.low],
    ]
    specs = [one.service for one in (part("crossbar", "in"), *channels, paths)]
    specs.append(disks.spec.transfer())
    lines += [[repr(spec.ns_per_byte), spec.overhead_ns] for spec in specs]
    lines.append([repr(1e9 / cpu.copy_rate), cpu.call_overhead_ns])
    for client, process in enumerate(plan.processes):
        for number, phase in enumerate(process.phases):
            file = plan.files[phase.file]
            lengths = phase.lengths
            assert lengths is not None
            last = lengths.length(lengths.count - 1)
            key = key_of(client, number)
            lines.append([int(phase.write), lengths.count, last, LOW, HIGH - LOW + 1, key])
            lines.append([file.length, file.size, file.lead % disks.count])
    return "\n".join(" ".join(map(str, line)) for line in lines) + "\n"
