"""Words of an answered requirement: figures, targets, prices, margins, and what is bought.

A margin is a part of the target, either way: 169 s where 220 s are allowed has (220 - 169) / 220 =
23 % to spare, and 40 TB where 20 TB are asked for (40 - 20) / 20 = 100 %.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.amounts import show_amount, show_forecast, show_height, show_power
from simulator.config.growth import factor
from simulator.config.requirement_durability import DURABILITY
from simulator.config.requirement_file import AT_MOST, NORMAL, RATES, TIMES
from simulator.config.requirement_targets import STILL
from simulator.config.sources import Source
from simulator.sizing.targets import margin
from simulator.units import format_rate, format_time
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from simulator.config.catalogue import Purchase
    from simulator.config.requirement_file import Requirement, Target
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.sized import Sized
    from simulator.sizing.targets import Measured

UNSTATED = "without a source"
MOST_NAMED = 4
"""Of what has no source so many are named."""


# -- figures ---------------------------------------------------------------------------------------

FIGURES = {
    "end": "all on the devices",
    "read_time": "time in reads",
    "write_time": "time in writes",
    "read": "rate of reading",
    "write": "rate of writing",
    "stable": "rate to stable storage",
    "capacity": "usable capacity",
    "elapsed": "time",
    "loss_per_year": "odds of a loss in a year",
    "mttdl": "mean time to a loss",
    "rebuild": "rebuild of a disk",
    "degraded": "degraded, in a year",
}
"""Names of figures, but those of calls and arrivals."""


def figure_name(figure: str) -> str:
    """Return what a figure is called: ``time in reads``, ``95 % of opens``.

    >>> [figure_name(one) for one in ("open_p95", "job_mean", "elapsed")]
    ['95 % of opens', 'mean of arrivals', 'time']
    """
    operation, _, part = figure.rpartition("_")
    of = "arrivals" if operation == "job" else f"{operation}s"
    share = "mean" if part == "mean" else f"{part[1:]} %"
    return FIGURES.get(figure) or f"{share} of {of}"


def figure_text(target: Target, value: float) -> str:
    """Write a figure of a target for people."""
    if target.figure in DURABILITY:
        return _DURABILITY[target.figure](value)
    if target.figure in TIMES:
        return format_time(value)
    if target.figure in RATES:
        return format_rate(value).partition(" (")[0]  # MB/s alone: a table has 80 columns.
    return brief_size(int(value))


def _hours(value: float) -> str:
    return f"{value / 3.6e12:,.3g} h"


_DURABILITY: dict[str, Callable[[float], str]] = {
    "loss_per_year": lambda value: f"{100 * value:.2g} %",
    "mttdl": lambda value: f"{value:,.0f} years" if value >= 10 else f"{value:.2g} years",
    "rebuild": _hours,
    "degraded": _hours,
}


# -- targets --------------------------------------------------------------------------------------


def name_of(target: Target) -> str:
    """Return what a target is called, such as ``checkpoint: all on the devices``."""
    figure = figure_name(target.figure)
    if target.node is not None:
        figure = f"{figure} of the slowest {target.node}"
    if target.year is not None:
        figure = f"{figure} in year {target.year:g}"
    whose = target.workload or ("" if target.figure in STILL else "all loads")
    if target.job is not None:
        whose = f"{whose} {target.job}".strip()
    return f"{whose}: {figure}" if whose else figure


def limit_text(target: Target) -> str:
    """Write what a target has to be."""
    sense = "at most" if target.figure in AT_MOST else "at least"
    return f"{sense} {figure_text(target, target.limit)}"


def in_state(state: str) -> str:
    """Write the state of a target behind its name; nothing if nothing has failed."""
    return "" if state == NORMAL else f", {state}"


def nearest_target(sized: Sized, one: Configuration) -> tuple[str, str]:
    """Return the target that is nearest to be missed, or furthest missed; and by how much."""
    return of_measured(sized, sized.binding(one))


def of_measured(sized: Sized, one: Measured) -> tuple[str, str]:
    """Return a target, with its state, how far a figure is from it, and what the error needs."""
    name, spare, needed = parts_of_measured(sized, one)
    return name, f"{spare} ({needed} needed)" if needed else spare


def parts_of_measured(sized: Sized, one: Measured) -> tuple[str, str, str]:
    """Return what :func:`of_measured` does, and apart what the error needs; empty if nothing."""
    target = sized.requirement.targets[one.target]
    counts = 1 < one.needs < math.inf and one.slack >= 1
    needed = percents(margin(target, one.needs)) if counts else ""
    return f"{name_of(target)}{in_state(one.state)}", margin_text(target, one.slack), needed


def target_cells(sized: Sized, one: Measured) -> tuple[str, str, str, str]:
    """Return a target, what it has to be, the figure, and how far that is."""
    target = sized.requirement.targets[one.target]
    figure = "-" if one.judged is None else figure_text(target, one.judged)
    at_best = " at best" if one.judged is not None and one.by == "bound" else ""
    name, spare = of_measured(sized, one)
    return name, limit_text(target), f"{figure}{at_best}", spare


def margin_text(target: Target, slack: float) -> str:
    """State how far a figure is from its target, in percent of the target."""
    if math.isinf(slack):
        return "-"
    if slack <= 0:
        return "has no such figure"
    share = margin(target, slack)
    return f"{percents(share)} to spare" if slack >= 1 else f"misses by {percents(-share)}"


def percents(share: float) -> str:
    """Write a share in percent: two digits below 10, whole ones from there on.

    >>> percents(0.0034), percents(0.23), percents(1.0), percents(0.0)
    ('0.34 %', '23 %', '100 %', '0 %')
    """
    value = 100 * share
    return f"{value:.0f} %" if abs(value) >= 9.5 else f"{value:.2g} %"


# -- what is bought -------------------------------------------------------------------------------


def words_of(sized: Sized, one: Configuration) -> str:
    """State what a configuration is, and of which alternative: ``servers 92, volumes 4``."""
    pairs = zip(sized.offer.names, one.levels, strict=True)
    whose = f"{sized.alternative}: " if sized.alternative else ""
    return whose + ", ".join(f"{name} {level}" for name, level in pairs)


def differing(sized: Sized, one: Configuration, base: Configuration) -> str:
    """State in what a configuration is not as another one."""
    levels = zip(sized.offer.names, one.levels, base.levels, strict=True)
    return ", ".join(f"{name} {level}" for name, level, other in levels if level != other)


def price_text(requirement: Requirement, price: float) -> str:
    """Write a price with its currency."""
    return f"{show_amount(price)} {requirement.currency}".strip()


def forecast_text(requirement: Requirement, amount: float) -> str:
    """Write an amount of years to come with its currency, in as many digits as are known."""
    return f"{show_forecast(amount)} {requirement.currency}".strip()


def of_years(requirement: Requirement) -> str:
    """State for how many years a machine is kept: ``over 5 years``; nothing if that is not said."""
    ownership = requirement.ownership
    return f"over {ownership.years:g} year{'s' * (ownership.years != 1)}" if ownership else ""


def amount_text(requirement: Requirement, cost: float) -> str:
    """Write an amount of what is minimised, or a difference of two: of prices, or totals."""
    write = forecast_text if requirement.minimise == "total" else price_text
    return write(requirement, cost)


def cost_text(requirement: Requirement, cost: float) -> str:
    """Write an amount of what is minimised: a price, or a total and of how many years that is."""
    years = of_years(requirement) if requirement.minimise == "total" else ""
    return f"{amount_text(requirement, cost)} {years}".strip()


def costs(sized: Sized, one: Configuration) -> str:
    """State what a configuration costs, its power, its height, and what it can keep."""
    parts = [price_text(sized.requirement, one.price)]
    if one.total is not None:
        total = forecast_text(sized.requirement, one.total)
        parts.append(f"{total} {of_years(sized.requirement)}")
    if one.power:
        parts.append(show_power(one.power))
    if one.height:
        parts.append(show_height(one.height))
    if one.usable:
        parts.append(f"{brief_size(one.usable)} usable")
    return ", ".join(parts)


def dearer_text(sized: Sized, one: Configuration, base: Configuration) -> str:
    """State why a configuration comes behind another one."""
    if one.cost > base.cost:
        return f"dearer by {cost_text(sized.requirement, one.cost - base.cost)}"
    return "takes more power" if one.power > base.power else "costs the same"


# -- sentences -----------------------------------------------------------------------------------


def nothing_meets(sized: Sized) -> str:
    """State that nothing meets the requirement, or nothing of what was looked at."""
    if sized.meeting:
        return "Nothing within the budget meets this."
    if sized.sampled is None:
        return "Nothing that can be bought meets this."
    looked = f"{sized.sampled.looked:,} of {counted(sized.combinations, 'combination')}"
    return f"Nothing that was looked at meets this: {looked}, so that something else may."


def unproven(sized: Sized) -> str:
    """State of what the answer is the cheapest; nothing if it is that of all."""
    if sized.sampled is None:
        some = [name for name, one in sized.alternatives.items() if one.sampled is not None]
        about = f"Of {' and '.join(some)} a sample was looked at: a cheaper one may meet this."
        return about if some else ""
    return (
        f"This is the cheapest of {sized.sampled.looked:,} that were looked at, of"
        f" {counted(sized.combinations, 'combination')}; it is not proven to be the cheapest of"
        " all."
    )


# -- money ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bought:
    """One kind of thing that is bought."""

    what: str
    pieces: int
    """How many are needed."""
    purchase: Purchase
    source: Source

    @property
    def number(self) -> str:
        """How many are sold: pieces, or packs of so many."""
        sold, pack = self.purchase.sold, self.purchase.pack
        return f"{sold:,}" if pack == 1 else f"{counted(sold, 'pack')} of {pack}"

    @property
    def rest(self) -> str:
        """What is left over, behind a blank; nothing if nothing is."""
        return f" ({self.purchase.left_over:,} left over)" if self.purchase.left_over else ""


def bought(requirement: Requirement, one: Configuration) -> list[Bought]:
    """Return what a configuration takes from the catalogue, each with the source of its price."""
    sources = requirement.origin.sources
    return [
        Bought(
            item,
            count,
            requirement.catalogue[item].purchase(count),
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
        f"{part.number} {part.what} x {show_amount(part.purchase.each)}{part.rest}"
        for part in bought(requirement, one)
    ]
    return f"{' + '.join(parts)} = {price_text(requirement, one.price)}" if parts else "no pieces"


def prices_text(sized: Sized, one: Configuration) -> str:
    """State how many of its prices are from where: ``2 prices assumed, 1 without a source``."""
    found = [(part.what, part.source) for part in bought(sized.requirement, one)]
    return sources_text("price", found) or "nothing is bought"


def sources_text(what: str, named: Iterable[tuple[str, Source]]) -> str:
    """Count what is from where, and name what has no source; nothing where there is nothing.

    >>> one, none = Source("assumed"), Source("unstated")
    >>> sources_text("value", [("x", one), ("y", one), ("z", none)])
    '2 values assumed, 1 without a source (z)'
    """
    found = [(name, UNSTATED if one.kind == "unstated" else one.kind) for name, one in named]
    kinds = Counter(kind for _, kind in found)
    parts = [f"{count} {kind}" for kind, count in kinds.items()]
    if parts:
        kind, count = next(iter(kinds.items()))
        parts[0] = f"{counted(count, what)} {kind}"
    text, names = ", ".join(parts), [name for name, kind in found if kind == UNSTATED]
    more = [f"{len(names) - MOST_NAMED} more: --full"] if len(names) > MOST_NAMED else []
    told = ", ".join([*names[:MOST_NAMED], *more])
    return text.replace(UNSTATED, f"{UNSTATED} ({told})") if names else text


def left_text(sized: Sized, one: Configuration) -> str:
    """State what is left of the budget and the racks, or by how much it is exceeded."""
    budget, room = sized.requirement.budget, sized.requirement.rack_units
    parts = []
    if budget is not None and budget.price is not None:
        parts.append(
            _left(
                price_text(sized.requirement, budget.price),
                price_text(sized.requirement, abs(budget.price - one.price)),
                beyond=one.price > budget.price,
            )
        )
    if budget is not None and budget.power is not None:
        left = show_power(abs(budget.power - one.power))
        parts.append(_left(show_power(budget.power), left, beyond=one.power > budget.power))
    if room is not None:
        parts.append(_left(show_height(room), show_height(room - one.height), beyond=False))
    return "; ".join(parts)


def _left(whole: str, rest: str, *, beyond: bool) -> str:
    return f"{rest} beyond the budget of {whole}" if beyond else f"{rest} left of {whole}"


def beyond_budget(sized: Sized) -> str:
    """State what meets everything, but is beyond the budget; nothing if nothing is."""
    dearer = next((one for one in sized.meeting if not sized.affordable(one)), None)
    if dearer is None:
        return ""
    return (
        f"Beyond it {words_of(sized, dearer)} does: {costs(sized, dearer)};"
        f" {left_text(sized, dearer)}."
    )


def years_text(requirement: Requirement) -> str:
    """State of which year the loads are, and how they have grown."""
    growing = {name: one.growth.all for name, one in requirement.workloads.items()}
    grown = [
        f"{what} of {name} {float(factor(growth, requirement.years)):.4g} times as"
        f" {'many' if what == 'arrivals' else 'large'} ({100 * growth:g} % a year)"
        for name, of_load in growing.items()
        for what, growth in of_load.items()
        if requirement.years
    ]
    if not grown:
        late = [name for name, of_load in growing.items() if of_load]
        if late:
            return f"Loads of today: the growth of {', '.join(late)} counts with 'years:' only."
        if requirement.years:
            return f"Loads of today in year {requirement.years:g} too: none has a 'growth:'."
        return "Loads of today."
    asked = any(one.figure == "capacity" for one in requirement.targets)
    told = "; the capacity that is asked for does not grow" if asked else ""
    return f"Loads of year {requirement.years:g}: {', '.join(grown)}{told}."
