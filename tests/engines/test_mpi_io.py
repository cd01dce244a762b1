"""MPI-IO on both engines: by hand, by laws, beside other phases; and equal results."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.config.formats import parse_machine, parse_workload
from simulator.config.machine_file import Machine
from simulator.native.run import run_native
from simulator.plan.codes import OPERATIONS
from simulator.plan.errors import SimulationError
from simulator.plan.jobs import LibraryWork
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.result import Result
from simulator.run import load_plan, run_plan
from tests.engines.arrays import MACHINE_TEXT, any_plan, array, changed, kinds, machine, planned
from tests.engines.compare import Run, assert_equal
from tests.examples import examples
from tests.twins.plans.faults import check

BOTH: dict[str, Run] = {"reference": run_reference, "native": run_native}
SIZE = "workload.files.array.size"


def run(plan: Plan) -> Result:
    """Run on both engines, whose results are equal."""
    assert_equal(BOTH, plan)
    return run_native(plan)


def total(result: Result, name: str) -> int:
    return sum(one.counts[name] for one in result.stores.values())


def shipped(workload: str, *given: tuple[str, str]) -> Result:
    plan = load_plan("sr8000", f"sr8000-{workload}", settings=given)
    return run_plan(plan, engine="native")


# -- by hand --------------------------------------------------------------------------------------


def one_process(there: Machine, layout: str = "") -> Plan:
    """One process on node 0 reads one block of 40 bytes, which lies on one node."""
    return planned(there, array(size=40, block=40, processes=1, layout=layout))


def test_a_read_of_what_lies_on_the_own_node() -> None:
    result = run(one_process(machine()))
    disks, bus = 500 + 1000 + 100 * 10, 20 + 100 * 2  # half a turn is lost: the unit was idle
    assert result.elapsed_ns == 1000 + disks + bus + 100 + 5 + 40
    assert result.processes[0].spent == {
        "mpi-io.calls": (0, 1000),
        "io": (0, 145),
        "raid": (disks + bus, 0),
    }
    read = result.processes[0].read
    assert (read.bytes, read.elapsed_ns) == (40, result.elapsed_ns)


def test_a_read_over_the_crossbar() -> None:
    result = run(one_process(machine(), "[{stripe: 100 B, order: [3]}]"))
    own = run(one_process(machine())).elapsed_ns
    asking, answer = 10 + 10 + 32, 10 + 10 + 40  # latency, header, and four numbers or the data
    assert result.elapsed_ns == own + asking + answer
    ports = [one for one in result.parts.values() if one.part == "crossbar.out"]
    assert (sum(one.bytes for one in ports), sum(one.requests for one in ports)) == (42 + 50, 2)


def test_processes_that_wait_for_the_lock_are_served_as_they_came() -> None:
    result = run(planned(machine(), array(write=True, processes=4, skew=1000), seed=1))
    assert len({one.started_ns for one in result.processes}) == 4
    by_start = sorted(result.processes, key=lambda one: one.started_ns)
    ends = [one.ended_ns for one in by_start]
    assert ends == sorted(ends)
    waits = [one.spent.get("locks", (0, 0))[0] for one in by_start]
    assert waits[0] == 0
    assert all(waits[1:])


def test_collective_calls_begin_together() -> None:
    work = array(access="collective", processes=4, skew=50_000)
    result = run(planned(machine(), work, seed=1))
    last = max(one.started_ns for one in result.processes)
    for one in result.processes:
        waited = one.spent.get("barriers", (0, 0))[0]
        assert one.started_ns + waited + 9 >= last
        assert (waited == 0) == (one.started_ns == last)


def test_a_barrier_that_a_process_misses_names_who_waits() -> None:
    plan = planned(machine(), array(access="collective"))
    silent = replace(plan.processes[1], phases=())
    broken = replace(plan, processes=(plan.processes[0], silent))
    for engine in BOTH.values():
        with pytest.raises(SimulationError, match=r"processes are blocked: p\.0"):
            engine(broken)


def test_a_machine_without_strides_takes_lists_and_without_lists_a_call_for_each_block() -> None:
    for lacking, calls in (((), 2), (("stride_io",), 2), (("stride_io", "list_io"), 80)):
        there = machine(**{f"runtime__mpi_io__{one}": "false" for one in lacking})
        plan = planned(there, array())
        assert plan.asked is not None
        assert plan.asked.work.calls == calls
        assert (plan.asked.requests.message[0] == 32) == (not lacking)


def test_a_machine_without_collective_calls_takes_two_phase() -> None:
    there = machine(runtime__mpi_io__disk_directed="false")
    assert kinds(planned(there, array(access="collective")))["send"] > 0


# -- several files, and beside other phases -------------------------------------------------------

MIXED_MACHINE = """\
format: machine/2
name: both
nodes: {node: 4}
parts:
  memory: {kind: delay, at: node, rate: 1 GB/s}
  crossbar: {kind: network, at: node, rate: 1 GB/s, latency: 5 us}
  io: {kind: io-server, at: node, overhead: 0.2 ms, piece: 5 us}
  raid: {kind: raid, at: node, rate: 20 MB/s, seek: 8 ms, rotation: 8 ms, cache: 1 MB, bus_rate: 40 MB/s}
  disk: {kind: disk, at: node, rate: 10 MB/s, seek: 5 ms}
