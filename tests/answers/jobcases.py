"""Jobs in which a pattern costs time, on machines where it does; and what cures each."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.answers.again import InputsAgain
from simulator.answers.jobs import JobRun
from simulator.inputfile import Text
from simulator.run import Inputs, load_inputs, run_plan

LOCAL = """\
format: machine/2
name: local
parts:
  disk: {kind: disk, rate: 100 MB/s, seek: 8 ms, rotation: 8 ms}
  cpu: {kind: cpu, copy_rate: 5 GB/s, call_overhead: 20 us}
stores:
  pages: {capacity: 4 MB, block: 100 kB, extent: 1 MB}
filesystems:
  home: [pages, disk]
  direct: [disk]
"""
REMOTE = """\
format: machine/2
name: remote
nodes: {client: 4, server: 1}
parts:
  nic: {kind: network, at: [client, server], rate: 100 MB/s, latency: 50 us}
  lookup: {kind: queue, at: server, overhead: 400 us}
  disk: {kind: disk, at: server, rate: 100 MB/s, seek: 4 ms, rotation: 8 ms}
stores:
  pages: {at: client, capacity: 100 MB, block: 100 kB, dirty: 100 %, high: 90 %}
filesystems:
  home:
    tiers: [pages, {route: [nic], request: 1 MB, header: 200 B}, disk]
    metadata: [[nic], {work: lookup}]
    close: flush
"""
STRIPED = """\
format: machine/2
name: striped
nodes: {client: 8, server: 4}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s, latency: 5 us}
  ost: {kind: disk, at: server, rate: 100 MB/s, seek: 4 ms, rotation: 8 ms}
filesystems:
  scratch: [{stripe: 1 MB, over: 1, of: server}, {route: [nic], request: 1 MB}, ost]
"""
LOCKED = """\
format: machine/2
name: locked
nodes: {client: 4, server: 1}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s, latency: 5 us}
  ldlm: {kind: queue, at: server, overhead: 50 us}
  ost: {kind: queue, at: server, rate: 1 GB/s, overhead: 2 ms}
stores:
  pages: {at: client, capacity: 64 MB, block: 50 kB, dirty: 100 %, high: 100 %}
filesystems:
  scratch: [{locks: [[nic], {work: ldlm}], unit: 200 kB}, pages, [nic], ost]
"""
STAGED = """\
format: machine/2
name: staged
nodes: {client: 4}
parts:
  lan: {kind: shared, rate: 100 MB/s}
  disk: {kind: disk, rate: 40 MB/s, seek: 8 ms, rotation: 8 ms}
stores:
  ssu: {capacity: 40 MB, block: 1 MB}
filesystems:
  home: [[lan], ssu, disk]
"""
ALIGNED = """\
format: machine/2
name: aligned
nodes: {client: 1, server: 1}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s, latency: 500 us}
  ost: {kind: queue, at: server, rate: 100 MB/s, overhead: 5 ms}
filesystems:
  scratch: [{route: [nic], request: 1 MB}, ost]
