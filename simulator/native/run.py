"""Entry points of the native engine: the result of a run, or its totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from simulator.errors import RefusedError
from simulator.kinds import names
from simulator.native import kernel
from simulator.native.columns import ColumnCache, columns_of
from simulator.native.outcome import outcome_of
from simulator.native.tables import LAYOUT
from simulator.native.totals import totals_of as totals_of_outcome
from simulator.plan.errors import LimitError
from simulator.plan.events import FREQUENT_EVENT, MOST_TIMES
from simulator.plan.limits import check_divisors, check_reach
from simulator.plan.restarts import in_vain
from simulator.plan.services import needs_reference
from simulator.result.repeats import Repeats
from simulator.result.totals import totals_of
from simulator.verification.check import check
from simulator.verification.sums import check_sums

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.result.totals import Totals

STRETCH = 1 << 20
SHARE = 50
"""Minimum number of events per comparison of states, in units of the events that one comparison
costs."""


def advance(run: kernel.Run) -> bool:
    """Run a batch of events; return whether the run has ended."""
    return run.advance(STRETCH)


def refused(plan: Plan, *, recorded: bool) -> str:
    """Return why runs of a plan cannot be fast-forwarded, in words; empty if they can."""
    if recorded:
        return "calls, services or curves are recorded"
    if plan.queues:
        return "jobs wait in a queue"
    if plan.events or plan.restarts:
        what = "resources" if plan.events else "jobs"
        return f"{what} fail or change speed at fixed times"
    for store in plan.stores:
        if store.flushers:
            return f"{store.name} writes back expired blocks at fixed times"
        if store.slow_ns:
            return f"{store.name} throttles writers by their history"
    for part in plan.parts:
        if getattr(part.spec, "rotation_drawn", False):
            return f"{part.label} draws at random"
        noise = part.noise
        if noise.exponential or (plan.noisy and noise.request_sd > 0):
            return f"the service times of {part.label} vary"
    return ""


def run_native(  # noqa: PLR0913 - all by their names
    plan: Plan,
    *,
    debug: bool = False,
    record: bool = False,
    timeline: bool = False,
    samples: int = 0,
    stopped: Callable[[], bool] | None = None,
    fast_forward: bool = True,
    cache: ColumnCache | None = None,
    begun: Callable[[Callable[[], int]], None] | None = None,
) -> Result:
    """Run a plan; the result equals that of the reference engine to the nanosecond.

    ``debug`` checks the sample-path identities (IdentityError), ``record`` keeps the processes'
    calls, ``timeline`` every service, ``samples`` curves of so many bins at most. ``fast_forward``
    skips repeated periods by arithmetic (repeats.hpp). ``stopped`` is polled; if it returns true,
    KeyboardInterrupt is raised (threads need it, since interrupts do not reach them). ``begun``
    receives a function that returns the current simulated time. ``cache`` caches columns that the
    plans of several runs share. Raises RefusedError before the run if the engine lacks a kind in
    the plan, SimulationError naming processes that are blocked at the end, LimitError for a limit
    that the run exceeds, PlanError for stores without room for a block.
    """
    repeats = Repeats()
    with _limits(plan):
        run = _begun(plan, cache, stopped)
        run.record(record, timeline)
        if samples:
            run.sample(samples)
        if begun is not None:
            begun(lambda: run.numbers()[0])
        if fast_forward:
            repeats.why = refused(plan, recorded=bool(record or timeline or samples))
        _carry_out(run, repeats, stopped, forward=fast_forward and not repeats.why)
        outcome = outcome_of(run, plan)
        result = outcome.result(timing=timeline, recording=record, sampling=samples > 0)
    result.repeats = repeats
    check(plan, result, debug=debug)
    return result


def totals_native(
    plan: Plan, cache: ColumnCache, stopped: Callable[[], bool] | None = None
) -> Totals:
    """Run a plan as :func:`run_native`, and return the totals of the run."""
    with _limits(plan):
        run = _begun(plan, cache, stopped)
        _carry_out(run, Repeats(), stopped, forward=not refused(plan, recorded=False))
        outcome = outcome_of(run, plan)
        totals = totals_of_outcome(outcome)
        if totals is None:
            result = outcome.result(timing=False, recording=False)
            check_sums(result)
            totals = totals_of(result)
    return totals


def _begun(plan: Plan, cache: ColumnCache | None, stopped: Callable[[], bool] | None) -> kernel.Run:
    """Return a run whose processes have begun; it polls ``stopped``."""
    check_divisors(plan)
    check_reach(plan, cache.plan if cache is not None else None)
    refuse(plan)
    columns = columns_of(plan) if cache is None else cache.columns(plan)
    return kernel.Run(columns, partial(_look, stopped))


def _look(stopped: Callable[[], bool] | None) -> None:
    if stopped is not None and stopped():
        raise KeyboardInterrupt


def _carry_out(
    run: kernel.Run, repeats: Repeats, stopped: Callable[[], bool] | None, *, forward: bool
) -> None:
    """Advance a run to its end."""
    if forward:
        run.fast_forward(SHARE)
    while not advance(run):
        _look(stopped)
    if (found := run.repeats()) is not None:
        repeats.periods, repeats.events, repeats.ns, repeats.differed = found


@contextmanager
def _limits(plan: Plan) -> Iterator[None]:
    """Convert errors of the kernel to those of the program."""
    try:
        yield
    except kernel.KernelRefusedError as error:
        raise RefusedError(str(error)) from error
    except kernel.LimitPassedError as error:
        raise limit_error(plan, *error.args) from error


def limit_error(plan: Plan, what: str, which: int, size: bool) -> LimitError:
    """Return the error for a limit that the run exceeds."""
    if what == "event":
        return LimitError(FREQUENT_EVENT, times=MOST_TIMES)
    if what == "part":
        return LimitError(plan.parts[which].label, size=size)
    if what == "process":
        return LimitError(plan.processes[which].name, size=size)
    if what == "file":
        return LimitError(plan.files[which].name, size=size)
    if what == "restart":
        return in_vain(plan.restarts[which].job)
    if what == "unit":
        part = next(part for part in plan.parts if which in part.instances)
        return LimitError(plan.instance_name(part, which - part.first), size=size)
    return LimitError("the write-back of a store", size=size)


def refuse(plan: Plan) -> None:
    """Raise RefusedError naming the first item of a plan that the native engine lacks."""
    needed = needs_reference(plan)
    if needed:
        raise RefusedError(f"the native engine does not know {needed}")
    used = {
        "parts": {part.kind: part.label for part in plan.parts},
        "policies": {store.policy: store.name for store in plan.stores},
        "tiers": dict.fromkeys((tier.kind for tier in plan.tiers), ""),
        "orders": {queue.order: queue.name for queue in plan.queues},
        "backfills": {queue.backfill: queue.name for queue in plan.queues},
    }
    for folder, of in used.items():
        for name, example in of.items():
            if name not in LAYOUT[folder]:
                raise RefusedError(unknown(folder, name, example))
    most = max((max(file.size, file.length) for file in plan.files), default=0)
    for store in plan.stores:
        if max(store.block, most // store.block) >= 1 << 31:
            raise RefusedError(
                f"the native engine counts blocks, and the bytes of one, in 31 bits; {store.name} "
                f"has blocks of {store.block} bytes, and the largest file {most}"
            )


_WHAT = {
    "parts": "resource of kind {!r}, such as {}",
    "policies": "policy {!r}, such as that of {}",
    "tiers": "tier {!r}",
    "orders": "order of jobs {!r}, such as that of {}",
    "backfills": "backfill {!r}, such as that of {}",
}


def unknown(folder: str, name: str, example: str) -> str:
    """Return the message on a kind unknown to the kernel; ``example`` is an instance of it."""
    what = f"the native engine has no {_WHAT[folder].format(name, example)}"
    if name in names(folder, "native"):
        what += ": compile its native.hpp with 'make setup'"
    return what