stores:
  pages: {at: node, capacity: 1 MB}
buffer_caches:
  buffers: {at: node, capacity: 512 KiB, block: 64 KiB, prefetch: 2}
filesystems:
  home: {tiers: [[memory], pages, [disk]], metadata: [{work: disk}]}
  pff: [{stripe: 64 KiB, of: node}, {route: [crossbar], header: 128 B, server: io}, buffers, raid]
"""  # noqa: E501 - a line of YAML
MIXED_JOBS = """\
format: workload/2
name: mixed
files:
  input: {size: 300 kB, exists: true}
  array: {size: 1 MiB, filesystem: pff, shared: true, exists: true}
  result: {size: 1 MiB, filesystem: pff, shared: true, layout: [{stripe: 32 KiB, order: [2, 0, 3]}]}
jobs:
  - name: solver
    processes: 4
    repeat: 2
    record: 64 kB
    phases:
      - {do: read, file: input}
      - {do: mpi-read, file: array, block: 16 KiB}
      - {do: compute, time: 10 ms}
      - {do: barrier}
      - {do: mpi-write, file: result, block: 16 KiB, access: collective, method: two-phase}
      - {do: mpi-read, file: result, block: 16 KiB, stride: 256 KiB, size: 256 KiB}
  - name: beside
    processes: 2
    on: node
    per_node: 1
    first_node: 0
    phases:
      - {do: mpi-write, file: array, block: 8 KiB, size: 512 KiB, nonblocking: true}
      - {do: compute, time: 50 ms}
      - {do: wait}
      - {do: stat, file: input}
"""
SOLVER, BESIDE = (MIXED_JOBS.index(f"  - name: {name}") for name in ("solver", "beside"))


def mixed(**changes: str) -> Plan:
    text = MIXED_JOBS
    for old, new in changes.items():
        text = text.replace(old, new)
    plan = planned(parse_machine(MIXED_MACHINE), parse_workload(text))
    check(plan)
    return plan


def test_a_job_mixes_mpi_io_with_other_phases_on_two_file_systems() -> None:
    result = run(mixed())
    for one in result.processes:
        if one.job == "solver":
            assert one.compute_ns == 2 * 10_000_000
            assert one.read.bytes == 2 * (300_000 + 2**18 + 2**16)
            assert one.write.bytes == 2 * 2**18
            assert {"raid", "disk", "crossbar", "mpi-io.copies"} <= one.spent.keys()
    assert any("barriers" in one.spent for one in result.processes)
    calls = [one for one in result.processes if one.job == "beside, nonblocking calls"]
    assert [one.write.bytes for one in calls] == [2**18, 2**18]
    assert result.stores["node0.buffers"].counts["disk_written_bytes"] > 0
    assert result.stores["node0.pages"].counts["misses"] > 0


def test_files_behind_one_buffer_cache_lie_behind_each_other() -> None:
    """And nothing is read ahead from one file into the next."""
    plan = mixed()
    (buffers,) = plan.buffers
    # 16 blocks on 4 nodes, room for 2 blocks, and 32 stripes of half a block on 3 nodes.
    assert buffers.blocks == (4 + 2 + 6,) * 4
    assert buffers.stored == tuple((node, 0, 4) for node in range(4))


def test_what_was_written_is_read_back_from_the_buffer_cache() -> None:
    there = machine()
    both = array(write=True, exists=False)
    (phase,) = both.jobs[0].phases or ()
    back = changed(phase, do="mpi-read")
    job = changed(both.jobs[0], phases=(phase, back))
    result = run(planned(there, changed(both, jobs=(job,))))
    assert total(result, "disk_reads") == 0
    assert [one.read.bytes for one in result.processes] == [500, 500]


PLAIN = """\
format: workload/2
name: plain
files:
  own: {size: 500 B}
  all: {size: 900 B, shared: true, exists: true}
jobs:
  - name: p
    processes: 3
    record: 130 B
    phases:
      - {do: write, file: own}
      - {do: read, file: all, offset: rank}
      - {do: read, file: all, record: 50 B, size: 200 B, order: random}
      - {do: stat, file: own}
