"""The native engine's functions for the rest of the program: a run's result, or its totals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.native.blocked import check_limits
from simulator.native.collect import collect
from simulator.native.engine import run_for
from simulator.native.flatten import Flat, refuse
from simulator.native.periods import Periods
from simulator.native.prestage import prestage
from simulator.native.totals import totals_of as totals_of_engine
from simulator.plan.limits import check_reach, refuse_nothing
from simulator.result.sums import check_sums
from simulator.result.totals import totals_of

if TYPE_CHECKING:
    from simulator.native.flatten import Known
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.result.totals import Totals

STRETCH = 1 << 20
"""Events at a time, about a tenth of a second: between two stretches an interrupt is heard."""


def run_native(
    plan: Plan,
    *,
    debug: bool = False,
    record: bool = False,
    timeline: bool = False,
    stopped: Callable[[], bool] | None = None,
    known: Known | None = None,
    begun: Callable[[Callable[[], int]], None] | None = None,
    fast_forward: bool = True,
) -> Result:
    """Carry out a plan; the result is that of the reference engine to the nanosecond.

    ``debug`` checks the sample-path identities (IdentityError), ``record`` keeps the processes'
    calls, ``timeline`` every service. ``fast_forward`` lets what repeats itself be carried on by
    arithmetic (periods.py). ``stopped`` is asked now and then whether to give up, which
    raises KeyboardInterrupt; threads need it, that no interrupt reaches. ``begun`` is given a
    function that tells the time of the run while it goes on. ``known``, given to
    several runs, saves what their plans share. Raises RefusedError before anything runs if the
    engine lacks what the plan needs, SimulationError naming the processes that wait for ever,
    LimitError what goes further than a run may, PlanError for stores without room for a block.
    """
    if known is None or timeline or record:
        _refuse(plan, known)
        flat = Flat(plan, known)
        if timeline:
            flat.keep_spans()
        if record:
            flat.keep_calls()
        prestage_ns = _begin(flat)
    else:
        flat, prestage_ns = begin_with(known, plan)
    periods = Periods(flat) if fast_forward else None
    carry_out(flat, periods, stopped, begun)
    result = _collect(flat, prestage_ns, periods)
    if debug:
        from simulator.result.identities import check_identities

        check_identities(plan, result)
    else:
        check_sums(result)
    return result


def totals_native(plan: Plan, known: Known, stopped: Callable[[], bool] | None = None) -> Totals:
    """Carry out a plan as :func:`run_native`, and return what the run comes to."""
    flat, prestage_ns = begin_with(known, plan)
    periods = Periods(flat)
    carry_out(flat, periods, stopped)
    totals = totals_of_engine(flat)
    if totals is None:
        result = _collect(flat, prestage_ns, periods)
        check_sums(result)
        totals = totals_of(result)
    return totals


def carry_out(
    flat: Flat,
    periods: Periods | None,
    stopped: Callable[[], bool] | None = None,
    begun: Callable[[Callable[[], int]], None] | None = None,
) -> None:
    """Let an engine run that has begun, watched by ``periods``."""

    def look() -> None:
        if stopped is not None and stopped():
            raise KeyboardInterrupt

    flat.clock.look = flat.clients.streams.look = look
    check_limits(flat)
    if begun is not None:
        begun(lambda: int(flat.engine.clock.now))
    while not run_for(flat.engine, STRETCH):
        check_limits(flat)
        if periods is not None:
            periods.look()
        flat.make_room()
        look()
    check_limits(flat)


def _collect(flat: Flat, prestage_ns: int, periods: Periods | None) -> Result:
    """Return the result of an engine that has run."""
    result = collect(flat, prestage_ns)
    if periods is not None:
        result.repeats = periods.repeats
    check_limits(flat)  # of what buffers write once all processes have ended
    return result


def _refuse(plan: Plan, known: Known | None) -> None:
    """Refuse a plan before anything runs."""
    refuse_nothing(plan)
    check_reach(plan, known.plan if known is not None else None)
    refuse(plan)


def begin_with(known: Known, plan: Plan) -> tuple[Flat, int]:
    """Return an engine whose processes have begun, and how long its prestaging would take (ns)."""
    flat = known.again(plan)
    if flat is not None:
        return flat, 0
    _refuse(plan, known)
    flat = Flat(plan, known)
    prestage_ns = _begin(flat)
    known.keep(flat)
    return flat, prestage_ns


def _begin(flat: Flat) -> int:
    """Have all processes begin; returns how long the prestaging would take, in ns."""
    prestage_ns = prestage(flat)
    flat.start()
    return prestage_ns
