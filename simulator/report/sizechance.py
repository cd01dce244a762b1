"""The probability that an answer meets its targets: the headline, and what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.sizewords import percents
from simulator.wording import command_line, counted

if TYPE_CHECKING:
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.probability import Probability
    from simulator.sizing.sized import Sized

MOST_NAMED = 3
"""Things to measure first that are named."""
LEAST_NAMED = 0.01
"""The part of the variance that one explains which is."""


def headline(sized: Sized, one: Configuration) -> str:
    """State with which probability a configuration meets all targets; empty if it is unknown."""
    found = sized.outcome(one).probability
    if found is None:
        return ""
    low, high = found.interval
    asked = sized.evaluator.wanted
    said = f"It meets all targets with a probability of {percent(found.estimate)}"
    if high - low >= 0.001:
        said += f" ({percent(low)} to {percent(high)})"
    if asked is not None:
        said += f"; the requirement asks for {percent(asked)}"
    return f"{said}."


def basis(sized: Sized, one: Configuration) -> str:
    """State what the probability is made of, and what to measure first to be surer."""
    found = sized.outcome(one).probability
    if found is None:
        return ""
    return " ".join(filter(None, (_model(found), _runs(found), _first(found))))


def pages(sized: Sized, one: Configuration) -> str:
    """State where the errors of the model are printed, and how to vary what has no range."""
    found = sized.outcome(one).probability
    if found is None:
        return ""
    where = [] if found.error is None else [f"The model's errors: {', '.join(found.error.where)}."]
    return " ".join([*where, *(f"What values do: {one}." for one in _commands(sized, one))])


def _model(found: Probability) -> str:
    """State of which study the model's error is, and why."""
    error = found.error
    if error is None:
        return "No error of the model is known of such figures: this is of runs alone."
    why = "no machine of a study is near"
    if error.machine:
        why = f"nearest: {error.machine}, {error.shared} of {error.kinds} kinds of resources alike"
    return f"This includes the model's error, taken from {error.what} ({why})."


def _runs(found: Probability) -> str:
    """State how many draws would meet all targets if the model had no error."""
    if not found.varies:
        return ""
    known = "" if found.is_known() else f", known to {percents(found.half_width)}"
    values = f" and {counted(len(found.names), 'value')}" if found.names else ""
    return (
        f"Without that error {percent(found.by_runs)} of {counted(len(found.draws), 'draw')} of"
        f" runs{values} meet all targets{known}."
    )


def _first(found: Probability) -> str:
    """Name what to measure first, by the part of the variance that it explains."""
    names = {"model": "one run on such a machine", "runs": "nothing (chance)"}
    parts = [
        f"{names.get(name, name)}, {percent(part)} of the variance"
        for name, part in found.explained().items()
        if part >= LEAST_NAMED
    ]
    return f"Measure first: {'; '.join(parts[:MOST_NAMED])}." if parts else ""


def _commands(sized: Sized, one: Configuration) -> list[str]:
    """Return a command for each load that varies all values that are not known well."""
    loads, found = sized.evaluator.loads, []
    for load in loads.loads:
        words = ["nwtsim", "uncertainty", loads.machine_file, load.workload]
        for path, value in (dict(load.settings) | dict(one.settings)).items():
            words += ["--set", f"{path}={value}"]
        found.append(command_line(*words))
    return found


def percent(share: float) -> str:
    """Write a probability: one digit behind the point near certainty.

    >>> percent(0.9649), percent(0.5), percent(1.0), percent(0.9996)
    ('96.5 %', '50 %', '100 %', '99.9 %')
    """
    value = 100 * share
    if 90 < value < 100:
        return f"{min(value, 99.9):.1f} %"
    return f"{value:.0f} %"
