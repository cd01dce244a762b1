"""Links that are shared max-min fairly: the law of their rates."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simulator.kinds.parts.link.reference import max_min

Routes = list[list[int]]


@st.composite
def networks(draw: st.DrawFn, largest: int = 10**6) -> tuple[list[int], Routes]:
    """Capacities, and routes over one link or more, none twice; enough for a unit each."""
    links = draw(st.integers(1, 5))
    capacities = draw(st.lists(st.integers(1000, largest), min_size=links, max_size=links))
    route = st.lists(st.integers(0, links - 1), min_size=1, max_size=links, unique=True)
    return capacities, draw(st.lists(route, min_size=1, max_size=12))


class TestMaxMin:
    def test_the_parking_lot(self) -> None:
        """One long transfer over three links, and one short over each."""
        routes = [[0, 1, 2], [0], [1], [2]]
        assert max_min([6, 10, 12], routes) == [3, 3, 7, 9]

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
