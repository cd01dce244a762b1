"""The study of merges: its verdicts, what its README says, and that programs and data fit."""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median

import pytest

from simulator.experiments.merge import study as merge
from simulator.experiments.merge.compared import cells, mean_error_percent
from simulator.experiments.merge.formulas import AUTHORS, Rates, by, seconds, seeks
from simulator.experiments.merge.merges import (
    CELLS,
    CHUNK,
    CHUNKS,
    CLUSTERED,
    IMAGE,
    MULTIPLE,
    NAIVE,
    clustered,
    held,
    loads,
    merged,
    split,
)
from simulator.experiments.merge.runs import (
    ALL,
    HDD,
    MERGE,
    SERIES,
    SSD,
    MergeRuns,
    listed,
    measured,
    name_of,
    own,
)
from simulator.shipped import shipped_root
from simulator.study.change import Change
from simulator.study.ledger import Ledger, decided
from simulator.study.study_file import load_study_file

README = (shipped_root("experiments") / "merge" / "README.md").read_text(encoding="utf-8")
pytestmark = [pytest.mark.compiled, pytest.mark.slow]


@pytest.fixture(scope="module")
def runs() -> MergeRuns:
    return MergeRuns("auto")


@pytest.fixture(scope="module")
def ledger(runs: MergeRuns) -> Ledger:
    """As the study's own, of runs that the other tests look at too."""
    return decided(load_study_file("merge"), runs, merge.FIGURES, merge.CLAIMS, seed=1998)


def rows(first: str) -> list[list[str]]:
    """The cells of all rows of the README that begin so."""
    found = re.findall(rf"^\| {re.escape(first)} \|(.*)\|$", README, re.MULTILINE)
    return [[cell.strip() for cell in one.split("|")] for one in found]


def called(way: str, memory: int) -> str:
    return f"{way} {memory}" if memory else way


def test_every_verdict_is_the_one_that_its_role_or_the_file_foresees(ledger: Ledger) -> None:
    assert ledger.passed
    assert sum(one.inside for one in ledger.figures) == 9
    assert not ledger.calibrated
    assert (ledger.freedom.fitted, ledger.freedom.tuned) == (0, 0)


def test_a_disk_that_is_half_as_fast_would_fail() -> None:
    """No verdict of the hard disk would stand: bands can be missed."""
    change = Change((("machine.parts.hdd.rate", "67 MB/s"),))
    slow = merge.STUDY.begin(None, 1998, "auto", change)
    assert all(abs(slow.error(cell)) > 0.1 for cell in cells(MERGE, HDD))


def test_printed_numbers_are_the_means_of_the_repetitions() -> None:
    printed = {one.id: one.value for one in load_study_file("merge").figures}
    assert printed == {name_of(one): pytest.approx(measured(one).whole, abs=0.051) for one in ALL}


@pytest.mark.parametrize(("way", "memory"), CELLS)
def test_a_merge_moves_the_image_once(way: str, memory: int) -> None:
    """Every byte is read once and written once, and no load is more than may be used."""
    made = loads(way, memory)
    pieces = sorted((one.offset, one.size) for load in made for one in load.writes)
    assert pieces[0][0] == 0
    assert all(at + size == after for (at, size), (after, _) in pairwise(pieces))
    assert sum(size for _, size in pieces) == sum(load.size for load in made) == IMAGE
    assert held(way, made) < 18e9
    calls = merged(way, memory), split(way, memory)
    assert {sum(one.table.size) for one in calls} == {2 * IMAGE}


def test_the_measured_programs_count_as_many_seeks() -> None:
    """Of multiple reads they count pieces that are read, of the others what is written too.

    With 12 GB those of multiple reads had 12 GiB: 25 pieces more, of blocks at a load's end.
    """
    unlike = {}
    for way, memory in CELLS:
        made = loads(way, memory)
        pieces = sum(len(load.reads) for load in made)
        if way != MULTIPLE:
            pieces += sum(len(load.writes) for load in made)
        counted = listed(MERGE, SSD, way, memory)["seeks"]
        if pieces != counted:
            unlike[way, memory] = (pieces, counted)
    assert unlike == {(MULTIPLE, 12): (250, 275)}


def test_seeks_by_the_papers_equations_are_those_of_the_programs() -> None:
    for way, memory in CELLS:
        if way == CLUSTERED:
            made = loads(way, memory)
            assert seeks(way, memory) == CHUNKS + sum(len(load.writes) for load in made)


def test_rows_of_blocks_one_by_one_are_refused() -> None:
    with pytest.raises(ValueError, match="less than a row of blocks"):
        next(clustered(4 * CHUNK))


def test_the_machine_has_the_rates_of_the_benchmark() -> None:
    """By the rules that its file states, to the digits that it gives."""
    lines = own("benchmark")["runs"]
    writing = median(size / took for size, took, _ in lines if took < 1)
    reading = median(size / took for size, _, took in lines if took < 0.5)
    disk = max(size / took for size, _, took in lines if took > 30)
    text = (shipped_root("experiments") / "merge" / "machine.yaml").read_text("utf-8")
    assert f"read: {reading / 1e6:.0f} MB/s, write: {writing / 1e6:.0f} MB/s" in text
    assert f"value: {disk / 1e6:.0f} MB/s" in text
    assert Rates().hdd_read == round(disk / 1e6)


def test_the_readme_has_what_was_frozen(runs: MergeRuns) -> None:
    for way, memory in CELLS:
        said = [f"{runs.seconds((*series, way, memory)):.0f}" for series in SERIES]
        said += [f"{seconds(Rates(), cell=(*one, way, memory)):.0f}" for one in SERIES[:2]]
        said += [f"{seconds(AUTHORS, cell=(MERGE, HDD, way, memory)):.0f}"]
        assert rows(called(way, memory))[0] == [*said, str(seeks(way, memory))]


def test_the_readme_has_the_comparison(runs: MergeRuns) -> None:
    for way, memory in CELLS:
        said = []
        for disk in (HDD, SSD):
            cell = (MERGE, disk, way, memory)
            here, there = runs.times(cell), measured(cell)
            parts = (
                (here.read, there.read),
                (here.write, there.write),
                (here.program, there.program),
            )
            said += [f"{here.whole:.0f} / {there.whole:.0f}", f"{100 * runs.error(cell):+.1f}"]
            said += [f"{one:.0f} / {other:.0f}" for one, other in parts if disk == HDD]
        assert rows(called(way, memory))[1] == said


def test_the_readme_has_the_mean_errors(runs: MergeRuns) -> None:
    names = ("merges, hard disk", "merges, SSD", "splits, hard disk")
    for name, series in zip(names, SERIES, strict=True):
        of = cells(*series)
        models = (runs.seconds, by(Rates()), *((by(AUTHORS),) if series[1] == HDD else ()))
        told = [f"{mean_error_percent(one, of):.1f}" for one in models]
        (cell,) = rows(name)
        assert [one for one in cell[:3] if one != "-"] == told
        assert cell[3] == f"{sum(abs(runs.error(one)) <= 0.1 for one in of)} of {len(of)}"


@pytest.mark.long
def test_both_engines_say_the_same() -> None:
    """Half a minute: the reference engine looks at 2.5 million blocks."""
    both = [MergeRuns(engine) for engine in ("reference", "native")]
    times = [one.times((MERGE, SSD, NAIVE, 0)) for one in both]
    assert times[0] == times[1]
