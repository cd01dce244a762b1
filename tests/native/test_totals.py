"""Totals read from an engine are those of its result; where that is not sure, there are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simulator.errors import RefusedError
from simulator.native import codes as c
from simulator.native import native_build, run
from simulator.native.flatten import Flat, Known
from simulator.native.periods import Periods
from simulator.native.run import begin_with, carry_out, run_native, totals_native
from simulator.native.totals import totals_of as totals_of_engine
from simulator.plan.plan import Plan
from simulator.result.errors import SimulationError
from simulator.result.sums import IdentityError
from simulator.result.totals import Totals, totals_of
from simulator.run import load_plan
from tests.draws.plans.draw import plan_of

DRAWN = 400 if native_build() == "compiled" else 60


def outcome(make: Callable[[], Totals]) -> Totals | str:
    """Totals, or what was wrong."""
    try:
        return make()
    except (SimulationError, RefusedError) as error:
        return f"{type(error).__name__}: {error}"


def test_totals_of_drawn_plans_are_those_of_their_results(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0

    def counted(flat: Flat) -> Totals | None:
        nonlocal read
        totals = totals_of_engine(flat)
        read += totals is not None
        return totals

    monkeypatch.setattr(run, "totals_of_engine", counted)
    for seed in range(DRAWN):
        plan = plan_of(seed)
        found = outcome(lambda: totals_native(plan, Known()))  # noqa: B023 - it is called now
        assert found == outcome(lambda: totals_of(run_native(plan))), seed  # noqa: B023
    assert read > DRAWN / 3


def written() -> Plan:
    """A program that writes a file through a store."""
    return load_plan("nwt", "test-write", settings=[("workload.files.output.size", "4 MB")])


def ended(plan: Plan) -> Flat:
    """An engine that has run."""
    flat, _ = begin_with(Known(), plan)
    carry_out(flat, Periods(flat))
    return flat


def first_busy(flat: Flat) -> int:
    """The place of the first instance that had a request."""
    places = range(0, 4 * flat.plan.instances, 4)
    return next(at for at in places if flat.parts.state[at + c.REQUESTS])


def _add(table: str, cell: int, value: int) -> Callable[[Flat], None]:
    def change(flat: Flat) -> None:
        owner, _, name = table.partition(".")
        getattr(getattr(flat, owner), name)[cell] += value

    return change


def _negative(cell: int) -> Callable[[Flat], None]:
    def change(flat: Flat) -> None:
        flat.parts.state[first_busy(flat) + cell] = -1

    return change


def _less_of_latencies(flat: Flat) -> None:
    rows = [one for one in flat.clients.latency_row if one >= 0]
    row = next(one for one in rows if flat.clients.latency[one + c.Q_COUNT] > 1)
    flat.clients.latency[row + c.Q_SUM] = 0


WRONG = {
    "time that is not accounted for": _add("clients.process", c.X_COMPUTED, 1),
    "bytes of no phase": _add("clients.process", c.X_WRITE_BYTES, 1),
    "calls longer than the run": _add("clients.process", c.X_WRITE_NS, 1 << 60),
    "a phase that ends after all": _add("clients.named", c.PH_END, 1 << 60),
    "requests below 0": _negative(c.REQUESTS),
    "bytes below 0": _negative(c.BYTES),
    "latencies shorter than the shortest": _less_of_latencies,
    "a counter below 0": _add("blocks.inst", c.C_EVICTED, -(1 << 60)),
}


@pytest.mark.parametrize("what", WRONG)
def test_of_sums_that_cannot_be_there_are_none(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole result is made then, and says what is wrong."""
    plan = written()
    flat = ended(plan)
    assert totals_of_engine(flat) is not None
    WRONG[what](flat)
    assert totals_of_engine(flat) is None

    def wrong(flat: Flat, periods: Periods, *_: object) -> None:
        carry_out(flat, periods)
        WRONG[what](flat)

    monkeypatch.setattr(run, "carry_out", wrong)
    with pytest.raises(IdentityError):
        totals_native(plan, Known())
