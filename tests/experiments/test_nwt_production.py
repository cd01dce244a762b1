"""Tables 2.1, 2.2 and 4.1 of the NWT paper, and nine runs as a distribution: checks can fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simulator.experiments.nwt import production as nwt_production
from simulator.experiments.nwt.centre import years
from simulator.experiments.nwt.production import (
    IN_TURNS,
    PRODUCTION,
    TWO_GROUPS,
    WIDE,
    distance,
    within_two_groups,
    without_cpu_time,
)
from simulator.experiments.nwt.study import STUDY, NwtRuns
from simulator.experiments.nwt.tables import Counts, Tables, tables
from simulator.result.result import ProcessResult, Transfer
from simulator.study.conditions import broken
from simulator.study.study_file import load_study, load_study_file

HOLDS = {one.id: one.conditions for one in load_study_file("nwt").claims}


@pytest.fixture(scope="module")
def runs() -> NwtRuns:
    return STUDY.begin(None, 1998, "auto")


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Tables], None]:
    """Put other tables in place of the paper's."""

    def put(other: Tables) -> None:
        for module in (nwt_production, years):
            monkeypatch.setattr(module, "tables", lambda: other)

    return put


def broken_in(claim: str, runs: Any = None) -> list[str]:
    return broken(HOLDS[claim], PRODUCTION[claim](runs))


def mistyped(counts: Counts) -> Iterator[Counts]:
    """Yield the counts with each number in turn one more, and each total one less."""
    for name, row in counts.rows.items():
        for at, number in enumerate(row):
            other = (*row[:at], number + 1, *row[at + 1 :])
            yield replace(counts, rows={**counts.rows, name: other})
    for at, total in enumerate(counts.totals):
        yield replace(counts, totals=(*counts.totals[:at], total - 1, *counts.totals[at + 1 :]))


@pytest.mark.parametrize(("claim", "field"), [("nwt-c18", "jobs"), ("nwt-c19", "cpu_time")])
def test_any_number_that_is_one_off_is_noticed(
    claim: str, field: str, printed: Callable[[Tables], None]
) -> None:
    assert not broken_in(claim)
    others = list(mistyped(getattr(tables(), field)))
    assert len(others) == 35
    for other in others:
        printed(replace(tables(), **{field: other}))
        assert broken_in(claim)


def test_the_power_was_on_for_a_part_of_each_year(printed: Callable[[Tables], None]) -> None:
    hours = PRODUCTION["nwt-c19"](None)  # type: ignore[arg-type]
    found = [hours[f"hours_on_{year}"] for year in tables().years]
    assert found == pytest.approx([4076, 5258, 5814, 6351, 7350], abs=1)
    for factor in (1 / 60, 3600):  # As if the unit were PE-minutes, or as if it were PE-months.
        printed(replace(tables(), utilisation=tuple(one / factor for one in tables().utilisation)))
        assert broken_in("nwt-c19")


def test_table_4_1_agrees_with_its_last_row(printed: Callable[[Tables], None]) -> None:
    assert not broken_in("nwt-c20")
    rows = tables().production
    for at, name, value in (
        (3, "greatest_MBps", 31.07),
        (3, "largest_MB", 1320.9),
        (0, "mean_MB", 9130.0),
        (6, "mean_MBps", 25.0),
        (6, "cpu_s", 0.0),
    ):
        other = replace(rows[at], **{name: value})
        printed(replace(tables(), production=(*rows[:at], other, *rows[at + 1 :])))
        assert broken_in("nwt-c20")
    printed(replace(tables(), production=rows[:-1]))
    assert broken_in("nwt-c20") == ["rows == 23"]


def test_the_columns_of_table_4_1_are_as_copied() -> None:
    """Nothing in the paper checks its rows, so their sums guard the copy."""
    rows = [
        (one.pes, one.cpu_s, one.largest_MB, one.mean_MB, one.greatest_MBps, one.mean_MBps)
        for one in tables().production
    ]
    sums = [491, 123553, 44493.3, 7085.2, 1426.8, 243.8]
    assert [sum(column) for column in zip(*rows, strict=True)] == pytest.approx(sums)


