"""Darshan logs: the numbers against PyDarshan's own report and against the bytes of the log."""

import random
import shutil
import struct
import zlib
from importlib.util import find_spec
from pathlib import Path

import pytest

from simulator import extras
from simulator.traces import darshan_log
from tests.report.html.reading import read
from tests.traces.stores import printed, refused, reported

pytest.importorskip("duckdb")
found = find_spec("darshan")  # Not imported here: with pandas, that takes seconds.
if found is None or found.origin is None:
    pytest.skip("needs PyDarshan", allow_module_level=True)

LOGS = Path(found.origin).parent / "examples" / "example_logs"
IOR = LOGS / "ior_hdf5_example.darshan"
"""POSIX, MPI-IO, STDIO and DXT; 4 ranks."""
PLAIN = LOGS / "example.darshan"
"""Without DXT; 2048 ranks."""
ALL = [
    pytest.param(path, marks=() if path == PLAIN else pytest.mark.slow, id=path.stem[:20])
    for path in sorted(LOGS.glob("*.darshan"))
]

pytestmark = [
    pytest.mark.usefixtures("read_once"),
    pytest.mark.skipif(not IOR.is_file(), reason="this PyDarshan came without example logs"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]

COUNTED = {
    "POSIX": {
        "open": ("POSIX_OPENS", None, None),
        "read": ("POSIX_READS", "POSIX_BYTES_READ", "POSIX_F_READ_TIME"),
        "write": ("POSIX_WRITES", "POSIX_BYTES_WRITTEN", "POSIX_F_WRITE_TIME"),
        "lseek": ("POSIX_SEEKS", None, None),
        "stat": ("POSIX_STATS", None, None),
    },
    "STDIO": {
        "fopen": ("STDIO_OPENS", None, None),
        "fread": ("STDIO_READS", "STDIO_BYTES_READ", "STDIO_F_READ_TIME"),
        "fwrite": ("STDIO_WRITES", "STDIO_BYTES_WRITTEN", "STDIO_F_WRITE_TIME"),
    },
}


@pytest.fixture(scope="module")
def read_logs(tmp_path_factory):
    """Give the folders that Darshan's reader has filled, by log."""
    return tmp_path_factory.mktemp("read"), {}


@pytest.fixture
def read_once(monkeypatch, read_logs):
    """Have each log of PyDarshan read by one process only, however many reports are made of it."""
    parent, known = read_logs
    run_reader = darshan_log._run_reader

    def run_once(path, folder, without):
        if path in known:
            shutil.copytree(known[path], folder, dirs_exist_ok=True)
            return []
        spoilt = run_reader(path, folder, without)
        if path.parent == LOGS:
            known[path] = shutil.copytree(folder, parent / path.stem)
        return spoilt

    monkeypatch.setattr(darshan_log, "_run_reader", run_once)


def frames(path, module):
    """Give the counters of a module as PyDarshan's report has them."""
    import darshan

    with darshan.DarshanReport(str(path), read_all=False) as report:
        if module not in report.modules:
            return None
        report.mod_read_all_records(module)
        return report.records[module].to_df()


@pytest.mark.parametrize("path", ALL)
def test_counts_bytes_and_times_are_those_of_pydarshan(capsys, path):
    found = {row["call"]: row for row in reported(capsys, "summary", path)["calls"]}
    for module, calls in COUNTED.items():
        record = frames(path, module)
        if record is None:
            assert not calls.keys() & found.keys()
            continue
        for call, (count, size, time) in calls.items():
            expected = int(record["counters"][count].clip(lower=0).sum())
            assert found.get(call, {"count": 0})["count"] == expected, call
            if expected and size:
                assert found[call]["bytes"] == record["counters"][size].sum()
                times = record["fcounters"][time]
                # A defect of some Darshan: the time of <STDERR> in example.darshan is negative.
                expected = pytest.approx(times.sum()) if times.min() >= 0 else None
                assert found[call]["time_s"] == expected


@pytest.mark.parametrize("path", ALL)
def test_files_are_those_of_pydarshan(capsys, path):
    record = frames(path, "POSIX")
    if record is None:
        said = refused(capsys, "summary", path, "--by", "file", "--call", "write")
        assert "no call is named write" in said
        return
    import darshan

    found = reported(capsys, "summary", path, "--by", "file", "--call", "write")

    with darshan.DarshanReport(str(path), read_all=True) as report:
        names = report.name_records
    expected = record["counters"].groupby("id")["POSIX_BYTES_WRITTEN"].sum()
    expected = {names[key]: int(value) for key, value in expected.items() if value > 0}
    assert {row["file"]: row["bytes"] for row in found["files"] if row["bytes"]} == expected


@pytest.mark.slow
def test_the_bytes_of_the_log_say_the_same(capsys):
    """Log format 3.21: a map of regions, each compressed by zlib; no library of Darshan's."""
    content = IOR.read_bytes()
    offset, length = struct.unpack_from("<QQ", content, 40 + 16 * 1)  # module 1 is POSIX
    record = zlib.decompress(content[offset : offset + length])
    assert len(record) == 16 + 69 * 8 + 17 * 8
    counters = struct.unpack_from("<69q", record, 16)
    times = struct.unpack_from("<17d", record, 16 + 69 * 8)
    found = {row["call"]: row for row in reported(capsys, "summary", IOR)["calls"]}
    calls = [found[name]["count"] for name in ("open", "read", "write", "lseek", "stat")]
    assert calls == [counters[0], *counters[3:7]]
    assert [found[name]["bytes"] for name in ("read", "write")] == list(counters[14:16])
    assert found["read"]["time_s"] == pytest.approx(times[8])
    assert found["write"]["time_s"] == pytest.approx(times[9])
    assert found["write"]["time_max_s"] == pytest.approx(times[12])
    assert reported(capsys, "summary", IOR)["metadata_time_s"]["POSIX"] == pytest.approx(times[10])


def test_what_darshan_does_not_keep_is_null(capsys):
    for row in reported(capsys, "summary", IOR)["calls"]:
        assert (row["errors"], row["time_min_s"], row["bytes_min"]) == (None, None, None)
        assert row["success"] == row["count"]


def test_bins_are_darshans(capsys):
    found = reported(capsys, "sizes", PLAIN)
    counters = frames(PLAIN, "POSIX")["counters"]
    columns = [name for name in counters.columns if name.startswith("POSIX_SIZE_WRITE_")]
    assert [row["writes"] for row in found["bins"]] == [
        int(counters[name].sum()) for name in columns
    ]
    assert found["bins"][0]["to_bytes"] == 100
    assert found["bins"][-1]["to_bytes"] is None
    assert found["lengths"] == []
    assert {"metadata_time_s", "above"} < found.keys()


def test_segments_become_rows(capsys):
    import darshan

    with darshan.DarshanReport(str(IOR), read_all=False) as report:
        report.mod_read_all_dxt_records("DXT_POSIX", dtype="dict")
        records = list(report.records["DXT_POSIX"])
    segments = [
        (call, round(one["start_time"], 6), one["offset"], one["length"], record["rank"])
        for record in records
        for call, key in (("read", "read_segments"), ("write", "write_segments"))
        for one in record[key]
    ]
    found = reported(capsys, "offsets", IOR, "--file", "*")["calls"]
    assert sorted(
        (row["call"], round(row["start_s"], 6), row["offset_bytes"], row["size_bytes"], row["pid"])
        for row in found
    ) == sorted(segments)
    intervals = reported(capsys, "rate", IOR, "--interval", "0.1")["intervals"]
    assert sum(row["written_bytes"] for row in intervals) == sum(
        segment[3] for segment in segments if segment[0] == "write"
    )
    counts = [row["count"] for row in reported(capsys, "calls", IOR)["calls"]]
    assert 40 <= len(counts) <= 100
    assert sum(counts) == len(segments)


def test_a_store_of_a_darshan_log_says_the_same(capsys, tmp_path):
    store = tmp_path / "ior.parquet"
    printed(capsys, "import", IOR, "-o", store)
    for report in ("summary", "summary --by file", "sizes", "rate", "check"):
        name, *options = report.split()
        assert reported(capsys, name, store, *options) == reported(capsys, name, IOR, *options)


@pytest.mark.parametrize("report", ["calls", "rate", "offsets --file *", "summary --since 1"])
@pytest.mark.slow
def test_without_dxt_it_says_what_the_log_lacks(capsys, report):
    name, *options = report.split()
    message = refused(capsys, name, PLAIN, *options)
    assert "DXT" in message or "totals are of the whole run" in message


@pytest.mark.slow
def test_errors_and_unknown_files_of_a_darshan_log(capsys):
    assert "Darshan counts the calls that succeed" in refused(capsys, "summary", IOR, "--errors")
    assert "the most used files are" in refused(capsys, "summary", IOR, "--file", "nothing")
    assert "one Darshan log at a time" in refused(capsys, "summary", IOR, PLAIN)
    assert "whole run" in refused(capsys, "summary", IOR, "--since", "1")


def test_chosen_files_and_calls(capsys):
    found = reported(capsys, "summary", IOR, "--file", "test123.h5", "--call", "read,write")
    assert {row["call"] for row in found["calls"]} == {"read", "write"}
    found = reported(capsys, "summary", IOR, "--exclude-ext", "h5", "--by", "file")["files"]
    assert {row["file"] for row in found} == {"<STDOUT>"}


def test_client_time_is_the_run_time_of_each_rank(capsys):
    """2048 ranks for 117 s: not an elapsed time of 67 hours."""
    found = reported(capsys, "check", PLAIN)
    assert (found["elapsed_s"], found["clients"], found["client_time_s"]) == (117, 2048, 239_616)
    text = printed(capsys, "check", PLAIN)
    assert "share of I/O in client time         41.9 % of 3,990 min" in text
    assert (
        "elapsed time 117 s; client time 3,990 min: the elapsed time of each of 2,048 ranks" in text
    )


def test_a_check_names_files_and_calls_of_the_counters(capsys):
    found = {row["check"]: row for row in reported(capsys, "check", PLAIN)["checks"]}
    (most, *_) = found["lseeks_per_move"]["concerned"]
    calls = {row["call"]: row["count"] for row in reported(capsys, "summary", PLAIN)["calls"]}
    assert (most["call"], most["value"], most["unit"]) == ("lseek", calls["lseek"], "calls")
    assert most["file"].endswith("vpicio.hdf5")
    (slowest,) = found["metadata_time_ratio"]["concerned"]
    assert slowest["value"] == pytest.approx(found["metadata_time_ratio"]["values"]["metadata_s"])
    assert found["failed_share"]["value"] is None


def test_check_compares_with_the_files_extent(capsys):
    found = reported(capsys, "check", PLAIN)
    assert found["write_factor"] == pytest.approx(1.0, rel=1e-3)
    assert found["errors"] is None


@pytest.mark.parametrize("report", ["sizes", "check"])
def test_plots(capsys, tmp_path, report):
    name, *options = report.split()
    printed(capsys, name, IOR, *options, "--plot", tmp_path / "p.png")
    assert (tmp_path / "p.png").stat().st_size > 1000


CUT = [0, *(pytest.param(length, marks=pytest.mark.slow) for length in (5, 100, 360, 1000))]
CUT += [1500, *(pytest.param(length, marks=pytest.mark.slow) for length in (2500, 3000))]


@pytest.mark.parametrize("length", CUT)
@pytest.mark.slow
def test_damaged_logs_are_one_message(capsys, tmp_path, length):
    path = tmp_path / "cut.darshan"
    path.write_bytes(IOR.read_bytes()[:length])
    message = refused(capsys, "summary", path)
    assert str(path) in message
    assert message.count("\n") == 1


@pytest.mark.slow
def test_a_log_that_is_cut_where_nothing_is_used_is_read_and_says_so(capsys, tmp_path):
    path = tmp_path / "cut.darshan"
    path.write_bytes(IOR.read_bytes()[:3500])
    assert "the log is cut or damaged at DXT_MPIIO" in printed(capsys, "summary", path)
    calls = reported(capsys, "summary", path)["calls"]
    assert calls == reported(capsys, "summary", IOR)["calls"]


@pytest.mark.slow
def test_what_is_no_log_of_darshan(capsys, tmp_path):
    path = tmp_path / "other.darshan"
    path.write_text("this is no log\n" * 100)
    assert "no Darshan log" in refused(capsys, "summary", path)
    (tmp_path / "folder.darshan").mkdir()
    assert refused(capsys, "summary", tmp_path / "folder.darshan")
    assert "No such file" in refused(capsys, "summary", tmp_path / "absent.darshan")


@pytest.mark.slow
def test_no_damage_kills_or_hangs_us(capsys, tmp_path):
    from simulator.cli.main import main

    rng = random.Random(7)
    path = tmp_path / "damaged.darshan"
    for _ in range(8):
        content = bytearray(IOR.read_bytes())
        for _ in range(3):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path.write_bytes(content)
        code = main(["trace", "summary", str(path)])
        heard = capsys.readouterr()
        assert code in {0, 2}
        assert "Traceback" not in heard.err


def test_a_reader_that_crashes_or_never_ends(capsys, monkeypatch, tmp_path):
    path = tmp_path / "log.darshan"
    path.write_bytes(IOR.read_bytes())
    monkeypatch.setattr(darshan_log, "READER", "import os; os.abort()")
    assert "it crashed" in refused(capsys, "summary", path)
    monkeypatch.setattr(darshan_log, "READER", "import time; time.sleep(60)")
    monkeypatch.setattr(darshan_log, "SILENT_S", 0.5)
    assert "did not come to an end" in refused(capsys, "summary", path)


def test_missing_pydarshan_is_named(capsys, monkeypatch):
    real = extras.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "darshan" else real(name))
    assert "pip install 'nwtsim[darshan]'" in refused(capsys, "summary", IOR)


def test_the_page_counts_what_mpi_io_moved_once(capsys, tmp_path):
    page = tmp_path / "page.html"
    assert printed(capsys, "summary", IOR, "--html", page)
    found = read(page)
    shown = found.tables["calls"].values()
    above = ("MPI_", "H5")
    many = sum(row["count"] for name, row in shown.items() if not name.startswith(above))
    assert found.answer.startswith(f"{many:g} calls: ")
    assert "what HDF5 and MPI-IO moved is in the calls beneath as well" in found.text
    assert "Bytes read and written over time" in page.read_text(encoding="utf-8")  # From DXT.
