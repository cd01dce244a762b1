"""The result of a search for what to buy when: a plan, its account, and all at once beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.sizing.probability import together

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement
    from simulator.sizing.accounts import Account, Accounts
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.evaluate import Evaluator
    from simulator.sizing.probability import Probability
    from simulator.sizing.sized import Sized


@dataclass
class Planned:
    """The result of a search for a plan."""

    found: dict[str, list[Sized]]
    """What is known of machines under the loads of the end of each year, by their alternatives."""
    accounts: Accounts
    machines: list[Configuration] = field(default_factory=list)
    """Those of the cheapest plan, one for each period; none if nothing meets everything."""
    alone: dict[str, list[Configuration]] = field(default_factory=dict)
    """Those of the cheapest plan of each alternative alone, if there are several."""
    at_once: list[Configuration] = field(default_factory=list)
    """The machine that is cheapest if it is bought in year 0, and nothing later, in each period."""
    at_least: float = 0.0
    """What the cheapest plan costs at least, as far as it is known."""
    missing: int | None = None
    """The place of a year whose loads no machine carries; None if each has one."""

    def sized(self, year: int, one: Configuration) -> Sized:
        """Return what is known under the loads of the end of a year of machines like one."""
        return self.found[one.alternative][year]

    @property
    def years(self) -> list[Sized]:
        """What is known of machines under the loads of each year, of all alternatives."""
        return [one for years in self.found.values() for one in years]

    @property
    def last(self) -> Sized:
        """What is known of the last year; of the alternative of the plan, if there is one."""
        return self.sized(-1, self.machines[-1]) if self.machines else self.years[-1]

    @property
    def nearest(self) -> tuple[Sized, Configuration] | None:
        """What is nearest to carry the loads of the year that nothing carries; None without one."""
        if self.missing is None:
            return None
        found = [years[self.missing] for years in self.found.values()]
        pairs = [(sized, one) for sized in found if (one := sized.nearest) is not None]
        return min(pairs, key=lambda pair: pair[0].rank, default=None)

    @property
    def requirement(self) -> Requirement:
        """The requirement."""
        return self.last.requirement

    @property
    def evaluator(self) -> Evaluator:
        """That of the last year."""
        return self.last.evaluator

    @property
    def everything(self) -> bool:
        """False: no plan runs everything."""
        return False

    @property
    def winner(self) -> Configuration | None:
        """The machine of the last year; None if there is no plan."""
        return self.machines[-1] if self.machines else None

    @property
    def account(self) -> Account:
        """The account of the plan."""
        return self.accounts.account(self.machines)

    @property
    def account_at_once(self) -> Account | None:
        """The account of buying all at once; None if no machine carries the loads of all years."""
        return self.accounts.account(self.at_once) if self.at_once else None

    def of_years(self) -> list[tuple[Sized, Configuration]]:
        """Return what is known of each year, and its machine of the plan."""
        pairs = zip(self.machines, self.accounts.periods, strict=bool(self.machines))
        return [(self.sized(year, one), one) for one, period in pairs for year in period]

    @property
    def probabilities(self) -> dict[int, Probability]:
        """The probability that all targets are met under the loads of each year, from 1 on.

        Of the years of which it is known.
        """
        found = enumerate(self.of_years(), 1)
        each = {year: sized.outcome(one).probability for year, (sized, one) in found}
        return {year: one for year, one in each.items() if one is not None}

    @property
    def together(self) -> float | None:
        """The probability that all targets are met in all years; None if one's is not known."""
        found = [*self.probabilities.values()]
        all_known = self.machines and len(found) == self.accounts.years
        return together(found) if all_known else None

    @property
    def run_whole(self) -> int:
        """How many machines were run, each year counted."""
        return sum(len(one.outcomes) for one in self.years)

    @property
    def looked(self) -> int:
        """How many machines were looked at, each year counted."""
        return self.run_whole + sum(len(one.discarded) + len(one.left_out) for one in self.years)