# -- the definition of the rate ------------------------------------------------------------------


def process(name: str, elapsed_ns: int, compute_ns: int, **spent: tuple[int, int]) -> ProcessResult:
    read = Transfer(1_000_000, elapsed_ns, 0, elapsed_ns)
    return ProcessResult(name, "job", 0, elapsed_ns, read, Transfer(), compute_ns, 0, spent)


def test_the_rate_is_all_bytes_over_the_masters_time_without_its_cpu_time() -> None:
    master = process("job.0", 10_000_000, 4_000_000, pe=(0, 1_000_000), channel=(0, 5_000_000))
    other = process("job.1", 99_000_000, 0, channel=(0, 99_000_000))
    result: Any = SimpleNamespace(processes=[master, other], masters=lambda: [master])
    assert without_cpu_time(result) == pytest.approx(2.0 / 0.005)


@pytest.mark.slow
def test_the_fastest_row_needs_pes_that_read_for_themselves(runs: NwtRuns, root: Path) -> None:
    found = PRODUCTION["nwt-c17"](runs)
    assert not broken(HOLDS["nwt-c17"], found)
    # The master's port and, three quarters of the data once more, the ports to the other PEs.
    assert found["master_MBps_4pe"] == pytest.approx(421 / 1.75, rel=0.002)
    assert found["each_MBps_4pe"] == pytest.approx(421, rel=0.002)  # The port of the SSU.
    assert found["each_by_definition_MBps_4pe"] > 421  # The definition leaves CPU time out.
    assert found["rows_possible_master"] == 22
    page = " ".join(
        (root / "experiments" / "nwt" / "README.md").read_text(encoding="utf-8").split()
    )
    assert f"{found['master_MBps_4pe']:.0f} MB/s by the table's definition" in page
    assert f"reach {found['each_MBps_4pe']:.0f} MB/s" in page
    assert f"such a job reaches {found['each_by_definition_MBps_4pe']:.0f} MB/s" in page


def test_a_rate_that_no_port_can_carry_is_noticed(
    runs: NwtRuns, printed: Callable[[Tables], None]
) -> None:
    (row,) = (one for one in tables().production if one.pes == 7)
    printed(replace(tables(), production=(replace(row, greatest_MBps=450.0),)))
    assert PRODUCTION["nwt-c17"](runs).items() >= {"rows": 1, "rows_possible_each": 0}.items()


# -- nine runs -----------------------------------------------------------------------------------


def naive_distance(sample: np.ndarray[Any, Any], pool: np.ndarray[Any, Any]) -> float:
    places = np.concatenate([sample, pool])
    return max(abs(np.mean(sample <= at) - np.mean(pool <= at)) for at in places)


def test_the_distance_is_that_of_two_steps() -> None:
    draw = np.random.default_rng(5)
    pool = np.sort(draw.integers(0, 40, 30).astype(float))
    samples = draw.integers(0, 40, (50, 9)).astype(float)
    naive = [naive_distance(sample, pool) for sample in samples]
    assert distance(samples, pool) == pytest.approx(naive)


def naive_within(sample: np.ndarray[Any, Any]) -> float:
    least = min(
        sum((one - np.mean(group)) ** 2 for group in groups for one in group)
        for at in range(2, len(sample) - 1)
        for groups in [(sorted(sample)[:at], sorted(sample)[at:])]
    )
    return float(least / sum((sample - sample.mean()) ** 2))


def test_two_groups_are_the_best_two() -> None:
    samples = np.random.default_rng(6).normal(12, 2, (30, 9))
    naive = [naive_within(sample) for sample in samples]
    assert within_two_groups(samples) == pytest.approx(naive)
    assert within_two_groups(np.full((1, 9), 7.0)) == [1]


