"""Parts that serve services, without a plan: processors of both kinds, and a network of links.

By hand, against twins, and against fluids in fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.kinds.parts.link.reference import Link, Network, max_min
from simulator.kinds.parts.link.spec import RATE_BITS, LinkSpec
from simulator.kinds.parts.processor.reference import Workstation
from simulator.kinds.parts.processor.spec import CacheSpec, PagingSpec, WorkstationSpec
from simulator.kinds.parts.timeshare.reference import TimeShared
from simulator.kinds.parts.timeshare.shares import SAMPLE_NS, TimeShare
from simulator.kinds.parts.timeshare.spec import CpuSpec
from simulator.plan.noise import NO_NOISE
from simulator.plan.parts import PartPlan
from simulator.reference.actor import Actor, Clock, Steps

S = 10**9
Life = Callable[[Actor], Steps]


def act(clock: Clock, *lives: Life) -> list[tuple[int, dict[int, list[int]]]]:
    """Let actors 0, 1, ... live; return when each ended, and its account by column."""
    actors = [Actor(clock, number, f"actor{number}") for number in range(len(lives))]
    ended = [-1] * len(lives)

    def run(life: Life, actor: Actor) -> Steps:
        yield from life(actor)
        ended[actor.number] = actor.now

    for life, actor in zip(lives, actors, strict=True):
        actor.begin(run(life, actor))
    clock.go()
    return [(end, actor.spent) for end, actor in zip(ended, actors, strict=True)]


# -- a processor that servers and one process share ----------------------------------------------

MEMORY = PagingSpec(resident=8192, page=4096, disk=DiskSpec(rate=1e6, seek_ns=100, turn_ns=50))
STATION = WorkstationSpec(update_ns=10, memory=MEMORY, cache=CacheSpec(8192, 16, 100, 4096))
WORKING = 7
"""The column that the process's waiting is charged to."""


def processor(clock: Clock) -> Workstation:
    plan = PartPlan(name="cpu", kind="processor", group=0, first=0, count=1, spec=STATION)
    return Workstation(clock, plan, "cpu", NO_NOISE, 99, None)


def working(cpu: Workstation, work: int, *, at: int = 0) -> Life:
    """Return a process that begins its work at a time."""

    def life(actor: Actor) -> Steps:
        yield actor.until(at)
        waited = yield from cpu.compute(actor, work)
        actor.charge(WORKING, waited, work)

    return life


def serving(cpu: Workstation, *works: tuple[int, int]) -> Life:
    """Return a server that does (when, how long) without waiting for its end."""

    def life(actor: Actor) -> Steps:
        for when, work in works:
            yield actor.until(when)
            cpu.serve(work)

    return life


class TestProcessor:
    def test_a_server_stops_the_process_for_as_long_as_it_works(self) -> None:
        clock = Clock()
        cpu = processor(clock)
        (end, spent), _ = act(clock, working(cpu, 100), serving(cpu, (30, 20), (60, 5)))
        assert (end, spent) == (125, {WORKING: [25, 100]})
        assert (cpu.server_ns, cpu.busy_ns, cpu.requests) == (25, 125, 3)

    def test_processes_compute_one_after_the_other(self) -> None:
        """The second comes at 10 and waits until 105: 90 ns of work, and 15 of servers."""
        clock = Clock()
        cpu = processor(clock)
        lives = [working(cpu, 90), working(cpu, 50, at=10), working(cpu, 5, at=20)]
        told = act(clock, *lives, serving(cpu, (30, 15), (120, 20)))
        assert told[:3] == [
            (105, {WORKING: [15, 90]}),
            (175, {WORKING: [115, 50]}),
            (180, {WORKING: [155, 5]}),
        ]
        assert cpu.busy_ns == 180

    def test_servers_wait_for_each_other(self) -> None:
        clock = Clock()
        cpu, told = processor(clock), []

        def life(actor: Actor) -> Steps:
            for when, work in ((10, 50), (20, 5), (100, 1)):
                yield actor.until(when)
                told.append(cpu.serve(work))

        act(clock, life)
        assert told == [60, 65, 101]

    @given(
        st.integers(0, 200),
        st.integers(1, 300),
        st.lists(st.tuples(st.integers(0, 40), st.integers(0, 60)), max_size=12),
    )
    def test_it_does_one_nanosecond_of_work_at_a_time(
        self, begin: int, work: int, gaps: list[tuple[int, int]]
    ) -> None:
        """A twin goes nanosecond by nanosecond: a server's work if there is any, else the rest."""
        when, works = 0, []
        for gap, served in gaps:
            when += gap
            works.append((when, served))
        clock = Clock()
        cpu = processor(clock)
        (end, spent), _ = act(clock, working(cpu, work, at=begin), serving(cpu, *works))
        waiting, left, now = 0, work, 0
        while now < begin or left:
            # At the end of the work the process acts before a server of the same nanosecond.
            waiting += sum(served for at, served in works if at == now)
            if waiting:
                waiting -= 1
            elif now >= begin:
                left -= 1
            now += 1
        assert end == now
        assert sum(spent[WORKING]) == now - begin

    @given(
        work=st.integers(1, 2000),
        served=st.lists(st.tuples(st.integers(0, 400), st.integers(1, 90)), max_size=12),
    )
    def test_a_process_ends_as_beside_urgent_tasks(
        self, work: int, served: list[tuple[int, int]]
    ) -> None:
        """The rule of the time-shared processor, without an event for each of many polls."""
        clock = Clock()
        cpu = processor(clock)

        def serve(actor: Actor) -> Steps:
            for after, asked in served:
                if after:
                    yield actor.until(actor.now + after)
                cpu.serve(asked)

        # The server acts before the process, as its first work may be at the same nanosecond.
        _, (end, _) = act(clock, serve, working(cpu, work))
        # Shares of an odd number of tasks end up to a nanosecond late.
        assert 0 <= by_sharing(work, served) - end <= len(served)


