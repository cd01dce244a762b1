"""Accounts of a plan: what is bought and paid in each year, and what that counts today.

An amount of year y counts 1 / (1 + discount)^y. A piece that is bought in year y has its price of
that year. With ``ownership`` there are, at the beginning of each year, the energy of that year of
the machine that is there, and the support of all that was bought until then; and at the end of the
last year the residual value of all that was bought.

What packs, or a number that is cheaper than the one needed, leave over is used later; a pack is
taken out when none of it is in use. Of two alternatives nothing is shared: a change buys the other
machine whole.

Not modelled: what is taken out brings nothing before the end, and its support goes on; work, and
moving data to other disks, cost nothing; nothing is bought for later because more is cheaper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.catalogue import Purchase
from simulator.config.growth import Purchasing
from simulator.config.ownership import Ownership

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement
    from simulator.sizing.configurations import Configuration

_NONE = Ownership(years=1.0, power_price=0.0)
"""Without ownership there are prices alone."""


@dataclass(frozen=True, slots=True)
class Year:
    """One year of a plan: from a number of years after its beginning on."""

    year: int
    machine: Configuration
    """That is there, after what is bought."""
    purchases: Mapping[str, Purchase]
    """By names in the catalogue, with this year's price, and what is left over then."""
    out: Mapping[str, int]
    """Pieces that are taken out."""
    price: float
    """Of what is bought, in this year;"""
    energy: float
    support: float
    today: float
    """all three, as they count today."""

    @property
    def bought(self) -> dict[str, int]:
        """Pieces that are bought, by their names in the catalogue."""
        return {item: one.sold * one.pack for item, one in self.purchases.items()}

    @property
    def running(self) -> float:
        """Energy and support."""
        return self.energy + self.support


@dataclass(frozen=True, slots=True)
class Account:
    """All years of a plan."""

    years: tuple[Year, ...]
    residual: float
    """Value at the end, in the money of that year;"""
    residual_today: float
    """and as it counts today."""

    @property
    def total(self) -> float:
        """What all of it counts today."""
        return sum(one.today for one in self.years) - self.residual_today


class Accounts:
    """The accounts of plans of a requirement."""

    def __init__(self, requirement: Requirement) -> None:
        assert requirement.plan is not None
        self.plan: Purchasing = requirement.plan
        self.years = int(requirement.years)
        self.periods = self.plan.periods(self.years)
        self._catalogue = requirement.catalogue
        self._owned = requirement.ownership or _NONE

    def packs(self, one: Configuration) -> dict[tuple[str, str], int]:
        """Return how many packs a machine has, by its alternative and the names of things."""
        catalogue, name = self._catalogue, one.alternative
        return {
            (name, item): -(-n // (catalogue[item].pack or 1)) for item, n in one.pieces.items()
        }

    def purchase(self, item: str, packs: int) -> tuple[int, float]:
        """Return how many packs are bought where so many are needed, and their sum today."""
        sold, price = self._catalogue[item].price.at_least(packs)
        return sold, sold * price

    def energy(self, machine: Configuration) -> float:
        """Return the price of a year's energy of a machine."""
        return self._owned.bill(0.0, machine.power).energy / self._owned.years

    def counts(self, item: str, year: int) -> float:
        """Return what 1 of today's price counts in a year, with its support, less its residual."""
        worth, owned = self.plan.worth, self._owned
        later = sum(worth(each) for each in range(year, self.years))
        of_price = worth(year) + owned.support * later - owned.residual * worth(self.years)
        return self.plan.left(item, year) * of_price

    def running(self, machine: Configuration, period: range) -> float:
        """Return what the energy of a machine in a period counts."""
        return self.energy(machine) * sum(self.plan.worth(year) for year in period)

    def account(self, machines: Sequence[Configuration]) -> Account:
        """Return the account of a plan that has these machines, one for each period."""
        found: list[Year] = []
        there: Configuration | None = None
        spare = Counter[tuple[str, str]]()
        """Packs of which nothing is in use."""
        paid = 0.0
        for machine, period in zip(machines, self.periods, strict=True):
            for year in period:
                bought = self._bought(machine, there, spare, year)
                out = {} if there is None else _more(there, machine)
                price = sum(one.together for one in bought.values())
                paid += price
                energy, support = self.energy(machine), paid * self._owned.support
                today = (price + energy + support) * self.plan.worth(year)
                found.append(Year(year, machine, bought, out, price, energy, support, today))
                there = machine
        residual = paid * self._owned.residual
        return Account(tuple(found), residual, residual * self.plan.worth(self.years))

    def _bought(
        self,
        machine: Configuration,
        before: Configuration | None,
        spare: Counter[tuple[str, str]],
        year: int,
    ) -> dict[str, Purchase]:
        """Return what a machine takes beyond that before and the spare packs."""
        there = {} if before is None else self.packs(before)
        found = {}
        for thing, packs in self.packs(machine).items():
            item, more = thing[1], max(0, packs - there.get(thing, 0))
            sold, paid = self.purchase(item, max(0, more - spare[thing]))
            spare[thing] += sold - more
            if sold:
                pack = self._catalogue[item].pack or 1
                rest = (packs + spare[thing]) * pack - machine.pieces[item]
                found[item] = Purchase(sold, pack, paid / sold * self.plan.left(item, year), rest)
        return found


def _more(one: Configuration, other: Configuration) -> dict[str, int]:
    """Return of which pieces there are more than in another machine; all if it shares none."""
    others = other.pieces if other.alternative == one.alternative else {}
    counts = {item: count - others.get(item, 0) for item, count in one.pieces.items()}
    return {item: count for item, count in counts.items() if count > 0}
