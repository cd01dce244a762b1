"""Totals read from an engine are those of its result; where that is not sure, there are none."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import pytest

from simulator.errors import RefusedError
from simulator.native import run
from simulator.native.columns import ColumnCache
from simulator.native.outcome import Outcome, Table
from simulator.native.run import run_native, totals_native
from simulator.native.totals import totals_of as totals_of_outcome
from simulator.plan.errors import LimitError, SimulationError
from simulator.plan.plan import Plan
from simulator.result.totals import Totals, totals_of
from simulator.run import load_plan
from simulator.verification.sums import IdentityError
from tests.draws.plans.draw import plan_of
from tests.examples import examples

DRAWN = examples(600)
Make = Callable[[], Totals]
Change = Callable[[Outcome], None]


def made(make: Make) -> Totals | str:
    """Totals, or what was wrong."""
    try:
        return make()
    except (SimulationError, RefusedError, LimitError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.drawn
def test_totals_of_drawn_plans_are_those_of_their_results(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0

    def counted(outcome: Outcome) -> Totals | None:
        nonlocal read
        totals = totals_of_outcome(outcome)
        read += totals is not None
        return totals

    monkeypatch.setattr(run, "totals_of_outcome", counted)
    known = ColumnCache()
    for seed in range(DRAWN):
        plan = plan_of(seed)
        found = made(lambda: totals_native(plan, known))  # noqa: B023 - it is called now
        assert found == made(lambda: totals_of(run_native(plan))), seed  # noqa: B023
    assert read > DRAWN / 3


def written() -> Plan:
    """A program that writes a file through a store."""
    return load_plan("nwt", "test-write", settings=[("workload.files.output.size", "4 MB")])


def add(table: str, name: str, value: int, *, to: str = "") -> Change:
    """Add to a number of the first row; of the first that has something in the column ``to``."""

    def change(outcome: Outcome) -> None:
        columns = {of: array("q", one) for of, one in outcome.tables[table]._columns.items()}
        row = next(at for at, one in enumerate(columns[to or name]) if one or not to)
        columns[name][row] += value
        whole = {of: column.tobytes() for of, column in columns.items()}
        outcome.tables._made[table] = Table(whole)

    return change


WRONG = {
    "time that is not accounted for": add("process", "computed", 1),
    "bytes of no phase": add("writes", "bytes", 1),
    "calls longer than the run": add("writes", "time", 1 << 60),
    "a phase that ends after all": add("named", "end", 1 << 60, to="passes"),
    "requests below 0": add("instance", "requests", -(1 << 40), to="requests"),
    "bytes below 0": add("instance", "bytes", -(1 << 60), to="requests"),
    "latencies shorter than the shortest": add("latency", "sum", -(1 << 60), to="sum"),
    "a counter below 0": add("store", "evicted", -(1 << 60), to="seen"),
}


@pytest.mark.parametrize("what", WRONG)
def test_of_sums_that_cannot_be_there_are_none(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole result is made then, and says what is wrong."""
    plan, right, seen = written(), run.outcome_of, []

    def wrong(*given: object) -> Outcome:
        outcome = right(*given)  # type: ignore[arg-type]
        seen.append(totals_of_outcome(outcome))
        WRONG[what](outcome)
        seen.append(totals_of_outcome(outcome))
        return outcome

    monkeypatch.setattr(run, "outcome_of", wrong)
    with pytest.raises(IdentityError):
        totals_native(plan, ColumnCache())
    assert seen[0] is not None
    assert seen[1:] == [None]
