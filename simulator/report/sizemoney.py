"""What a configuration costs, piece by piece, with where each price is from; and of which year.

Not modelled: discounts for a number of pieces, and what running a machine costs beside its power.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.amounts import show_amount, show_power
from simulator.config.sources import Source
from simulator.report.sizewords import costs, price_text, words_of
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.search import Sized

UNSTATED = "without a source"


@dataclass(frozen=True, slots=True)
class Bought:
    """One kind of thing that is bought."""

    what: str
    pieces: int
    each: float
    """The price of one, in the file's currency."""
    source: Source

    @property
    def together(self) -> float:
        """The price of all."""
        return self.pieces * self.each


def bought(requirement: Requirement, one: Configuration) -> list[Bought]:
    """Return what a configuration takes from the catalogue, each with the source of its price."""
    sources = requirement.origin.sources
    return [
        Bought(
            item,
            count,
            requirement.catalogue[item].price,
            sources.get(f"catalogue.{item}.price", Source("unstated")),
        )
        for item, count in one.pieces.items()
    ]


def source_text(source: Source) -> str:
    """Write where a price is from: ``measured offer of May``."""
    if source.kind == "unstated":
        return UNSTATED
    return source.text or " ".join(part for part in (source.kind, source.detail) if part)


def sum_text(sized: Sized, one: Configuration) -> str:
    """Write unit prices times numbers; their sum is the price of the configuration."""
    requirement = sized.requirement
    parts = [
        f"{part.pieces:,} {part.what} x {show_amount(part.each)}"
        for part in bought(requirement, one)
    ]
    return f"{' + '.join(parts)} = {price_text(requirement, one.price)}" if parts else "no pieces"


def prices_text(sized: Sized, one: Configuration) -> str:
    """Say how many of its prices are from where: ``2 prices assumed, 1 without a source``."""
    kinds = Counter(
        UNSTATED if part.source.kind == "unstated" else part.source.kind
        for part in bought(sized.requirement, one)
    )
    if not kinds:
        return "nothing is bought"
    first, *others = kinds.items()
    return ", ".join(
        [f"{counted(first[1], 'price')} {first[0]}", *(f"{count} {kind}" for kind, count in others)]
    )


def left_text(sized: Sized, one: Configuration) -> str:
    """Say what is left of the budget, or by how much it is exceeded; nothing without one."""
    budget = sized.requirement.budget
    if budget is None:
        return ""
    parts = []
    if budget.price is not None:
        parts.append(
            _left(
                price_text(sized.requirement, budget.price),
                price_text(sized.requirement, abs(budget.price - one.price)),
                beyond=one.price > budget.price,
            )
        )
    if budget.power is not None:
        left = show_power(abs(budget.power - one.power))
        parts.append(_left(show_power(budget.power), left, beyond=one.power > budget.power))
    return "; ".join(parts)


def _left(whole: str, rest: str, *, beyond: bool) -> str:
    return f"{rest} beyond the budget of {whole}" if beyond else f"{rest} left of {whole}"


def beyond_budget(sized: Sized) -> str:
    """Say what meets everything, but is beyond the budget; nothing if nothing is."""
    dearer = next((one for one in sized.meeting if not sized.affordable(one)), None)
    if dearer is None:
        return ""
    return (
        f"Beyond it {words_of(sized, dearer)} does: {costs(sized, dearer)};"
        f" {left_text(sized, dearer)}."
    )


def factor_of(requirement: Requirement, load: str) -> float:
    """Return how many times as large as today the files of a load are in the year that counts."""
    factor: float = (1 + requirement.workloads[load].growth) ** requirement.years
    return factor


def years_text(requirement: Requirement) -> str:
    """Say of which year the loads are, and how they have grown."""
    grown = [
        f"{name} {factor_of(requirement, name):.4g} times as large ({100 * load.growth:g} % a year)"
        for name, load in requirement.workloads.items()
        if load.growth and requirement.years
    ]
    if not grown:
        late = [name for name, load in requirement.workloads.items() if load.growth]
        if late:
            return f"Loads of today: the growth of {', '.join(late)} counts with 'years:' only."
        return "Loads of today."
    return f"Loads of year {requirement.years:g}: files of {', '.join(grown)}."
