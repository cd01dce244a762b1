"""Failures of instances of resources in a run, from its plan and the delays of requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.plan.events import NOMINAL_SPEED, calendars_of
from simulator.result.result import StateResult

if TYPE_CHECKING:
    from simulator.plan.plan import Plan


def states_of(
    plan: Plan, end_ns: int, delays: Callable[[int], tuple[int, int, int]]
) -> dict[str, StateResult]:
    """Return the states of all instances with events, up to the end of a run.

    ``delays``: by the number of the instance, its delayed requests, their total delay (ns), and
    those that timed out.
    """
    calendars = calendars_of(plan)
    found = {}
    for part in plan.parts:
        for number in part.instances if calendars else ():
            if number in calendars:
                failures, down, slow = calendars[number].times(0, end_ns)
                name = plan.instance_name(part, number - part.first)
                found[name] = StateResult(part.label, failures, down, slow, *delays(number))
    return dict(sorted(found.items()))


def changes_of(plan: Plan, end_ns: int) -> dict[str, list[tuple[int, int, float]]]:
    """Return each interval in which an instance had another speed, up to the end of a run."""
    calendars = calendars_of(plan)
    return {
        plan.instance_name(part, number - part.first): [
            (begin, length, speed / NOMINAL_SPEED)
            for begin, length, speed in calendars[number].changes(0, end_ns)
        ]
        for part in plan.parts
        for number in part.instances
        if number in calendars
    }
