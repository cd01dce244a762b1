"""Links that are shared max-min fairly: the law of their rates, and transfers in time."""

from __future__ import annotations

from fractions import Fraction

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.actor import Actor, Steps
from simulator.machine.link import Network
from simulator.machine.maxmin import RATE_BITS, LinkSpec, max_min
from tests.actors import Life, act, ends

Routes = list[list[int]]
S = 10**9


@st.composite
def networks(draw: st.DrawFn, largest: int = 10**6) -> tuple[list[int], Routes]:
    """Capacities, and routes over one link or more, none twice; enough for a unit each."""
    links = draw(st.integers(1, 5))
    capacities = draw(st.lists(st.integers(1000, largest), min_size=links, max_size=links))
    route = st.lists(st.integers(0, links - 1), min_size=1, max_size=links, unique=True)
    return capacities, draw(st.lists(route, min_size=1, max_size=12))


class TestMaxMin:
    def test_one_link_is_divided_evenly(self) -> None:
        assert max_min([12], [[0], [0], [0]]) == [4, 4, 4]

    def test_who_is_held_up_elsewhere_leaves_more_for_the_others(self) -> None:
        assert max_min([10, 4], [[0], [0, 1], [1]]) == [8, 2, 2]

    def test_the_parking_lot(self) -> None:
        """One long transfer over three links, and one short over each."""
        routes = [[0, 1, 2], [0], [1], [2]]
        assert max_min([6, 10, 12], routes) == [3, 3, 7, 9]

    def test_alone_it_has_the_narrowest_link(self) -> None:
        assert max_min([7, 5, 9], [[0, 1, 2]]) == [5]

    def test_nobody_stands_still_however_many_there_are(self) -> None:
        assert max_min([3], [[0]] * 5) == [1] * 5

    @given(networks())
    def test_no_link_carries_more_than_it_can(self, drawn: tuple[list[int], Routes]) -> None:
        capacities, routes = drawn
        rates = max_min(capacities, routes)
        assert all(rate >= 1 for rate in rates)
        for link, capacity in enumerate(capacities):
            load = sum(r for r, route in zip(rates, routes, strict=True) if link in route)
            assert load <= capacity

    @given(networks())
    def test_everybody_has_a_full_link_where_nobody_has_more(
        self, drawn: tuple[list[int], Routes]
    ) -> None:
        """The definition of max-min fairness, up to what rounding down leaves."""
        capacities, routes = drawn
        rates = max_min(capacities, routes)
        for rate, route in zip(rates, routes, strict=True):
            assert any(
                capacities[link] - sum(on) < len(on) and rate == max(on)
                for link in route
                for on in [[r for r, other in zip(rates, routes, strict=True) if link in other]]
            )

    @given(networks(), st.randoms())
    def test_the_order_of_transfers_makes_no_difference(
        self, drawn: tuple[list[int], Routes], chance: object
    ) -> None:
        capacities, routes = drawn
        order = list(range(len(routes)))
        chance.shuffle(order)  # type: ignore[attr-defined]
        rates = max_min(capacities, routes)
        assert max_min(capacities, [routes[one] for one in order]) == [rates[one] for one in order]

    @given(networks())
    def test_a_link_in_series_with_its_like_changes_nothing(
        self, drawn: tuple[list[int], Routes]
    ) -> None:
        capacities, routes = drawn
        twice = [[*route, *([len(capacities)] if 0 in route else [])] for route in routes]
        assert max_min([*capacities, capacities[0]], twice) == max_min(capacities, routes)


def network(env: simpy.Environment, *rates: float) -> Network:
    specs = [LinkSpec(rate) for rate in rates]
    return Network(env, 1000, [f"link{i}" for i in range(len(rates))], specs)


def send(links: Network, route: tuple[int, ...], size: int, *, at: int = 0) -> Life:
    def life(actor: Actor) -> Steps:
        yield actor.until(at)
        yield links.send(actor, route, size)

    return life


def fluid_ends(
    capacities: list[int], sent: list[tuple[int, tuple[int, ...], int]]
) -> list[Fraction]:
    """When (at, route, size) end if no time is rounded, at the rates of ``max_min``."""
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
        """O14: A on the wide link, B on both, C on the narrow one; 40 MB each."""
        env = simpy.Environment()
        links = network(env, 10e6, 4e6)
        lives = [send(links, route, 40_000_000) for route in ((0,), (0, 1), (1,))]
        assert ends(act(*lives, env=env)) == [5 * S, 20 * S, 20 * S]
        assert links.bytes == [80_000_000, 80_000_000]
        assert links.carried() == [80e6, 80e6]

    def test_two_share_while_both_are_there(self) -> None:
        env = simpy.Environment()
        links = network(env, 1e6)
        actors = act(send(links, (0,), 3_000_000), send(links, (0,), 1_000_000, at=1 * S), env=env)
        assert ends(actors) == [4 * S, 3 * S]
        assert [actor.spent["link0"] for actor in actors] == [[1 * S, 3 * S], [1 * S, 1 * S]]

    def test_time_is_charged_to_the_narrowest_link_and_of_equals_to_the_last(self) -> None:
        env = simpy.Environment()
        links = network(env, 2e6, 1e6, 1e6)
        (actor,) = act(send(links, (0, 1, 2), 1_000_000), env=env)
        assert actor.spent == {"link2": [0, 1 * S]}

    def test_latencies_add_up(self) -> None:
        links = Network(simpy.Environment(), 0, ["a", "b"], [LinkSpec(1e6, 5), LinkSpec(2e6, 7)])
        assert (links.latency_ns((0, 1)), links.alone_ns((0, 1), 1_000_000)) == (12, S)

    @given(
        networks(largest=10**7),
        st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 10**4)), min_size=12, max_size=12),
    )
    def test_transfers_in_time(
        self, drawn: tuple[list[int], Routes], when: list[tuple[int, int]]
    ) -> None:
        """Ends of the fluid, nobody sooner than alone, and every byte on every link of its way."""
        capacities, routes = drawn
        env = simpy.Environment()
        links = network(env, *(one / (1 << RATE_BITS) for one in capacities))
        assert links.capacities == capacities
        sent = [(at, tuple(route), size) for route, (at, size) in zip(routes, when, strict=False)]
        actors = act(*(send(links, route, size, at=at) for at, route, size in sent), env=env)
        exact = fluid_ends(capacities, sent)
        for actor, (at, route, size), ideal in zip(actors, sent, exact, strict=True):
            alone = links.alone_ns(route, size)
            assert actor.now - at >= alone
            assert sum(map(sum, actor.spent.values())) == actor.now - at
            # Every end is rounded up to a nanosecond; what that takes from others is as little.
            assert actor.now == pytest.approx(float(ideal), rel=1e-9, abs=500 * len(sent))
        for link, moved in enumerate(links.bytes):
            assert moved == sum(size for _, route, size in sent if link in route)
