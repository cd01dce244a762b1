"""How sure figures are: three sources kept apart, ranked values, and what validation measured."""

import csv
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from simulator.cli.main import main
from simulator.study.modelerror import FILE, model_error
from simulator.study.uncertainty import PointsError, Spread, read_points

pytest.importorskip("scipy")

MACHINE = """
format: machine/2
name: disk
parts:
  cpu: {kind: cpu, copy_rate: 1000 PB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  disk:
    kind: disk
    rate: {value: 100 MB/s, source: assumed, range: [50 MB/s, 200 MB/s]NOISE}
    seek: {value: 10 ms, source: assumed, range: 20 %}
    rotation: {value: 0 ms, source: paper 1}
  tape: {kind: tape, rate: {value: 3 MB/s, source: assumed}, mount: 1 s}
filesystems: {home: [disk], far: [tape]}
"""
READ = """
format: workload/2
name: reads
files: {input: {size: 10 MB, exists: true, filesystem: home}}
jobs:
  - {name: reader, record: 100 kB, phases: [{do: read, file: input, order: random}]}
"""
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return written(tmp_path, "")


def written(folder: Path, noise: str) -> list[str]:
    names = [str(folder / "disk.yaml"), str(folder / "reads.yaml")]
    Path(names[0]).write_text(MACHINE.replace("NOISE", "") + noise)
    Path(names[1]).write_text(READ)
    return names


def ran(words: list[str], capsys: Capture) -> str:
    code = main(words)
    out, err = capsys.readouterr()
    assert code == 0, err
    return out


def record_of(files: list[str], capsys: Capture, *more: str) -> dict:
    words = ["uncertainty", *files, "--format", "json", "--points", "32", *more]
    return json.loads(ran(words, capsys))


def test_figures_from_values_are_those_of_the_formula(files, capsys):
    found = record_of(files, capsys)
    # 100 random records of 100 kB: 100 (seek + 100 kB / rate) = 1 s + 0.1 s as written.
    elapsed = found["figures"]["elapsed_s"]
    assert elapsed["written"] == pytest.approx(1.1, rel=0.02)
    ends = {one["value"]: (one["low"], one["high"]) for one in elapsed["indices"]}
    rates = [50e6 * 4**chance for chance in (0.05, 0.95)]
    seeks = [8e-3 * 1.5**chance for chance in (0.05, 0.95)]
    first = elapsed["written"] - 1.1  # The first record may need no seek, and so on.
    expected = [first + 1 + 10e6 / rate for rate in rates]
    assert ends["parts.disk.rate"] == pytest.approx(expected, abs=1e-6)
    expected = [first + 100 * seek + 0.1 for seek in seeks]
    assert ends["parts.disk.seek"] == pytest.approx(expected, rel=0.01)
    low, high = elapsed["from_values"]
    assert 0.86 < low < 0.93
    assert 1.24 < high < 1.39


@pytest.mark.slow
def test_sources_are_kept_apart(files, capsys):
    found = record_of(files, capsys, "--set", "workload.jobs.0.phases.0.order=sequential")
    assert (found["run_to_run"]["varies"], found["run_to_run"]["runs"]) == (False, 1)
    elapsed = found["figures"]["elapsed_s"]
    assert elapsed["from_values"][0] < elapsed["written"] < elapsed["from_values"][1]
    assert [one["where"] for one in elapsed["model"]] == [
        one.where for one in model_error("elapsed_s")
    ]


@pytest.mark.slow
def test_value_that_explains_most_is_first_and_what_moves_nothing_is_told(files, capsys):
    rows = list(
        csv.DictReader(
            ran(["uncertainty", *files, "--format", "csv", "--points", "32"], capsys).splitlines()
        )
    )
    elapsed = [one for one in rows if one["figure"] == "elapsed_s"]
    assert [one["value"] for one in elapsed] == ["parts.disk.seek", "parts.disk.rate"]
    # Variances of 100 seek and of 10 MB / rate, each even in its logarithm: 86 % and 14 %.
    assert float(elapsed[0]["first"]) == pytest.approx(0.86, abs=0.1)
    assert float(elapsed[1]["first"]) == pytest.approx(0.14, abs=0.1)
    found = record_of(files, capsys)
    still = {one["name"]: one for one in found["values"] if not one["moves"]}
    assert list(still) == ["parts.tape.rate"]
    assert still["parts.tape.rate"]["values"][0]["default"] is True


