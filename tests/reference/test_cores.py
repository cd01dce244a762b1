"""Cores of nodes: by hand, by theory, and what must hold for any jobs; both engines in each run."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.validation.laws_systems import m_m_c_time
from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.native.run import run_native
from simulator.plan.codes import POISSON
from simulator.plan.cores import MOST_CORES, crowded_groups
from simulator.plan.jobs import ArrivalsPlan, PhasePlan
from tests.engines.compare import plain
from tests.engines.hand import Hand
from tests.properties.relations import drawn
from tests.reference.runs import ends, run, spent
from tests.twins.plans.faults import faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.result.result import Result

GBPS = 1e9
"""A byte takes 1 ns."""


def node(cores: int, pe: PeSpec | None = None, nodes: int = 1) -> Hand:
    """Nodes with so many cores, whose cpu costs nothing unless it is given."""
    hand = Hand(pc=nodes)
    changes = {"cores": cores} | ({"spec": pe} if pe else {})
    hand.parts[0] = replace(hand.parts[0], **changes)  # type: ignore[arg-type]
    return hand


def computing(hand: Hand, *works: tuple[int, int]) -> Hand:
    """Add processes that compute: when each begins, and for how long."""
    for number, (start, work) in enumerate(works):
        hand.process(f"p{number}", PhasePlan(compute_ns=work), start_ns=start)
    return hand


# -- by hand --------------------------------------------------------------------------------------


def test_two_processes_on_one_core_take_twice_as_long() -> None:
    result = run(computing(node(1), (0, 100), (0, 100)))
    assert ends(result) == [200, 200]
    assert [one.compute_ns for one in result.processes] == [100, 100]
    assert spent(result, 0) == spent(result, 1) == {"cpu": (100, 0)}


def test_a_process_that_comes_later_halves_the_rest() -> None:
    """50 ns alone, and then half a core each; the second has 50 ns left when the first ends."""
    result = run(computing(node(1), (0, 100), (50, 100)))
    assert ends(result) == [150, 200]
    assert spent(result, 1) == {"cpu": (50, 0)}


def test_three_on_two_cores_have_two_thirds_of_one_each() -> None:
    result = run(computing(node(2), (0, 100), (0, 100), (0, 100)))
    assert ends(result) == [150, 150, 150]


def test_cores_are_those_of_a_node() -> None:
    hand = node(1, nodes=2)
    for number, member in enumerate((0, 0, 1)):
        hand.process(f"p{number}", PhasePlan(compute_ns=100), node=member)
    assert ends(run(hand)) == [200, 200, 100]


def test_no_time_needs_no_core() -> None:
    """A phase of no time has its one event, and ends before those that compute."""
    result = run(computing(node(1), (0, 100), (0, 0), (0, 100)))
    assert ends(result) == [200, 0, 200]


def writers(count: int, cores: int, kind: str = "core", size: int = 1000) -> Hand:
    """Processes of one node that each copy so many bytes into memory, with calls that are free."""
    hand = node(cores)
    hand.part("memory", "pc", kind, rate=GBPS)
    hand.path("fs", [hand.stage("memory")])
    for number in range(count):
        hand.file(f"f{number}", "fs", size)
        hand.process(f"p{number}", hand.listed(("write", f"f{number}", 0, size)))
    return hand


@pytest.mark.parametrize(("count", "cores", "times"), [(2, 1, 2), (64, 8, 8), (12, 8, 1.5)])
def test_copying_takes_as_much_longer_as_there_are_writers_for_a_core(
    count: int, cores: int, times: float
) -> None:
    result = run(writers(count, cores))
    assert ends(result) == [1000 * times] * count
    assert spent(result) == {"memory": (0, 1000), "cpu": (1000 * times - 1000, 0)}
    memory = result.parts["memory"]
    assert (memory.requests, memory.bytes, memory.busy_ns) == (count, 1000 * count, 1000 * count)


def test_records_are_copied_by_the_cores_too() -> None:
    """A stream copies its records at the cpu; its calls count from where they begin."""
    hand = node(1, PeSpec(GBPS, call_overhead_ns=10))
    hand.part("memory", "pc", "delay", overhead_ns=5)
    hand.path("fs", [hand.stage("memory")])
    for number in range(2):
        hand.file(f"f{number}", "fs", 100)
        hand.process(f"p{number}", hand.stream(f"f{number}", 100, 1, write=True))
    result = run(hand)
    assert ends(result) == [100 * 2 + 10 * 2 + 5] * 2
    assert spent(result) == {"cpu": (110, 110), "memory": (0, 5)}
    assert result.latencies["write"].max_ns == 10 * 2 + 5
    assert result.parts["cpu"].utilisation(result.end_ns) <= 1


def test_a_listed_call_begins_when_what_was_computed_before_has_been() -> None:
    hand = node(1, PeSpec(GBPS, call_overhead_ns=10))
    hand.part("disk", "pc", "delay", overhead_ns=5)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 100)
    for number in range(3):
        hand.process(f"p{number}", hand.listed(("read", "f", 0, 10, 40), ("seek", "f", 0)))
    result = run(hand)
    assert [one.compute_ns for one in result.processes] == [40] * 3
    assert result.latencies["read"].sum_ns == 3 * (3 * 10 + 5)
    assert ends(result) == [3 * 40 + 3 * 10 + 5 + 3 * 10] * 3


def test_computing_and_copying_share_one_core() -> None:
    hand = writers(1, 1)
    hand.process("computes", PhasePlan(compute_ns=1000))
    assert ends(run(hand)) == [2000, 2000]


# -- where nothing can wait for a core ------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 7, 8])
def test_as_many_processes_as_cores_run_as_without_a_limit(count: int) -> None:
    """To the last event; a part whose work the cores do is then a delay."""
    free = plain(run(writers(count, 0, "delay")))
    few = plain(run(writers(count, 8)))
    for one in (free, few):
        for part in one["parts"].values():
            part.update(kind="", servers=1)
    assert few == free


def test_a_group_is_crowded_by_the_jobs_of_one_node() -> None:
    hand = node(2, nodes=2)
    for member in (0, 0, 1):
        hand.process(f"p{len(hand.processes)}", PhasePlan(compute_ns=1), node=member)
    assert crowded_groups(hand.plan()) == frozenset()
    hand.process("p3", PhasePlan(compute_ns=1), node=0)
    assert crowded_groups(hand.plan()) == {0}
    unlimited = replace(hand.parts[0], cores=0)
    assert crowded_groups(replace(hand.plan(), parts=(unlimited,))) == frozenset()


def test_work_of_a_server_is_shared_by_its_cores_though_no_process_runs_there() -> None:
    """Two clients ask one server, whose one core needs 100 ns for each."""
    hand = Hand(pc=2, server=1)
    hand.part("daemons", "server", "cpu", spec=PeSpec(GBPS), cores=1)
    hand.part("rpc", "server", "core", overhead_ns=100)
    hand.path("fs", [hand.work("rpc")])
    hand.file("f", "fs", 100)
    for number in range(2):
        hand.process(f"p{number}", hand.listed(("read", "f", 0, 10)), node=number)
    result = run(hand)
    assert crowded_groups(hand.plan()) == {1}
    assert ends(result) == [200, 200]
    assert spent(result) == {"rpc": (0, 100), "daemons": (100, 0)}


def test_pieces_at_one_time_share_the_cores_of_their_process() -> None:
    hand = node(1)
    hand.part("memory", "pc", "core", rate=GBPS)
    hand.path("fs", [hand.request(100, window=4), hand.stage("memory")])
    hand.file("f", "fs", 400)
    hand.process("p", hand.listed(("write", "f", 0, 400)))
    assert ends(run(hand)) == [400]


def test_plans_with_wrong_cores_are_refused() -> None:
    wrong = computing(node(MOST_CORES + 1), (0, 1))
    assert faults(wrong.plan()) == [f"cpu: {MOST_CORES + 1} cores"]
    hand = writers(1, 1)
    hand.part("other", "pc", "queue", cores=2)
    assert faults(hand.plan()) == ["other: 2 cores"]
    both = writers(1, 1)
    both.part("bus", "pc")
    both.path("two", [both.stage("memory", "bus")])
    assert "holds a core part together with others" in faults(both.plan())[0]


# -- whatever the jobs are ------------------------------------------------------------------------

WORKS = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 200)), min_size=1, max_size=12)


def queued(works: Sequence[tuple[int, int]]) -> int:
    """Return when a single server that works whenever there is any has done all of it."""
    free = 0
    for start, work in sorted(works):
        free = max(free, start) + work
    return free


@drawn(100)
@given(WORKS)
def test_a_core_works_while_there_is_any(works: list[tuple[int, int]]) -> None:
    """One core has done all the work when a queue would have; each task rounds up."""
    result = run(computing(node(1), *works))
    last = max(queued(works), *(start for start, _ in works))
    assert last <= result.elapsed_ns <= last + len(works)


@drawn(100)
@given(WORKS, st.integers(1, 12))
def test_more_cores_are_never_slower(works: list[tuple[int, int]], cores: int) -> None:
    few, more = (ends(run(computing(node(n), *works))) for n in (cores, cores + 1))
    assert all(b <= a + len(works) for a, b in zip(few, more, strict=True))
    assert ends(run(computing(node(12), *works))) == [start + work for start, work in works]


@drawn(60)
@given(WORKS, st.integers(1, 4))
def test_what_sharing_takes_is_waiting_and_no_core_is_busy_twice(
    works: list[tuple[int, int]], cores: int
) -> None:
    result = run(computing(node(cores), *works))
    for one, (_, work) in zip(result.processes, works, strict=True):
        assert one.compute_ns == work
        assert one.elapsed_ns == work + sum(one.spent.get("cpu", (0, 0)))
    assert sum(work for _, work in works) <= cores * result.end_ns


# -- theory ---------------------------------------------------------------------------------------

SERVICE = 1_000_000


def repairs(cores: int, processes: int, think: float) -> float:
    """Return how many computations end in the time of one, by the machine-repairman's chain.

    n of the processes compute, and end at a rate of min(n, cores); the others come back at a rate
    of 1 / think each. Sharing changes no rate, and only means of the two times count.
    """
    weight, weights = 1.0, [1.0]
    for there in range(1, processes + 1):
        weight *= (processes - there + 1) / think / min(there, cores)
        weights.append(weight)
    rates = (min(n, cores) * one for n, one in enumerate(weights))
    return sum(rates) / sum(weights)


@pytest.mark.few(2)
@pytest.mark.parametrize(("cores", "processes"), [(1, 4), (2, 6), (4, 6), (3, 16)])
@pytest.mark.parametrize("spread", ["exponential", "two lengths"])
def test_a_closed_system_computes_as_the_machine_repairmans(
    cores: int, processes: int, spread: str
) -> None:
    """Exact at any distribution: throughput within 2 % of theory."""
    rng, cycles, think = Random(7), 1500, 3.0
    hand = node(cores)
    hand.part("line", "pc", "delay", overhead_ns=int(think * SERVICE))
    hand.path("fs", [hand.work("line")])
    hand.file("f", "fs", 10)
    works = 0
    for number in range(processes):
        phases = []
        for _ in range(cycles):
            one = rng.expovariate(1) if spread == "exponential" else rng.choice((0.1, 1.9))
            phases += [PhasePlan(compute_ns=int(one * SERVICE)), hand.listed(("read", "f", 0, 1))]
            works += int(one * SERVICE)
        hand.process(f"p{number}", *phases)
    result: Result = run_native(hand.plan(), debug=True)
    mean = works / processes / cycles
    done = processes * cycles / (result.elapsed_ns / mean)
    assert done == pytest.approx(repairs(cores, processes, think * SERVICE / mean), rel=0.02)


@pytest.mark.parametrize(("cores", "load"), [(1, 0.3), (1, 0.6), (1, 0.8), (4, 0.8)])
def test_jobs_that_arrive_share_cores_as_theory_says(cores: int, load: float) -> None:
    """Fixed works: M/D/1 shared by time has S / (1 - rho) on average, c cores as M/M/c has."""
    hand = node(cores)
    gap = int(SERVICE / load / cores)
    hand.arrivals.append(ArrivalsPlan(kind=POISSON, count=40_000, gap_ns=gap, stream="jobs"))
    for number in range(80):
        hand.process(f"p{number}", PhasePlan(compute_ns=SERVICE), arrivals=0)
    result: Result = run_native(hand.plan(), debug=True)
    mean = result.latencies["job"].mean_ns / SERVICE
    assert m_m_c_time(1, 0.5).mean == pytest.approx(2)
    expected = 1 / (1 - load) if cores == 1 else m_m_c_time(cores, cores * load).mean
    assert mean == pytest.approx(expected, rel=0.05)
