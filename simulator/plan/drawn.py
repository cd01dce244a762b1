"""Draws of a plan, by which runs with other seeds differ.

A plan holds some draws already (lengths of records, places, starts of processes); others are made
while it is carried out.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.plan.codes import POISSON

if TYPE_CHECKING:
    from simulator.plan.plan import Plan


def drawn_always(plan: Plan) -> list[str]:
    """Return the names of what is drawn while a plan is carried out, in runs without a seed too."""
    drawn = ["service times"] if any(part.noise.exponential for part in plan.parts) else []
    drawn += ["arrivals"] if any(row.kind == POISSON for row in plan.arrivals) else []
    drawn += ["submissions"] if any(row.queue >= 0 for row in plan.drawn) else []
    drawn += ["computing"] if any(row.queue < 0 for row in plan.drawn) else []
    fails = any(one.mean_ns or one.member < 0 for one in plan.events)
    drawn += ["failures"] if fails or any(one.mean_ns for one in plan.restarts) else []
    drawn += ["calls"] if any(0 < row.chance < 1 for row in plan.services.callers) else []
    return drawn


def noise_left_out(plan: Plan, used: Container[str] | None = None) -> tuple[float, float]:
    """Return the deviations, of a run and of a request, that a run of a plan leaves out.

    The largest of any part, or of any with an instance that was ``used``; (0, 0) if service times
    vary already, or the machine states no noise.
    """
    if plan.noisy:
        return 0.0, 0.0
    found = [
        part.noise
        for part in plan.parts
        if used is None or any(plan.instance_name(part, one) in used for one in range(part.count))
    ]
    run = max((one.run_sd for one in found), default=0.0)
    return run, max((one.request_sd for one in found), default=0.0)


def noisy_parts(plan: Plan) -> list[str]:
    """Return the parts whose service times vary in runs with a seed only."""
    return [part.label for part in plan.parts if part.noise.run_sd or part.noise.request_sd]


def varies(plan: Plan, other: Plan) -> bool:
    """Return whether runs of two plans, equal but for their seeds, can differ."""
    if drawn_always(plan):
        return True
    noisy = bool(noisy_parts(plan))
    polls = bool(plan.services.messages)  # Their first polls are drawn.
    return (plan.noisy and (noisy or polls)) or replace(other, seed=plan.seed) != plan
