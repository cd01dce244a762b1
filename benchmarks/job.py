"""The job of benchmarks/engines.py: 166 clients that write and read files record by record.

Crossbar ports, an SSU of 8 MB units with LRU and write-back between two marks, two channels,
I/O paths and striped disks; calls of 0.1 to 8 MB, drawn. One plan for the engines, one list
of numbers for the program in C++, and a naive model on ``simpy.Resource``. The same job as a
machine/2 and a workload/2 is in records-machine.yaml and records-workload.yaml.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from simulator.engine.plan import (
    ChannelPlan,
    FilePlan,
    JobPlan,
    MachinePlan,
    PhasePlan,
    Plan,
    VolumeGroup,
)
from simulator.machine.ssu import SsuSpec
from simulator.machine.volumes import VolumeFile

from simulator.machine.disk import DiskSpec
from simulator.machine.noise import stream_key
from simulator.machine.pe import PeSpec
from simulator.machine.station import ServiceSpec
from simulator.plan.plan import Plan as ComposedPlan
from simulator.run import load_plan
from simulator.workload.lengths import UniformLengths, fixed

HERE = Path(__file__).parent
LOW, HIGH = 100_000, 8_000_000
"""Bytes of the smallest and the largest call."""
MEAN = (LOW + HIGH) // 2
PHASES = 4
"""Of each client: write a file, read another, twice."""
UNIT = 8_000_000

MACHINE = MachinePlan(
    name="benchmark",
    pes=1_000_000,
    pe=PeSpec(copy_rate=676e6, record_overhead_ns=2_000, call_overhead_ns=50_000),
    port=ServiceSpec(421e6, 5_000),
    ssu=SsuSpec(
        capacity=250 * UNIT,
        unit=UNIT,
        share=250 * UNIT,
        release="none",
        triggers=frozenset({"mark"}),
        workers=2,
        high_mark=0.6,
        low_mark=0.4,
    ),
    channels=ChannelPlan(
        count=2, read=ServiceSpec(421e6, 20_000), write=ServiceSpec(91.8e6, 20_000)
    ),
    lan=None,
    paths=4,
    path=ServiceSpec(41.1e6, 100_000),
    volumes=(VolumeGroup(name="disk", count=4, spec=DiskSpec(rate=36e6, overhead_ns=1_000_000)),),
)

PLAIN = 1_000_000
"""Bytes of a call of the plain job."""
FAST = ServiceSpec(4.1e9, 1_000)
FAST_DISKS = VolumeGroup(name="disk", count=4, spec=DiskSpec(rate=3.6e9))


def size_of(clients: int, operations: int) -> int:
    """Bytes of each file, for about so many calls in all."""
    return max(1, operations * MEAN // (clients * PHASES))


def key_of(client: int, phase: int) -> int:
    """The key of the lengths that a client draws in a phase; that of the workload/2 file."""
    return stream_key(0, 0, f"client.{client}/{phase}/records")


def composed_plan(clients: int, operations: int) -> ComposedPlan:
    """The same job, from a machine and a workload file."""
    size = f"{size_of(clients, operations)} B"
    files = ("written", "found", "rewritten", "found-again")
    settings = [(f"workload.files.{name}.size", size) for name in files]
    settings.append(("workload.jobs.0.processes", str(clients)))
    machine, workload = (HERE / f"records-{name}.yaml" for name in ("machine", "workload"))
    return load_plan(machine, workload, settings=settings)


def make_plan(clients: int, operations: int) -> Plan:
    """A plan of about so many calls in all."""
    size = size_of(clients, operations)
    files, jobs = [], []
    base = 0
    for client in range(clients):
        phases = []
        for phase in range(PHASES):
            work = "write" if phase % 2 == 0 else "read"
            lengths = UniformLengths(key_of(client, phase), size, LOW, HIGH)
            phases.append(
                PhasePlan(
                    work="write" if phase % 2 == 0 else "read",
                    file=len(files),
                    lengths=lengths,
                    buffer=1,
                    policy="posix",
                )
            )
            where = VolumeFile(volumes=0, stripes=4, base=base, first=len(files) % 4)
            length = size if work == "read" else 0
            files.append(FilePlan(name=f"f{len(files)}", length=length, size=size, where=where))
            base += size
        jobs.append(
            JobPlan(
                name=f"client{client}",
                first_pe=client,
                pes=1,
                start_ns=0,
                repeat=1,
                phases=tuple(phases),
            )
        )
    return Plan(machine=MACHINE, files=tuple(files), jobs=tuple(jobs), workload="benchmark")


def plain_plan(clients: int, operations: int, slots: int = 0) -> Plan:
    """A plan of about so many calls of 1 MB in all: each client writes a file of its own.

    The SSU has ``slots``, or room for whatever is not yet on disk, so that nobody waits for it.
    """
    each = max(1, operations // clients)
    assert MACHINE.ssu is not None
    room = (slots or 4 * clients) * UNIT
    ssu = replace(MACHINE.ssu, capacity=room, share=room, triggers=frozenset({"mark"}), workers=4)
    machine = replace(MACHINE, ssu=ssu, path=FAST, volumes=(FAST_DISKS,))
    files, jobs = [], []
    for client in range(clients):
        where = VolumeFile(volumes=0, stripes=1, base=client * each * PLAIN, first=client % 4)
        files.append(FilePlan(name=f"f{client}", length=0, size=each * PLAIN, where=where))
        phase = PhasePlan(
            work="write",
            file=client,
            lengths=fixed(PLAIN, each * PLAIN),
            buffer=1,
            policy="posix",
        )
        jobs.append(
            JobPlan(
                name=f"client{client}",
                first_pe=client,
                pes=1,
                start_ns=0,
                repeat=1,
                phases=(phase,),
            )
        )
    return Plan(machine=machine, files=tuple(files), jobs=tuple(jobs), workload="plain")


def operations_of(plan: Plan) -> int:
    """How many calls a plan makes."""
    return sum(
        phase.lengths.count
        for job in plan.jobs
        for phase in job.phases
        if phase.lengths is not None
    )


def as_numbers(plan: Plan) -> str:
    """The plan as the numbers that ``limit.cpp`` reads."""
    machine = plan.machine
    ssu, channels = machine.ssu, machine.channels
    assert ssu is not None
    assert channels is not None
    volumes = machine.volumes[0]
    lines = [
        [len(plan.jobs), PHASES, ssu.unit, ssu.slots, channels.count],
        [ssu.workers, machine.paths, volumes.count, plan.files[0].where.stripes],
        [ssu.units_at(ssu.high_mark), ssu.units_at(ssu.low_mark)],
    ]
    specs = (machine.port, channels.read, channels.write, machine.path, volumes.spec.transfer())
    lines += [[repr(spec.ns_per_byte), spec.overhead_ns] for spec in specs]
    pe = machine.pe
    lines.append([repr(1e9 / pe.copy_rate), pe.record_overhead_ns, pe.call_overhead_ns])
    for client, job in enumerate(plan.jobs):
        for number, phase in enumerate(job.phases):
            file = plan.files[phase.file]
            lengths = phase.lengths
            assert lengths is not None
            last = lengths.length(lengths.count - 1)
            key = key_of(client, number)
            span = HIGH - LOW + 1
            lines.append([int(phase.work == "write"), lengths.count, last, LOW, span, key])
            lines.append([file.length, file.size, file.where.first])
    return "\n".join(" ".join(map(str, line)) for line in lines) + "\n"
