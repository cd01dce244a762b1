"""MPI-IO over file systems without I/O nodes: closed forms, conservation, and equal engines."""

from __future__ import annotations

from random import Random

import pytest

from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.inputfile import Text
from simulator.native.run import run_native
from simulator.plan.codes import LOCK, OPERATIONS, READ, SEEK, UNLOCK, WRITE
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.result import Result
from simulator.run import load_plan
from tests.engines.compare import Run, assert_equal

BOTH: dict[str, Run] = {"reference": run_reference, "native": run_native}
MS = 10**6
MACHINE = """\
format: machine/2
name: plain
nodes: {node: 2}
parts:
  cpu: {kind: cpu, at: node, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  net: {kind: network, at: node, rate: 1 GB/s, latency: 10 us}
  disk: {kind: queue, rate: 100 MB/s, overhead: 1 ms}
filesystems:
  home: [[disk]]
runtime:
  mpi_io:
    {copy_rate: 1 GB/s, sieve_buffer: 1 MB, sieve_write_buffer: 500 kB, collective_buffer: 1 MB}
"""
JOB = """\
format: workload/2
name: array
files: {{array: {{size: 4 MB, shared: true, exists: true}}}}
jobs:
  - {{name: job, processes: {ranks}, per_node: {each}, phases: [{phases}]}}
"""
HOLES = "size: 2 MB, stride: 20 kB"
"""A block of 10 kB, and as much between two, in 3.99 MB of the file."""


def plan_of(phases: str, ranks: int = 1, each: int = 1, *, machine: str = MACHINE) -> Plan:
    """A job of phases on the machine of two nodes."""
    return load_plan(
        Text(machine, "plain"), Text(JOB.format(ranks=ranks, each=each, phases=phases), "array")
    )


def run(plan: Plan) -> Result:
    """Run on both engines, whose results are equal, with all identities."""
    assert_equal(BOTH, plan)
    return run_native(plan, debug=True)


def made(plan: Plan, *kinds: int) -> list[tuple[int, int]]:
    """Return offset and size of all operations of some kinds."""
    table = plan.operations
    rows = (row for row in range(len(table)) if table.kind[row] in kinds)
    return [(table.offset[row], table.size[row]) for row in rows]


def test_sieving_reads_windows_and_copies_what_is_wanted() -> None:
    """Four calls of a window (1 ms and 10 ns a byte); 2 MB are copied."""
    plan = plan_of(f"{{do: mpi-read, file: array, block: 10 kB, {HOLES}}}")
    assert [size for _, size in made(plan, READ)] == [10**6] * 3 + [990_000]
    result = run(plan)
    assert result.elapsed_ns == 4 * MS + 39_900_000 + 2 * MS
    assert result.processes[0].spent["mpi-io.copies"] == (0, 2 * MS)
    assert result.processes[0].read.bytes == 2 * 10**6
    assert result.processes[0].read.calls_ns == result.elapsed_ns
    assert result.parts["disk"].bytes == 3_990_000


def test_sieving_changes_windows_under_a_lock() -> None:
    """Eight windows, each read and written back."""
    plan = plan_of(f"{{do: mpi-write, file: array, block: 10 kB, {HOLES}}}")
    windows = [500_000] * 7 + [490_000]
    assert [size for _, size in made(plan, READ)] == [size for _, size in made(plan, WRITE)]
    assert [size for _, size in made(plan, WRITE)] == windows
    assert len(made(plan, LOCK)) == len(made(plan, UNLOCK)) == 8
    result = run(plan)
    assert result.elapsed_ns == 16 * MS + 2 * 39_900_000 + 2 * MS
    assert result.processes[0].write.bytes == 2 * 10**6


def test_a_window_without_holes_is_written_without_reading_or_a_lock() -> None:
    plan = plan_of("{do: mpi-write, file: array, block: 10 kB}")
    assert not made(plan, READ, LOCK)
    assert run(plan).elapsed_ns == 8 * MS + 40 * MS + 4 * MS


def test_sieving_has_the_buffers_of_romio() -> None:
    bare = MACHINE[: MACHINE.index("runtime:")]
    jobs = [f"{{do: mpi-{what}, file: array, block: 10 kB, {HOLES}}}" for what in ("read", "write")]
    plans = [plan_of(job, machine=bare) for job in jobs]
    assert made(plans[0], READ) == [(0, 3_990_000)]
    assert {size for _, size in made(plans[1], WRITE)[:-1]} <= {512 << 10}


def test_calls_for_each_block() -> None:
    text = "{do: mpi-read, file: array, block: 10 kB, access: contiguous, method: METHOD}"
    offset, seek = (plan_of(text.replace("METHOD", one), 2) for one in ("offset", "seek"))
    assert len(made(offset, READ)) == len(made(seek, READ)) == len(made(seek, SEEK)) == 400
    assert run(offset).elapsed_ns == 400 * MS + 40 * MS  # one server for both


@pytest.mark.parametrize(("ranks", "each"), [(2, 1), (4, 2)])
def test_two_phase_reads_contiguously_and_exchanges(ranks: int, each: int) -> None:
    """One aggregator a node, two rounds of 1 MB: the second's read ends at 22 ms.

    Then it packs 1 MB, sends 500 kB to the other node (per process there), and all unpack.
    """
    plan = plan_of("{do: mpi-read, file: array, block: 10 kB, access: collective}", ranks, each)
    assert sorted(made(plan, READ)) == [(low * 10**6, 10**6) for low in range(4)]
    result = run(plan)
    sent = result.parts["node0.net.out"].bytes, result.parts["node1.net.out"].bytes
    assert sent == (10**6, 10**6)
    assert sum(one.read.bytes for one in result.processes) == 4 * 10**6
    assert result.parts["disk"].bytes == 4 * 10**6
    unpacking = 10**6 // each
    sending = each * 10_000 + 500_000
    assert result.elapsed_ns == 2 * (22 * MS + MS + sending + unpacking)


