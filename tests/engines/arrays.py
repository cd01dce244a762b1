"""Small machines of I/O nodes and arrays for tests of MPI-IO."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from simulator.config.fitting import fit
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.lowering.plan import make_plan
from simulator.config.machine_file import Machine
from simulator.config.section import Section
from simulator.config.workload_file import Workload
from simulator.kinds.phases.mpi import METHODS as METHODS_OF
from simulator.plan.codes import ASK_READ, ASK_WRITE, OPERATIONS

if TYPE_CHECKING:
    from random import Random

    from simulator.plan.plan import Plan

BLOCK = 100
ACCESS = {method: access for access, methods in METHODS_OF.items() for method in methods}
"""Method -> an access that it can do."""
ACCESS |= {"seek": "view", "offset": "view"}
METHODS = tuple(ACCESS)

MACHINE_TEXT = """\
format: machine/2
name: small
nodes: {node: 4}
parts:
  crossbar: {kind: network, at: node, rate: 1 GB/s, latency: 10 ns}
  io: {kind: io-server, at: node, overhead: 100 ns, piece: 5 ns, copy_rate: 1 GB/s}
  raid: {kind: raid, at: node, rate: 100 MB/s, overhead: 500 ns, seek: 3 us, rotation: 2 us,
         cache: 1 kB, bus_rate: 500 MB/s, bus_overhead: 20 ns}
buffer_caches:
  buffers: {at: node, capacity: 10 kB, block: 100 B, prefetch: 2}
filesystems:
  pff:
    - {stripe: 100 B, over: 4, of: node}
    - {route: [crossbar], header: 10 B, server: io}
    - buffers
    - raid
runtime:
  mpi_io: {call_overhead: 1 us, item_overhead: 3 ns, item_size: 16 B, stride_size: 32 B,
           copy_rate: 2 GB/s, transfer_buffer: 400 B, sieve_buffer: 1000 B,
           collective_buffer: 800 B, lock_overhead: 7 ns, barrier_overhead: 9 ns}
"""


Part = TypeVar("Part", bound=Section)


def changed(section: Part, **values: object) -> Part:
    """The same section with other values."""
    kept = {key: getattr(section, key) for key in section.given}
    return type(section)(**{**kept, **values})


def machine(**changes: object) -> Machine:
    """Four nodes with round numbers; changes as ``parts__io__servers=3``."""
    settings = [
        (f"machine.{path.replace('__', '.')}", str(value)) for path, value in changes.items()
    ]
    return MACHINE.parse(MACHINE_TEXT, "small", settings)[0]


def array(
    *,
    size: int = 1000,
    block: int = 25,
    gap: int = 0,
    processes: int = 2,
    write: bool = False,
    method: str = "auto",
    access: str = "",
    exists: bool = True,
    skew: int = 0,
    nonblocking: bool = False,
    compute: int = 0,
    layout: str = "",
) -> Workload:
    """Two processes read 20 rows of two blocks of 25 bytes."""
    access = access or ACCESS.get(method, "view")
    rows = size // (block * processes)
    stride = block * processes + gap
    file = f"size: {size + (rows - 1) * gap} B, shared: true, exists: {str(exists).lower()}"
    phase = f"do: mpi-{'write' if write else 'read'}, file: rows, block: {block} B, size: {size} B"
    phase += f", stride: {stride} B, access: {access}, method: {method}"
    phases = [f"{{{phase}, nonblocking: true}}" if nonblocking else f"{{{phase}}}"]
    phases += [f"{{do: compute, time: {compute} ns}}"] if compute else []
    phases += ["{do: wait}"] if nonblocking else []
    text = f"""\
format: workload/2
name: rows
files: {{rows: {{{file}{f", layout: {layout}" if layout else ""}}}}}
jobs:
  - {{name: p, processes: {processes}, skew: {skew} ns, phases: [{", ".join(phases)}]}}
"""
    return WORKLOAD.parse(text, "rows", ())[0]


def planned(machine: Machine, workload: Workload, seed: int = 0) -> Plan:
    """Return the plan of a machine and a workload that fit together."""
    assert [one for one in fit(machine, workload) if one.severity == "error"] == []
    return make_plan(machine, workload, seed=seed)


# -- what a plan asks for -------------------------------------------------------------------------


def rows_of(plan: Plan, process: int) -> Iterator[int]:
    """Yield the rows of the operations of a process."""
    for phase in plan.processes[process].phases:
        yield from range(phase.first, phase.first + phase.count)


def kinds(plan: Plan, process: int = 0) -> Counter[str]:
    """How often a process does what."""
    return Counter(OPERATIONS[plan.operations.kind[row]] for row in rows_of(plan, process))


def asked_by(plan: Plan, process: int) -> Iterator[int]:
    """Yield the requests of a process."""
    table = plan.operations
    for row in rows_of(plan, process):
        if table.kind[row] in (ASK_READ, ASK_WRITE):
            yield from range(table.offset[row], table.offset[row] + table.size[row])


def bytes_of(plan: Plan, process: int) -> Counter[tuple[int, int]]:
    """How often a process's requests name each byte of each sub-file."""
    assert plan.asked is not None
    requests = plan.asked.requests
    named: Counter[tuple[int, int]] = Counter()
    for request in asked_by(plan, process):
        first = requests.first[request]
        named.update(_bytes(plan, requests.node[request], first, requests.count[request]))
    return named


def grouped(plan: Plan) -> Counter[tuple[int, int]]:
    """How often merged requests name each byte."""
    assert plan.asked is not None
    groups, requests = plan.asked.groups, plan.asked.requests
    node_of = dict(zip(requests.group, requests.node, strict=True))
    named: Counter[tuple[int, int]] = Counter()
    for group in range(len(groups.members)):
        named.update(_bytes(plan, node_of[group], groups.first[group], groups.count[group]))
    return named


