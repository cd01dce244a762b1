"""Runs of plans by hand on the reference engine, and on the native one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.native.run import run_native
from simulator.reference.run import run_reference
from tests.engines.compare import plain

if TYPE_CHECKING:
    from simulator.result.result import Result
    from tests.engines.hand import Hand


def run(hand: Hand, **fields: Any) -> Result:
    """Carry out a plan, check its identities, and see that the records change nothing."""
    plan = hand.plan(**fields)
    result = run_reference(plan, debug=True)
    recorded = run_reference(plan, debug=True, record=True, timeline=True)
    kept = plain(result)
    assert {name: plain(recorded)[name] for name in kept if name not in ("spans", "calls")} == {
        name: kept[name] for name in kept if name not in ("spans", "calls")
    }
    native = plain(run_native(plan, debug=True, record=True, timeline=True))
    assert {**native, "engine": ""} == {**plain(recorded), "engine": ""}
    return recorded


def ends(result: Result) -> list[int]:
    """Return when each process ended."""
    return [one.ended_ns for one in result.processes]


def spent(result: Result, process: int = 0) -> dict[str, tuple[int, int]]:
    """Return the account of a process."""
    return result.processes[process].spent


def counts(result: Result, store: str) -> dict[str, int]:
    """Return the counters of a store that are not 0."""
    return {name: count for name, count in result.stores[store].counts.items() if count}
