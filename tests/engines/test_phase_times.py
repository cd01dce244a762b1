"""What phases of jobs take, and what is held in them, by hand and on both engines.

Blocks of 100 B; a bus of 1 ns for a byte; a disk of 2 ns for one and 10 for a request.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.plan.codes import AT_TIMES, COMPUTE
from simulator.plan.jobs import ArrivalsPlan, NamedPhase, PhasePlan
from simulator.result.result import PhaseResult, Result
from simulator.verification.sums import wrong_sums
from tests.engines.hand import Hand
from tests.reference.runs import counts, ends, planned, run
from tests.reference.test_stores import BUS, DISK, kept


def named(*whats: str, job: str = "job", memory: tuple[int, ...] = ()) -> tuple[NamedPhase, ...]:
    sizes = (*memory, *[0] * len(whats))
    return tuple(
        NamedPhase(job=job, label=str(row), what=what, memory=sizes[row])
        for row, what in enumerate(whats)
    )


def computing(time_ns: int, row: int) -> PhasePlan:
    return PhasePlan(kind=COMPUTE, compute_ns=time_ns, named=row)


def found(result: Result) -> list[tuple[int, ...]]:
    """Passes, begin, end, time, bytes read and written of each phase."""
    return [
        (one.passes, one.begin_ns, one.end_ns, one.time_ns, one.read, one.written)
        for one in result.phases
    ]


def test_a_phase_ends_where_the_next_one_begins_within_a_list() -> None:
    """Two reads, then a write that thinks for 30 before: these are the second phase's."""
    hand = kept(1000)
    calls = hand.listed(("read", "f", 0, 100), ("read", "f", 100, 100), ("write", "f", 0, 100, 30))
    hand.process("p", replace(calls, named=0, cuts=((2, 1),)))
    reads, write = 2 * (DISK + BUS), 30 + BUS
    assert found(run(hand, named=named("read", "write"))) == [
        (1, 0, reads, reads, 200, 0),
        (1, reads, reads + write, write, 0, 100),
    ]


def test_time_that_a_process_is_ahead_of_the_clock_is_its_phase_s() -> None:
    """Thinking of 50 and 70 has not passed when the second phase begins, and none has ended."""
    hand = kept()
    calls = hand.listed(("pause", 0, 0, 0, 50), ("pause", 0, 0, 0, 70), ("pause", 0, 0, 0, 5))
    hand.process("p", replace(calls, named=0, cuts=((1, 1), (2, 2))))
    times = [one[1:4] for one in found(run(hand, named=named("a", "b", "c")))]
    assert times == [(0, 50, 50), (50, 120, 70), (120, 125, 5)]


def test_rounds_are_added_up() -> None:
    hand = kept()
    hand.process("p", computing(10, 0), computing(20, 1), repeat=3)
    assert [one[:4] for one in found(run(hand, named=named("a", "b")))] == [
        (3, 0, 70, 30),
        (3, 10, 90, 60),
    ]


def test_processes_of_a_job_are_added_up() -> None:
    """From the first begin to the last end; a phase that nobody comes to is not there."""
    hand = kept()
    hand.process("p.0", computing(10, 0), computing(20, 1))
    hand.process("p.1", computing(5, 0), computing(7, 1), start_ns=100)
    result = run(hand, named=named("a", "b", "c"))
    assert [one[:4] for one in found(result)] == [(2, 0, 105, 15), (2, 10, 112, 27)]
    first = result.phases[0]
    assert (first.elapsed_ns, first.mean_ns(2)) == (105, 7.5)


def test_a_process_that_waits_for_an_arrival_is_in_no_phase() -> None:
    hand = kept()
    hand.process("p", computing(10, 0), computing(20, 1), arrivals=0)
    hand.arrivals.append(ArrivalsPlan(kind=AT_TIMES, count=2, times=(50, 200)))
    result = run(hand, named=named("a", "b"))
    assert [one[:4] for one in found(result)] == [(2, 50, 210, 20), (2, 60, 230, 40)]
    assert result.processes[0].idle_ns == 50 + 120


def test_a_rate_is_that_of_all_processes_while_they_are_in_it() -> None:
    one = PhaseResult("job", "0", "read f", 2, 0, 5 * 10**9, time_ns=4 * 10**9, read=8 * 10**6)
    assert one.rate(2) == 8e6 / 5.0  # Each once: from the first begin to the last end.
    again = PhaseResult("job", "0", "read f", 4, 0, 5 * 10**9, time_ns=4 * 10**9, read=8 * 10**6)
    assert again.rate(2) == 8e6 / 2.0  # Each twice, other phases between.
    assert again.to_json(2)["rate_MBps"] == 4.0


