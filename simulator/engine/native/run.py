"""The native engine's one function for the rest of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.engine.identities import check_identities
from simulator.engine.native.collect import books, collect
from simulator.engine.native.engine import run_to_end
from simulator.engine.native.flatten import Flat

if TYPE_CHECKING:
    from simulator.engine.plan import Plan
    from simulator.engine.result import Result


def run_native(plan: Plan, *, debug: bool = False) -> Result:
    """Carry out a plan; the result is that of the reference engine to the nanosecond.

    ``debug`` checks the sample-path identities. Raises :class:`SimulationError` naming the
    clients that are blocked at the end.
    """
    flat = Flat(plan)
    result = collect(flat, run_to_end(flat.engine))
    if debug:
        check_identities(plan, books(flat), result)
    return result
