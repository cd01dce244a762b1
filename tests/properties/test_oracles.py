"""Machines against theory: every row of the oracle table agrees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from experiments.validation import laws, oracles, oracles_messages, oracles_room, oracles_servers
from experiments.validation import oracles_storage as storage
from experiments.validation.oracle_rows import EXACT, OracleRow, exact_row, mean_row
from experiments.validation.oracle_runs import (
    Bench,
    Script,
    calls_of,
    exponential_services,
    plan_of,
)
from experiments.validation.oracle_table import (
    BOTH,
    FEWER,
    REFERENCE,
    Figure,
    detects,
    run_table,
    theory_section,
)
from experiments.validation.theory import polled_loop
from simulator.plan.jobs import Operations
from tests.draws.plans.names import without_names

Group = Callable[[Bench], Iterable[OracleRow]]

WANTED = set(range(1, 21))
"""All of the project's list; there is no other."""


def disagreeing(rows: Iterable[OracleRow]) -> list[str]:
    return [
        f"{row.id} {row.name}: {row.simulated:.7g} instead of {row.expected:.7g} "
        f"(within {row.tolerance:.2g})"
        for row in rows
        if not row.ok
    ]


def reference(divisor: int) -> Bench:
    return Bench("reference", divisor)


# -- they agree ---------------------------------------------------------------------------------


