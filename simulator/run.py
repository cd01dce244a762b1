"""The one way in: a plan from a machine and a workload, and its run on an engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, get_args

from simulator.errors import InputError, RefusedError

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

EngineName = Literal["auto", "native", "reference"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)
"""``auto`` is the native engine, or the reference engine where the native one refuses."""


class EngineError(InputError):
    """An engine was asked for that cannot carry out the plan, or that does not exist."""


def run_plan(
    plan: Plan,
    *,
    engine: EngineName = "auto",
    timeline: bool = False,
    debug: bool = False,
    record: bool = False,
    stopped: Callable[[], bool] | None = None,
) -> Result:
    """Carry out a plan; the result names the engine, and says why it was this one.

    ``timeline`` keeps every service, ``record`` every call of the processes; ``debug`` checks the
    identities (IdentityError). The native engine asks ``stopped`` now and then whether to give up
    (KeyboardInterrupt). Both engines give the same result. Raises EngineError if the engine that
    was asked for cannot carry out the plan, SimulationError if processes wait for ever.
    """
    if engine not in ENGINES:
        raise EngineError(f"no engine {engine!r}; write one of {', '.join(ENGINES)}")
    result, why = _run(plan, engine, timeline, debug, record, stopped)
    result.why = why
    result.noisy = plan.noisy
    if debug:
        from simulator.result.identities import check_identities

        check_identities(plan, result)
    return result


def _run(
    plan: Plan,
    engine: EngineName,
    timeline: bool,
    debug: bool,
    record: bool,
    stopped: Callable[[], bool] | None,
) -> tuple[Result, str]:
    why = "asked for"
    if engine != "reference":
        from simulator.native.run import run_native

        try:
            result = run_native(
                plan, timeline=timeline, debug=debug, record=record, stopped=stopped
            )
        except RefusedError as error:
            if engine == "native":
                raise EngineError(f"--engine native: {error}; omit the option") from error
            why = f"auto: {error}"
        else:
            return result, "asked for" if engine == "native" else "auto: it takes the whole plan"
    from simulator.reference.run import run_reference

    return run_reference(plan, timeline=timeline, debug=debug, record=record), why
