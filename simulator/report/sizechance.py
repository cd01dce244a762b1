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
    said = f"It meets all targets with a probability of {_percent(found.estimate)}"
    if high - low >= 0.001:
        said += f" ({_percent(low)} to {_percent(high)})"
    if asked is not None:
        said += f"; {_percent(asked)} {'is' if found.estimate >= asked else 'are'} asked for"
    return f"{said}."


def basis(sized: Sized, one: Configuration) -> str:
    """State what the probability is made of, and what to measure first to be surer."""
    found = sized.outcome(one).probability
    if found is None:
        return ""
    said = [_model(found), _runs(sized, found), _first(sized, one, found)]
    return " ".join(each for each in said if each)


def _model(found: Probability) -> str:
    """State of which study the model's error is, and why."""
    if found.error is None:
        return "No error of the model was measured of such figures: this is of runs alone."
    error = found.error
    why = "as no study has a machine that is near"
    if error.machine:
        alike = f"{error.shared} of {error.kinds} kinds of resources alike"
        why = f"nearest by its machine {error.machine}, {alike}"
    return f"The model's error in it: {error.what} ({why}; {', '.join(error.where)})."


def _runs(sized: Sized, found: Probability) -> str:
    """State what the draws are of."""
    noise = ["noise"] if sized.evaluator.seed is not None else []
    of = " and ".join([*noise, *([counted(len(found.names), "value")] if found.names else [])])
    if not found.varies:
        return "Nothing else varies."
    known = "" if found.is_known() else f" It is known to {percents(found.half_width)} only."
    return (
        f"By {counted(len(found.draws), 'draw')} of {of} alone {_percent(found.by_runs)} meet"
        f" them.{known}"
    )


def _first(sized: Sized, one: Configuration, found: Probability) -> str:
    """Name what to measure first, by the part of the variance that it explains."""
    names = {"model": "a run on such a machine (the model's error)", "runs": "no value: its noise"}
    parts = [
        f"{names.get(name, name)} {_percent(part)}"
        for name, part in found.explained().items()
        if part >= LEAST_NAMED
    ]
    if not parts:
        return ""
    return f"What to measure first: {', '.join(parts[:MOST_NAMED])} of the variance."


def values_command(sized: Sized, one: Configuration) -> list[str]:
    """Return a command for each load that varies all values that are not known well."""
    loads = sized.evaluator.loads
    return [
        command_line(
            *("nwtsim", "uncertainty", loads.machine_file, load.workload),
            *(
                word
                for path, value in (dict(load.settings) | dict(one.settings)).items()
                for word in ("--set", f"{path}={value}")
            ),
        )
        for load in loads.loads
    ]


def _percent(share: float) -> str:
    """Write a probability: one digit behind the point near certainty.

    >>> _percent(0.9649), _percent(0.5), _percent(1.0), _percent(0.9996)
    ('96.5 %', '50 %', '100 %', '99.9 %')
    """
    value = 100 * share
    if 90 < value < 100:
        return f"{min(value, 99.9):.1f} %"
    return f"{value:.0f} %"
