"""Listed calls by hand, on the machine to calculate with; see tests/plans.py for its numbers."""

from __future__ import annotations

from array import array
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.native.run import run_native
from simulator.engine.plan import JobPlan, PhasePlan, Plan
from simulator.engine.reference import run_reference
from simulator.engine.result import Result
from simulator.result.errors import SimulationError
from simulator.runtime.listed import CLOSE, OPEN, PASS, PAUSE, WAIT, CallTable
from simulator.runtime.records import READ, SEEK, WRITE
from tests.examples import examples
from tests.plans import Draw, a_file, machine, plan, ssu

CALL = 100
PUT = 4 * 50 + 30
"""50 bytes through the write channel, the slowest part of their way."""
GET = 3 * 50 + 20


def traced(*clients: list[tuple[Any, ...]], marks: int = 0, **changes: Any) -> Plan:
    """Clients whose rows are (kind, file, offset, size, gap); all on one new file."""
    table = CallTable(marks=marks)
    jobs = []
    for rows in clients:
        first = len(table)
        for kind, *numbers in rows:
            *place, gap = [*numbers, *[0] * (4 - len(numbers))]
            table.add(kind, *place, gap=gap)
        phases = (PhasePlan(work="calls", first_call=first, calls=len(table) - first),)
        jobs.append(JobPlan(name="job", first_pe=0, pes=1, start_ns=0, repeat=1, phases=phases))
    assert not list(table.faults(1))
    built = plan(*jobs, files=[a_file(0, size=300)], **changes)
    return replace(built, calls=table)


def run(built: Plan) -> Result:
    """Both engines, their logs too, with and without a timeline."""
    result = run_reference(built, debug=True, record=True)
    other = run_native(built, debug=True, record=True)
    assert other.to_json() | {"engine": ""} == result.to_json() | {"engine": ""}
    assert result.calls is not None
    assert other.calls is not None
    assert list(map(list, other.calls.columns())) == list(map(list, result.calls.columns()))
    again = run_reference(built, timeline=True, debug=True)
    assert again.to_json() == result.to_json()
    return result


def times(result: Result) -> list[tuple[int, int]]:
    """Begin and end of every call."""
    assert result.calls is not None
    return list(zip(result.calls.begin, result.calls.end, strict=True))


def test_a_write_takes_its_overhead_and_its_way() -> None:
    result = run(traced([(WRITE, 0, 0, 50, 7)]))
    assert times(result) == [(7, 7 + CALL + PUT)]
    (client,) = result.clients
    assert client.compute_ns == 7
    assert (client.write.bytes, client.write.elapsed_ns) == (50, CALL + PUT)
    assert client.parts == {"pe0": (0, CALL), "ssu.write": (0, PUT)}


def test_a_read_of_what_was_written_is_served_from_the_cache() -> None:
    result = run(traced([(WRITE, 0, 0, 50), (SEEK, 0), (READ, 0, 0, 50), (PAUSE, -1, 0, 0, 9)]))
    written = CALL + PUT
    read = written + CALL, written + CALL + CALL + GET
    assert times(result) == [(0, written), (written, read[0]), read, (read[1] + 9,) * 2]
    assert result.elapsed_ns == read[1] + 9


def test_opens_closes_and_calls_that_move_nothing() -> None:
    result = run(traced([(OPEN, 0), (READ, 0, 0, 0), (WRITE, 0, 0, 0), (CLOSE, 0, 0, 1)]))
    assert times(result) == [(0, 0), (0, CALL), (CALL, 2 * CALL), (2 * CALL, 2 * CALL)]
    assert result.clients[0].parts == {"pe0": (0, 2 * CALL)}


@pytest.mark.parametrize("written", [0, 1])
def test_closing_what_was_written_begins_its_write_back(written: int) -> None:
    rows = [(WRITE, 0, 0, 50), (CLOSE, 0, 0, written), (PAUSE, -1, 0, 0, 10**6)]
    result = run(traced(rows, ssu=ssu(4, "close")))
    assert result.cache["written_back"] == written


def test_a_path_over_nfs() -> None:
    file = a_file(300, cached=False, path="nfs")
    built = replace(traced([(READ, 0, 0, 60)]), files=(file,))
    result = run(built)
    assert result.parts["nfs.server"].requests == 1
    assert result.cache["misses"] == 0


def test_a_child_starts_at_the_fork_and_its_parent_waits_for_its_end() -> None:
    parent = [(PAUSE, -1, 0, 0, 40), (PASS, -1, 0), (WAIT, -1, 1), (PAUSE, -1, 0, 0, 3)]
    child = [(PAUSE, -1, 0, 0, 500), (PASS, -1, 1)]
    built = traced(parent, child, marks=2)
    jobs = (built.jobs[0], replace(built.jobs[1], born=0))
    result = run(replace(built, jobs=jobs))
    first, second = result.clients
    assert (second.started_ns, second.ended_ns) == (40, 540)
    assert first.ended_ns == 543
    assert first.parts == {"other.processes": (500, 0)}


def test_who_waits_for_what_has_passed_goes_on_at_once() -> None:
    built = traced([(PASS, -1, 0)], [(PAUSE, -1, 0, 0, 5), (WAIT, -1, 0)], marks=1)
    result = run(built)
    assert [client.ended_ns for client in result.clients] == [0, 5]


@pytest.mark.parametrize("engine", [run_reference, run_native])
def test_waiting_for_ever_is_told(engine: Any) -> None:
    built = traced([(WAIT, -1, 0)], marks=1)
    with pytest.raises(SimulationError, match="wait for ever: job"):
        engine(built)


def test_clients_may_share_a_pe() -> None:
    built = traced([(WRITE, 0, 0, 50)] * 2, [(WRITE, 0, 100, 50)] * 2)
    jobs = tuple(replace(job, first_pe=0) for job in built.jobs)
    result = run(replace(built, jobs=jobs))
    assert result.parts["pe0"].requests == 4


def test_what_no_engine_could_do_is_found() -> None:
    table = CallTable(marks=1)
    for row in [(9, 0, 0, 0), (READ, 1, 0, 0), (WAIT, -1, 1, 0), (READ, 0, -1, 0)]:
        table.add(*row)
    table.add(WRITE, 0, 2**61, 1)
    assert [fault.partition(" is")[0][:5] for fault in table.faults(1)] == [
        f"row {i}" for i in range(5)
    ]


@settings(max_examples=examples(150))
@given(st.randoms(use_true_random=False))
def test_one_client_is_not_slower_without_its_computing(rng: Random) -> None:
    """True of reads, and of writes that wait for the disk.

    Computing can pay where write-back goes on meanwhile: what has reached the disk by then is not
    waited for later. In 33 of 6,007 such random plans (SSUs of one to six units) it did.
    """
    draw = Draw(rng, listed=100)
    built = draw.plan(1)
    table = draw.calls
    for row, kind in enumerate(table.kind):
        if kind == WRITE and built.files[table.file[row]].path == "scfs":
            table.kind[row] = READ
    jobs = tuple(replace(job, repeat=1, start_ns=0, phases=job.phases[-1:]) for job in built.jobs)
    no_noise = replace(built, jobs=jobs, noisy=False)
    none = replace(table, gap=array("q", [0]) * len(table))
    kept = run_native(no_noise)
    assert run_native(replace(no_noise, calls=none)).elapsed_ns <= kept.elapsed_ns


def test_the_machine_of_these_tests_is_that_of_the_others() -> None:
    assert machine().pe.call_overhead_ns == CALL
