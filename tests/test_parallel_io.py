"""Both engines of parallel input and output: by hand, by laws, and against each other."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.config.ioplan import make_io_plan
from simulator.engine.ioplan import IoPlan
from simulator.engine.ioresult import BooksError, IoResult, check_books
from simulator.engine.native.iorun import run_native_io
from simulator.engine.parallel_io import run_reference_io
from simulator.native import iothreads
from simulator.parallel import load_io_plan, run_parallel
from simulator.result.errors import SimulationError
from tests.arrays import any_io_plan, array, machine
from tests.examples import examples
from tests.interpreted import interpreted, is_compiled

CASES = [
    (operation, interface, processes)
    for operation in ("read", "write")
    for interface in ("ut", "fv", "col")
    for processes in (2, 4, 8)
]


def run(plan: IoPlan) -> IoResult:
    return run_reference_io(plan, debug=True)


def record(result: IoResult) -> str:
    """A result as text, its engine left out."""
    return json.dumps({**result.to_record(), "engine": ""})


def assert_equal(plan: IoPlan) -> None:
    assert record(run_native_io(plan, debug=True)) == record(run(plan))


# -- by hand --------------------------------------------------------------------------------------


def one_process(**changes: Any) -> IoPlan:
    """One process on node 0 reads one piece of 40 bytes, which lies on one node."""
    there = machine(**changes)
    return make_io_plan(there, array(array={"size": 40, "piece": 40}, processes=1))


def test_a_read_of_what_lies_on_the_own_node() -> None:
    result = run(one_process())
    disks, bus = 500 + 1000 + 100 * 10, 20 + 100 * 2  # half a turn is lost: the unit was idle
    assert result.elapsed_ns == 1000 + disks + bus + 100 + 5 + 40
    assert result.threads[0].parts == {
        "calls": (0, 1000),
        "I/O nodes": (0, 145),
        "disks": (disks + bus, 0),
    }


def test_a_read_over_the_crossbar() -> None:
    there = machine(striping={"block": 100, "order": (3,)})
    result = run(make_io_plan(there, array(array={"size": 40, "piece": 40}, processes=1)))
    own = run(one_process()).elapsed_ns
    asking, answer = 10 + 10 + 32, 10 + 10 + 40  # latency, header, and four numbers or the data
    assert result.elapsed_ns == own + asking + answer
    assert (result.total("sent"), result.total("messages")) == (42 + 50, 2)


def test_processes_that_wait_for_the_lock_are_served_as_they_came() -> None:
    work = array(operation="write", processes=4, skew=1000)
    result = run(make_io_plan(machine(), work, seed=1))
    assert len({one.started_ns for one in result.threads}) == 4
    by_start = sorted(result.threads, key=lambda one: one.started_ns)
    ends = [one.ended_ns for one in by_start]
    assert ends == sorted(ends)
    waits = [one.parts.get("file lock", (0, 0))[0] for one in by_start]
    assert waits[0] == 0
    assert all(waits[1:])


def test_collective_calls_begin_together() -> None:
    work = array(interface="collective", processes=4, skew=50_000)
    result = run(make_io_plan(machine(), work, seed=1))
    last = max(one.started_ns for one in result.threads)
    for one in result.threads:
        waited = one.parts.get("barrier", (0, 0))[0]
        assert one.started_ns + waited + 9 >= last
        assert (waited == 0) == (one.started_ns == last)


def test_a_barrier_that_somebody_misses_names_who_waits() -> None:
    plan = make_io_plan(machine(), array(interface="collective"))
    silent = replace(plan.threads[1], count=0)
    broken = replace(plan, threads=(plan.threads[0], silent))
    for engine in (run_reference_io, run_native_io):
        with pytest.raises(SimulationError, match="processes wait for ever: process0"):
            engine(broken)


def test_books_that_miss_a_nanosecond() -> None:
    result = run(one_process())
    one = replace(result.threads[0], ended_ns=result.threads[0].ended_ns + 1)
    with pytest.raises(BooksError, match=f"process0: {one.elapsed_ns} ns passed"):
        check_books(replace(result, threads=(one,)))


# -- laws -----------------------------------------------------------------------------------------


@given(st.randoms(use_true_random=False))
def test_no_byte_and_no_nanosecond_is_lost(rng: Random) -> None:
    plan = any_io_plan(rng)
    result = run_native_io(plan, debug=True)
    assert result.total("sent") == result.total("received")
    assert result.total("used_ahead") <= result.total("read_ahead")
    assert result.end_ns >= result.elapsed_ns
    for one in result.nodes:
        assert one.disk_busy_ns <= result.end_ns
        assert one.bus_busy_ns <= result.end_ns
        assert one.hits + one.misses >= (one.requests > 0)


@settings(max_examples=examples(50))
@given(st.randoms(use_true_random=False))
def test_a_run_repeats_itself(rng: Random) -> None:
    seed = rng.randint(0, 10**9)
    first, second = (run_native_io(any_io_plan(Random(seed))) for _ in range(2))
    assert record(first) == record(second)


@pytest.mark.parametrize("workload", ["read-ut", "read-fv", "write-ut", "write-fv", "write-col"])
@pytest.mark.parametrize(
    ("path", "better"),
    [
        ("machine.library.call_overhead", "0.5 ms"),
        ("machine.ionode.request_overhead", "0.1 ms"),
        ("machine.raid.rate", "30 MB/s"),
        ("machine.crossbar.port_rate", "4 GB/s"),
        ("machine.ionode.copy_rate", "2 GB/s"),
    ],
)
def test_nothing_gets_slower_on_a_better_machine(workload: str, path: str, better: str) -> None:
    small = [("workload.array.size", "32 MiB")]
    plain = run_parallel("sr8000", f"sr8000-{workload}", settings=small).elapsed_ns
    changed = run_parallel("sr8000", f"sr8000-{workload}", settings=[*small, (path, better)])
    assert changed.elapsed_ns <= plain


def test_time_is_in_proportion_to_the_array() -> None:
    times = [
        run_parallel(settings=[("workload.array.size", size)]).elapsed_ns
        for size in ("128 MiB", "256 MiB")
    ]
    assert times[1] / times[0] == pytest.approx(2, rel=0.02)


def test_a_cache_that_is_too_small_reads_blocks_again() -> None:
    few = run_parallel(
        settings=[("workload.array.size", "64 MiB"), ("machine.ionode.buffer_cache", "64 KiB")]
    )
    assert few.total("evicted") > 0
    assert few.total("disk_read") > 64 << 20


# -- the two engines ------------------------------------------------------------------------------


@pytest.mark.parametrize(("operation", "interface", "processes"), CASES)
def test_the_cases_of_the_paper(operation: str, interface: str, processes: int) -> None:
    given = [("workload.processes", str(processes)), ("workload.array.size", "64 MiB")]
    assert_equal(load_io_plan("sr8000", f"sr8000-{operation}-{interface}", settings=given))


@settings(max_examples=examples(500))
@given(st.randoms(use_true_random=False))
def test_random_plans(rng: Random) -> None:
    assert_equal(any_io_plan(rng))


def test_the_interpreted_engine_is_the_same() -> None:
    module, threads = interpreted(
        "simulator.engine.native.iorun", "simulator.engine.native.iothreads"
    )
    assert not is_compiled(threads)
    for seed in range(60):
        plan = any_io_plan(Random(seed))
        assert record(module.run_native_io(plan)) == record(run_native_io(plan))


def test_the_native_engine_is_what_auto_takes() -> None:
    small = [("workload.array.size", "8 MiB")]
    assert run_parallel(settings=small).engine == "native"
    assert run_parallel(settings=small, engine="reference").engine == "reference"
    assert iothreads.IoEngine is not None


def test_a_run_in_which_nothing_takes_time_has_no_rate() -> None:
    result = run(one_process())
    assert replace(result, elapsed_ns=0).rate == 0
