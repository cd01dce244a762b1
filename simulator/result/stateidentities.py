"""Identities of what happens to instances of parts: nothing is served while they are not there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.plan.events import SPEED_BITS, USUAL, calendars_of

if TYPE_CHECKING:
    from simulator.plan.parts import PartPlan
    from simulator.plan.plan import Plan
    from simulator.result.result import Result


def broken_states(plan: Plan, result: Result) -> Iterator[str]:
    """Yield a sentence for each state that cannot be, and each service while a part had failed."""
    for name, one in result.states.items():
        counted = (one.failures, one.down_ns, one.slow_ns, one.delayed, one.lost_ns)
        if min(counted) < 0 or one.down_ns + one.slow_ns > result.end_ns:
            states = f"failed for {one.down_ns} ns, slow for {one.slow_ns} ns"
            yield f"{name}: {states}, in {result.end_ns} ns"
        if (one.down_ns > 0) != (one.failures > 0) or (one.lost_ns > 0) != (one.delayed > 0):
            lost = f"{one.delayed} requests waited for {one.lost_ns} ns"
            yield f"{name}: {one.failures} failures of {one.down_ns} ns, {lost}"
        served = result.parts.get(name)
        if one.delayed > (served.requests if served is not None else 0):
            yield f"{name}: {one.delayed} requests waited for it, more than it served"
    if result.spans and plan.events:
        yield from _spans(plan, result)


def _spans(plan: Plan, result: Result) -> Iterator[str]:
    calendars = calendars_of(plan)
    named = {
        plan.instance_name(part, number - part.first): calendars[number]
        for part in plan.parts
        for number in part.instances
        if number in calendars and part.traits.order != "shared"
    }
    for span in result.spans:
        if span.part in named and named[span.part].times(span.start_ns, span.end_ns)[1]:
            yield f"{span.part}: a service of {span.service_ns} ns at {span.start_ns} ns, failed"


def there_ns(plan: Plan, part: PartPlan, name: str, result: Result) -> int:
    """Return how long an instance could work in a run, in ns at its usual speed or less.

    One that is shared works on more than one thing at a time, faster if an event says so.
    """
    state = result.states.get(name)
    if state is None:
        return result.end_ns
    if part.traits.order == "shared":
        fastest = max(one.speed for one in plan.events if plan.parts[one.part] is part)
        return result.end_ns * max(USUAL, fastest) >> SPEED_BITS
    return result.end_ns - state.down_ns
