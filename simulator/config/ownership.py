"""Cost of ownership: what a machine costs in the years that it is kept, and what enters it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from simulator.config.amounts import Money, Weight
from simulator.config.errors import Fault, Path
from simulator.config.quantities import Percent
from simulator.config.section import Called, Section

Minimise = Annotated[Literal["price", "total"], Called("minimise", sourced=False)]
"""What the cheapest machine has the least of."""
HOURS = 8_760
"""Hours of a year: 365 days, all at the power of the catalogue."""


@dataclass(frozen=True, slots=True)
class Bill:
    """Parts of the cost of ownership, in the currency of the file."""

    purchase: float
    energy: float
    support: float
    residual: float
    """What the machine is still worth at the end; it is taken off."""

    @property
    def total(self) -> float:
        """The cost over all years, not discounted."""
        return self.purchase + self.energy + self.support - self.residual


class Ownership(Section):
    """What is paid beside the purchase, as long as a machine is kept."""

    synonyms = {"kwh": "power_price", "energy": "power_price", "maintenance": "support"}

    years: Weight
    """For how many years the machine is kept."""
    power_price: Money
    """Of one kWh, in the file's currency."""
    pue: Weight = 1.0
    """Energy of the whole centre over that of its machines; left out: nothing for cooling."""
    support: Percent = 0.0
    """Part of the purchase that is paid each year for support."""
    residual: Percent = 0.0
    """Part of the purchase that the machine is worth at the end."""

    def faults(self, at: Path) -> Iterator[Fault]:
        """Find values that make no bill."""
        if not self.years:
            yield (*at, "years"), "is 0: nothing is owned; write it like 'years: 5'"
        if self.pue < 1:
            about = f"{self.pue:g} is less than the machines take themselves"
            yield (*at, "pue"), f"{about}; write 1 or more, like 'pue: 1.4'"

    def bill(self, price: float, power: float) -> Bill:
        """Return the bill of a machine of this price, in currency, and power, in watts."""
        energy = power / 1000 * HOURS * self.years * self.power_price * self.pue
        return Bill(price, energy, price * self.support * self.years, price * self.residual)


def faults_of_ownership(ownership: Ownership | None, minimise: str) -> Iterator[Fault]:
    """Find what is wrong with the ownership of a requirement, or missing for what it minimises."""
    if ownership is not None:
        yield from ownership.faults(("ownership",))
    elif minimise == "total":
        like = "'ownership: {years: 5, power_price: 0.25}'"
        yield ("minimise",), f"total of what? write what it consists of, like {like}"
