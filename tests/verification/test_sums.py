"""Sums that cannot be: every run is checked for them, without being asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simulator.native.outcome import Outcome
from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.reference import run as reference
from simulator.reference.run import run_reference
from simulator.result.result import Result
from simulator.verification.sums import IdentityError, check_sums
from tests.engines.test_limits import writers

Break = Callable[[Result], None]


def plan() -> Plan:
    return writers([100, 50], overhead_ns=7, rate=1e9).plan()


def latency(result: Result) -> None:
    result.latencies["write"].sum_ns -= 1 << 63


def longest(result: Result) -> None:
    result.latencies["write"].max_ns = 3


def bins(result: Result) -> None:
    result.latencies["write"].bins.popitem()


def account(result: Result) -> None:
    result.processes[1].spent["disk"] = (-5, 5)


def lost(result: Result) -> None:
    result.processes[0].idle_ns += 1


def bytes_read(result: Result) -> None:
    result.processes[0].write.bytes -= 1 << 62


def busy(result: Result) -> None:
    result.parts["disk"].busy_ns -= 1 << 63


def over(result: Result) -> None:
    result.elapsed_ns -= 1


BROKEN = {
    latency: "write: latencies of -",
    longest: "write: latencies of",
    bins: "write: 2 latencies",
    account: "p1: negative time in its account",
    lost: "p0: ",
    bytes_read: "p0: -",
    busy: "disk: 2 requests",
    over: "elapsed ",
}


def test_a_result_that_can_be() -> None:
    check_sums(run_reference(plan()))


@pytest.mark.parametrize("broken", BROKEN)
def test_what_cannot_be_is_told(broken: Break) -> None:
    result = run_reference(plan())
    broken(result)
    with pytest.raises(IdentityError, match=BROKEN[broken]):
        check_sums(result)


def test_the_native_engine_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Outcome.result

    def wrong(outcome: Outcome, **how: bool) -> Result:
        result = right(outcome, **how)
        latency(result)
        return result

    monkeypatch.setattr(Outcome, "result", wrong)
    with pytest.raises(IdentityError, match="write: latencies of -"):
        run_native(plan())


def test_the_reference_engine_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    right = reference._result

    def wrong(*given: object) -> Result:
        result = right(*given)  # type: ignore[arg-type]
        latency(result)
        return result

    monkeypatch.setattr(reference, "_result", wrong)
    with pytest.raises(IdentityError, match="write: latencies of -"):
        run_reference(plan())