def with_runs(claim: str, simulated: list[float], printed: tuple[float, ...]) -> dict[str, float]:
    """Figures of runs that are given instead of simulated."""
    made = [SimpleNamespace(rate=lambda _, value=value: value * 1e6) for value in simulated]
    one = SimpleNamespace(rate=lambda _: 1.0, processes=[SimpleNamespace(write=Transfer())])
    cells = {cell.id: replace(cell, runs=printed) for cell in load_study("nwt").cells}
    fake: Any = SimpleNamespace(cells=cells, made=lambda *_: made, exact=lambda *_: one, seed=3)
    return dict(PRODUCTION[claim](fake))


def printed_runs(cell: str) -> tuple[float, ...]:
    return next(one.runs for one in load_study("nwt").cells if one.id == cell)


POOL = [13.8 + float(z) for z in np.random.default_rng(1).standard_normal(45)]


@pytest.mark.parametrize("claim", ["nwt-c16", "nwt-c21"])
def test_nine_of_the_simulated_runs_pass(claim: str) -> None:
    alike = with_runs(claim, POOL, tuple(POOL[::5]))
    assert not broken(HOLDS[claim], alike)
    assert alike["ks"] <= alike["ks_95"]
    assert alike["power_of_sd"] < 0.05


def test_runs_that_are_too_wide_or_in_two_groups_do_not() -> None:
    wide = with_runs("nwt-c16", POOL, printed_runs(WIDE))
    assert broken(HOLDS["nwt-c16"], wide) == ["sd_printed <= sd_99"]
    assert wide["power_of_sd"] > 0.7
    wider = [13.8 + 2 * (one - 13.8) for one in POOL]
    assert not broken(HOLDS["nwt-c16"], with_runs("nwt-c16", wider, printed_runs(WIDE)))
    apart = with_runs("nwt-c21", POOL, printed_runs(TWO_GROUPS))
    assert broken(HOLDS["nwt-c21"], apart) == ["within_printed >= within_01"]
    assert apart["power_of_within"] > 0.7
    two = [9.9 + 0.1 * (one - 13.8) if one < 13.8 else 11.6 + 0.1 * (one - 13.8) for one in POOL]
    assert not broken(HOLDS["nwt-c21"], with_runs("nwt-c21", two, printed_runs(TWO_GROUPS)))


def test_runs_that_take_turns_are_told_from_those_that_do_not() -> None:
    turns = with_runs("nwt-c22", POOL, printed_runs(IN_TURNS))
    assert broken(HOLDS["nwt-c22"], turns) == ["lag_printed >= lag_01"]
    assert turns["lag_printed"] == pytest.approx(-0.89, abs=0.005)
    ordered = tuple(sorted(printed_runs(IN_TURNS)))
    assert not broken(HOLDS["nwt-c22"], with_runs("nwt-c22", POOL, ordered))


@pytest.mark.slow
def test_the_printed_runs_are_wider_or_more_apart_than_the_simulated_ones(
    runs: NwtRuns, root: Path
) -> None:
    wide, apart = (PRODUCTION[claim](runs) for claim in ("nwt-c16", "nwt-c21"))
    assert broken(HOLDS["nwt-c16"], wide) == ["sd_printed <= sd_99"]
    assert wide["sd_simulated"] < 0.6 * wide["sd_printed"]
    assert wide["MBps_beside_two_others"] < 11.9  # The greatest of the lower group.
    assert wide["MBps_alone"] > 13.0  # The least of the upper one.
    assert broken(HOLDS["nwt-c21"], apart) == ["within_printed >= within_01"]
    assert apart["within_printed"] == pytest.approx(0.016, abs=0.001)
    page = " ".join(
        (root / "experiments" / "nwt" / "README.md").read_text(encoding="utf-8").split()
    )
    for words in (
        "bring {MBps_alone:.1f} to {MBps_beside_two_others:.1f} MB/s (600 kB)",
        "the small one {MBps_quota_200MB:.1f} or {MBps_quota_344MB:.1f}",
    ):
        assert words.format(**wide) in page
    for words in (
        "and {MBps_alone:.1f} to {MBps_beside_two_others:.1f} (8 MB)",
        "writes {MBps_quota_200MB:.1f} or {MBps_quota_344MB:.1f} MB/s",
    ):
        assert words.format(**apart) in page