def by_sharing(work: int, served: list[tuple[int, int]]) -> int:
    """Return when the process's task ends beside urgent ones on one PE."""
    cpu = TimeShare(CpuSpec(1))
    cpu.add(0, 0, work)
    now, ends = 0, {}

    def run(until: int) -> None:
        while 0 <= cpu.next_end() <= until:
            at = cpu.next_end()
            ends[cpu.finish(at)] = at

    for number, (after, asked) in enumerate(served, 1):
        now += after
        run(now - 1)
        if 0 in ends:
            break
        cpu.add(now, number, asked, urgent=True)
    run(1 << 60)
    return ends[0]


# -- a processor that tasks share by time ----------------------------------------------------------


def time_shared(clock: Clock, pes: int) -> TimeShared:
    spec = CpuSpec(pes)
    plan = PartPlan(name="pes", kind="timeshare", group=0, first=0, count=1, spec=spec)
    return TimeShared(clock, plan, "pes", NO_NOISE, 99, None)


def computing(cpu: TimeShared, work: int, *, at: int = 0, threads: int = 1) -> Life:
    def life(actor: Actor) -> Steps:
        yield actor.until(at)
        yield cpu.take(actor, work, threads)

    return life


class TestTimeShared:
    def test_waiting_is_what_sharing_added(self) -> None:
        clock = Clock()
        cpu = time_shared(clock, 1)
        found = act(clock, computing(cpu, 100), computing(cpu, 100, at=50))
        assert found == [(150, {0: [50, 100]}), (200, {0: [50, 100]})]
        assert (cpu.requests, cpu.work_ns, cpu.account()) == (2, 200, (200, 300))

    def test_one_actor_may_come_again(self) -> None:
        clock = Clock()
        cpu = time_shared(clock, 4)

        def life(actor: Actor) -> Steps:
            yield cpu.take(actor, 10)
            yield cpu.take(actor, 40, 4)

        assert act(clock, life) == [(50, {0: [0, 50]})]
        assert cpu.account()[0] == 10 + 4 * 40

    def test_the_load_is_that_of_the_run_queue(self) -> None:
        clock = Clock()
        cpu = time_shared(clock, 4)
        act(clock, computing(cpu, 60 * SAMPLE_NS, threads=4), computing(cpu, 12 * SAMPLE_NS))
        cpu.account()
        # The single task has 4/5 of a PE: it ends after 15 looks; 5 threads until then, 4 after.
        assert cpu.load.samples[13] == pytest.approx(5 * (1 - math.exp(-14 / 12)), rel=1e-3)
        assert max(cpu.load.samples) < 5
        assert cpu.load.value == pytest.approx(4, rel=0.05)


# -- links -----------------------------------------------------------------------------------------