def test_report_says_which_uncertainty_each_number_is(files, capsys):
    text = " ".join(ran(["uncertainty", *files, "--points", "8"], capsys).split())
    for said in (
        "From run to run: 16 runs with noise; the interval of their mean.",
        "From values: of 3 values with a range 2 move a figure; 16 machines were drawn",
        "The range of 1 assumed is our default, a factor of 2 each way: the file has none.",
        "Of the model, in no interval here",
        "52 printed times of the SS-ken report",
        "measure this first",
        "50.0 MB/s - 200 MB/s",
    ):
        assert said in text, said


@pytest.mark.slow
def test_noise_is_in_the_interval_from_run_to_run_only(tmp_path, capsys):
    still = record_of(written(tmp_path, ""), capsys)
    noisy = "\n".join(MACHINE.splitlines()).replace("NOISE", "")
    noisy = noisy.replace("    kind: disk\n", "    kind: disk\n    noise: {request: 50 %}\n")
    (tmp_path / "disk.yaml").write_text(noisy)
    files = [str(tmp_path / name) for name in ("disk.yaml", "reads.yaml")]
    found = record_of(files, capsys, "--replications", "12")
    assert (found["run_to_run"]["varies"], found["run_to_run"]["runs"]) == (True, 12)
    for key in ("written", "from_values"):
        assert found["figures"]["elapsed_s"][key] == still["figures"]["elapsed_s"][key]
    # The tail is longer with noise, and what is written of it is not what it is from run to run.
    tail, runs = found["figures"]["read_p99_ms"], found["run_to_run"]["figures"]["read_p99_ms"]
    assert tail["written"] < runs["low"]
    assert tail["written_apart_from_runs"]
    assert not still["figures"]["elapsed_s"]["written_apart_from_runs"]
    text = " ".join(ran(["uncertainty", *files, "--points", "8"], capsys).split())
    assert "one run without noise, and not within that interval:" in text
    assert "99 % of reads, ms" in text.partition("not within that interval:")[2].partition(".")[0]


