"""The parts against theory: every row of the oracle table agrees, and could have disagreed."""

from __future__ import annotations

import pytest

from simulator.machine.station import ServiceSpec, Station
from simulator.study import oracles
from simulator.study.oracles import OracleRow, batch_error, run_oracles

WANTED = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 15, 17, 18, 20]


def disagreeing(rows: list[OracleRow]) -> list[str]:
    return [
        f"{row.id} {row.name}: {row.simulated:.7g} instead of {row.expected:.7g} "
        f"(within {row.tolerance:.2g})"
        for row in rows
        if not row.ok
    ]


def test_a_tenth_of_the_samples_agrees() -> None:
    rows = run_oracles(quick=True)
    assert disagreeing(rows) == []
    assert sorted({int(row.id.removeprefix("O")) for row in rows}) == WANTED


@pytest.mark.slow
def test_all_samples_agree_within_a_few_per_cent() -> None:
    rows = run_oracles()
    assert disagreeing(rows) == []
    wide = [row.name for row in rows if row.tolerance > 0.04 * row.expected]
    assert wide == []


def test_what_is_exact_is_compared_exactly() -> None:
    rows = {row.id: row for row in (*oracles._pipeline(), *oracles._write_behind())}
    assert rows["O13"].expected == pytest.approx(14.241225, abs=1e-6)
    assert rows["O13"].tolerance < 3e-9 * rows["O13"].expected
    assert rows["O18"].expected == pytest.approx(29.866667, abs=1e-6)
    assert rows["O18"].tolerance <= 1e6 / 15e6  # one unit of a megabyte at the rate of the disk


def test_a_row_that_is_off_is_not_ok() -> None:
    assert OracleRow("O0", "x", 1.0, 1.1, 0.1 + 1e-9).ok
    assert not OracleRow("O0", "x", 1.0, 1.1, 0.09).ok


def test_the_rows_are_the_same_on_every_run() -> None:
    first, second = (list(oracles._finite(oracles._Samples(50))) for _ in range(2))
    assert first == second


def test_the_error_of_a_correlated_mean_is_not_that_of_independent_ones() -> None:
    """Each value repeated 100 times says no more than once."""
    values = oracles._Samples(1).generator().normal(size=4000)
    repeated = values.repeat(100)
    assert batch_error(repeated) == pytest.approx(batch_error(values))
    assert batch_error(values) == pytest.approx(4000**-0.5, rel=0.35)


def test_a_station_that_is_slow_by_a_tenth_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Theory is only a test if a defect of the station shows in it."""
    occupy = Station.occupy

    def slowly(self: Station, server: int, start: int, service: int, size: int) -> int:
        return occupy(self, server, start, service + service // 10, size)

    monkeypatch.setattr(Station, "occupy", slowly)
    some = oracles._Samples(10)
    for rows in (oracles._single_queues, oracles._many_servers, oracles._finite, oracles._closed):
        assert disagreeing(list(rows(some))) != []


def test_a_station_that_overtakes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four servers of which the busiest is chosen are no M/M/4."""
    monkeypatch.setattr(Station, "next_free", lambda self: self.free_at.index(max(self.free_at)))
    assert disagreeing(list(oracles._many_servers(oracles._Samples(100)))) != []


def test_an_overhead_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ServiceSpec, "service_ns", lambda self, size: self.overhead_ns + size + 10)
    assert disagreeing(list(oracles._pipeline())) != []
