"""Settings without effect on a run: values of resources and stores that nothing used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from simulator.config.errors import Problem
from simulator.config.lowering.tables import MPI_CALLS
from simulator.plan.codes import STREAM
from simulator.runtime.policies import runtime_of

if TYPE_CHECKING:
    from simulator.config.settings import Setting
    from simulator.plan.plan import Plan
    from simulator.result.result import Result


def unused_settings(settings: Iterable[Setting], plan: Plan, result: Result) -> list[Problem]:
    """Return a warning for each setting (with a full path) that had no effect on the result."""
    return [
        Problem(f"--set {path}={value}", 0, 0, "", about, "warning")
        for path, value in settings
        if (about := _unused(path.split("."), plan, result))
    ]


OF_CALLS = ("call_overhead", "transfer_buffer")
"""Settings under ``mpi_io`` that apply to all calls on I/O nodes."""


def _unused(path: list[str], plan: Plan, result: Result) -> str:
    """Return the reason for which a setting has no effect; empty if it may have one."""
    match path:
        case ["machine", "parts" | "stores", "*", *_]:
            return ""
        case ["machine", "parts", name, *_] if name not in _used_parts(plan, result):
            return f"has no effect: nothing in {result.workload} uses {name}"
        case ["machine", "stores", name, *_] if name not in _used_stores(plan, result):
            return f"has no effect: nothing in {result.workload} uses {name}"
        case ["machine", "runtime", "buffer"] if not any(_buffered(plan)):
            return f"has no effect: no program of {result.workload} has a buffer of that size"
        case ["machine", "runtime", "mpi_io", key, *_] if plan.asked is None and not (
            key in OF_CALLS and any(MPI_CALLS in one.spent for one in result.processes)
        ):
            return f"has no effect: {result.workload} makes no calls of MPI-IO"
    return ""


def _used_parts(plan: Plan, result: Result) -> set[str]:
    """Return the names of resources that had a request, or may have had one before the start."""
    names = {part.label: part.name for part in plan.parts}
    if result.prestage_ns:
        return set(names.values())
    return {names.get(one.part, one.part) for one in result.parts.values()}


def _used_stores(plan: Plan, result: Result) -> set[str]:
    """Return the names of stores that were used, or into which something was prestaged."""
    used = {one.store for one in result.stores.values()}
    return used | {store.name for store in plan.stores if result.prestage_ns}


def _buffered(plan: Plan) -> Iterator[bool]:
    for process in plan.processes:
        for phase in process.phases:
            yield phase.kind == STREAM and not runtime_of(phase.policy).unbuffered


class UnusedSettings:
    """Settings of many runs that have had no effect on any of them so far."""

    def __init__(self, named: dict[str, str]) -> None:
        """``named``: full path -> name of the setting in messages."""
        self.named = named
        self.left = {path: "" for path in named if _may_be_unused(path)}
        """Path -> reason for which it has no effect, by the last run."""

    def examine(self, plan: Plan, result: Result) -> None:
        """Examine a run; free once every setting may have had an effect."""
        reasons = {path: _unused(path.split("."), plan, result) for path in self.left}
        self.left = {path: about for path, about in reasons.items() if about}

    def merge(self, others: dict[str, str]) -> None:
        """Merge the remaining settings of runs elsewhere."""
        self.left = {path: others[path] for path in self.left if path in others}

    def problems(self) -> list[Problem]:
        """Return a warning for each remaining setting."""
        return [
            Problem(self.named[path], 0, 0, "", about, "warning")
            for path, about in self.left.items()
            if about
        ]


def _may_be_unused(path: str) -> bool:
    return path.startswith(("machine.parts.", "machine.stores.", "machine.runtime."))