@pytest.mark.slow
def test_folder_has_everything_and_the_same_command_goes_on(files, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    words = ["uncertainty", *files, "--points", "8", "--out", str(out)]
    text = ran(words, capsys)
    names = {"uncertainty.json", "values.csv", "machines.csv", "tornado.png", "tornado.svg"}
    names |= {"ends", "points"}
    assert {one.name for one in out.iterdir()} == names
    bytes_of = {one.name: one.read_bytes() for one in sorted(out.iterdir()) if one.is_file()}
    assert ran([*words, "--jobs", "2"], capsys) == text
    assert {
        one.name: one.read_bytes() for one in sorted(out.iterdir()) if one.is_file()
    } == bytes_of
    assert b"measure" not in bytes_of["tornado.svg"]
    assert b"parts.disk.seek" in bytes_of["tornado.svg"]


def test_page_has_what_the_report_has_and_a_tornado(files, tmp_path, capsys):
    page = tmp_path / "sure.html"
    words = ["uncertainty", *files, "--points", "8", "--html", str(page)]
    report = ran(words, capsys)
    text = page.read_text()
    assert text.count("<h1>reads on disk: how sure</h1>") == 1
    assert "Measure parts.disk.seek first: it explains" in text
    for title in ("How sure each figure is", "Measure this first", "Values with a range"):
        assert f">{title}</h2>" in text
    for cell in ("50.0 MB/s - 200 MB/s", "parts.tape.rate", "a factor of 2 (default)"):
        assert cell in text
    (line,) = (one for one in report.splitlines() if one.startswith("elapsed, s  "))
    for number in line.removeprefix("elapsed, s").split("   "):
        assert number.strip() in text
    assert "--figure elapsed_s --points 8 --value-seed 1 --replications 16" in text
    assert ran(words, capsys) == report
    assert page.read_text() == text


@pytest.mark.slow
def test_bars_of_the_tornado_begin_at_the_line_and_end_at_the_figures(files, tmp_path, capsys):
    page = tmp_path / "sure.html"
    ran(["uncertainty", *files, "--points", "8", "--html", str(page)], capsys)
    found = record_of(files, capsys, "--points", "8")["figures"]["elapsed_s"]
    drawn = page.read_text().partition("Tornado of")[2].partition("</svg>")[0]
    (line,) = re.findall(r'<line[^>]*x1="([0-9.]+)%"', drawn)
    boxes = re.findall(r'<rect[^>]*fill="#[^>]*x="([0-9.]+)%"[^>]*width="([0-9.]+)%"', drawn)
    bars = sorted((float(x), float(x) + float(width)) for x, width in boxes)
    assert len(bars) == 4
    for start, end in bars:
        assert min(abs(start - float(line)), abs(end - float(line))) < 0.02
    ends = [end for one in found["indices"] for end in (one["low"], one["high"])]
    least, most = min(bars)[0], max(end for _, end in bars)
    low, high = min(ends), max(ends)
    at = least + (most - least) * (found["written"] - low) / (high - low)
    assert float(line) == pytest.approx(at, abs=0.05)


@pytest.mark.slow
def test_machines_that_were_drawn_are_listed_with_their_figures(files, tmp_path, capsys):
    out = tmp_path / "out"
    ran(["uncertainty", *files, "--points", "8", "--no-plot", "--out", str(out)], capsys)
    rows = list(csv.DictReader((out / "machines.csv").read_text().splitlines()))
    rate, seek = "parts.disk.rate", "parts.disk.seek"
    assert [one["set"] for one in rows] == [one for one in ("a", "b", rate, seek) for _ in range(8)]
    elapsed = sorted(float(one["elapsed_s"]) for one in rows[:16])  # Those of a and b, no others.
    found = json.loads((out / "uncertainty.json").read_text())["figures"]["elapsed_s"]
    assert found["from_values"] == [elapsed[0], elapsed[-1]]
    assert len({one["elapsed_s"] for one in rows}) > 16
    a, b, rates, seeks = (rows[begin : begin + 8] for begin in range(0, 32, 8))
    for i in range(8):
        assert (rates[i][rate], rates[i][seek]) == (b[i][rate], a[i][seek])
        assert (seeks[i][rate], seeks[i][seek]) == (a[i][rate], b[i][seek])
    values = [word for name in (rate, seek) for word in ("--set", f"machine.{name}={a[3][name]}")]
    again = ran(["run", *files, *values, "--format", "json"], capsys)
    assert json.loads(again)["elapsed_ns"] / 1e9 == float(a[3]["elapsed_s"])


@pytest.mark.slow
def test_folder_of_another_study_is_refused_without_force(files, tmp_path, capsys):
    words = ["uncertainty", *files, "--no-plot", "--out", str(tmp_path / "out"), "--points"]
    ran([*words, "8"], capsys)
    assert main([*words, "16"]) == 2
    assert "replace it with --force" in capsys.readouterr().err
    ran([*words, "16", "--force"], capsys)


def test_interrupt_ends_it_also_among_the_replications(files, monkeypatch, capsys):
    from simulator.study import repetition

    made = repetition._rows

    def some(*arguments):
        yield next(made(*arguments))
        raise KeyboardInterrupt

    monkeypatch.setattr(repetition, "_rows", some)
    assert main(["uncertainty", *files]) == 130
    assert "how sure" not in capsys.readouterr().out


@pytest.mark.slow
def test_another_seed_of_values_draws_other_machines(files, capsys):
    one, other = (
        record_of(files, capsys, *more)["figures"]["elapsed_s"]
        for more in ((), ("--value-seed", "2"))
    )
    assert one["from_values"] != other["from_values"]
    assert one["written"] == other["written"]


def test_file_without_ranges_says_so(tmp_path, capsys):
    text = MACHINE.replace("NOISE", "").replace("source: assumed", "source: paper 1")
    text = text.replace(", range: [50 MB/s, 200 MB/s]", "").replace(", range: 20 %", "")
    (tmp_path / "disk.yaml").write_text(text)
    (tmp_path / "reads.yaml").write_text(READ)
    files = [str(tmp_path / name) for name in ("disk.yaml", "reads.yaml")]
    text = ran(["uncertainty", *files], capsys)
    assert "no assumed or calibrated value has a range" in text
    assert "Nothing to measure first" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--points", "100"], "'100' is no power of two"),
        (["--figure", "speed"], "--figure 'speed': no such figure; there are elapsed_s"),
        (["--figure", "write_MBps"], "this run has none; write one of elapsed_s"),
    ],
)
def test_what_cannot_be_done_says_what_to_write(words, said, files, capsys):
    assert main(["uncertainty", *files, "--replications", "2", *words]) == 2
    assert said in capsys.readouterr().err


