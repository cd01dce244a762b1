"""Cells with many seeds: the same runs as those of a reproduction, counted."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from simulator.cli.main import main
from simulator.experiments.validation import seeds
from simulator.experiments.validation.seeds import count_seeds
from simulator.report.forms import FORMAT
from simulator.run import load_plan, run_plan
from simulator.study.study_file import StudyError, load_study

STUDY = load_study("nwt")
FEW = replace(STUDY, cells=(STUDY.cells[2], STUDY.cells[4]))  # a read by 4 PEs, and a write


@pytest.fixture(autouse=True)
def _two_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        seeds, "load_study", lambda name: FEW if name == "nwt" else load_study(name)
    )


def rates(seed: int, runs: int, of: int) -> list[float]:
    """Mean rate of each cell in MB/s, on the machine as it is."""
    found = []
    for cell in FEW.cells:
        plan = load_plan("nwt", cell.workload, settings=cell.settings, seed=seed)
        made = [run_plan(plan.with_run(run, of)).rate(cell.work) for run in range(runs)]
        found.append(sum(made) / runs / 1e6)
    return found


@pytest.mark.slow
def test_runs_are_those_of_the_whole_machine() -> None:
    stratified, free = count_seeds("nwt", 2, first=7, runs=3).counts
    for row, seed in enumerate((7, 8)):
        assert stratified.means[row] == pytest.approx(rates(seed, 3, 3), rel=1e-12)
        assert free.means[row] == pytest.approx(rates(seed, 3, 0), rel=1e-12)
    assert stratified.means != free.means


def test_a_seed_counts_if_every_cell_is_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = replace(FEW.cells[1], runs=(1.0, 1.1))
    monkeypatch.setattr(seeds, "load_study", lambda _: replace(FEW, cells=(FEW.cells[0], narrow)))
    told: list[float] = []
    record = count_seeds("nwt", 2, runs=4, tell=told.append).to_json()
    assert record["seeds"] == 2
    for one, manner in zip(record["manners"], ("stratified", "free"), strict=True):
        assert (one["manner"], one["all_inside"]) == (manner, 0)
        assert one["outside"]["write-1pe-600kB"] == 2
    assert told == sorted(told)
    assert told[-1] == pytest.approx(0.99)


def test_all_inside_and_no_cell_outside_say_the_same() -> None:
    for one in count_seeds("nwt", 3, runs=5).counts:
        assert (one.all_inside == 3) == (not one.outside)


def test_a_study_without_cells_is_refused() -> None:
    with pytest.raises(StudyError, match="nothing is fitted to the study 'orion'"):
        count_seeds("orion", 1)


class TestCommand:
    def test_it_says_with_how_many_seeds_all_cells_are_inside(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["reproduce", "nwt", "--seeds", "2", "--runs", "1", "--seed", "5"]) == 0
        said = capsys.readouterr().out
        assert "of 2 (from 5 on)" in said
        (free,) = count_seeds("nwt", 2, first=5, runs=1).counts[1:]
        assert f"Runs that draw freely: {free.all_inside} of 2" in said
        assert all(f"{name} {count}" in said for name, count in free.outside.items())

    def test_json_has_the_same_counts(self, capsys: pytest.CaptureFixture[str]) -> None:
        command = ["reproduce", "nwt", "--seeds", "1", "--runs", "1", "--format", "json"]
        assert main(command) == 0
        record = json.loads(capsys.readouterr().out)
        assert record["first_seed"] == 1998
        counted = count_seeds("nwt", 1, first=1998, runs=1).to_json()
        assert record == {"format": FORMAT} | counted

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["nwt", "--seeds", "0"], "'0' is not a whole number from 1 to 10000"),
            (["nwt", "--seeds", "1", "--ablate"], "--seeds: takes no --ablate"),
            (["nwt", "--seeds", "1", "--short"], "--seeds: takes no --short"),
            (["nwt", "ssken", "--seeds", "1"], "--seeds: takes one study"),
            (["nwt", "--seeds", "1", "--format", "csv"], "there are table and json"),
            (["orion", "--seeds", "1"], "--seeds: orion has no tables of repeated runs; nwt has"),
        ],
    )
    def test_what_it_does_not_take(
        self, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["reproduce", *words]) == 2
        said = capsys.readouterr()
        assert (said.out, message in said.err) == ("", True)
