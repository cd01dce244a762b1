"""A processor: servers first, the application with what is left; and its memory's costs."""

from __future__ import annotations

import simpy
from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.actor import Actor, Steps
from simulator.machine.datacache import CacheSpec
from simulator.machine.disk import DiskSpec
from simulator.machine.paging import PagingSpec
from simulator.machine.workstation import Processor, WorkstationSpec
from tests.actors import Life, act


def working(cpu: Processor, work: int, *, at: int = 0) -> Life:
    """An application that begins its work at a time."""

    def life(actor: Actor) -> Steps:
        yield actor.until(at)
        yield from cpu.compute(actor, work, "work")

    return life


def serving(cpu: Processor, *works: tuple[int, int]) -> Life:
    """A server that does (when, how long) without waiting for its end."""

    def life(actor: Actor) -> Steps:
        for when, work in works:
            yield actor.until(when)
            cpu.serve(when, work)

    return life


def test_work_alone_takes_as_long_as_it_is() -> None:
    (actor,) = act(working(Processor("cpu"), 100, at=7))
    assert (actor.now, actor.spent) == (107, {"work": [0, 100]})


def test_a_server_stops_the_application_for_as_long_as_it_works() -> None:
    cpu = Processor("cpu")
    actor, _ = act(working(cpu, 100), serving(cpu, (30, 20), (60, 5)))
    assert (actor.now, actor.spent) == (125, {"work": [25, 100]})
    assert (cpu.application_ns, cpu.server_ns) == (100, 25)


def test_servers_wait_for_each_other() -> None:
    cpu = Processor("cpu")
    assert [cpu.serve(10, 50), cpu.serve(20, 5), cpu.serve(100, 1)] == [60, 65, 101]


def test_an_application_waits_for_a_server_that_has_begun() -> None:
    cpu = Processor("cpu")
    cpu.serve(0, 40)
    (actor,) = act(working(cpu, 100, at=10))
    assert actor.now == 140


def test_what_a_server_does_after_the_work_costs_the_application_nothing() -> None:
    cpu = Processor("cpu")
    actor, _ = act(working(cpu, 100), serving(cpu, (100, 20), (300, 5)))
    assert actor.now == 100


@given(
    st.integers(0, 200),
    st.integers(1, 300),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 60)), max_size=12),
)
def test_the_processor_does_one_nanosecond_of_work_at_a_time(
    begin: int, work: int, gaps: list[tuple[int, int]]
) -> None:
    """A twin that goes nanosecond by nanosecond: a server's work if there is any, else the rest."""
    when, works = 0, []
    for gap, served in gaps:
        when += gap
        works.append((when, served))
    cpu = Processor("cpu")
    actor, _ = act(working(cpu, work, at=begin), serving(cpu, *works))
    waiting, left, now = 0, work, 0
    while now < begin or left:
        # At the end of the work the application acts before a server of the same nanosecond.
        waiting += sum(served for at, served in works if at == now)
        if waiting:
            waiting -= 1
        elif now >= begin:
            left -= 1
        now += 1
    assert actor.now == now
    assert sum(actor.spent["work"]) == now - begin
    assert cpu.application_ns == work


def test_a_sweep_costs_updates_and_missing_lines() -> None:
    disk = DiskSpec(rate=1e6, seek_ns=100, turn_ns=50)
    memory = PagingSpec(resident=8192, page=4096, disk=disk)
    plain = WorkstationSpec(update_ns=10, memory=memory)
    assert plain.sweep_cpu_ns(1000, 8000) == 10_000
    cache = CacheSpec(size=8192, line=16, line_ns=100, page=4096)
    cached = WorkstationSpec(update_ns=10, memory=memory, cache=cache)
    # Two pages in a cache for two: each meets the other in its place every second time.
    assert cached.sweep_cpu_ns(1000, 8000) == 10_000 + 500 * 100 // 2
    assert cached.sweep_cpu_ns(500, 4096) == 5_000


def test_the_environment_needs_no_clock_to_compute_nothing() -> None:
    env = simpy.Environment()
    (actor,) = act(working(Processor("cpu"), 0), env=env)
    assert actor.now == env.now == 0
