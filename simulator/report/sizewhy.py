"""Why an answer is what it is: its limits, what binds, what cheaper ones lack, the runner-up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.config.amounts import show_height, show_power
from simulator.report import sizewords as words
from simulator.report.sizetrust import probability_text
from simulator.sizing.caches import held
from simulator.sizing.decided import Limit, binding, cheaper, limits
from simulator.wording import brief_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simulator.sizing.configurations import Configuration
    from simulator.sizing.decided import Unit
    from simulator.sizing.sized import Sized

_SHOWN: dict[Unit, Callable[[float], str]] = {
    "bytes": brief_size,
    "W": show_power,
    "U": show_height,
    "ports": lambda value: f"{value:,.0f}",
}
_BY = {"bound": " at best", "short": " in short runs", "run": ""}


def limit_rows(sized: Sized, one: Configuration) -> Iterator[tuple[str, str, str, str]]:
    """Yield the limits of a configuration, as rows below those of the targets: the least first."""
    for each in sorted(limits(sized, one), key=lambda each: each.margin):
        show = _SHOWN[each.unit]
        yield each.name, f"at most {show(each.most)}", show(each.used), _spare(each)


def _spare(one: Limit) -> str:
    if one.margin < 0:
        return f"{words.percents(-one.margin)} too much"
    return f"{words.percents(one.margin)} to spare"


def what_binds(sized: Sized, one: Configuration) -> str:
    """Name what has the least to spare, or the target that is furthest missed; what is busiest."""
    target, least = sized.binding(one), binding(sized, one)
    by = f"; the busiest there is {target.busiest}" if target.busiest else ""
    name, spare, needed = words.parts_of_measured(sized, target)
    spare += f", of which the model's error needs {needed}" if needed else ""
    if isinstance(least, Limit):
        return f"What binds: {least.name} ({_spare(least)}); of the targets {name} ({spare}){by}."
    what = "What binds" if target.slack >= 1 else "Furthest missed"
    return f"{what}: {name} ({spare}){by}."


def of_caches(sized: Sized, one: Configuration) -> list[str]:
    """State which caches hold a load that was made smaller than its file has it."""
    return [
        f"{each.load}: its files as set, {brief_size(each.given)}, have room in the"
        f" {brief_size(each.room)} of {each.store}, and those of"
        f" {sized.requirement.workloads[each.load].workload}, {brief_size(each.stated)}, have not:"
        " its figures may be the cache's."
        for each in held(sized.evaluator.loads, one)
    ]


# -- what is cheaper ------------------------------------------------------------------------------


def cheaper_rows(sized: Sized) -> list[tuple[str, str, str]]:
    """Return what is cheaper than the answer, what it saves, and why it is not bought."""
    winner = sized.winner
    if winner is None:
        return []
    return [
        (
            words.differing(sized, one, winner),
            words.amount_text(sized.requirement, winner.cost - one.cost),
            why_not(sized, one),
        )
        for one in cheaper(sized)
    ]


def why_not(sized: Sized, one: Configuration) -> str:
    """State why a configuration is not the answer, in numbers."""
    if (crowded := sized.offer.crowded(one)) is not None:
        return crowded
    outcome = sized.known.get(one.number)
    if outcome is None:
        return "not looked at"
    found = outcome.probability
    if outcome.meets and not sized.affordable(one):
        return words.left_text(sized, one)
    told = []
    if outcome.wanted is not None and found is not None:
        told.append(f"meets all with {probability_text(found.estimate)}")
    furthest = sized.binding(one)
    if sized.spare(furthest) < 0:
        name, spare = words.of_measured(sized, furthest)
        told.append(f"{name} {'has ' * (furthest.slack >= 1)}{spare}{_BY[furthest.by]}")
    return "; ".join(told)


def runner_up(sized: Sized, winner: Configuration) -> str:
    """State in what the runner-up is not as the answer, and what it costs; nothing without one."""
    other = sized.runner_up
    if other is None:
        return ""
    whose = "Runner-up of those looked at" if sized.sampled is not None else "Runner-up"
    why = words.dearer_text(sized, other, winner)
    changed = words.differing(sized, other, winner)
    return f"{whose}: {changed}: {words.costs(sized, other)}; {why}."


# -- for programs ---------------------------------------------------------------------------------


def limits_record(sized: Sized, one: Configuration) -> list[dict[str, Any]]:
    """Return the limits of a configuration for programs."""
    return [{**each._asdict(), "margin": each.margin} for each in limits(sized, one)]


def cheaper_record(sized: Sized) -> list[dict[str, Any]]:
    """Return what is cheaper than the answer for programs, and why it is not bought."""
    return [
        {
            "choices": dict(zip(sized.offer.names, one.levels, strict=True)),
            "price": one.price,
            "why_not": why_not(sized, one),
        }
        for one in cheaper(sized)
    ]
