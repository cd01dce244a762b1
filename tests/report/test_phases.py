"""Times of phases where people and programs read them: reports, JSON, frames, sweeps, fits."""

from __future__ import annotations

from pathlib import Path

import pytest

import nwtsim
from tests.cli.commands import Capture, as_json, done

SMALL = {"workload.files.source.size": "64 MB", "workload.files.copy.size": "64 MB"}


@pytest.fixture(scope="module")
def copied() -> nwtsim.Result:
    return nwtsim.run("workstation", "copy-file", SMALL)


def test_the_phases_of_a_job_are_those_of_its_file(copied: nwtsim.Result) -> None:
    rows = copied.phases("copy")
    assert [(one["phase"], one["what"]) for one in rows] == [
        ("0", "read source"),
        ("1", "write copy"),
        ("2", "sync copy"),
    ]
    assert [one["read_bytes"] for one in rows] == [64 * 10**6, 0, 0]
    assert [one["write_bytes"] for one in rows] == [0, 64 * 10**6, 0]
    assert sum(one["time_s"] for one in rows) == pytest.approx(copied.elapsed_s, abs=1e-9)
    assert rows[0]["rate_MBps"] == pytest.approx(64 / rows[0]["mean_s"], abs=1e-5)
    with pytest.raises(KeyError, match="no job 'cp'; did you mean 'copy'"):
        copied.phases("cp")


def test_a_report_has_a_table_of_them_where_a_job_has_several(copied: nwtsim.Result) -> None:
    assert "write copy" in str(copied)
    assert [one["what"] for one in copied.to_dict()["tables"]["phases"]][:2] == [
        "read source",
        "write copy",
    ]
    one = nwtsim.run("nwt", "test-read", {"workload.files.input.size": "16 MB"})
    assert "phases" not in one.to_dict()["tables"]
    assert [each["what"] for each in one.phases()] == ["read input"]


def test_a_frame_has_a_row_for_each(copied: nwtsim.Result) -> None:
    pytest.importorskip("pandas")
    frame = copied.to_dataframe("phases")
    assert list(frame["job"]) == ["copy"] * 3
    assert "phases" not in copied.to_dataframe("jobs")


def test_two_runs_are_compared_phase_by_phase(copied: nwtsim.Result) -> None:
    fast = nwtsim.run("workstation", "copy-file", {**SMALL, "disk.rate": "250 MB/s"})
    found = nwtsim.compare(copied, fast)
    read = found.to_dict()["phases"][0]
    assert (read["job"], read["phase"], read["what"]) == ("copy", "0", "read source")
    assert read["mean_a_ns"] == round(copied.phases()[0]["mean_s"] * 1e9)
    assert read["mean_b_ns"] < read["mean_a_ns"]
    assert "Phases: time of a process" in str(found)


def test_a_result_whose_phases_do_not_add_up_is_refused(
    copied: nwtsim.Result, tmp_path: Path
) -> None:
    file = tmp_path / "changed.json"
    took = copied.to_dict()["jobs"]["copy"]["phases"][0]["time_ns"]
    text = copied.to_json()
    file.write_text(text.replace(f'"time_ns": {took}', f'"time_ns": {took + 1}', 1), "utf-8")
    with pytest.raises(nwtsim.InputError, match="the phases of job 'copy' do not add up"):
        nwtsim.compare(file, copied)


def test_a_sweep_has_columns_of_the_phases_that_are_asked_for() -> None:
    swept = nwtsim.sweep(
        "workstation",
        "copy-file",
        {"disk.rate": ["125 MB/s", "250 MB/s"]},
        SMALL,
        phases=["copy.0", "copy.2"],
        jobs=1,
    )
    for row in swept:
        alone = nwtsim.run("workstation", "copy-file", {**SMALL, "disk.rate": row["disk.rate"]})
        assert row["copy.0_s"] == alone.phases()[0]["mean_s"]
        assert row["copy.2_s"] == alone.phases()[2]["mean_s"]
    assert "copy.1_s" not in swept[0]
    with pytest.raises(nwtsim.InputError, match=r"phase copy.7: no phase has this name; there are"):
        nwtsim.sweep("workstation", "copy-file", {"disk.rate": ["1 GB/s"]}, phases=["copy.7"])


def test_parts_of_a_sweep_have_them_too(tmp_path: Path, capsys: Capture) -> None:
    words = ["sweep", "workstation", "copy-file", "--vary", "disk.rate=125 MB/s,250 MB/s"]
    words += [word for pair in SMALL.items() for word in ("--set", "=".join(pair))]
    words += ["--phase", "copy.0", "--jobs", "1", "--no-store", "--no-plot"]
    done(capsys, *words, "--out", str(tmp_path / "whole"))
    for part in ("1/2", "2/2"):
        done(capsys, *words, "--shard", part, "--out", str(tmp_path / part[0]))
    merge = ["sweep", "--merge", str(tmp_path / "1"), str(tmp_path / "2"), "--no-plot"]
    done(capsys, *merge, "--out", str(tmp_path / "both"))
    whole, both = (tmp_path / name / "points.csv" for name in ("whole", "both"))
    assert "copy.0_s" in whole.read_text("utf-8")
    assert whole.read_bytes() == both.read_bytes()


FIT_TEXT = """format: fit/1
name: disk
machine: workstation
workload: copy-file
set: {workload.files.source.size: 64 MB, workload.files.copy.size: 64 MB}
parameters: {disk.rate: {start: 100 MB/s, low: 50 MB/s, high: 500 MB/s}}
measurements: [%s]
"""


def test_a_fit_takes_the_time_of_a_phase(copied: nwtsim.Result, tmp_path: Path) -> None:
    """The read of the source tells the rate of the disk, with which it was measured."""
    took = copied.phases()[0]["mean_s"]
    file = tmp_path / "fit.yaml"
    file.write_text(FIT_TEXT % f"{{name: a, phase: copy.0, phase_time: {took} s}}", "utf-8")
    (estimate,) = nwtsim.calibrate(file).estimates
    assert estimate["written"] == "125 MB/s"


def test_a_store_keeps_the_phases_of_a_run_apart(
    copied: nwtsim.Result, tmp_path: Path, capsys: Capture
) -> None:
    """Two phases of one run are measured: each is what the run says, from the store as well."""
    times = [one["mean_s"] for one in copied.phases()]
    both = (f"{{name: m{n}, phase: copy.{n}, phase_time: {times[n]} s}}" for n in (0, 1))
    file = tmp_path / "fit.yaml"
    file.write_text(FIT_TEXT % ", ".join(both), "utf-8")
    words = ("calibrate", str(file), "--store", str(tmp_path / "store.sqlite"))
    for _ in range(2):
        found = as_json(capsys, *words)["measurements"]
        assert [abs(one["error"]) < 1e-3 for one in found] == [True, True]


@pytest.mark.parametrize(
    ("measurement", "about"),
    [
        ("{name: a, phase_time: 1 s}", "needs 'phase': which one it is"),
        ("{name: a, phase: copy.0, elapsed: 1 s}", "is only for phase_time"),
        ("{name: a, phase: copy.9, phase_time: 1 s}", "'copy.9' is no phase; there are copy.0"),
    ],
)
def test_a_phase_that_is_not_there_is_told(tmp_path: Path, measurement: str, about: str) -> None:
    file = tmp_path / "fit.yaml"
    file.write_text(FIT_TEXT % measurement, "utf-8")
    with pytest.raises((nwtsim.ConfigError, nwtsim.InputError), match=about):
        nwtsim.calibrate(file)
