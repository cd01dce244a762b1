"""One run from files, names or sections: what the commands and the notebooks call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from simulator.config import (
    Machine,
    Workload,
    check_together,
    load_machine,
    load_workload,
    raise_errors,
)
from simulator.config.plan import make_plan
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.engine.plan import Plan
    from simulator.engine.result import Result

EngineName = Literal["auto", "native", "reference"]
ENGINES: tuple[EngineName, ...] = ("auto", "native", "reference")
"""``auto`` is the native engine, but the reference engine where a timeline is asked for."""
Setting = tuple[str, str]


def load_plan(
    machine: str | Path | Machine,
    workload: str | Path | Workload,
    *,
    settings: Iterable[Setting] = (),
    seed: int = 0,
    noisy: bool = False,
) -> Plan:
    """Make a plan from a machine and a workload, given as files, shipped names or sections.

    ``settings`` are (path, value) pairs as of ``--set``; they need files or names. Raises
    :class:`simulator.config.ConfigError` with every mistake of the files.
    """
    settings = list(settings)
    if not isinstance(machine, Machine):
        machine = load_machine(machine, settings)
    if not isinstance(workload, Workload):
        workload = load_workload(workload, settings)
    raise_errors(check_together(machine, workload, noisy=noisy))
    return make_plan(machine, workload, seed=seed, noisy=noisy)


def run_plan(
    plan: Plan,
    *,
    engine: EngineName = "auto",
    timeline: bool = False,
    debug: bool = False,
    record: bool = False,
    stopped: Callable[[], bool] | None = None,
) -> Result:
    """Carry out a plan on an engine; ``debug`` checks the sample-path identities.

    ``record`` keeps every call of the clients (see ``result/calls.py``).

    Both engines give the same result to the nanosecond; only the reference engine keeps the
    services of a timeline. The native engine asks ``stopped`` now and then whether to give up.
    """
    if engine not in ENGINES:
        raise ValueError(f"no engine {engine!r}; there are {', '.join(ENGINES)}")
    if engine == "reference" or (engine == "auto" and timeline):
        from simulator.engine.reference import run_reference

        return run_reference(plan, timeline=timeline, debug=debug, record=record)
    if timeline:
        raise InputError("the native engine keeps no timeline; write --engine reference")
    from simulator.engine.native.run import run_native

    return run_native(plan, debug=debug, record=record, stopped=stopped)


def simulate(
    machine: str | Path | Machine = "nwt",
    workload: str | Path | Workload = "test-write",
    *,
    settings: Iterable[Setting] = (),
    seed: int | None = None,
    engine: EngineName = "auto",
    timeline: bool = False,
    debug: bool = False,
) -> Result:
    """Run a workload on a machine.

    Without a seed service times do not vary; with one they do, and the same seed gives the
    same result.
    """
    plan = load_plan(machine, workload, settings=settings, seed=seed or 0, noisy=seed is not None)
    return run_plan(plan, engine=engine, timeline=timeline, debug=debug)
