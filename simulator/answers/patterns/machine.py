"""More of what limits: the levers of the machine that save most, as advice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.answers.advise import Advice, Change, Cure, Finding

if TYPE_CHECKING:
    from simulator.answers.levers import Lever
    from simulator.answers.limits import Limit, Limits

NAME = "machine"
MOST = 3
"""Changes that are told beside cures of a trace."""
_KINDS = {
    "bandwidth": "the bandwidth of {resource} limits",
    "latency": "the {noun} of {resource} limits",
    "wait": "requests wait for {resource}",
    "capacity": "the capacity of {resource} limits",
    "number": "the number of {resource} limits",
}


def advice_of(limits: Limits, command: Callable[[Change], tuple[str, ...]]) -> list[Advice]:
    """Return all levers that matter as advice, which what limits has run; ``command`` does one."""
    return [
        Advice(
            finding := _finding(one),
            finding.cures[0],
            one.twice.elapsed_ns,
            one.saves_ns,
            command(finding.cures[0].change),
        )
        for one in limits.matter
    ]


def _finding(one: Limit) -> Finding:
    lever = one.lever
    told = _KINDS[lever.kind].format(resource=lever.resource, noun=lever.noun)
    change = Change(settings=one.twice.settings)
    cures = (Cure(_how(lever, one), change),)
    return Finding(NAME, f"{told} ({lever.name}).", cures, resource=lever.name)


def _how(lever: Lever, one: Limit) -> str:
    if lever.aspect == "number":
        words = f"Twice as many ({lever.name})"
    elif lever.what == "dirty":
        words = f"A higher dirty limit of {lever.resource}"
    else:
        times = "Half" if lever.aspect == "overhead" else "Twice"
        words = f"{times} the {lever.noun} of {lever.resource}"
    new = dict(one.twice.settings)
    values = ", ".join(
        f"{value.path} {value.text} -> {new[value.path]}"
        for value in lever.values
        if value.path in new
    )
    return f"{words}: {values}."
