"""RAID units, buffer caches and I/O nodes against theory, and what would be noticed."""

from __future__ import annotations

import pytest

from simulator.study import oracles_storage
from simulator.study.oracles import OracleRow, _Samples
from simulator.study.oracles_storage import over_bound, run_storage_oracles


def disagreeing(rows: list[OracleRow]) -> list[str]:
    return [f"{row.id} {row.name}: {row.simulated}" for row in rows if not row.ok]


def test_a_tenth_of_the_samples_agrees() -> None:
    rows = run_storage_oracles(quick=True)
    assert disagreeing(rows) == []
    assert sorted({row.id for row in rows}) == ["O15", "O18", "O2", "O9"]


@pytest.mark.slow
def test_all_samples_agree() -> None:
    assert disagreeing(run_storage_oracles()) == []


def test_a_seek_that_is_too_long_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = oracles_storage.raid

    def longer(**changes: float) -> object:
        return right(**{name: value * 11 // 10 for name, value in changes.items()})

    monkeypatch.setattr(oracles_storage, "raid", longer)
    assert disagreeing(list(oracles_storage._random_reads(_Samples(10)))) != []
    assert disagreeing(list(oracles_storage._burst())) != []


def test_the_bound_is_nearly_reached_and_never_crossed() -> None:
    over = [over_bound(count) for count in (1, 3, 5, 7)]
    assert over[0] == pytest.approx(1, abs=1e-12)
    assert 0.9 < min(over) <= max(over) <= 1 + 1e-12