"""


@dataclass(frozen=True)
class Case:
    """A job in which a pattern costs time, and what its cure sets."""

    pattern: str
    machine: str
    files: str
    job: str
    phases: str
    sets: str
    """Part of a setting of the cure, whichever else there are."""
    name: str = ""


CASES = (
    Case(
        "record-length-rewrite", LOCAL,
        "{a: {size: 20 MB, filesystem: direct}}",
        "policy: gfortran, buffer: 8192 B, record: 200 kB",
        "[{do: write, file: a}]",
        "workload.jobs.0.policy=posix",
    ),
    Case(
        "record-length-rewrite", LOCAL,
        "{a: {size: 20 MB, filesystem: direct}}",
        "policy: nwt, buffer: 100 kB, record: 60 kB",
        "[{do: write, file: a}]",
        "workload.jobs.0.policy=posix", "nwt",
    ),
    Case(
        "small-io", LOCAL,
        "{a: {size: 10 MB, filesystem: direct}}", "record: 1 kB", "[{do: write, file: a}]",
        "workload.jobs.0.record=",
    ),
    Case(
        "small-io", ALIGNED,
        "{a: {size: 32 MB, exists: true}}", "policy: gfortran, buffer: 8 kB, record: 500 B",
        "[{do: read, file: a}]",
        "workload.jobs.0.buffer=", "buffer",
    ),
    Case(
        "re-read", LOCAL,
        "{a: {size: 8 MB, exists: true}}", "record: 1 MB, repeat: 4", "[{do: read, file: a}]",
        "machine.stores.pages.capacity=",
    ),
    Case(
        "re-read", LOCAL,
        "{a: {size: 8 MB, exists: true, filesystem: direct}}", "record: 1 MB",
        "[{do: read, file: a}, {do: compute, time: 1 ms}, {do: read, file: a}]",
        "workload.jobs.0.phases=[{do: read, file: a}, {do: compute, time: 1 ms}]", "kept",
    ),
    Case(
        "seek-storm", LOCAL,
        "{a: {size: 10 MB, exists: true, filesystem: direct}}", "record: 50 kB",
        "[{do: read, file: a, order: random}]",
        "workload.jobs.0.phases.0.order=sequential",
    ),
    Case(
        "seek-storm", LOCAL,
        "{a: {size: 100 MB, exists: true, filesystem: direct}}", "record: 50 kB",
        "[{do: read, file: a, order: random, size: 5 MB}]",
        "workload.jobs.0.record=", "part",
    ),
    Case(
        "open-storm", REMOTE,
        "{a: {size: 1 MB, exists: true}}", "record: 1 MB",
        "[{do: open, file: a, count: 100}, {do: read, file: a}]",
        "workload.jobs.0.phases.0.count=1",
    ),
    Case(
        "failed-lookup", REMOTE,
        "{a: {size: 1 MB, exists: true}}", "record: 1 MB",
        "[{do: lookup, file: a, count: 100}, {do: read, file: a}]",
        "workload.jobs.0.phases.0.count=1",
    ),
    Case(
        "stat-storm", REMOTE,
        "{a: {size: 1 MB, exists: true}}", "record: 1 MB",
        "[{do: stat, file: a, count: 100}, {do: read, file: a}]",
        "workload.jobs.0.phases.0.count=1",
    ),
    Case(
        "close-flush", REMOTE,
        "{a: {size: 10 MB}}", "record: 1 MB", "[{do: write, file: a}]",
        "machine.filesystems.home.close=queue",
    ),
    Case(
        "close-flush", REMOTE,
        "{a: {size: 2 MB}}", "record: 100 kB",
        "[{do: write, file: a, offset: 0 B, size: 1 MB},"
        " {do: write, file: a, offset: 1 MB, size: 1 MB}]",
        "workload.jobs.0.phases=[{do: write, file: a, size: 2 MB, offset: 0 B}]", "merged",
    ),
    Case(
        "sync-write", LOCAL,
        "{a: {size: 300 kB}}", "record: 100 kB, repeat: 8",
        "[{do: write, file: a}, {do: sync, file: a}]",
        "workload.jobs.0.repeat=1",
    ),
    Case(
        "sync-write", LOCAL,
        "{a: {size: 3 MB}}", "record: 100 kB", "[{do: write, file: a, synchronous: true}]",
        "workload.jobs.0.phases=[{do: write, file: a}, {do: sync, file: a}]", "o-sync",
    ),
    Case(
        "sync-write", LOCAL,
        "{a: {size: 1 MB}}", "record: 100 kB, repeat: 40",
        "[{do: write, file: a, order: random, synchronous: true}, {do: compute, time: 1 ms}]",
        "workload.jobs.0.phases=[{do: write, file: a, order: random}, {do: sync, file: a}, {do:",
        "many",
    ),
    Case(
        "unaligned", ALIGNED,
        "{a: {size: 32 MB}}", "record: 900 kB", "[{do: write, file: a}]",
        "workload.jobs.0.record=1 MB",
    ),
    Case(
        "unaligned", ALIGNED,
        "{a: {size: 33 MB}}", "record: 1 MB", "[{do: write, file: a, offset: 500 kB, size: 32 MB}]",
        "workload.jobs.0.phases.0.offset=0 B", "offset",
    ),
    Case(
        "shared-hotspot", STRIPED,
        "{a: {size: 32 MB, shared: true}}", "record: 1 MB, processes: 8",
        "[{do: write, file: a, offset: rank}]",
        "machine.filesystems.scratch.tiers.0.over=4",
    ),
    Case(
        "shared-hotspot", LOCKED,
        "{a: {size: 4 MB, shared: true}}", "record: 50 kB, processes: 4",
        "[{do: write, file: a, offset: interleaved}, {do: sync, file: a}]",
        "workload.jobs.0.phases.0.offset=rank", "locks",
    ),
    Case(
        "no-prestage", STAGED,
        "{a: {size: 3 MB, exists: true}}", "record: 1 MB", "[{do: read, file: a}]",
        "workload.files.a.prestage=true",
    ),
    Case(
        "few-processes", STRIPED,
        "{a: {size: 32 MB}}", "record: 1 MB", "[{do: write, file: a}]",
        "workload.jobs.0.processes=",
    ),
    Case(
        "small-io", STRIPED,
        "{a: {size: 4 MiB, shared: true}}", "processes: 4",
        "[{do: mpi-write, file: a, block: 16 KiB, access: contiguous}]",
        "workload.jobs.0.phases.0.access=", "mpi",
    ),
)  # fmt: skip


def texts(case: Case) -> tuple[str, str]:
    """Return the machine and the workload of a case."""
    job = f"{{name: job, {case.job}, phases: {case.phases}}}"
    return case.machine, f"format: workload/2\nname: job\nfiles: {case.files}\njobs: [{job}]\n"


def inputs_of(case: Case) -> Inputs:
    machine, job = texts(case)
    return load_inputs(Text(machine, "<machine>"), Text(job, "<workload>"), noisy=False)


def job_of(inputs: Inputs) -> JobRun:
    return JobRun(InputsAgain(inputs), run_plan(inputs.plan()))


def case_of(pattern: str, name: str = "") -> Case:
    return next(one for one in CASES if (one.pattern, one.name) == (pattern, name))
