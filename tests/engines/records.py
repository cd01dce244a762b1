"""What tests compare engines by: the whole result of a drawn plan as one line of JSON."""

from __future__ import annotations

import json
from typing import Any

import simulator.native.run as native
from simulator.native import kernel
from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.reference.actor import Clock
from simulator.reference.run import run_reference
from tests.draws.plans.draw import any_plan_of
from tests.engines.compare import outcome

MOST_EVENTS = 1_000_000
"""Many times what drawn plans have, but some that never end: processes that go on until others
have ended keep these from ending, since whoever comes first takes a store's room."""


class EndlessError(Exception):
    """A run has more events than any that ends."""


def record(engine: str, plan: Plan) -> str:
    """The result of a plan, the engine's name left out; or who is blocked, or what is broken."""
    run = run_reference if engine == "reference" else run_native
    return json.dumps(outcome(run, plan), sort_keys=True)


def plan_named(name: str) -> Plan:
    """The plan of a seed, as ``17``."""
    return any_plan_of(int(name))


def stop_the_endless(most: int = MOST_EVENTS) -> None:
    """From now on, in this process, both engines raise EndlessError beyond so many events."""
    count = Clock.count

    def counted(clock: Clock, time_ns: int) -> None:
        count(clock, time_ns)
        if clock.events > most:
            raise EndlessError

    def advance(run: Any) -> bool:
        try:
            ended = run.advance(native.STRETCH)
        except kernel.LimitPassedError:  # So many events later than the other engine looks.
            ended = False
            if run.numbers()[1] <= most:
                raise
        if run.numbers()[1] > most:
            raise EndlessError
        return bool(ended)

    Clock.count = counted  # type: ignore[method-assign]
    native.advance = advance