def two(groups: Sequence[Group]) -> tuple[Group, Group]:
    """Groups for few samples in the quick tests; all have many samples in the slow ones."""
    return groups[0], groups[len(groups) // 2]


@pytest.mark.parametrize("group", two(BOTH))
@pytest.mark.compiled
def test_some_samples_agree_on_the_native_engine(group: Group) -> None:
    assert disagreeing(group(Bench("native", 100))) == []


@pytest.mark.parametrize("group", two(BOTH))
def test_few_samples_agree_on_the_reference_engine(group: Group) -> None:
    assert disagreeing(group(reference(2000))) == []


@pytest.mark.parametrize("group", two(REFERENCE))
def test_some_samples_of_services_agree(group: Group) -> None:
    many = group in (oracles_servers.loads, *REFERENCE[:4])
    assert disagreeing(group(reference(100 if many else 300))) == []


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("group", BOTH)
def test_many_samples_agree_on_both_engines(group: Group) -> None:
    benches = Bench("native", 4), reference(4 * FEWER), Bench("native", 4 * FEWER)
    rows, few, twins = (list(group(one)) for one in benches)
    assert disagreeing([*rows, *few]) == []
    assert [one.simulated for one in few] == [one.simulated for one in twins]


@pytest.mark.slow
@pytest.mark.parametrize("group", REFERENCE)
def test_many_samples_of_services_agree(group: Group) -> None:
    assert disagreeing(group(reference(8))) == []


@pytest.mark.long
@pytest.mark.compiled
def test_all_samples_agree_and_find_an_error_of_two_per_cent() -> None:
    figures = run_table()
    assert [one.reference.name for one in figures if not one.ok] == []
    assert {int(one.reference.id.removeprefix("O")) for one in figures} == WANTED
    best = [one.best for one in figures]
    assert [row.name for row in best if row.detects > 0.0215] == []
    # Tolerances are neither too wide nor too narrow for what is drawn.
    drawn = [row for row in best if row.detects > EXACT]
    scores = np.array([4 * (row.simulated - row.expected) / row.tolerance for row in drawn])
    assert len(scores) > 50
    assert 0.5 < float(np.sqrt((scores**2).mean())) < 1.25


def test_what_is_exact_is_compared_exactly() -> None:
    (chunks,) = oracles.pipeline(reference(1))
    assert chunks.expected == pytest.approx(14.241225, abs=1e-6)
    assert chunks.tolerance < 3e-9 * chunks.expected
    *bursts, fluid = storage.write_behind(reference(1))
    assert [round(row.expected, 6) for row in bursts] == [29.933333] * 3 + [29.875]
    assert max(row.tolerance for row in bursts) < 1e-6
    assert round(fluid.expected, 6) == 29.866667
    # one block of a megabyte at the rates of the memory and of the disk
    assert fluid.tolerance < 0.071
    links = [(row.simulated, row.tolerance) for row in oracles_servers.links(reference(1))]
    assert links == [(5, 1e-9), (20, 1e-9), (20, 1e-9)]


def test_the_bound_of_an_io_node_is_nearly_reached_and_never_crossed() -> None:
    over = [storage.over_bound(reference(1), count) for count in (1, 3, 5, 7)]
    assert over[0] == pytest.approx(1, abs=1e-12)
    assert 0.9 < min(over) <= max(over) <= 1 + 1e-12


def test_the_whole_number_of_polls_in_some_work_is_told() -> None:
    """Polls of 2 ms every 10 ms beside works of 16.1 ms: 20.32 ms, and not 16.1 / (1 - 2 / 10)."""
    bench = reference(1)
    work, poll, count = 16.1, 2.0, 1200
    jobs = oracles_messages.ALONE.format(count=1, work=work)
    plan = plan_of(oracles_messages.stations(1, 10, poll), jobs)
    pauses = bench.generator().integers(0, 10_000_000, count)
    table, phases = Operations(), []
    plan = without_names(plan)  # It begins with a pause, which is of no phase of the workload.
    computing = plan.processes[0].phases[0]
    for pause in pauses.tolist():
        phases += [Script("pause", gap=pause, size=0).add_to(table), computing]
    (process,) = plan.processes
    processes = (replace(process, phases=tuple(phases)),)
    result = bench.carry_out(replace(plan, processes=processes, operations=table))
    ends = calls_of(result, "pause").end
    times = np.diff(ends) - pauses[1:]
    row = mean_row("O16", "x", lambda off: laws.polled_work(work * off, poll, 10), times, 1e6)
    assert row.ok
    assert abs(row.simulated - (polled_loop(work, poll, 10) - 5)) > 1.5 * row.tolerance


# -- what rows are made of ----------------------------------------------------------------------


def test_a_row_that_is_off_is_not_ok() -> None:
    near, far = OracleRow("O0", "x", 1.0, 1.1, 0.1 + 1e-9), OracleRow("O0", "x", 1.0, 1.1, 0.09)
    assert (near.ok, far.ok) == (True, False)
    assert [Figure(one, other).ok for one in (near, far) for other in (near, far)] == [
        True,
        False,
        False,
        False,
    ]
    assert not Figure(None, far).ok


def test_engines_that_differ_do_not_agree_although_both_are_near() -> None:
    one, other = (OracleRow("O0", "x", 1.0, value, 0.1) for value in (1.01, 1.02))
    assert Figure(one, one, one).ok
    assert not Figure(one, one, other).ok
    text = theory_section([Figure(one, one, other), Figure(one, one, one)])
    assert "**engines differ**" in text
    assert "1 of 2 figures agree" in text


def test_a_row_says_what_it_finds() -> None:
    values = np.full(10_100, 2.0)
    row = mean_row("O0", "x", lambda off: laws.uniform(0, 4 * off), values, what="rotation")
    error = 4 / 12**0.5 / 100
    assert row.tolerance == pytest.approx(4 * error, rel=0.01)
    assert row.detects == pytest.approx(6.326 * error / 2, rel=0.01)
    assert detects(row) == "3.7 % of rotation"
    with pytest.raises(ValueError, match="does not change the figure"):
        mean_row("O0", "x", lambda _: laws.uniform(0, 4), values)
    assert detects(exact_row("O0", "x", lambda off: off, 1.0, 1e-9)) == "< 0.01 % of service"


def test_the_rows_are_the_same_on_every_run() -> None:
    first, second = (list(oracles_room.windows(reference(2000))) for _ in range(2))
    assert first == second


def test_services_with_noise_are_known_without_a_run() -> None:
    """What waits are computed from: the times that the engine itself takes, request by request."""
    part = f"{{kind: queue, overhead: 1 ms, {oracles.VARY}}}"
    machine = oracles.OPEN.format(part=part, way="[station]")
    plan = plan_of(machine, oracles.workload(oracles.arriving("client", 10**12, kind="fixed")))
    plan = oracles.arrivals_of(plan, 200)
    times = calls_of(reference(1).carry_out(plan), "write").elapsed
    assert times.tolist() == exponential_services(plan, "station", 10**6, 200).tolist()
    assert len(set(times.tolist())) > 150
