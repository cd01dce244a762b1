"""The native engine's one function for the rest of the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.engine.identities import check_identities
from simulator.engine.native.collect import books, collect
from simulator.engine.native.engine import run_for
from simulator.engine.native.flatten import Flat

if TYPE_CHECKING:
    from simulator.engine.plan import Plan
    from simulator.engine.result import Result

STRETCH = 1 << 20
"""Events at a time, about a tenth of a second: between two stretches an interrupt is heard."""


def run_native(
    plan: Plan,
    *,
    debug: bool = False,
    record: bool = False,
    stopped: Callable[[], bool] | None = None,
) -> Result:
    """Carry out a plan; the result is that of the reference engine to the nanosecond.

    ``debug`` checks the sample-path identities, ``record`` keeps the clients' calls. ``stopped``
    is asked now and then whether to give up, which raises KeyboardInterrupt; threads need it,
    that no interrupt reaches. Raises
    :class:`SimulationError` naming the clients that are blocked at the end.
    """
    flat = Flat(plan)
    if record:
        flat.record()
    while not run_for(flat.engine, STRETCH):
        if stopped is not None and stopped():
            raise KeyboardInterrupt
    result = collect(flat, flat.clock.now)
    if debug:
        check_identities(plan, books(flat), result)
    return result
