"""fio as a second opinion: what it is told, what its record says, and what it does here."""

from __future__ import annotations

import json
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.errors import InputError
from simulator.measure import fio
from simulator.measure.calls import Files
from simulator.measure.facts import facts_of
from simulator.measure.probe import KIB, MIB, Limits, Probe, probes_of
from simulator.measure.probing import possible
from simulator.report.forms import written
from simulator.report.measurement import measurement_page
from simulator.study.measurement import Whole
from tests.measure.lab import FACTS, drawn

LIMITS = Limits(16 * MIB, 0.5, 2, quick=True)
RECORD = """
echo "$@" >> said
way='{"lat_ns": {"mean": 80000.0}, "total_ios": 10}'
echo "note: something"
echo '{"jobs": [{"error": 0, "read": '"$way"', "write": '"$way"', "sync": '
echo '{"lat_ns": {"mean": 1000000.0}}, "job_runtime": 64}]}'
"""


def program(folder: Path, text: str) -> str:
    """A program that stands for fio."""
    path = folder / "fio"
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_fio_makes_the_probes_that_move_data(tmp_path: Path) -> None:
    files = Files(tmp_path, 8 * MIB, direct=True)
    wanted = [one for one in probes_of(LIMITS) if possible(one, FACTS)]
    found = fio.opinions(program(tmp_path, RECORD), files, wanted, LIMITS)
    kinds = {one.probe.kind for one in found}
    assert kinds == {*fio._WAYS}
    assert not [one for one in found if one.probe.state]
    assert {len(one.fio) for one in found} == {LIMITS.runs}
    times = {one.probe.name: one.median for one in found}
    assert times["random-read 4 KiB"] == pytest.approx(80e-6)
    assert times["random-read 4 KiB x 2"] == pytest.approx(40e-6)
    assert times["sync-write 4 KiB"] == pytest.approx(1.08e-3)
    assert times["write-sync 1 MiB"] == pytest.approx(64e-3 / (LIMITS.written // MIB))
    said = (tmp_path / "said").read_text()
    assert "--rw=randread --direct=1 --norandommap --bs=4096" in said
    assert "--numjobs=2" in said


def test_without_direct_calls_fio_makes_none_either() -> None:
    files = Files(Path(), 8 * MIB, direct=False)
    assert not fio.is_made(Probe("random-read", 4 * KIB), files)
    assert fio.is_made(Probe("read", MIB), files)
    assert not fio.is_made(Probe("stat"), files)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("echo 'fio: no such engine' >&2; exit 1", "no such engine"),
        ("echo '{}'", "fio could not make"),
        ("echo nothing", "nothing"),
        ('echo \'{"jobs": [{"error": 28}]}\'', "fio could not make read 1 MiB"),
    ],
)
def test_what_fio_cannot_do_is_said(text: str, about: str, tmp_path: Path) -> None:
    files = Files(tmp_path, 8 * MIB, direct=True)
    with pytest.raises(InputError, match=about):
        fio.opinions(program(tmp_path, text), files, [Probe("read", MIB, 8)], LIMITS)


def test_without_fio_nothing_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["measure", str(tmp_path), "--fio"]) == 2
    assert "there is no fio here; install it" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_both_stand_side_by_side() -> None:
    measurement = drawn(1, spread=1e-9)
    one = next(one.probe for one in measurement.measured if one.probe.name == "read 1 MiB")
    opinion = fio.Opinion(one, (700e-6, 710e-6, 750e-6))
    whole = Whole(measurement, "", (), opinions=[opinion])
    (line,) = [
        line for line in written(measurement_page(whole), "table").splitlines() if "710" in line
    ]
    assert line.split("  ")[0] == "read 1 MiB"
    assert "700 us - 750 us" in line
    assert line.endswith("+1 %")
    record = json.loads(written(measurement_page(whole), "json"))
    assert record["fio"] == [{"probe": "read 1 MiB", "median_ns": 710e3, "turns": 3}]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_the_real_fio_makes_them_all(tmp_path: Path) -> None:
    facts = facts_of(tmp_path)
    files = Files(tmp_path, LIMITS.file, facts.direct)
    files.fill()
    wanted = [one for one in probes_of(replace(LIMITS, seconds=0.1)) if possible(one, facts)]
    before = {path.name for path in tmp_path.iterdir()}
    for one in fio.opinions(fio.program(), files, wanted, LIMITS):
        assert all(0 < seconds < 60 for seconds in one.fio), one.probe.name
    assert {path.name for path in tmp_path.iterdir()} == before