"""


def test_a_job_that_only_looks_at_files_on_io_nodes() -> None:
    stat = PLAIN[: PLAIN.index("      - {do: write")] + "      - {do: stat, file: own}\n"
    assert run(planned(machine(), parse_workload(stat))).elapsed_ns == 0


def test_plain_reads_and_writes_are_a_call_for_each_record() -> None:
    plan = planned(machine(), parse_workload(PLAIN))
    assert plan.asked is None
    result = run(plan)
    counts = {name: one.count for name, one in result.latencies.items()}
    assert counts == {"read": 3 * (3 + 4), "write": 3 * 4, "open": 9, "close": 9, "stat": 3}
    assert [one.write.bytes for one in result.processes] == [500] * 3
    assert [one.read.bytes for one in result.processes] == [500] * 3
    assert total(result, "disk_written_bytes") == 3 * 500


def test_records_drawn_at_random_end_with_the_file() -> None:
    """18 records of 50 B and one of 1 B: whoever draws that one moves a byte."""
    text = PLAIN.replace("900 B", "901 B").replace("size: 200 B, order", "order")
    table = planned(machine(), parse_workload(text)).operations
    reads = [row for row in range(len(table)) if OPERATIONS[table.kind[row]] == "read"]
    last = [table.size[row] for row in reads if table.offset[row] == 900]
    assert last
    assert set(last) == {1}


def test_a_plain_read_costs_what_a_contiguous_one_of_mpi_io_does() -> None:
    """And what any call costs at the cpu, which is nothing here."""
    text = "{do: read, file: all, record: 25 B, offset: interleaved}"
    cpu = "  cpu: {kind: cpu, at: node, call_overhead: 0 s}\n  crossbar:"
    there = parse_machine(MACHINE_TEXT.replace("  crossbar:", cpu))
    rows = array(method="offset")
    (job,) = rows.jobs
    plain = parse_workload(PLAIN.replace("{do: write, file: own}", text)).jobs[0].phases
    assert plain is not None
    (first, *_) = plain
    phases = (changed(first, file="rows"),)
    other = changed(rows, jobs=(changed(job, phases=phases),))
    assert run(planned(there, other)).elapsed_ns == run(planned(there, rows)).elapsed_ns


# -- laws -----------------------------------------------------------------------------------------


@settings(max_examples=examples(40))
@given(st.randoms(use_true_random=False))
def test_no_byte_and_no_nanosecond_is_lost(rng: Random) -> None:
    plan = any_plan(rng)
    check(plan)
    result = run_plan(plan, engine="native", debug=True)
    ports: dict[str, int] = {"crossbar.in": 0, "crossbar.out": 0}
    for one in result.parts.values():
        if one.part in ports:
            ports[one.part] += one.bytes
    assert ports["crossbar.in"] == ports["crossbar.out"]
    assert total(result, "used_ahead") <= total(result, "read_ahead")
    assert result.end_ns >= result.elapsed_ns
    for store in result.stores.values():
        assert store.counts["disk_busy_ns"] <= result.end_ns
        assert store.counts["bus_busy_ns"] <= result.end_ns


@pytest.mark.few(12)
@pytest.mark.parametrize("workload", ["read-ut", "read-fv", "write-ut", "write-fv", "write-col"])
@pytest.mark.parametrize(
    ("path", "better"),
    [
        ("machine.runtime.mpi_io.call_overhead", "0.5 ms"),
        ("machine.parts.io.overhead", "0.1 ms"),
        ("machine.parts.raid.rate", "30 MB/s"),
        ("machine.parts.crossbar.rate", "4 GB/s"),
        ("machine.parts.io.copy_rate", "2 GB/s"),
    ],
)
def test_nothing_gets_slower_on_a_better_machine(workload: str, path: str, better: str) -> None:
    small = (SIZE, "16 MiB")
    plain = shipped(workload, small).elapsed_ns
    assert shipped(workload, small, (path, better)).elapsed_ns <= plain


def test_time_is_in_proportion_to_the_array() -> None:
    times = [shipped("read-fv", (SIZE, size)).elapsed_ns for size in ("64 MiB", "128 MiB")]
    assert times[1] / times[0] == pytest.approx(2, rel=0.03)


def test_a_cache_that_is_too_small_reads_blocks_again() -> None:
    few = shipped("read-fv", (SIZE, "64 MiB"), ("machine.buffer_caches.buffers.capacity", "64 KiB"))
    assert total(few, "evicted") > 0
    assert total(few, "disk_read_bytes") > 64 << 20


# -- the engines ----------------------------------------------------------------------------------


@settings(max_examples=examples(100))
@given(st.randoms(use_true_random=False))
def test_random_plans(rng: Random) -> None:
    assert_equal(BOTH, any_plan(rng))


def test_the_native_engine_is_what_auto_takes() -> None:
    plan = planned(machine(), array())
    assert run_plan(plan).engine == "native"
    assert run_plan(plan, engine="reference").engine == "reference"


def test_a_repeated_job_makes_and_copies_as_much_each_time() -> None:
    """Beside another job, whose work is counted once."""

    def work(changes: dict[str, str]) -> LibraryWork:
        plan = mixed(**changes)
        assert plan.asked is not None
        return plan.asked.work

    one, three = (work({"repeat: 2": f"repeat: {count}"}) for count in (1, 3))
    beside = work({MIXED_JOBS[SOLVER:BESIDE]: ""})
    for name in ("calls", "copied"):
        first = getattr(one, name) - getattr(beside, name)
        assert first > 0, name
        assert getattr(three, name) == getattr(beside, name) + 3 * first, name
    assert three.memory == one.memory
