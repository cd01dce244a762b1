"""What is nearest to a requirement that nothing meets: what it misses, and what to try next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.config.requirement_file import AT_MOST
from simulator.report import sizewords as words
from simulator.sizing.targets import margin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.sizing.configurations import Configuration
    from simulator.sizing.sized import Sized
    from simulator.sizing.targets import Measured

LEAST_GAIN = 1.1
"""How many times better a step makes a figure: what brings less is no way to a target."""


def nearest_text(sized: Sized, one: Configuration) -> str:
    """Name what is nearest, its costs, what it misses, and what to try next."""
    found = f"Nearest: {words.words_of(sized, one)}: {words.costs(sized, one)}."
    return " ".join(filter(None, (found, missed_text(sized, one), _next(sized, one))))


def missed_text(sized: Sized, one: Configuration) -> str:
    """State each target that a configuration misses: its figure, what that has to be, the gap.

    ``It misses copy: time, which is 5.2 s and has to be at most 5 s: 200 ms (4 %) too much.``
    """
    outcome = sized.outcome(one)
    missed = [_missed(sized, each) for each in outcome.measured if each.slack < each.needs]
    left = "; its other targets were not looked at" if not outcome.complete else ""
    return f"It misses {'; and '.join(missed)}{left}." if missed else ""


def _missed(sized: Sized, one: Measured) -> str:
    target = sized.requirement.targets[one.target]
    name = f"{words.name_of(target)}{words.in_state(one.state)}"
    if one.judged is None:
        return f"{name}, of which a run has no figure (it has to be {words.limit_text(target)})"
    at_most = target.figure in AT_MOST
    needed = target.limit / one.needs if at_most else target.limit * one.needs
    has = "can be" if one.by == "bound" else "is"
    best = " at best" if one.by == "bound" else ""
    told = f"{name}, which {has} {words.figure_text(target, one.judged)}{best}"
    told += f" and has to be {words.limit_text(target)}"
    if one.needs > 1:
        told += f" ({words.figure_text(target, needed)} with the model's error)"
    gap = words.figure_text(target, abs(one.judged - needed))
    share = words.percents(abs(margin(target, one.slack / one.needs)))
    return f"{told}: {gap} ({share}) too {'much' if at_most else 'little'}"


def _next(sized: Sized, one: Configuration) -> str:
    """State what to try next: a budget, a choice that helped to its last value, or what is busy."""
    dearer = next((each for each in sized.meeting if not sized.affordable(each)), None)
    if dearer is not None:
        return f"Next: a budget for {words.costs(sized, dearer)}."
    binding = sized.binding(one)
    target = words.name_of(sized.requirement.targets[binding.target])
    gain, name, level = max(_last_steps(sized, one, binding), default=(0.0, "", ""))
    if gain >= LEAST_GAIN:
        step = f"its last step, to {level}, made {target} {gain:.3g} times as good"
        return f"Next: more of {name}: {step}."
    if binding.busiest:
        return f"Next: {binding.busiest} limits {target}: write a choice of more or faster ones."
    return ""


def _last_steps(
    sized: Sized, one: Configuration, binding: Measured
) -> Iterator[tuple[float, str, str]]:
    """Yield how many times better the last step of each choice made a target, if it was run."""
    offer, at = sized.offer, (binding.target, binding.state)
    for index, (name, levels) in enumerate(zip(offer.names, offer.levels, strict=True)):
        less = offer.lattice.step(one.number, (index, -1))
        known = sized.outcomes.get(-1 if less is None else less)
        if known is None or offer.lattice.places(one.number)[index] != len(levels) - 1:
            continue
        for each in known.measured:
            if (each.target, each.state) == at and each.slack > 0:
                yield binding.slack / each.slack, name, one.levels[index]