# -- memory ---------------------------------------------------------------------------------------


def reading(hand: Hand, row: int) -> PhasePlan:
    calls = (("read", "f", 100 * block, 100) for block in range(4))
    return replace(hand.listed(*calls), named=row)


@pytest.mark.parametrize("held", [0, 250])
def test_what_is_held_in_a_phase_leaves_less_room_then_only(held: int) -> None:
    """Of four blocks 250 B leave one while the process computes; the rest comes from the disk."""
    hand = kept(400, slots=4, elastic=True)
    hand.process("p", reading(hand, 0), computing(1000, 1), reading(hand, 2))
    result = run(hand, named=named("read", "compute", "read", memory=(0, held, 0)))
    again = 3 * DISK if held else 0
    assert counts(result, "pages").get("evicted", 0) == (3 if held else 0)
    assert ends(result) == [4 * (DISK + BUS) + 1000 + again + 4 * BUS]


def test_the_memory_of_a_job_is_held_in_phases_that_do_not_say_so() -> None:
    """And that of a loop in its phases; what is held first is what the first phase holds."""
    plan = planned(
        "parts: {d: {kind: queue, rate: 1 GB/s}}\nfilesystems: {home: [d]}\n",
        """files: {f: {size: 1 MB}}
jobs:
  - name: job
    memory: 5 MB
    record: 1 MB
    phases:
      - {do: write, file: f, memory: 1 MB}
      - {do: compute, time: 1 s}
      - do: loop
        times: 2
        memory: 3 MB
        phases: [{do: read, file: f}, {do: compute, time: 1 s, memory: 0 B}]
""",
    )
    assert [(one.label, one.what, one.memory) for one in plan.named] == [
        ("0", "write f", 10**6),
        ("1", "compute", 5 * 10**6),
        ("2.0", "read f", 3 * 10**6),
        ("2.1", "compute", 0),
    ]
    assert plan.processes[0].memory == 10**6


def test_what_is_held_changes_between_phases_of_the_plan_only() -> None:
    """Barriers in a row are one list; with memory of its own one of them is a list by itself."""
    machine = "parts: {d: {kind: queue, rate: 1 GB/s}}\nfilesystems: {home: [d]}\n"
    text = "jobs: [{name: j, phases: [{do: barrier}, {do: barrier%s}, {do: barrier}]}]\n"
    (one,) = planned(machine, text % "").processes
    assert [(phase.named, phase.cuts) for phase in one.phases] == [(0, ((1, 1), (2, 2)))]
    (one,) = planned(machine, text % ", memory: 1 MB").processes
    assert [(phase.named, phase.cuts) for phase in one.phases] == [(0, ()), (1, ()), (2, ())]


@pytest.mark.parametrize("limit", [-1, 4])
def test_as_many_dirty_blocks_go_as_one_that_waits_needs(limit: int) -> None:
    """Three of four blocks are dirty when programs leave two: two go before the fourth comes.

    With a limit of four dirty blocks, of which two are left, it waits for that in the same way.
    """
    hand = kept(slots=4, elastic=True, dirty_limit=limit)
    calls = (("write", "f", 100 * block, 100) for block in range(3))
    more = replace(hand.listed(("write", "f", 300, 100)), named=1)
    hand.process("p", replace(hand.listed(*calls), named=0), more)
    result = run(hand, named=named("write", "write", memory=(0, 200)))
    assert ends(result) == [3 * BUS + 2 * DISK + BUS]


# -- what is checked ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "about"),
    [
        ("time_ns", "job: 31 ns in its phases, 30 ns of its processes"),
        ("written", "job: 0 and 1 B read and written in its phases, 0 and 0 B by its processes"),
        ("passes", "phase 0 of job: 0 times, from 0 to 10 ns"),
    ],
)
def test_phases_that_do_not_tile_the_time_of_a_job_are_found(field: str, about: str) -> None:
    hand = kept()
    hand.process("p", computing(10, 0), computing(20, 1))
    result = run(hand, named=named("a", "b"))
    assert list(wrong_sums(result)) == []
    one = result.phases[0]
    setattr(one, field, 0 if field == "passes" else getattr(one, field) + 1)
    assert list(wrong_sums(result)) == [about]