def test_points_are_powers_of_two():
    assert [read_points(text) for text in ("8", " 64 ", "65536")] == [8, 64, 65536]
    for text in ("4", "12", "131072", "-8", "8.0", ""):
        with pytest.raises(PointsError, match="write one, like 64"):
            read_points(text)


def test_interval_of_values_has_as_many_machines_beyond_each_end():
    spread = Spread(tuple(map(float, range(1, 201))))
    assert spread.interval == (6.0, 195.0)  # 5 of 200 below, 5 above.
    assert spread.share(190.0, "at most") == 0.95
    assert spread.share(11.0, "at least") == 0.95
    assert spread.meets(190.0, "at most")
    assert not spread.meets(189.0, "at most")


class TestModelError:
    def test_programs_are_those_that_were_recorded(self):
        root = Path(__file__).parents[2]
        found = json.loads((root / "experiments" / "reality" / "twenty.json").read_text())
        errors = [
            round(one["predicted_s"] / one["observed"]["median_s"] - 1, 4)
            for one in (*found["programs"], *found["predicted"])
        ]
        assert len(errors) == 20
        programs = next(one for one in model_error("elapsed_s") if one.where.endswith("reality.md"))
        assert list(programs.errors) == errors

    @pytest.mark.long
    def test_record_is_what_the_studies_and_fits_give_now(self):
        from experiments.validation.modelerror import text

        assert FILE.read_text(encoding="utf-8") == text()

    def test_of_a_study_with_numbers_held_out_these_count(self, monkeypatch):
        """By hand: 3 for 2 s is 50 % too long, 9 for 10 MB/s 10 % too slow."""
        from experiments.validation.modelerror import published

        def cell(name, unit, paper, simulated, role="predicted"):
            means = {"paper": {"mean": paper}, "simulated": {"mean": simulated}}
            return {"id": name, "unit": unit, "role": role, **means}

        cells = [
            cell("a", "s", 2.0, 3.0),
            cell("b", "MB/s", 10.0, 9.0),
            cell("c", "s", 1.0, 1.0),
            cell("d", "s", 1.0, 5.0, "calibrated"),
        ]
        freedom = {"held_out": ["a", "b", "d"]}
        record = {"cells": cells, "freedom": freedom}
        study = SimpleNamespace(to_json=lambda: record)
        monkeypatch.setattr("simulator.study.studies.reproduce_study", lambda _name: study)
        times, rates = published("any")
        assert (times, rates) == (pytest.approx([0.5]), pytest.approx([-0.1]))
        freedom.clear()
        assert published("any")[0] == pytest.approx([0.5, 0.0])

    def test_what_was_not_measured_has_none(self):
        assert model_error("job_p99_ms") == model_error("lost_percent") == ()

    def test_sentence_by_hand(self):
        from simulator.study.modelerror import Measured

        found = Measured("runs", "here", (0.1, -0.5, 0.02))  # Factors 1.1, 2, 1.02.
        assert found.half_within() == pytest.approx(0.1)
        assert found.sentence() == "3 runs: half within 10 %, the worst a factor of 2 (here)"
