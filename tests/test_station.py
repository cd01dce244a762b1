"""Stations against arithmetic, against Lindley's recursion, and against themselves."""

from __future__ import annotations

import math

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.actor import Actor, Steps
from simulator.machine.noise import Noise
from simulator.machine.station import ServiceSpec, Station, take_all, take_route
from tests.actors import Life, act, ends, visit
from tests.plans import per_byte


def station(ns_per_byte: float = 1, overhead_ns: int = 0, *, servers: int = 1) -> Station:
    return Station("s", per_byte(ns_per_byte, overhead_ns), servers=servers)


class TestServiceSpec:
    def test_overhead_and_bytes_over_rate(self) -> None:
        assert ServiceSpec(36e6, 1000).service_ns(8_000_000) == 222_222_222 + 1000

    @pytest.mark.parametrize(("size", "service"), [(0, 7), (1, 7), (2, 8), (3, 8), (5, 9)])
    def test_is_rounded_to_the_nearest_nanosecond(self, size: int, service: int) -> None:
        assert ServiceSpec(3e9, 7).service_ns(size) == service

    def test_an_infinite_rate_leaves_the_overhead(self) -> None:
        assert ServiceSpec(math.inf, 12).service_ns(10**15) == 12


class TestStation:
    def test_one_request_is_served_at_once(self) -> None:
        one = station(3, 20)
        (actor,) = act(visit(one, 100, at=50))
        assert actor.now == 50 + 20 + 300
        assert actor.spent == {"s": [0, 320]}
        assert (one.requests, one.bytes, one.busy_ns) == (1, 100, 320)

    def test_a_second_request_waits_and_says_so(self) -> None:
        actors = act(visit(one := station(1), 100), visit(one, 30, at=40))
        assert ends(actors) == [100, 130]
        assert actors[1].spent == {"s": [60, 30]}
        assert (one.requests, one.bytes, one.busy_ns) == (2, 130, 130)

    def test_an_idle_station_is_not_busy(self) -> None:
        one = station()
        assert ends(act(visit(one, 10), visit(one, 10, at=1000))) == [10, 1010]
        assert one.busy_ns == 20

    def test_first_come_first_served_whatever_their_numbers(self) -> None:
        one = station()
        assert ends(act(visit(one, 5, at=10), visit(one, 100, at=9))) == [114, 109]

    def test_in_the_same_nanosecond_the_lower_number_comes_first(self) -> None:
        one, env = station(), simpy.Environment()
        # The order in which the processes begin must not matter.
        actors = [Actor(env, number, str(number)) for number in (2, 0, 1)]
        for actor in actors:
            env.process(visit(one, 10, at=7)(actor))
        env.run()
        assert {actor.number: actor.now for actor in actors} == {0: 17, 1: 27, 2: 37}

    def test_who_is_served_now_goes_on_before_a_higher_number_comes(self) -> None:
        """Both act at 10: the lower number is first, whether it comes or comes again."""

        def twice(actor: Actor) -> Steps:
            yield actor.until(one.take(actor, 10))
            yield actor.until(one.take(actor, 10))

        one = station()
        assert ends(act(twice, visit(one, 5, at=10))) == [20, 25]
        one = station()
        assert ends(act(visit(one, 5, at=10), twice)) == [15, 25]

    def test_several_servers_take_several_requests(self) -> None:
        two = station(servers=2)
        actors = act(visit(two, 10), visit(two, 30), visit(two, 5), visit(two, 100))
        # The third follows the first on server 0, and so does the fourth.
        assert ends(actors) == [10, 30, 15, 115]
        assert two.busy_ns == 145
        assert two.free_at == [115, 30]

    def test_the_server_that_was_free_first_serves_and_of_several_the_lowest(self) -> None:
        three = station(servers=3)
        act(visit(three, 4), visit(three, 2), visit(three, 3, at=100), visit(three, 1, at=200))
        assert three.free_at == [4, 201, 103]

    def test_noise_counts_the_requests_of_the_station(self) -> None:
        noise = Noise.of(1, 0, "s", run_sd=0.0, request_sd=0.5)
        one = Station("s", ServiceSpec(1e9), noise=noise)
        first, second = noise.stretch(1000, 1), noise.stretch(1000, 2)
        assert ends(act(visit(one, 1000), visit(one, 1000))) == [first, first + second]
        assert first != second

    def test_no_server_is_refused(self) -> None:
        with pytest.raises(ValueError, match="gate: need at least one server, got 0"):
            Station("gate", ServiceSpec(1.0), servers=0)


def over(*stations: Station, size: int, at: int = 0) -> Life:
    """Take several stations at once."""

    def life(actor: Actor) -> Steps:
        yield actor.until(at)
        yield actor.until(take_route(actor, stations, size))

    return life


