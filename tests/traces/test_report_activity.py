"""Who moved bytes when: of single calls, of HEATMAP, of first and last times."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from simulator.traces.reports.activity import Line, activity_of, most_used
from simulator.traces.reports.choice import Choice
from simulator.traces.reports.opened import opened
from tests.traces.darshan_bytes import heat, record, write
from tests.traces.stores import call, make_store, printed, refused, reported

pytest.importorskip("duckdb")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

ROWS = [
    call("read", 0.0, 1e-3, returned=100, pid=7, process=0, file="/data/in"),
    call("write", 1.0, 3e-3, returned=1000, pid=9, process=1, file="/data/out"),
    call("write", 1.0, 1e-3, returned=50, pid=9, process=1, file="/data/log"),
    call("read", 2.0, 1e-3, returned=-1, error="EIO", pid=7, process=0, file="/data/in"),
    call("close", 0.001, 1e-3, returned=0, pid=7, process=0, file="/data/in"),
]
NAMES = {1: "/scratch/a", 2: "/scratch/b", 3: "<STDOUT>", 9: "heatmap:POSIX"}
WITH_PYDARSHAN = pytest.mark.skipif(find_spec("darshan") is None, reason="needs PyDarshan")


def test_bytes_of_single_calls(capsys: Any, tmp_path: Path) -> None:
    store = make_store(tmp_path / "s.parquet", ROWS)
    found = reported(capsys, "activity", store)
    assert found["interval_s"] == 0.05
    rows = {one["process"]: one for one in found["activity"]}
    assert rows.keys() == {"pid 7", "pid 9"}
    assert (rows["pid 7"]["read_bytes"], rows["pid 7"]["written_bytes"]) == (100, 0)
    assert rows["pid 9"]["written_bytes"] == 1050
    assert rows["pid 9"]["busiest_Bps"] == 1050 / 0.05
    assert (rows["pid 9"]["first_s"], rows["pid 9"]["last_s"]) == (1.0, 1.05)
    files = reported(capsys, "activity", store, "--by", "file")["activity"]
    assert [one["file"] for one in files] == ["/data/out", "/data/in", "/data/log"]


def test_latencies_are_the_median_and_the_longest(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s.parquet", ROWS)
    with opened([store], Choice()) as trace:
        found = activity_of(trace, "process")
    assert found.latencies[:2] == [(0, 1e6, 1e6), (20, 2e6, 3e6)]


def test_a_copy_reads_one_file_and_writes_the_other(capsys: Any, tmp_path: Path) -> None:
    rows = [call("sendfile", returned=70, file="/data/in", to_file="/data/out")]
    store = make_store(tmp_path / "s.parquet", rows)
    files = {
        one["file"]: one for one in reported(capsys, "activity", store, "--by", "file")["activity"]
    }
    assert (files["/data/in"]["read_bytes"], files["/data/in"]["written_bytes"]) == (70, 0)
    assert (files["/data/out"]["read_bytes"], files["/data/out"]["written_bytes"]) == (0, 70)


def posix(number: int, written: int, start: float, end: float) -> bytes:
    counters = {"OPENS": 1, "WRITES": 2, "BYTES_WRITTEN": written}
    times = {"F_WRITE_START_TIMESTAMP": start, "F_WRITE_END_TIMESTAMP": end}
    made: bytes = record("POSIX", number, 0, counters | times)
    return made


@WITH_PYDARSHAN
def test_heatmap_is_the_activity_of_ranks(capsys: Any, tmp_path: Path) -> None:
    """Of 128 ranks each two are a line; rank 3 writes 30 B in the second half second."""
    warm = [heat(9, rank, 0.5, writes=[0, 10 * rank], reads=[rank, 0]) for rank in range(4)]
    modules = {"POSIX": posix(1, 60, 0.5, 1.0), "HEATMAP": b"".join(warm)}
    log = write(tmp_path / "log.darshan", modules, names=NAMES, nprocs=128)
    found = reported(capsys, "activity", log)
    rows = {one["process"]: one for one in found["activity"]}
    assert rows.keys() == {"rank 0-1", "rank 2-3"}
    assert (rows["rank 2-3"]["read_bytes"], rows["rank 2-3"]["written_bytes"]) == (5, 50)
    assert rows["rank 2-3"]["busiest_Bps"] == 100
    assert "by HEATMAP of POSIX, in intervals of 500 ms" in found["notes"]
    assert "62 processes without bytes" in found["notes"]
    for by in ("process", "file"):
        picture = tmp_path / f"{by}.svg"
        printed(capsys, "activity", log, "--by", by, "--plot", picture)
        text = picture.read_text()
        assert ("rank 0-1" if by == "process" else "/scratch/a") in text
    page = tmp_path / "page.html"
    printed(capsys, "summary", log, "--html", page)
    assert "rank 0-3" in page.read_text()
    assert "HEATMAP of POSIX" in page.read_text()
    assert "all files together" in refused(capsys, "activity", log, "--file", "a")


@WITH_PYDARSHAN
def test_bytes_of_files_are_spread_over_their_times(capsys: Any, tmp_path: Path) -> None:
    """File b: 300 B from 1 s to 4 s, of which the intervals of 0.05 s have 5 B each."""
    modules = {"POSIX": posix(1, 80, 0.0, 2.0) + posix(2, 300, 1.0, 4.0)}
    log = write(tmp_path / "log.darshan", modules, names=NAMES)
    found = reported(capsys, "activity", log, "--by", "file")
    rows = {one["file"]: one for one in found["activity"]}
    assert (found["interval_s"], rows["/scratch/b"]["written_bytes"]) == (0.05, 300)
    assert rows["/scratch/b"]["busiest_Bps"] == pytest.approx(100)
    assert rows["/scratch/b"]["first_s"] == pytest.approx(1.0, abs=0.05)
    assert rows["/scratch/b"]["last_s"] == pytest.approx(4.0, abs=0.05)
    assert rows["/scratch/a"]["busiest_Bps"] == pytest.approx(40)
    assert "neither DXT nor HEATMAP" in refused(capsys, "activity", log)


def test_what_many_files_moved_is_one_line(tmp_path: Path) -> None:
    rows = [
        call("write", at, returned=100 - at, file=f"/data/{at:02}", pid=at, process=at)
        for at in range(70)
    ]
    store = make_store(tmp_path / "s.parquet", rows)
    with opened([store], Choice()) as trace:
        files, processes = activity_of(trace, "file"), activity_of(trace, "process")
    kept = most_used(files, 10)
    assert [one.name for one in kept] == [*(f"/data/0{at}" for at in range(9)), "61 other files"]
    assert sum(one.bytes for one in kept) == sum(100 - at for at in range(70))
    bands = processes.shown(64)
    assert len(bands) == 35
    assert bands[1].name == "pid 2-3"
    assert sum(one.bytes for one in bands) == sum(one.bytes for one in processes.lines)
    assert Line("a", [1.0], [2.0]).bytes == 3
