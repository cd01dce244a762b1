"""What a thing of a catalogue costs: its price from so many on, its packs, and where it has room.

Not modelled: packs of several sizes of one thing, and a discount on the sum of several things.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from simulator.config.amounts import Money, show_amount
from simulator.config.errors import Fault
from simulator.config.quantities import Count, CountOrNone, Leaf, each
from simulator.config.section import Section, leaf_of

if TYPE_CHECKING:
    from simulator.config.requirement_file import Item

_MONEY = leaf_of(Money)
_COUNT = leaf_of(Count)
_LIKE = "'{1: 300, 10: 285}'"


@dataclass(frozen=True, slots=True)
class Price:
    """The price of one, which may be lower from so many on."""

    steps: tuple[tuple[int, float], ...]
    """From how many on each price holds, for all of them: the first from 1 on."""

    def at_least(self, count: int) -> tuple[int, float]:
        """Return how many to buy for the least sum, of at least so many; and the price of one.

        Ten at 260 are cheaper than nine at 300: so the sum never falls with the count.

        >>> Price(((1, 300.0), (10, 260.0))).at_least(9)
        (10, 260.0)
        """
        _, now = max(step for step in self.steps if step[0] <= max(count, 1))
        offers = [(count, now), *(step for step in self.steps if step[0] > count > 0)]
        return min(offers, key=lambda one: (one[0] * one[1], one[0]))


def _read_price(value: object) -> Price:
    """Read the price of one, or prices by the number from which on they hold."""
    if isinstance(value, Price):
        return value
    if not isinstance(value, Mapping):
        return Price(((1, _MONEY.read(value)),))
    keys = each(_COUNT.read, ((key, key) for key in value))
    prices = each(_MONEY.read, value.items())
    steps = sorted((keys[key], price) for key, price in prices.items())
    if not steps or steps[0][0] != 1:
        raise ValueError(f"has no price of a single one; write it from 1 on, like {_LIKE}")
    for (fewer, before), (more, price) in itertools.pairwise(steps):
        if more == fewer or price > before:
            about = f"{show_amount(price)} from {more} on is more than {show_amount(before)}"
            raise ValueError(f"{about} from {fewer} on; write prices that fall, like {_LIKE}")
    return Price(tuple(steps))


def _show_price(value: Price) -> str:
    if len(value.steps) == 1:
        return show_amount(value.steps[0][1])
    return f"{{{', '.join(f'{count}: {show_amount(one)}' for count, one in value.steps)}}}"


_SCHEMA: dict[str, Any] = {
    "anyOf": [
        _MONEY.schema,
        {"type": "object", "additionalProperties": _MONEY.schema, "minProperties": 1},
    ]
}


@dataclass(frozen=True, slots=True)
class Purchase:
    """What is paid for a number of pieces."""

    sold: int
    """Pieces that are bought, or packs of them."""
    pack: int
    """Pieces of each."""
    each: float
    """The price of each."""
    left_over: int
    """Pieces that are bought and not needed."""

    @property
    def together(self) -> float:
        """The price of all."""
        return self.sold * self.each


class Sold(Section):
    """One thing that is sold by the piece, or in packs."""

    price: Annotated[Price, Leaf("price", "8000", _read_price, _show_price, _SCHEMA, keyed=True)]
    """Of one piece, or of one pack, in the file's currency; lower from so many on."""
    pack: Count | None = None
    """Pieces of a pack; left out: it is sold by the piece."""

    def purchase(self, pieces: int) -> Purchase:
        """Return what is paid for so many pieces at least: whole packs, at the least sum."""
        pack = self.pack or 1
        sold, price = self.price.at_least(-(-pieces // pack))
        return Purchase(sold, pack, price, sold * pack - pieces)


# -- where there is room --------------------------------------------------------------------------


def faults_of_holders(
    catalogue: Mapping[str, Item], buys: Iterable[Mapping[str, CountOrNone]]
) -> Iterator[Fault]:
    """Find what is bought, and has its place only in what no choice buys."""
    bought = {item for one in buys for item, count in one.items() if count}
    sheltered = {item for holder in bought & {*catalogue} for item in catalogue[holder].takes}
    for holder, one in catalogue.items():
        if items := bought.intersection(one.takes) - sheltered:
            about = f"no choice buys a {holder}, where each {' and '.join(sorted(items))} goes"
            cure = f"write '{holder}: 1' under the 'buys' of one, or leave this out"
            yield ("catalogue", holder, "takes"), f"{about}; {cure}"
