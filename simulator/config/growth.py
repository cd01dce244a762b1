"""Growth of the loads of a requirement, and the years in which pieces of a machine may be bought.

Not modelled: growth within a year. What is bought carries the loads as they are at the end of each
year until pieces may be bought again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from simulator.config.amounts import Growth
from simulator.config.errors import Fault, Path
from simulator.config.quantities import Count, Percent
from simulator.config.section import Section
from simulator.errors import did_you_mean
from simulator.units import shown

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement

MOST_YEARS = 25
"""Years of a plan: each has its loads, and runs of them."""


class Growing(Section):
    """By how much a load grows in a year."""

    shorthand = {"text": "files"}
    synonyms = {"rate": "arrivals", "rates": "arrivals", "settings": "set", "size": "files"}

    files: Growth = 0.0
    """The sizes of its files."""
    arrivals: Growth | None = None
    """The rate at which its jobs arrive or are submitted: the time between two is shortened."""
    set: dict[str, Growth] = {}
    """Numbers of its settings, such as processes or nodes; counts are rounded up."""

    @property
    def all(self) -> dict[str, float]:
        """What grows, and by how much: files, arrivals, and settings."""
        found = {"files": self.files, "arrivals": self.arrivals or 0.0, **self.set}
        return {name: growth for name, growth in found.items() if growth}


def factor(growth: float, years: float) -> Fraction:
    """Return how many times as large something is after so many years; exact for whole ones.

    >>> factor(0.1, 2)
    Fraction(121, 100)
    """
    if years == int(years):
        return (1 + Fraction(str(growth))) ** int(years)
    return Fraction((1 + growth) ** years)


class Purchasing(Section):
    """The years in which pieces may be bought, and what they and money are worth then."""

    synonyms = {"interest": "discount", "steps": "every", "falls": "price_falls"}

    every: Count = 1
    """Pieces may be bought in year 0, and each so many years later."""
    discount: Percent = 0.0
    """By how much less an amount counts that is paid a year later: it is divided by 1 + this."""
    price_falls: dict[str, Percent] = {}
    """By which part the prices of pieces fall in a year, by their names in the catalogue."""

    def worth(self, year: int) -> float:
        """Return what an amount that is paid in a year counts today."""
        return float((1 + self.discount) ** -year)

    def left(self, item: str, year: int) -> float:
        """Return the part of the price of an item that is left in a year."""
        return float((1 - self.price_falls.get(item, 0.0)) ** year)

    def periods(self, years: int) -> list[range]:
        """Return the years from each purchase to the next one."""
        begins = range(0, years, self.every)
        return [range(begin, min(begin + self.every, years)) for begin in begins]

    def faults(self, at: Path, items: Collection[str]) -> Iterator[Fault]:
        """Find values that make no price; ``items``: the names of the catalogue."""
        if self.discount >= 1:
            about = "is 100 % a year: nobody lends at that"
            yield (*at, "discount"), f"{about}; write it like 'discount: 4 %'"
        for name, falls in self.price_falls.items():
            here = (*at, "price_falls", name)
            if name not in items:
                about = f"there is no thing in the catalogue {shown(name)}"
                yield here, f"{about}; {did_you_mean(name, items)}"
            elif falls >= 1:
                yield here, "is 100 % a year: it would be free in year 1; write less, like '15 %'"


def faults_of_plan(requirement: Requirement) -> Iterator[Fault]:
    """Find what is wrong with the plan of a requirement, or contradicts it."""
    plan, years, at = requirement.plan, requirement.years, ("plan",)
    if plan is None:
        return
    yield from plan.faults(at, requirement.catalogue)
    yield from _of_targets(requirement)
    if not years:
        yield at, "of how many years? write 'years: 5' beside it"
    elif years != int(years) or years > MOST_YEARS:
        about = f"a plan has whole years, and {MOST_YEARS} at most"
        yield ("years",), f"{years:g} was read, and {about}; write it like 'years: 5'"
    elif years <= plan.every:
        about = f"all of {years:g} year{'s' * (years != 1)} is bought in year 0"
        yield (*at, "every"), f"{about}; write fewer, or more 'years', or leave the plan out"
    by_year = any(one.year is not None for one in requirement.targets)
    if not by_year and not any(load.growth.all for load in requirement.workloads.values()):
        yield at, "no load grows, so that nothing is added; write 'growth: 20 %' in a workload"
    if requirement.budget is not None and requirement.budget.price is not None:
        about = "a plan has the least total, whatever is paid in which year"
        yield ("budget", "price"), f"{about}; leave it out"
    if "minimise" in requirement.given and requirement.minimise != "total":
        yield ("minimise",), "a plan has the least total; write 'total', or leave it out"
    owned = requirement.ownership
    if owned is not None and owned.years != years and years:
        yield ("ownership", "years"), f"the plan is of {years:g} years; write 'years: {years:g}'"


def _of_targets(requirement: Requirement) -> Iterator[Fault]:
    """Find targets of years that a plan has not, and years without a target."""
    years = [one.year for one in requirement.targets]
    for number, year in enumerate(years):
        if year is not None and (year != int(year) or not year):
            about = f"{year:g} was read, and a plan's targets hold at the end of a year"
            yield ("targets", number, "year"), f"{about}; write a whole one, from 1 on"
    whole = range(1, int(min(requirement.years, MOST_YEARS)) + 1)
    if None not in years and (without := [year for year in whole if year not in years]):
        about = f"none holds in year {without[0]}"
        yield ("targets",), f"{about}; write one without 'year', which holds in every year"


def years_of(requirement: Requirement, load: str) -> list[float]:
    """Return the years of a load that targets ask for: first that in which all hold.

    Of a plan it is the only one: each year has machines, and loads, of its own.
    """
    targets = [one for one in requirement.targets if one.workload in (None, load)]
    years = {one.year for one in targets if one.year is not None and not requirement.plan}
    return [requirement.years, *sorted(years - {requirement.years})]
