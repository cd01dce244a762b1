"""The page-cache study: its verdicts, what its README says, and that others came out as printed."""

from __future__ import annotations

import re

import pytest

import nwtsim
from simulator.experiments.pagecache import formulas
from simulator.experiments.pagecache.compared import (
    calibrated,
    counts,
    errors_of_instances,
    held_out,
    mean_errors,
    mean_errors_of_wrench,
    of_instances,
    percent,
)
from simulator.experiments.pagecache.runs import (
    CALIBRATED,
    COUNTS,
    FOLDER,
    INSTANCES,
    OURS,
    PEERS,
    PHASES,
    REMOTE,
    SIZES,
    PagecacheRuns,
    published,
)
from simulator.experiments.pagecache.tables import WITHOUT
from simulator.shipped import shipped_root
from simulator.study.change import Change
from simulator.study.fits import load_fit
from simulator.study.ledger import Ledger
from simulator.study.study_file import load_study_file
from tests.experiments.reproduced import reproduced

README = (shipped_root("experiments") / "pagecache" / "README.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def runs() -> PagecacheRuns:
    return PagecacheRuns("auto")


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    return reproduced("pagecache")


def row(first: str) -> list[str]:
    """The cells of the first row of the README that begins so."""
    found = re.search(rf"^\| {re.escape(first)} \|(.*)\|$", README, re.MULTILINE)
    assert found, first
    return [one.strip() for one in found[1].split("|")]


@pytest.mark.slow
def test_every_verdict_is_the_one_that_its_role_or_the_file_foresees(ledger: Ledger) -> None:
    assert ledger.passed
    assert sum(one.inside for one in ledger.figures) == 16
    assert "11 of 24 inside" in ledger.details
    held_out = {one.figure.id for one in ledger.figures if one.figure.ref != "exp. 1"}
    assert set(ledger.study.held_out) == held_out
    assert "5 of 36 inside (1 of 14, 3 of 14, 1 of 8)" in ledger.details
    assert "Within 10 % of what was measured are 1 of 14 numbers of experiment 2, 3 of 14" in README
    assert not ledger.calibrated
    assert ledger.freedom.fitted == 0


def test_measured_times_stand_once() -> None:
    """What the study's file prints of each time is what the lists have, to five digits of means."""
    printed = {one.id: one.value for one in load_study_file("pagecache").figures}
    listed = {
        f"{phase}-{size}": published()["times_s"][size]["measured"][phase]
        for size in SIZES
        for phase in PHASES
    }
    for experiment, place in ((2, "local"), (3, "nfs")):
        for count, times in held_out()[experiment]["measured"].items():
            for way, sums in times.items():
                mean = sum(sums) / len(sums) / count
                listed[f"{place}-{way}-{count}"] = pytest.approx(mean, rel=7e-5)
    listed |= {f"nighres-{step}": time for step, time in held_out()[4]["measured"].items()}
    assert printed == listed


def test_means_of_few_repetitions_have_the_band_of_all_and_not_their_range(ledger: Ledger) -> None:
    """The README and the study's file say how many the range of those few would have inside."""
    for one in ledger.figures:
        value = one.figure.value
        assert value is not None
        assert (one.figure.low, one.figure.high) == pytest.approx((0.9 * value, 1.1 * value))
    of = [one for one in ledger.figures if one.figure.ref in {"exp. 2", "exp. 3"}]
    assert len(of) == 28
    inside = 0
    for one in of:
        place, way, count = one.figure.id.split("-")
        experiment = {"local": 2, "nfs": 3}[place]
        sums = held_out()[experiment]["measured"][int(count)][way]
        inside += min(sums) <= one.simulated * int(count) <= max(sums)
    assert inside == 2


def test_the_disk_gave_more_to_several_readers_than_the_table_says() -> None:
    """By hand: 3 GB of each over what is left of its time without two reads at 2.764 GB/s."""
    rates = []
    for count, times in held_out()[2]["measured"].items():
        mean = sum(times["read"]) / len(times["read"]) / count
        rates.append(1000 * 3 * count / (mean - 2 * 3 / 2.764))
    assert [round(min(rates[1:])), round(max(rates[1:]))] == [567, 586]


def test_formulas_add_link_and_disk(ledger: Ledger) -> None:
    """By hand, 16 instances: 9 GB of each at 3 GB/s, and 3 at 0.515 (read) or 9 at 0.375."""
    made = formulas.model().figures
    for way, disk in (("read", 3 / 0.515), ("write", 9 / 0.375)):
        assert made[f"nfs-{way}-16"](formulas.Rates()) == pytest.approx(16 * (9 / 3 + disk))
    inside = {
        one.figure.id
        for one in ledger.figures
        if one.figure.low <= made[one.figure.id](formulas.Rates()) <= one.figure.high
    }
    assert sum(one.startswith("nfs") for one in inside) == 10
    slower = {
        "read": lambda n: 3 * n / 0.515 + 6 * max(1 / 2.764, n / 3),
        "write": lambda n: 24 * n,
    }
    alone = [
        one.figure.id
        for one in ledger.figures
        if one.figure.id.startswith("nfs")
        for _, way, count in [one.figure.id.split("-")]
        if one.figure.low <= slower[way](int(count)) <= one.figure.high
    ]
    assert len(alone) == 5


@pytest.mark.parametrize("name", PEERS)
def test_errors_of_others_are_those_that_their_files_give(runs: PagecacheRuns, name: str) -> None:
    printed = published()["printed_errors_percent"][name]
    assert runs.mean_error_percent(name) == pytest.approx(printed, abs=0.05)


@pytest.mark.slow
def test_the_readme_has_the_errors_without_each_mechanism(runs: PagecacheRuns) -> None:
    for what, settings in WITHOUT.items():
        other = PagecacheRuns("auto", change=Change(settings)) if settings else runs
        each = [other.mean_error_percent(OURS, (size,)) for size in SIZES]
        assert row(what) == [f"{one:.1f}" for one in (*each, other.mean_error_percent(OURS))]


@pytest.mark.slow
def test_the_readme_has_experiments_2_and_3(runs: PagecacheRuns) -> None:
    for count in COUNTS:
        said = []
        for workload in (INSTANCES, REMOTE):
            times = runs.instances(workload, count).phases
            said += [f"{sum(times[one] for one in PHASES[way::2]):.1f}" for way in (0, 1)]
        assert row(str(count)) == said


def test_the_readme_has_experiment_4(runs: PagecacheRuns) -> None:
    times = runs.nighres().phases
    steps = [line for line in README.splitlines() if re.match(r"\| [1-4]: ", line)]
    assert [re.findall(r"\d+\.\d\d", line) for line in steps] == [
        [f"{times[f'{what}{number}']:.2f}" for what in ("read", "write")] for number in range(1, 5)
    ]


@pytest.mark.slow
def test_the_readme_has_the_errors_in_all_experiments(runs: PagecacheRuns) -> None:
    for name, errors in (
        ("nothing fitted", mean_errors(runs)),
        ("two values calibrated to experiment 1", mean_errors(calibrated(runs))),
    ):
        assert row(name) == [f"{one:.1f}" for one in errors]
    wrench = [line for line in README.splitlines() if line.startswith("| WRENCH, page cache")][-1]
    told = [f"{one:.1f}" for one in mean_errors_of_wrench(runs)]
    assert [cell.strip() for cell in wrench.split("|")[2:-1]] == told
    assert row("formulas without a machine") == [f"{one:.1f}" for one in formulas.mean_errors()]


@pytest.mark.parametrize(
    ("threads", "reads", "writes", "inside"), [(8, 11.4, 12.9, 5), (1, 9.3, 5.6, 11)]
)
def test_one_thread_of_the_server_explains_most_of_experiment_3(
    threads: int, reads: float, writes: float, inside: int
) -> None:
    tiers = (
        "[[memory], pages, {request: 1 MB, window: 16}, {route: [lan], header: 128 B,"
        " server: nfsd}, [server-memory], server-pages, remote-ssd]"
    )
    nfsd = f"{{kind: pool, at: server, servers: {threads}}}"
    settings = (("machine.parts.nfsd", nfsd), ("machine.filesystems.remote.tiers", tiers))
    runs = PagecacheRuns("auto", change=Change(settings=settings))
    errors = {
        way: list(errors_of_instances(lambda count: of_instances(runs, 3, count), 3, way))
        for way in ("read", "write")
    }
    found = [round(percent(errors[way]), 1) for way in errors]
    assert found == [reads, writes]
    assert sum(abs(one) <= 0.1 for each in errors.values() for one in each) == inside
    assert f"{reads}" in README
    assert f"{writes} %" in README
    assert f"{inside} of 14" in README


def test_errors_of_wrench_in_experiment_4_are_those_that_the_paper_prints(
    runs: PagecacheRuns,
) -> None:
    *_, error = mean_errors_of_wrench(runs)
    assert round(error) == held_out()["printed_error_percent_of_4"]["wrench_cache"]
    assert counts(2) == counts(3)


def test_the_calibrated_machine_is_the_other_but_for_two_values() -> None:
    """And the fit has the measured times, settings and computing of experiment 1, all of them."""
    texts = [(FOLDER / f"{name}.yaml").read_text("utf-8") for name in ("machine", CALIBRATED)]
    lines = [[line for line in text.splitlines() if line[:1] != "#"] for text in texts]
    differing = [one for one, other in zip(*lines, strict=True) if one != other]
    assert [line.split(":")[0].strip() for line in differing] == ["memory", "ssd"]
    fit = load_fit(str(FOLDER / "fit.yaml"))
    listed = {one.name: one.measured.mean / 1e9 for one in fit.measurements}
    assert listed == {
        f"{phase}-{size}": pytest.approx(published()["times_s"][size]["measured"][phase])
        for size in SIZES
        for phase in PHASES
    }
    for one in fit.measurements:
        size = int(one.name.split("-")[1])
        held = {one.set[f"workload.files.f{n}.size"] for n in range(1, 5)}
        assert held | {one.set["workload.jobs.0.memory"]} == {f"{size} GB"}
        computing = {text for path, text in one.set.items() if path.endswith(".time")}
        assert computing == {f"{published()['cpu_s'][size]} s"}


@pytest.mark.long
def test_the_calibrated_machine_is_what_the_fit_gives() -> None:
    """Two minutes: some five thousand runs."""
    found = nwtsim.calibrate(FOLDER / "fit.yaml", jobs=1)
    assert found.text == (FOLDER / f"{CALIBRATED}.yaml").read_text("utf-8")


@pytest.mark.slow
def test_both_engines_say_the_same() -> None:
    """Of one instance of experiments 2 and 3, and of experiment 4."""
    both = [PagecacheRuns(engine) for engine in ("reference", "native")]
    for workload in (INSTANCES, REMOTE):
        times = [one.instances(workload, 1) for one in both]
        assert times[0] == times[1]
    assert both[0].nighres() == both[1].nighres()
