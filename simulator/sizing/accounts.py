"""Accounts of a plan: what is bought and paid in each year, and what that counts today.

An amount of year y counts 1 / (1 + discount)^y. A piece that is bought in year y has its price of
that year. With ``ownership`` there are, at the beginning of each year, the energy of that year of
the machine that is there, and the support of all that was bought until then; and at the end of the
last year the residual value of all that was bought.

Not modelled: what is taken out brings nothing before the end, and its support goes on; work, and
moving data to other disks, cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    bought: Mapping[str, int]
    """Pieces, by their names in the catalogue."""
    out: Mapping[str, int]
    """Pieces that are taken out."""
    price: float
    """Of what is bought, in this year;"""
    energy: float
    support: float
    today: float
    """all three, as they count today."""

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

    def price(self, item: str, year: int) -> float:
        """Return the price of a piece in a year, in the money of that year."""
        return self._catalogue[item].price.steps[0][1] * self.plan.left(item, year)

    def energy(self, machine: Configuration) -> float:
        """Return the price of a year's energy of a machine."""
        return self._owned.bill(0.0, machine.power).energy / self._owned.years

    def of_piece(self, item: str, year: int) -> float:
        """Return what a piece bought in a year counts, with its support, less its residual."""
        worth, owned = self.plan.worth, self._owned
        later = sum(worth(each) for each in range(year, self.years))
        of_price = worth(year) + owned.support * later - owned.residual * worth(self.years)
        return self.price(item, year) * of_price

    def running(self, machine: Configuration, period: range) -> float:
        """Return what the energy of a machine in a period counts."""
        return self.energy(machine) * sum(self.plan.worth(year) for year in period)

    def account(self, machines: Sequence[Configuration]) -> Account:
        """Return the account of a plan that has these machines, one for each period."""
        found: list[Year] = []
        there: Mapping[str, int] = {}
        paid = 0.0
        for machine, period in zip(machines, self.periods, strict=True):
            for year in period:
                bought, out = _more(machine.pieces, there), _more(there, machine.pieces)
                price = sum(count * self.price(item, year) for item, count in bought.items())
                paid += price
                energy, support = self.energy(machine), paid * self._owned.support
                today = (price + energy + support) * self.plan.worth(year)
                found.append(Year(year, machine, bought, out, price, energy, support, today))
                there = machine.pieces
        residual = paid * self._owned.residual
        return Account(tuple(found), residual, residual * self.plan.worth(self.years))


def _more(ones: Mapping[str, int], others: Mapping[str, int]) -> dict[str, int]:
    """Return of which pieces there are more in one machine than in another, and how many."""
    counts = {item: count - others.get(item, 0) for item, count in ones.items()}
    return {item: count for item, count in counts.items() if count > 0}