def network(clock: Clock, *specs: LinkSpec) -> Network:
    """Return links that charge their numbers as columns."""
    links = []
    for number, spec in enumerate(specs):
        plan = PartPlan(
            name=f"link{number}", kind="link", group=0, first=0, count=1, spec=spec, column=number
        )
        links.append(Link(clock, plan, plan.name, NO_NOISE, 1000 + number, None))
    return Network(clock, 1000, links)


def sending(links: Network, route: tuple[int, ...], size: int, *, at: int = 0) -> Life:
    def life(actor: Actor) -> Steps:
        yield actor.until(at)
        yield links.send(actor, route, size)

    return life


@st.composite
def networks(draw: st.DrawFn) -> tuple[list[int], list[list[int]]]:
    """Draw capacities, and routes over one link or more, none twice."""
    links = draw(st.integers(1, 5))
    capacities = draw(st.lists(st.integers(1000, 10**7), min_size=links, max_size=links))
    route = st.lists(st.integers(0, links - 1), min_size=1, max_size=links, unique=True)
    return capacities, draw(st.lists(route, min_size=1, max_size=12))


def fluid_ends(
    capacities: list[int], sent: list[tuple[int, tuple[int, ...], int]]
) -> list[Fraction]:
    """Return when (at, route, size) end if no time is rounded, at the rates of ``max_min``."""
    done = [Fraction(0)] * len(sent)
    left: dict[int, Fraction] = {}
    starts = sorted(range(len(sent)), key=lambda one: (sent[one][0], one))
    now = Fraction(0)
    while starts or left:
        rates = dict(
            zip(left, max_min(capacities, [list(sent[one][1]) for one in left]), strict=True)
        )
        finishing = [now + left[one] / rates[one] for one in left]
        after = min(finishing + ([Fraction(sent[starts[0]][0])] if starts else []))
        for one in list(left):
            left[one] -= rates[one] * (after - now)
            if left[one] == 0:
                done[one] = after
                del left[one]
        now = after
        while starts and sent[starts[0]][0] == now:
            one = starts.pop(0)
            left[one] = Fraction(sent[one][2] * S << RATE_BITS)
    return done


class TestNetwork:
    def test_three_transfers_over_two_links(self) -> None:
        """A on the wide link, B on both, C on the narrow one; 40 MB each."""
        clock = Clock()
        links = network(clock, LinkSpec(10e6), LinkSpec(4e6))
        found = act(clock, *(sending(links, way, 40_000_000) for way in ((0,), (0, 1), (1,))))
        assert [end for end, _ in found] == [5 * S, 20 * S, 20 * S]
        assert [link.bytes for link in links.links] == [80_000_000, 80_000_000]
        assert links.carried() == [80e6, 80e6]

    def test_time_is_charged_to_the_narrowest_link_and_of_equals_to_the_last(self) -> None:
        clock = Clock()
        links = network(clock, LinkSpec(2e6), LinkSpec(1e6), LinkSpec(1e6))
        assert act(clock, sending(links, (0, 1, 2), 1_000_000)) == [(1 * S, {2: [0, 1 * S]})]

    def test_latencies_add_up(self) -> None:
        links = network(Clock(), LinkSpec(1e6, 5), LinkSpec(2e6, 7))
        assert links.latency_ns((0, 1)) == 12

    @given(
        networks(),
        st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**4)), min_size=12, max_size=12),
    )
    def test_transfers_in_time(
        self, drawn: tuple[list[int], list[list[int]]], when: list[tuple[int, int]]
    ) -> None:
        """Ends of the fluid, none sooner than alone, and every byte on every link of its way."""
        capacities, routes = drawn
        clock = Clock()
        links = network(clock, *(LinkSpec(one / (1 << RATE_BITS)) for one in capacities))
        assert [link.capacity for link in links.links] == capacities
        sent = [(at, tuple(route), size) for route, (at, size) in zip(routes, when, strict=False)]
        found = act(clock, *(sending(links, way, size, at=at) for at, way, size in sent))
        exact = fluid_ends(capacities, sent)
        for (end, spent), (at, way, size), ideal in zip(found, sent, exact, strict=True):
            assert end - at >= max(links.links[link].alone_for(size) for link in way)
            assert sum(map(sum, spent.values())) == end - at
            # Every end is rounded up to a nanosecond; what that takes from others is as little.
            assert end == pytest.approx(float(ideal), rel=1e-9, abs=500 * len(sent))
        for number, link in enumerate(links.links):
            assert link.bytes == sum(size for _, way, size in sent if number in way)
