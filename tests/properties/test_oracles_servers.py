"""Processors, links and servers against theory: every row agrees, and could have disagreed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from simulator.machine import maxmin
from simulator.machine.timeshare import ONE, CpuSpec, LoadAverage
from simulator.study import oracles_servers as oracles
from simulator.study.oracles import OracleRow, _Samples
from simulator.study.oracles_servers import run_server_oracles


def disagreeing(rows: Sequence[OracleRow]) -> list[str]:
    return [
        f"{row.name}: {row.simulated:.7g}, not {row.expected:.7g}" for row in rows if not row.ok
    ]


def test_a_tenth_of_the_samples_agrees() -> None:
    rows = run_server_oracles(quick=True)
    assert disagreeing(rows) == []
    assert {row.id for row in rows} == {"O5", "O8", "O9", "O14", "O19"}


@pytest.mark.slow
def test_all_samples_agree_within_a_few_per_cent() -> None:
    rows = run_server_oracles()
    assert disagreeing(rows) == []
    assert [row.name for row in rows if row.tolerance > 0.05 * (row.expected or 1)] == []


def test_links_are_compared_exactly() -> None:
    assert [(row.simulated, row.tolerance) for row in oracles._links()] == [
        (5, 1e-9),
        (20, 1e-9),
        (20, 1e-9),
    ]


def test_a_processor_that_is_slow_by_a_tenth_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = CpuSpec.shares

    def slowly(self: CpuSpec, urgent: int, others: int) -> tuple[int, int]:
        first, second = shares(self, urgent, others)
        return first * 9 // 10, second * 9 // 10

    monkeypatch.setattr(CpuSpec, "shares", slowly)
    some = _Samples(10)
    for rows in (oracles._shared_pe, oracles._shared_pes):
        assert disagreeing(list(rows(some))) != []


def test_pes_that_stay_idle_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor that always divides itself by four, however many tasks there are."""
    monkeypatch.setattr(CpuSpec, "shares", lambda *_: (ONE // 4, ONE // 4))
    assert disagreeing(list(oracles._shared_pe(_Samples(100)))) != []


def test_a_load_that_forgets_too_fast_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    advance = LoadAverage.advance
    monkeypatch.setattr(LoadAverage, "advance", lambda self, now, n: advance(self, now * 2, n))
    first = next(row for row in oracles._load(_Samples(1000)) if "10 threads" in row.name)
    assert not first.ok


def test_links_that_are_not_fair_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal parts of every link, whether the others can use theirs or not, is not max-min."""

    def equal_parts(capacities: Sequence[int], routes: Sequence[Sequence[int]]) -> list[int]:
        crossing = [sum(number in route for route in routes) for number in range(len(capacities))]
        return [min(capacities[one] // crossing[one] for one in route) for route in routes]

    monkeypatch.setattr(maxmin, "max_min", equal_parts)
    assert disagreeing(list(oracles._links())) != []


def test_trials_of_another_chance_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = oracles.trial_gaps
    monkeypatch.setattr(oracles, "trial_gaps", lambda every, _, count: real(every, 0.55, count))
    assert disagreeing(list(oracles._trials(_Samples(10)))) != []