def test_two_phase_writes_what_it_has_got() -> None:
    """Without holes nothing is read; with them each window is."""
    text = "{do: mpi-write, file: array, block: 10 kB, access: collective"
    plan = plan_of(f"{text}}}", 2)
    assert not made(plan, READ)
    result = run(plan)
    assert sum(one.write.bytes for one in result.processes) == 4 * 10**6
    # All pack at once and unpack at once; then both write, one after the other.
    assert result.elapsed_ns == 22 * MS + 2 * (2 * MS + 510_000) + 22 * MS
    holes = plan_of(f"{text}, size: 2 MB, stride: 40 kB}}", 2)
    assert sorted(made(holes, READ)) == sorted(made(holes, WRITE))


def test_what_needs_io_nodes_is_refused() -> None:
    jobs = JOB.format(
        ranks=2, each=1, phases="{do: mpi-read, file: array, block: 10 kB, method: list}"
    )
    (error,) = (
        one for one in fit(parse_machine(MACHINE), parse_workload(jobs)) if one.severity == "error"
    )
    about = "home has no I/O nodes, which list needs; write auto, or seek, offset, sieving, two-ph"
    assert about in str(error)


# -- drawn --------------------------------------------------------------------------------------

MACHINES = ("workstation", "nfs-lab", "beegfs-like", "burst-node", "lustre-scratch", "sr8000")


def any_plan(rng: Random) -> Plan:
    """A small array on a shipped machine, in several phases."""
    pick = rng.choice
    ranks = rng.randint(1, 5)
    block = pick([1, 100, 4096, 30_000])
    rows = rng.randint(1, 12)
    gap = pick([0, 0, 1, 5000])
    size = rows * ranks * block
    stride = ranks * block + gap
    methods = {"contiguous": ("auto", "seek"), "view": ("auto", "offset"), "collective": ("auto",)}
    phases = []
    for _ in range(rng.randint(1, 4)):
        access = pick([*methods])
        do = pick(["mpi-read", "mpi-write"])
        keys = f"do: {do}, file: array, block: {block} B, size: {size} B, stride: {stride} B"
        phases.append(f"{{{keys}, access: {access}, method: {pick(methods[access])}}}")
        if rng.random() < 0.5:
            phases.append(pick(["{do: barrier}", "{do: compute, time: 20 us}"]))
    text = f"""\
format: workload/2
name: drawn
files: {{array: {{size: {(rows - 1) * stride + ranks * block} B, shared: true, exists: true}}}}
jobs:
  - {{name: job, processes: {ranks}, skew: {pick([0, 5000])} ns, phases: [{", ".join(phases)}]}}
"""
    settings = [
        ("machine.runtime.mpi_io.sieve_buffer", f"{pick([100, 5000, 10**6])} B"),
        ("machine.runtime.mpi_io.sieve_write_buffer", f"{pick([300, 9000])} B"),
        ("machine.runtime.mpi_io.collective_buffer", f"{pick([1000, 50_000])} B"),
        ("machine.runtime.mpi_io.lock_overhead", f"{pick([0, 700])} ns"),
    ]
    return load_plan(pick(MACHINES), Text(text, "drawn"), settings=settings)


def through_servers(phases: str, ranks: int, each: int, *, cache: bool) -> tuple[Plan, Result]:
    """Run an array on machines whose messages go through servers; one engine knows these."""
    text = JOB.format(ranks=ranks, each=each, phases=phases)
    settings = [("machine.services.messages.location_cache", str(cache).lower())]
    plan = load_plan("mesh-lab", Text(text, "array"), settings=settings)
    result = run_reference(plan, debug=True)
    for way in ("read", "write"):
        moved = sum(getattr(one, way).bytes for one in result.processes)
        assert moved == 240_000, way
    return plan, result


SERVED = "{do: mpi-DO, file: array, block: 10 kB, size: 240 kB, access: collective"


@pytest.mark.parametrize(("cache", "queries"), [(True, 9), (False, 10)])
def test_processes_of_one_node_ask_the_directory_at_once(cache: bool, queries: int) -> None:
    """Three a node send to the same ports; each goes on with an answer to its own query."""
    phases = [f"{SERVED.replace('DO', one)}}}" for one in ("write", "read")]
    plan, result = through_servers(", ".join(phases), 6, 3, cache=cache)
    assert {one.service for one in plan.channels} == {0}
    assert result.services["messages0"].counts["queries"] == queries


def test_nonblocking_calls_and_their_process_share_the_processor() -> None:
    """Both calls of a process are under way while it computes: each has the processor in turn."""
    call = f"{SERVED}, nonblocking: true}}"
    compute = "{do: compute, time: 2 s}"
    phases = [call.replace("DO", "write"), call.replace("DO", "read"), compute, "{do: wait}"]
    _, result = through_servers(", ".join(phases), 3, 1, cache=True)
    assert result.elapsed_ns > 2 * 10**9


@pytest.mark.slow
def test_the_engines_agree_on_drawn_arrays() -> None:
    for seed in range(9):
        assert_equal(BOTH, any_plan(Random(seed)))


def test_the_operations_are_those_that_all_programs_have() -> None:
    table = plan_of("{do: mpi-write, file: array, block: 10 kB, access: collective}", 2).operations
    assert {OPERATIONS[kind] for kind in table.kind} == {"pause", "send", "barrier", "write"}