class TestRoute:
    def test_lasts_as_long_as_its_slowest_station(self) -> None:
        out, into, channel = (Station(n, per_byte(b)) for n, b in (("o", 2), ("i", 2), ("c", 5)))
        (actor,) = act(over(out, into, channel, size=10))
        assert actor.now == 50
        assert actor.spent == {"c": [0, 50]}
        assert (out.free_at, into.free_at, channel.free_at) == ([20], [20], [50])
        assert (out.busy_ns, into.busy_ns, channel.busy_ns) == (20, 20, 50)

    def test_begins_when_all_its_stations_are_free(self) -> None:
        out, into = Station("o", per_byte(1)), Station("i", per_byte(1))
        actors = act(visit(out, 100), visit(into, 70), over(out, into, size=10, at=50))
        assert actors[2].now == 110
        assert actors[2].spent == {"o": [50, 10]}
        assert into.free_at == [110]

    def test_a_station_kept_for_a_route_is_not_given_to_who_comes_later(self) -> None:
        """The route comes first at both stations, though it cannot begin."""
        busy, idle = Station("b", per_byte(1)), Station("i", per_byte(1))
        actors = act(visit(busy, 100), over(busy, idle, size=10, at=1), visit(idle, 5, at=2))
        assert ends(actors) == [100, 110, 115]

    def test_a_tie_is_charged_to_the_first(self) -> None:
        first, second = Station("first", per_byte(1)), Station("second", per_byte(1))
        actors = act(visit(first, 9), visit(second, 9), over(first, second, size=4, at=5))
        assert actors[2].spent == {"first": [4, 4]}

    def test_takes_the_server_that_is_free_first(self) -> None:
        port, channels = Station("p", per_byte(0)), Station("c", per_byte(1), servers=2)
        routes = [over(port, channels, size=size) for size in (10, 30, 10)]
        assert ends(act(*routes)) == [10, 30, 20]


class TestAll:
    def at_once(self, *pieces: tuple[Station, int]) -> Life:
        def life(actor: Actor) -> Steps:
            yield actor.until(0)
            yield actor.until(take_all(actor, pieces))

        return life

    def test_ends_with_the_last_piece_and_is_charged_for_it(self) -> None:
        a, b = Station("a", per_byte(1)), Station("b", per_byte(1))
        actors = act(visit(b, 50), self.at_once((a, 90), (b, 60)))
        assert actors[1].now == 110
        assert actors[1].spent == {"b": [50, 60]}
        assert (a.busy_ns, b.busy_ns) == (90, 110)

    def test_pieces_at_one_station_queue_for_its_servers(self) -> None:
        paths = Station("p", per_byte(1), servers=2)
        (actor,) = act(self.at_once((paths, 10), (paths, 20), (paths, 15)))
        assert actor.now == 25
        assert actor.spent == {"p": [10, 15]}

    def test_a_tie_is_charged_to_the_first(self) -> None:
        a, b = Station("a", per_byte(1)), Station("b", per_byte(1))
        actors = act(self.at_once((a, 10), (b, 10)))
        assert actors[0].spent == {"a": [0, 10]}

    def test_pieces_that_cost_nothing_end_now(self) -> None:
        free = Station("free", per_byte(0))
        (actor,) = act(self.at_once((free, 10), (free, 20)))
        assert (actor.now, actor.spent) == (0, {"free": [0, 0]})


requests = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 40)), max_size=30)
"""(gap after the one before, size)"""


def served(pairs: list[tuple[int, int]], servers: int, overhead: int = 0) -> list[int]:
    one = station(1, overhead, servers=servers)
    at, lives = 0, []
    for gap, size in pairs:
        at += gap
        lives.append(visit(one, size, at=at))
    return ends(act(*lives))


def lindley(pairs: list[tuple[int, int]], servers: int) -> list[int]:
    """When each request ends: the servers' free times in a sorted list, too simple to be wrong."""
    free, done, at = [0] * servers, [], 0
    for gap, size in pairs:
        at += gap
        free.sort()
        free[0] = max(at, free[0]) + size
        done.append(free[0])
    return done


@given(requests, st.integers(1, 4))
def test_ends_follow_lindleys_recursion(pairs: list[tuple[int, int]], servers: int) -> None:
    assert served(pairs, servers) == lindley(pairs, servers)


@given(requests, st.integers(1, 3), st.integers(0, 30), st.integers(0, 40))
def test_a_later_request_changes_nothing_for_earlier_ones(
    pairs: list[tuple[int, int]], servers: int, gap: int, size: int
) -> None:
    assert served([*pairs, (gap, size)], servers)[:-1] == served(pairs, servers)


@given(requests, st.data())
def test_a_request_of_nothing_changes_nothing(
    pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(pairs)))
    more = [*pairs[:place], (0, 0), *pairs[place:]]
    assert [*served(more, 1)[:place], *served(more, 1)[place + 1 :]] == served(pairs, 1)


@given(st.integers(0, 50), st.integers(1, 50))
def test_two_halves_cost_one_overhead_more(overhead: int, half: int) -> None:
    whole, halves = [(0, 2 * half)], [(0, half), (0, half)]
    assert served(halves, 1, overhead)[-1] == served(whole, 1, overhead)[-1] + overhead


@given(requests, st.integers(1, 4))
def test_a_server_is_never_busy_for_longer_than_the_time_that_passed(
    pairs: list[tuple[int, int]], servers: int
) -> None:
    one = station(servers=servers)
    at = 0
    lives = [visit(one, size, at=(at := at + gap)) for gap, size in pairs]
    actors = act(*lives)
    assert one.busy_ns == sum(size for _, size in pairs) == one.bytes
    assert one.busy_ns <= servers * max(ends(actors), default=0)
    waits = [
        end - life for end, life in zip(lindley(pairs, servers), _arrivals(pairs), strict=True)
    ]
    assert [sum(actor.spent["s"]) for actor in actors] == waits


def _arrivals(pairs: list[tuple[int, int]]) -> list[int]:
    at = 0
    return [at := at + gap for gap, _ in pairs]
