"""Words of an answered requirement: its targets, what can be bought, prices and margins.

A margin is a part of the target, either way: 169 s where 220 s are allowed has (220 - 169) / 220 =
23 % to spare, and 40 TB where 20 TB are asked for (40 - 20) / 20 = 100 %.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.config.amounts import show_amount, show_power
from simulator.config.requirement_file import NORMAL, RATES, TIMES
from simulator.sizing.figures import margin
from simulator.units import format_rate, format_time
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement, Target
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.search import Sized

FIGURES = {
    "end": "all on the devices",
    "read_time": "time in reads",
    "write_time": "time in writes",
    "read": "rate of reading",
    "write": "rate of writing",
    "stable": "rate to stable storage",
    "capacity": "usable capacity",
    "elapsed": "time",
}
"""What figures are called, but those that are percentiles."""


# -- targets --------------------------------------------------------------------------------------


def name_of(target: Target) -> str:
    """Return what a target is called, such as ``checkpoint: all on the devices``."""
    figure = FIGURES.get(target.figure)
    if figure is None:
        operation, _, part = target.figure.partition("_p")
        figure = f"{part} % of {'arrivals' if operation == 'job' else operation + 's'}"
    whose = target.workload or ("" if target.capacity is not None else "all loads")
    if target.job is not None:
        whose = f"{whose} {target.job}".strip()
    return f"{whose}: {figure}" if whose else figure


def figure_text(target: Target, value: float) -> str:
    """Write a figure of a target for people."""
    if target.figure in TIMES:
        return format_time(value)
    if target.figure in RATES:
        return format_rate(value).partition(" (")[0]  # MB/s alone: a table has 80 columns.
    return brief_size(int(value))


def limit_text(target: Target) -> str:
    """Write what a target has to be."""
    sense = "at most" if target.figure in TIMES else "at least"
    return f"{sense} {figure_text(target, target.limit)}"


def in_state(state: str) -> str:
    """Write the state of a target behind its name; nothing if nothing has failed."""
    return "" if state == NORMAL else f", {state}"


def margin_text(target: Target, slack: float) -> str:
    """Say how far a figure is from its target, in percent of the target."""
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
    """Say what a configuration is: ``servers 92, volumes 4``."""
    pairs = zip(sized.offer.names, one.levels, strict=True)
    return ", ".join(f"{name} {level}" for name, level in pairs)


def differing(sized: Sized, one: Configuration, base: Configuration) -> str:
    """Say in what a configuration is not as another one."""
    levels = zip(sized.offer.names, one.levels, base.levels, strict=True)
    return ", ".join(f"{name} {level}" for name, level, other in levels if level != other)


def price_text(requirement: Requirement, price: float) -> str:
    """Write a price with its currency."""
    return f"{show_amount(price)} {requirement.currency}".strip()


def costs(sized: Sized, one: Configuration) -> str:
    """Say what a configuration costs, the power that it takes, and what it can keep."""
    parts = [price_text(sized.requirement, one.price)]
    if one.power:
        parts.append(show_power(one.power))
    if one.usable:
        parts.append(f"{brief_size(one.usable)} usable")
    return ", ".join(parts)


def dearer_text(sized: Sized, one: Configuration, base: Configuration) -> str:
    """Say why a configuration comes behind another one."""
    if one.price > base.price:
        return f"dearer by {price_text(sized.requirement, one.price - base.price)}"
    return "takes more power" if one.power > base.power else "costs the same"


# -- sentences ------------------------------------------------------------------------------------


def what_binds(sized: Sized, one: Configuration) -> str:
    """Name the target that is nearest to be missed, or furthest missed, and what is busiest."""
    binding = sized.outcome(one).binding
    target = sized.requirement.targets[binding.target]
    by = f"; the busiest there is {binding.busiest}" if binding.busiest else ""
    what = "What binds" if binding.slack >= 1 else "Furthest missed"
    return f"{what}: {name_of(target)}{in_state(binding.state)}{by}."


def runner_up(sized: Sized, winner: Configuration) -> str:
    """Say in what the runner-up is not as the answer, and what it costs; nothing without one."""
    other = sized.runner_up
    if other is None:
        return ""
    whose = "Runner-up of those looked at" if sized.sampled is not None else "Runner-up"
    why = dearer_text(sized, other, winner)
    return f"{whose}: {differing(sized, other, winner)}: {costs(sized, other)}; {why}."


def nothing_meets(sized: Sized) -> str:
    """Say that nothing meets the requirement, or nothing of what was looked at."""
    if sized.meeting:
        return "Nothing within the budget meets this."
    if sized.sampled is None:
        return "Nothing that can be bought meets this."
    looked = f"{sized.sampled.looked:,} of {counted(sized.combinations, 'combination')}"
    return f"Nothing that was looked at meets this: {looked}, so that something else may."


def unproven(sized: Sized) -> str:
    """Say of what the answer is the cheapest; nothing if it is that of all."""
    if sized.sampled is None:
        return ""
    return (
        f"This is the cheapest of {sized.sampled.looked:,} that were looked at, of"
        f" {counted(sized.combinations, 'combination')}; it is not proven to be the cheapest of"
        " all."
    )
