"""Runs of the kernel for the rest of the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.errors import RefusedError
from simulator.native import kernel
from simulator.native.columns import columns_of
from simulator.native.outcome import result_of
from simulator.plan.events import MOST_TIMES, OFTEN
from simulator.plan.limits import check_reach, refuse_nothing
from simulator.plan.services import needs_reference
from simulator.result.errors import LimitError
from simulator.result.repeats import Repeats
from simulator.result.sums import check_sums

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

STRETCH = 1 << 20
SHARE = 50
"""Comparing states may cost one event's time in so many."""


def advance(run: kernel.Run) -> bool:
    """Let a stretch of events happen; return whether that was the end."""
    return run.advance(STRETCH)


def refused(plan: Plan, *, recorded: bool) -> str:
    """Return what of a plan, if anything, keeps its runs from being carried on; in words."""
    if recorded:
        return "every call or service is recorded"
    if plan.events:
        return "parts fail or change at times of their own"
    for store in plan.stores:
        if store.flushers:
            return f"{store.name} writes back what is old at times of its own"
        if store.slow_ns:
            return f"{store.name} slows writers down by what they did before"
    for part in plan.parts:
        if getattr(part.spec, "rotation_drawn", False):
            return f"{part.label} draws at random"
        noise = part.noise
        if noise.exponential or (plan.noisy and noise.request_sd > 0):
            return f"the service times of {part.label} vary"
    return ""


def run_kernel(
    plan: Plan,
    *,
    debug: bool = False,
    record: bool = False,
    timeline: bool = False,
    stopped: Callable[[], bool] | None = None,
    fast_forward: bool = True,
) -> Result:
    """Carry out a plan."""
    refuse_nothing(plan)
    check_reach(plan, None)
    refuse(plan)

    def look() -> None:
        if stopped is not None and stopped():
            raise KeyboardInterrupt

    try:
        run = kernel.Run(columns_of(plan), look)
        run.record(record, timeline)
        repeats = Repeats()
        if fast_forward:
            repeats.why = refused(plan, recorded=record or timeline)
            if not repeats.why:
                run.fast_forward(SHARE)
        while not advance(run):
            look()
        result = result_of(run, plan, timing=timeline, recording=record)
        if fast_forward and (found := run.repeats()) is not None:
            repeats.periods, repeats.events, repeats.ns, repeats.differed = found
        result.repeats = repeats
    except kernel.KernelRefusedError as error:
        raise RefusedError(str(error)) from error
    except kernel.LimitPassedError as error:
        raise limit_error(plan, *error.args) from error
    if debug:
        from simulator.result.identities import check_identities

        check_identities(plan, result)
    else:
        check_sums(result)
    return result


def limit_error(plan: Plan, what: str, which: int, size: bool) -> LimitError:
    """Return the error for what has passed a limit."""
    if what == "event":
        return LimitError(OFTEN, times=MOST_TIMES)
    if what == "part":
        return LimitError(plan.parts[which].label, size=size)
    if what == "process":
        return LimitError(plan.processes[which].name, size=size)
    if what == "file":
        return LimitError(plan.files[which].name, size=size)
    if what == "unit":
        part = next(part for part in plan.parts if which in part.instances)
        return LimitError(plan.instance_name(part, which - part.first), size=size)
    return LimitError("what a store does by itself", size=size)


def refuse(plan: Plan) -> None:
    """Raise RefusedError naming what the native engine lacks for a plan."""
    needed = needs_reference(plan)
    if needed:
        raise RefusedError(f"the native engine does not know {needed}")
    unknown = next((t.kind for t in plan.tiers if t.kind not in kernel.layout()["tiers"]), "")
    if unknown:
        raise RefusedError(f"the native engine has no tier {unknown!r}")
    most = max((max(file.size, file.length) for file in plan.files), default=0)
    for store in plan.stores:
        if max(store.block, most // store.block) >= 1 << 31:
            raise RefusedError(
                f"the native engine counts blocks, and the bytes of one, in 31 bits; {store.name} "
                f"has blocks of {store.block} bytes, and the largest file {most}"
            )
