"""Fits recover what runs were made with, and say what they cannot know."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.formats import parse_machine
from simulator.run import load_inputs, load_plan, run_plan
from simulator.study.calibrate import calibrate
from simulator.study.calibration import Calibration
from simulator.study.chances import student_quantile
from simulator.study.ranges import uncertain_of

DISK = """\
format: machine/2
name: mine
# A comment that stays.
parts:
  disk: {kind: disk, rate: 150 MB/s, seek: {value: 8.5 ms, source: assumed, note: a guess}}
filesystems:
  home: [disk]
"""
READS = """\
format: workload/2
name: reads
files: {input: {size: 5 MB, exists: true}}
jobs:
  - name: reader
    record: 1 MB
    phases: [{do: read, file: input, order: random}]
"""

Truth = Mapping[str, tuple[str, str]]
"""By knob: its true value, and the first guess."""
Runs = Sequence[tuple[str, Mapping[str, str], str]]
"""Workload, settings and figure of each measurement."""

RECORDS: Runs = [
    ("reads.yaml", {"record": one}, "read") for one in ("16 kB", "64 kB", "256 kB", "1 MB")
]
OWN: Truth = {
    "disk.rate": ("180 MB/s", "60 MB/s"),
    "disk.seek": ("6 ms", "20 ms"),
}
MANY = ("1", "4", "32")
FILES = {"workload.files.*.size": "64 MiB"}
SMALL = {"workload.files.*.size": "16 MiB"}
CASES: dict[str, tuple[Truth, Runs]] = {
    "mine.yaml": (OWN, RECORDS),
    "nwt": (
        {
            "pe.flush_overhead": ("3 ms", "1 ms"),
            "paths.rate": ("30 MB/s", "60 MB/s"),
            "channel.rate.write": ("80 MB/s", "160 MB/s"),
        },
        [
            ("test-write-120MB", {"buffer": buffer, "policy": policy}, "write")
            for buffer in ("600 kB", "8 MB")
            for policy in ("nwt", "nwt-predicted")
        ],
    ),
    "beegfs-like": (
        {"raid.rate": ("300 MB/s", "600 MB/s"), "ib.rate": ("2 GB/s", "3 GB/s")},
        [
            ("shared-file", {"clients": clients, **FILES}, figure)
            for clients in MANY
            for figure in ("read", "elapsed")
        ],
    ),
    "sr8000": (
        {"raid.rate": ("12 MB/s", "6 MB/s"), "runtime.mpi_io.call_overhead": ("1.5 ms", "0.4 ms")},
        [
            (f"sr8000-{name}", {"clients": clients, **SMALL}, name.partition("-")[0])
            for clients in ("2", "8")
            for name in ("read-ut", "write-ut", "read-col")
        ],
    ),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(DISK)
    Path("reads.yaml").write_text(READS)


def simulated(machine: str, truth: Truth, runs: Runs) -> list[tuple[str, float]]:
    """Run the measurements with the true values; the figures in MB/s or s."""
    figures = []
    true = [_setting(name, value) for name, (value, _) in truth.items()]
    for workload, settings, figure in runs:
        result = run_plan(load_plan(machine, workload, settings=[*settings.items(), *true]))
        number = result.elapsed_ns / 1e9 if figure == "elapsed" else result.rate(figure) / 1e6
        figures.append((figure, number))
    return figures


def _setting(name: str, value: str) -> tuple[str, str]:
    """Return a true value as a setting; that of one direction has the other one beside it."""
    if name == "channel.rate.write":
        return "channel.rate", f"{{read: 421 MB/s, write: {value}}}"
    return name, value


def fit_text(
    machine: str,
    truth: Truth,
    runs: Runs,
    figures: Sequence[tuple[str, float]],
    more: str = "",
) -> str:
    lines = ["format: fit/1", "name: synthetic", f"machine: {machine}", "parameters:"]
    lines += [f"  {name}: {guess}" for name, (_, guess) in truth.items()]
    lines.append("measurements:")
    for number, ((workload, settings, _), (figure, value)) in enumerate(
        zip(runs, figures, strict=True)
    ):
        given = ", ".join(f"{key}: {one}" for key, one in settings.items())
        unit = "s" if figure == "elapsed" else "MB/s"
        lines.append(
            f"  - {{name: m{number}, workload: {workload}, set: {{{given}}},"
            f" {figure}: {value:.12g} {unit}}}"
        )
    return "\n".join([*lines, more])


def fitted(
    machine: str, truth: Truth, runs: Runs, noise: float = 0.0, seed: int = 0
) -> Calibration:
    draw = random.Random(seed)
    figures = [
        (figure, value * draw.gauss(1, noise)) for figure, value in simulated(machine, truth, runs)
    ]
    Path("fit.yaml").write_text(fit_text(machine, truth, runs, figures))
    return calibrate("fit.yaml", jobs=1)


class TestRecovery:
    @pytest.mark.few(2)
    @pytest.mark.parametrize("machine", CASES)
    def test_values_are_recovered_from_exact_figures(self, machine: str) -> None:
        truth, runs = CASES[machine]
        found = fitted(machine, truth, runs)
        assert found.warnings == ()
        assert found.rms < 1e-6
        for one in found.estimates:
            true = one.parameter.leaf.read(truth[one.parameter.name][0])
            assert one.value == pytest.approx(true, rel=1e-3)

    @pytest.mark.slow
    def test_values_are_in_their_intervals_with_noise(self) -> None:
        inside = 0
        for seed in range(8):
            for one in fitted("mine.yaml", OWN, RECORDS, noise=0.02, seed=seed).estimates:
                true = one.parameter.leaf.read(OWN[one.parameter.name][0])
                assert one.interval is not None
                assert one.error is not None
                inside += one.interval[0] <= true <= one.interval[1]
        assert inside >= 13  # 95 % of 16 are 15; the seeds are always the same.

    def test_an_interval_is_students_with_measurements_less_values(self) -> None:
        """Two degrees of freedom: 4.303 errors; with as many as data, 4, it would be 2.776."""
        found = fitted("mine.yaml", OWN, RECORDS, noise=0.02, seed=1)
        freedom = len(RECORDS) - len(OWN)
        assert found.freedom == freedom
        for one in found.estimates:
            assert one.interval is not None
            assert one.error is not None
            factor = math.log(one.interval[1] / one.value) / (one.error / one.value)
            assert factor == pytest.approx(student_quantile(0.975, freedom), rel=1e-6)
            assert factor == pytest.approx(4.303, abs=1e-3)
            assert one.interval[0] * one.interval[1] == pytest.approx(one.value**2, rel=1e-9)

    def test_whole_numbers_are_recovered(self) -> None:
        Path("pool.yaml").write_text(
            "format: machine/2\nname: pool\nnodes: {node: 16}\nparts:\n"
            "  ssd: {kind: queue, servers: 3, rate: 100 MB/s}\nfilesystems: {home: [[ssd]]}\n"
        )
        truth = {"ssd.servers": ("5", "2"), "ssd.rate": ("90 MB/s", "200 MB/s")}
        runs = [("reads.yaml", {"clients": n}, "elapsed") for n in ("1", "4", "8", "15")]
        found = fitted("pool.yaml", truth, runs)
        servers, rate = found.estimates
        assert servers.parameter.shown(servers.written) == "5"
        assert rate.parameter.shown(rate.written) == "90 MB/s"


class TestWhatIsNotKnown:
    def test_a_value_that_moves_nothing_is_named_and_stays(self) -> None:
        truth = {
            **OWN,
            "cpu.copy_rate": ("5 GB/s", "7 GB/s"),
            "cpu.flush_overhead": ("0 s", "1 ms"),
        }
        del truth["cpu.copy_rate"]
        figures = simulated("mine.yaml", OWN, RECORDS)
        Path("fit.yaml").write_text(fit_text("mine.yaml", truth, RECORDS, figures))
        assert main(["calibrate", "fit.yaml", "--jobs", "1", "-o", "new.yaml"]) == 0
        found = calibrate("fit.yaml", jobs=1)
        (warning,) = found.warnings
        assert warning.startswith(
            "cpu.flush_overhead moves no measurement where the fit is: from 10 us"
        )
        assert "flush_overhead" not in Path("new.yaml").read_text()
        assert [one.moves for one in found.estimates] == [True, True, False]
        assert found.estimates[2].error is None

    def test_a_value_that_moves_nothing_at_first_is_tried_over_its_range(self) -> None:
        """The network is no bottleneck with the first guess; in truth it is."""
        truth = {"nic.rate": ("4 MB/s", "300 MB/s")}
        Path("two.yaml").write_text(
            "format: machine/2\nname: two\nnodes: {node: 1, server: 1}\nparts:\n"
            "  nic: {kind: network, at: [node, server], rate: 900 MB/s}\n"
            "  disk: {kind: disk, at: server, rate: 10 MB/s}\n"
            "filesystems: {home: [[nic, disk]]}\n"
        )
        runs = [("reads.yaml", {"record": one}, "elapsed") for one in ("1 MB", "100 kB")]
        found = fitted("two.yaml", truth, runs)
        assert found.estimates[0].value == pytest.approx(4e6, rel=1e-3)

    def test_two_rates_in_a_row_cannot_be_told_apart(self) -> None:
        Path("row.yaml").write_text(
            "format: machine/2\nname: row\nparts:\n"
            "  one: {kind: queue, rate: 100 MB/s}\n  two: {kind: queue, rate: 100 MB/s}\n"
            "filesystems: {home: [[one], [two]]}\n"
        )
        truth = {"one.rate": ("50 MB/s", "80 MB/s"), "two.rate": ("70 MB/s", "80 MB/s")}
        found = fitted("row.yaml", truth, RECORDS)
        assert found.warnings[0].startswith("one.rate and two.rate cannot be told apart")
        assert found.rms < 1e-3
        assert [one.error for one in found.estimates] == [None, None]

    def test_the_only_measurement_of_a_value_is_named(self) -> None:
        runs = [
            RECORDS[0],
            *[("reads.yaml", {"workload.jobs.0.phases.0.order": "sequential"}, "read")] * 3,
        ]
        found = fitted("mine.yaml", OWN, runs, noise=0.01)
        assert (
            "only m0 determines disk.rate and disk.seek: without it there is no prediction"
            in found.warnings
        )
        assert [one.predicted is None for one in found.fitted] == [True, False, False, False]

    def test_nothing_that_moves_is_an_error(self, capsys: pytest.CaptureFixture[str]) -> None:
        truth = {"cpu.flush_overhead": ("0 s", "1 ms")}
        figures = simulated("mine.yaml", {}, RECORDS)
        Path("fit.yaml").write_text(fit_text("mine.yaml", truth, RECORDS, figures))
        assert main(["calibrate", "fit.yaml"]) == 2
        assert capsys.readouterr().err.startswith(
            "no measurement depends on cpu.flush_overhead; fit"
        )


@pytest.mark.slow
class TestPublishedStudy:
    """The values and predictions of docs/validation/nwt.md."""

    @pytest.fixture(scope="class")
    @staticmethod
    def found() -> Calibration:
        return calibrate("nwt")

    @pytest.mark.compiled
    def test_the_nwt_has_the_values_that_it_had(self, found: Calibration) -> None:
        old = (
            (2.38199352e6, 5.932e4),
            (6.72148109e8, 1.190e7),
            (9.16789863e7, 3.594e6),
            (4.13665135e7, 2.296e6),
            (2.45859778e8, 3.629e7),
        )
        for one, (value, error) in zip(found.estimates, old, strict=True):
            assert one.error is not None
            assert one.value == pytest.approx(value, abs=error / 100)
            assert one.error == pytest.approx(error, rel=0.02)
        assert found.estimates[4].parameter.shown(found.estimates[4].written) == "248 MB"

    @pytest.mark.compiled
    def test_eleven_of_twelve_cells_are_predicted(self, found: Calibration) -> None:
        assert found.inside == 11
        assert found.worst == pytest.approx(0.0856, abs=5e-4)
        assert found.freedom == 7
        assert found.warnings == ()


class TestMachineFile:
    @pytest.mark.slow
    def test_values_are_put_in_their_places(self) -> None:
        truth = {**OWN, "cpu.call_overhead": ("2 ms", "1 ms")}
        runs = [*RECORDS, ("reads.yaml", {"record": "4 kB"}, "read")]
        figures = simulated("mine.yaml", truth, runs)
        Path("fit.yaml").write_text(fit_text("mine.yaml", truth, runs, figures))
        assert main(["calibrate", "fit.yaml", "-o", "new.yaml"]) == 0
        old, new = DISK.splitlines(), Path("new.yaml").read_text().splitlines()
        assert new[0].startswith(
            "# Fitted by 'nwtsim calibrate' (synthetic), as their sources say: 3"
        )
        assert [line for line in old if line not in new] == [old[4]]
        (disk,) = [line for line in new if line.startswith("  disk:")]
        known = r"range: {error: [0-9.]+ %, freedom: 2(, with: {[^}]*})?}"
        sourced = f"source: calibrated synthetic, {known}, note:"
        assert re.search(rf"rate: {{value: 180(\.00\d+)? MB/s, {sourced} standard error", disk)
        assert re.search(rf"{{value: 6(\.000\d+)? ms, {sourced} a guess; standard error", disk)
        machine = parse_machine("\n".join(new))
        assert machine.sources["parts.cpu.call_overhead"].kind == "calibrated"
        assert main(["check", "new.yaml"]) == 0
        ((group,), _) = uncertain_of(machine, load_inputs("new.yaml", "reads.yaml").workload)
        assert len(group.values) == 3  # Nearly the same information: correlations of 1.
        scales = [math.hypot(*row) for row in group.root]
        assert scales == pytest.approx([1, 1, 1], abs=0.01)

    def test_a_file_is_not_overwritten(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("new.yaml").write_text("mine\n")
        assert main(["calibrate", "fit.yaml", "-o", "new.yaml"]) == 2
        assert capsys.readouterr().err.startswith("new.yaml: is there already; write another -o")
        assert Path("new.yaml").read_text() == "mine\n"

    def test_an_alias_is_written_anew(self) -> None:
        """One text stands for two values there, so it cannot be changed in its place."""
        Path("twin.yaml").write_text(
            "format: machine/2\nname: twin\nparts:\n  one: {kind: queue, rate: &r 100 MB/s}\n"
            "  two: {kind: queue, rate: *r}\nfilesystems: {home: [[one], [two]]}\n"
        )
        truth = {"one.rate": ("50 MB/s", "80 MB/s")}
        figures = simulated("twin.yaml", truth, RECORDS)
        Path("fit.yaml").write_text(fit_text("twin.yaml", truth, RECORDS, figures))
        assert main(["calibrate", "fit.yaml", "-o", "new.yaml"]) == 0
        machine = parse_machine(Path("new.yaml").read_text())
        assert machine.parts["one"].rate.read == pytest.approx(50e6, rel=1e-5)
        assert machine.parts["two"].rate.read == 100e6
