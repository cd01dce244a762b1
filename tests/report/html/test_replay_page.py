"""The page of a replay has observed and predicted times side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.cli.main import main
from tests.report.html.reading import read

NAME = 'a<b>&"q".dat'
OPENED = '"/data/a<b>&\\"q\\".dat", O_RDWR|O_CREAT, 0666'
MISSED = '"/data/\\377\\33[31m", O_RDONLY) = -1 ENOENT (No such file or directory'
LOG = f"""\
100 1700000000.000000 openat(AT_FDCWD, {OPENED}) = 3 <0.000100>
100 1700000000.001000 write(3, "x"..., 4096) = 4096 <0.002000>
100 1700000000.005000 fsync(3) = 0 <0.010000>
100 1700000000.020000 pread64(3, "x"..., 4096, 0) = 4096 <0.000100>
100 1700000000.021000 openat(AT_FDCWD, {MISSED}) <0.000010>
100 1700000000.022000 openat(AT_FDCWD, "/data/caf\\303\\251", O_RDONLY) = 4 <0.000010>
100 1700000000.023000 read(4, "y"..., 65536) = 1000 <0.000020>
100 1700000000.024000 close(4) = 0 <0.000010>
100 1700000000.025000 close(3) = 0 <0.000010>
100 1700000000.030000 +++ exited with 0 +++
"""
"""Names that are markup, that are no UTF-8, and that would colour a terminal."""


def log_in(folder: Path) -> str:
    """The log in a file."""
    log = folder / "job.log"
    log.write_text(LOG, encoding="ascii")
    return str(log)


def test_it_shows_the_numbers_of_the_json(tmp_path: Path) -> None:
    page, record = tmp_path / "page.html", tmp_path / "record.json"
    words = ["replay", log_in(tmp_path), "--on", "workstation", "--html", str(page)]
    assert main([*words, "--format", "json", "--limits", "--out", str(record)]) == 0
    known = json.loads(record.read_text(encoding="utf-8"))["replay"]
    found = read(page)
    for name, key in (("calls", "call"), ("files", "file")):
        shown = found.tables[name].values(units=False)
        for one in known[name]:
            row = shown[one[key]]
            assert row["count"] == one["count"]
            assert row["observed"] == pytest.approx(1e9 * one["observed_s"])
            if one["predicted_s"] is not None:
                assert row["predicted"] == pytest.approx(1e9 * one["predicted_s"])
    assert f"/data/{NAME}" in found.tables["files"].values()
    assert "observed 25.0 ms" in found.answer
    assert "where-0" in found.tables