def _bytes(plan: Plan, node: int, first: int, count: int) -> Iterator[tuple[int, int]]:
    assert plan.asked is not None
    extents = plan.asked.extents
    for at in range(first, first + count):
        start = extents.block[at] * plan.buffers[0].block
        for byte in range(start + extents.low[at], start + extents.high[at]):
            yield node, byte


# -- plans at random ------------------------------------------------------------------------------


def any_plan(rng: Random) -> Plan:
    """A random machine with a random array: small, but with every method there is."""
    nodes, pick = rng.randint(1, 5), rng.choice
    block = pick([50, 100, 128])
    there = machine(
        nodes__node=nodes,
        filesystems__pff__tiers__0__over=nodes,
        filesystems__pff__tiers__1__header=f"{pick([1, 10])} B",
        parts__crossbar__rate=pick(["100 MB/s", "1 GB/s", "100 GB/s"]),
        parts__crossbar__latency=pick(["0 ns", "10 ns"]),
        parts__io__overhead=pick(["0 ns", "1 ns", "100 ns"]),
        parts__io__piece=pick(["0 ns", "5 ns"]),
        parts__io__copy_rate=pick(["100 MB/s", "1000 GB/s"]),
        parts__io__servers=rng.randint(1, 3),
        parts__raid__seek=pick(["0 ns", "3 us"]),
        parts__raid__rotation=pick(["0 ns", "2001 ns"]),
        parts__raid__cache=f"{block * pick([1, 5, 100])} B",
        buffer_caches__buffers__capacity=f"{block * pick([1, 3, 20, 200])} B",
        buffer_caches__buffers__block=f"{block} B",
        buffer_caches__buffers__prefetch=pick([0, 1, 4]),
        runtime__mpi_io__call_overhead=pick(["0 ns", "1 ns", "1 us", "50 us"]),
        runtime__mpi_io__transfer_buffer=f"{pick([60, 400, 5000])} B",
        runtime__mpi_io__sieve_buffer=f"{pick([150, 1000])} B",
        runtime__mpi_io__collective_buffer=f"{pick([100, 800])} B",
        runtime__mpi_io__lock_overhead=pick(["0 ns", "7 ns"]),
        runtime__mpi_io__barrier_overhead=pick(["0 ns", "9 ns"]),
        runtime__mpi_io__file_lock=pick(["true", "true", "false"]),
    )
    processes = rng.randint(1, nodes)
    size = pick([1, 25, 64, 130])
    order = rng.sample(range(nodes), rng.randint(1, nodes))
    stripe = pick([50, 100, 160, 1000])
    layouts = [
        "",
        f"[{{stripe: {stripe} B, over: {rng.randint(1, nodes)}}}]",
        f"[{{stripe: {stripe} B, order: {order}}}]",
        f"[{{stripe: 70 B, size: 300 B}}, {{stripe: {stripe} B, order: {order}}}]",
    ]
    work = array(
        size=size * processes * rng.randint(1, 25),
        block=size,
        gap=pick([0, 0, 1, 75, 2000]),
        processes=processes,
        write=rng.random() < 0.5,
        method=pick(METHODS),
        exists=True,
        skew=pick([0, 0, 5000, 10**6]),
        nonblocking=rng.random() < 0.2,
        compute=pick([0, 0, 4000]),
        layout=pick(layouts),
    )
    if work.jobs[0].phases[0].do == "mpi-write" and rng.random() < 0.5:  # type: ignore[index]
        file = changed(work.files["rows"], exists=False)
        work = changed(work, files={"rows": file})
    if rng.random() < 0.5:
        calls = any_calls(rng, nodes, rows=not work.files["rows"].layout)
        files = {**work.files, **{name: calls.files[name] for name in ("own", "old")}}
        work = changed(work, files=files, jobs=(*work.jobs, *calls.jobs))
    return planned(there, work, seed=rng.randint(0, 9))


def any_calls(rng: Random, nodes: int, *, rows: bool) -> Workload:
    """A job of plain calls beside an array, and with ``rows`` in the array's file too."""
    pick = rng.choice
    processes = rng.randint(1, nodes)
    record = pick([1, 30, 70, 129, 400])
    size = record * rng.randint(2, 30) + pick([0, 1])
    phases = [
        "{do: write, file: own}",
        "{do: write, file: own, offset: 1 B, policy: posix}",
        "{do: write, file: own}, {do: sync, file: own}",
        "{do: read, file: old}",
        "{do: read, file: old, offset: rank, policy: posix}",
        "{do: read, file: old, order: random, policy: posix}",
        "{do: write, file: old, offset: interleaved, policy: posix}, {do: sync, file: old}",
        "{do: stat, file: own}",
        "{do: compute, time: 7 us}",
        *(["{do: read, file: rows, policy: posix}"] if rows else []),
    ]
    some = [pick(phases) for _ in range(rng.randint(1, 7))]
    if any("rank" in one or "interleaved" in one for one in some):
        size = record * processes * rng.randint(2, 8)
    text = f"""\
format: workload/2
name: calls
files:
  own: {{size: {size} B, exists: true}}
  old: {{size: {size} B, shared: true, exists: true}}
  rows: {{size: 1 B, shared: true, exists: true}}
jobs:
  - name: q
    processes: {processes}
    record: {record} B
    policy: {pick(["posix", "gfortran", "nwt"])}
    buffer: {pick([30, 500])} B
    start: {pick([0, 0, 900])} ns
    phases: [{", ".join(some)}]
"""
    return WORKLOAD.parse(text, "calls", ())[0]
