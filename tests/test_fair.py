"""The fair link against arithmetic and against a fluid in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import simpy
from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.actor import Actor, Steps
from simulator.machine.fair import FairStation
from simulator.machine.lan import Lan
from simulator.machine.noise import Noise
from simulator.machine.sharing import FairShare
from simulator.machine.station import ServiceSpec, Station
from tests.actors import Life, act, ends
from tests.plans import per_byte

Transfers = list[tuple[int, int]]
"""(when it begins, how long it would take alone)"""


def shared(transfers: Transfers) -> list[int]:
    """When each transfer ends, by FairShare; they begin in order of time."""
    link, done, now = FairShare(len(transfers)), [0] * len(transfers), 0

    def go_on(until: int | None) -> None:
        while link.count and (until is None or link.next_end() <= until):
            end = link.next_end()
            while (number := link.finish(end)) >= 0:
                done[number] = end

    for number, (now, service) in enumerate(transfers):
        go_on(now)
        link.add(now, number, service)
    go_on(None)
    return done


def fluid(transfers: Transfers) -> list[Fraction]:
    """The same in fractions: at every moment each of n transfers has 1/n of the link."""
    left: dict[int, Fraction] = {}
    done = [Fraction(0)] * len(transfers)
    now = Fraction(0)

    def flow(until: Fraction | None) -> None:
        nonlocal now
        while left:
            first = now + min(left.values()) * len(left)
            stop = first if until is None else min(first, until)
            share = (stop - now) / len(left)
            now = stop
            for number in list(left):
                left[number] -= share
                if left[number] == 0:
                    done[number] = now
                    del left[number]
            if stop == until:
                break
        now = until if until is not None else now

    for number, (begin, service) in enumerate(transfers):
        flow(Fraction(begin))
        left[number] = Fraction(service)
    flow(None)
    return done


class TestFairShare:
    def test_alone_it_is_a_queue_of_one(self) -> None:
        assert shared([(5, 100), (300, 7)]) == [105, 307]

    def test_two_together_take_twice_as_long(self) -> None:
        assert shared([(0, 100), (0, 100)]) == [200, 200]

    def test_a_short_one_passes_a_long_one(self) -> None:
        # Until 20 alone, until 40 half each: then 30 + 10 of 100 are done, and 60 are left.
        assert shared([(0, 100), (20, 10)]) == [110, 40]

    def test_whoever_is_left_gets_everything_again(self) -> None:
        # 30 each until 90, 60 more for two until 210, and 40 alone.
        assert shared([(0, 30), (0, 90), (0, 130)]) == [90, 210, 250]

    def test_an_end_is_rounded_up_to_a_whole_nanosecond(self) -> None:
        # Half of the second is done when the third begins, which needs half a ns in three parts.
        transfers = [(0, 10), (5, 1), (6, 1)]
        assert fluid(transfers) == [12, Fraction(15, 2), Fraction(17, 2)]
        assert shared(transfers) == [13, 8, 9]

    def test_nothing_ends_when_nothing_is_under_way(self) -> None:
        assert FairShare(1).next_end() == -1
        assert FairShare(1).finish(100) == -1

    def test_a_transfer_of_nothing_ends_at_once(self) -> None:
        assert shared([(0, 10), (4, 0)]) == [10, 4]

    @given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 60)), max_size=12))
    def test_agrees_with_the_fluid_to_a_nanosecond_each(self, drawn: Transfers) -> None:
        at = 0
        transfers = [(at := at + gap, service) for gap, service in drawn]
        exact = fluid(transfers)
        for real, ideal in zip(shared(transfers), exact, strict=True):
            before = sum(end <= ideal for end in exact)
            assert ideal <= real <= ideal + before + 1

    @given(st.lists(st.integers(1, 10**12), min_size=1, max_size=30))
    def test_the_link_is_never_idle_while_there_is_work(self, services: list[int]) -> None:
        last = max(shared([(0, service) for service in services]))
        assert sum(services) <= last <= sum(services) + len(services)


def link(env: simpy.Environment, actors: int, **changes: object) -> FairStation:
    return FairStation(env, actors, "lan", per_byte(1, 10), **changes)  # type: ignore[arg-type]


def send(lan: Lan, size: int, *, at: int = 0) -> Life:
    def life(actor: Actor) -> Steps:
        yield actor.until(at)
        yield lan.send(actor, size)

    return life


class TestFairStation:
    def test_what_sharing_adds_is_waiting(self) -> None:
        env = simpy.Environment()
        fair = link(env, 2)
        actors = act(send(Lan(fair), 90), send(Lan(fair), 90), env=env)
        assert ends(actors) == [200, 200]
        assert [actor.spent for actor in actors] == [{"lan": [100, 100]}] * 2
        assert (fair.requests, fair.bytes, fair.busy_ns) == (2, 180, 200)

    def test_a_transfer_that_begins_puts_the_others_off(self) -> None:
        env = simpy.Environment()
        fair = link(env, 2)
        actors = act(send(Lan(fair), 90), send(Lan(fair), 10, at=40), env=env)
        # 40 alone, then 20 of the second with half the link, then 40 of the first.
        assert ends(actors) == [120, 80]
        assert actors[0].spent == {"lan": [20, 100]}
        assert actors[1].spent == {"lan": [20, 20]}
        assert fair.rings == 2
        assert env.now == 120  # a timer that no longer counts does not make the run longer

    def test_a_transfer_can_begin_when_another_ends(self) -> None:
        env = simpy.Environment()
        fair = link(env, 2)
        assert ends(act(send(Lan(fair), 90), send(Lan(fair), 90, at=100), env=env)) == [100, 200]

    def test_of_two_that_end_together_the_lower_number_goes_on_first(self) -> None:
        env = simpy.Environment()
        fair, gate = link(env, 2), Station("gate", per_byte(1))

        def life(actor: Actor) -> Steps:
            yield fair.take(actor, 50)
            yield actor.until(gate.take(actor, 10))

        assert ends(act(life, life, env=env)) == [130, 140]

    def test_has_noise_for_each_request(self) -> None:
        env = simpy.Environment()
        noise = Noise.of(3, 0, "lan", run_sd=0.0, request_sd=0.5)
        fair = link(env, 1, noise=noise)
        (actor,) = act(send(Lan(fair), 90), env=env)
        assert actor.now == noise.stretch(100, 1) != 100

    @given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 90)), min_size=1, max_size=12))
    def test_accounts_for_all_the_time_of_all(self, transfers: Transfers) -> None:
        env = simpy.Environment()
        fair = link(env, len(transfers))
        actors = act(*(send(Lan(fair), size, at=at) for at, size in transfers), env=env)
        order = sorted(range(len(transfers)), key=lambda i: (transfers[i][0], i))
        expected = shared([(transfers[i][0], transfers[i][1] + 10) for i in order])
        assert [actors[i].now for i in order] == expected
        for actor, (at, _) in zip(actors, transfers, strict=True):
            assert sum(actor.spent["lan"]) == actor.now - at
            assert min(actor.spent["lan"]) >= 0
        assert env.now == max(ends(actors))
        assert fair.busy_ns <= env.now


def test_a_lan_that_is_a_queue_serves_one_after_the_other() -> None:
    lan = Lan(Station("lan", ServiceSpec(1e9, 10)))
    actors = act(send(lan, 90), send(lan, 90))
    assert ends(actors) == [100, 200]
    assert actors[1].spent == {"lan": [100, 100]}
    assert lan.rings == 0
