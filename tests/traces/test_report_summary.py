"""Counted and timed calls against a plain Python count of the same rows."""

import csv
import io
from collections import defaultdict

import pytest

from simulator import extras
from simulator.traces.columns import MOVES
from tests.traces.stores import UNKNOWN, call, make_store, printed, random_rows, refused, reported


@pytest.fixture
def rows():
    return random_rows(3000)


@pytest.fixture
def store(tmp_path, rows):
    return make_store(tmp_path / "calls.parquet", rows)


def counted(rows, *keys):
    """Count as the summary does, without any database."""
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in keys)].append(row)
    found = {}
    for key, group in groups.items():
        times = [row["duration_ns"] for row in group if row["duration_ns"] is not None]
        sizes = [row["returned"] for row in group if row["returned"] is not None]
        moves = group[0]["call"] in MOVES
        found[key] = {
            "count": len(group),
            "errors": sum(row["error"] is not None for row in group),
            "time_s": sum(times) / 1e9 if times else None,
            "time_min_s": min(times) / 1e9 if times else None,
            "time_mean_s": sum(times) / len(times) / 1e9 if times else None,
            "time_max_s": max(times) / 1e9 if times else None,
            "bytes": sum(sizes) if moves else 0,
            "bytes_min": min(sizes) if moves and sizes else None,
            "bytes_mean": sum(sizes) / len(sizes) if moves and sizes else None,
            "bytes_max": max(sizes) if moves and sizes else None,
        }
    return found


def agrees(row, expected):
    for key, value in expected.items():
        assert row[key] == (value if value is None else pytest.approx(value, rel=1e-12)), key
    assert row["success"] == expected["count"] - expected["errors"]


def test_each_call_is_counted_as_a_plain_count_does(capsys, store, rows):
    found = reported(capsys, "summary", store)
    expected = counted(rows, "call")
    assert {(row["call"],) for row in found["calls"]} == set(expected)
    for row in found["calls"]:
        agrees(row, expected[row["call"],])
        if row["call"] in MOVES:
            assert row["rate_Bps"] == pytest.approx(row["bytes"] / row["time_s"])
        assert row["calls_per_s"] == pytest.approx(row["count"] / row["time_s"])


def test_each_file_is_counted_as_a_plain_count_does(capsys, store, rows):
    found = reported(capsys, "summary", store, "--by", "file")
    expected = counted(rows, "file", "call")
    assert len(found["files"]) == len(expected)
    for row in found["files"]:
        agrees(row, expected[row["file"], row["call"]])


def test_one_calls_files_as_io_docks_func(capsys, store, rows):
    found = reported(capsys, "summary", store, "--call", "write", "--by", "file")["files"]
    expected = counted([row for row in rows if row["call"] == "write"], "file")
    assert {row["file"]: row["bytes"] for row in found} == {
        key[0]: value["bytes"] for key, value in expected.items()
    }
    assert {row["call"] for row in found} == {"write"}


def test_the_kinds_of_error_of_each_call_and_file(capsys, store, rows):
    found = reported(capsys, "summary", store, "--errors", "--by", "file")["errors"]
    expected = defaultdict(int)
    for row in rows:
        if row["error"] is not None:
            expected[row["call"], row["error"], row["file"]] += 1
    assert {(row["call"], row["error"], row["file"]): row["count"] for row in found} == expected
    whole = reported(capsys, "summary", store, "--errors")["errors"]
    assert sum(row["count"] for row in whole) == sum(expected.values())


def test_a_call_that_never_returns_is_no_error(capsys, tmp_path):
    store = make_store(
        tmp_path / "s.parquet", [call("exit_group", took_s=None, kind=None, file=None)]
    )
    (row,) = reported(capsys, "summary", store)["calls"]
    assert (row["count"], row["success"], row["errors"], row["time_s"]) == (1, 1, 0, None)


def test_calls_without_a_name_are_listed_by_what_they_are_about(capsys, tmp_path):
    rows = [call("read", kind="pipe", file=None, returned=5), call("brk", kind=None, file=None)]
    store = make_store(tmp_path / "s.parquet", rows)
    (row,) = reported(capsys, "summary", store, "--by", "file")["files"]
    assert (row["file"], row["kind"], row["bytes"]) == (None, "pipe", 5)
    assert "(pipe)" in printed(capsys, "summary", store, "--by", "file")


def test_top_keeps_the_first_and_says_how_many_more(capsys, store):
    whole = reported(capsys, "summary", store)["calls"]
    assert reported(capsys, "summary", store, "--top", "2")["calls"] == whole[:2]
    assert "and 5 more" in printed(capsys, "summary", store, "--top", "2")


def test_csv_has_the_same_numbers_in_base_units(capsys, store):
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "summary", store, "--format", "csv"))))
    for row, other in zip(rows, reported(capsys, "summary", store)["calls"], strict=True):
        assert {key: value or None for key, value in row.items()} == {
            key: None if value is None else str(value) for key, value in other.items()
        }


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "report", ["summary", "sizes", "calls", "rate", "offsets --file /data/run1/file1.dat", "check"]
)
def test_every_report_names_and_counts_what_the_log_cannot_say(capsys, store, report):
    name, *options = report.split()
    assert reported(capsys, name, store, *options)["unknown"] == UNKNOWN
    expected = (
        "not in the log: inherited 7 calls, 2.22 kB; mmap 3 calls, 4.10 kB; io_uring 0 calls;"
        " unfinished 1 call; skipped 5 lines\n"
    )
    assert printed(capsys, name, store, *options).endswith(expected)
    from simulator.cli.main import main

    assert main(["trace", name, str(store), *options, "--format", "csv"]) == 0
    heard = capsys.readouterr()
    assert heard.err.endswith(expected)
    assert "not in the log" not in heard.out


def test_an_empty_trace_has_empty_reports(capsys, tmp_path):
    store = make_store(tmp_path / "s.parquet", [])
    assert reported(capsys, "summary", store)["calls"] == []
    assert reported(capsys, "summary", store, "--by", "file")["files"] == []
    assert reported(capsys, "sizes", store)["bins"] == []
    assert reported(capsys, "calls", store)["calls"] == []
    assert reported(capsys, "rate", store)["intervals"] == []
    assert reported(capsys, "check", store)["io_share"] is None
    assert "(none)" in printed(capsys, "summary", store)


def test_our_columns_contain_those_of_io_docks_tables(capsys, store):
    """SS-ken, tables 4.1.7 to 4.4.5; appendix 3, 5.2. The number of files is that of the rows."""
    times = {"time_s", "time_mean_s", "time_min_s", "time_max_s", "calls_per_s"}
    moved = {"bytes", "bytes_mean", "bytes_min", "bytes_max", "rate_Bps"}
    columns = {"call", "count", "success", "errors", *times, *moved}
    assert columns <= set(reported(capsys, "summary", store)["calls"][0])
    by_file = reported(capsys, "summary", store, "--by", "file")["files"]
    assert {"file", *columns} <= set(by_file[0])
    assert "kcalls/s" in printed(capsys, "summary", store)


@pytest.mark.parametrize(
    ("name", "count", "failed", "printed_us"),
    [
        ("read", 14, 0, (136, 10, 8, 16)),
        ("lgetxattr", 20712, 20712, (249_096, 12, 8, 55)),
    ],
)
def test_rows_of_table_4_3_4_1_come_out_as_printed(
    capsys, tmp_path, name, count, failed, printed_us
):
    """One call is the shortest, one the longest, and the rest share the rest of the time."""
    total, _, least, most = printed_us
    each, over = divmod(1000 * (total - least - most), count - 2)
    took = [1000 * least, 1000 * most, *(each + (n < over) for n in range(count - 2))]
    rows = [call(name, 0, one / 1e9, error="ENODATA" if failed else None) for one in took]
    (row,) = reported(capsys, "summary", make_store(tmp_path / "s.parquet", rows))["calls"]
    assert (row["count"], row["errors"]) == (count, failed)
    times = [row[f"time_{which}s"] for which in ("", "mean_", "min_", "max_")]
    assert tuple(round(time * 1e6) for time in times) == printed_us


def test_a_row_of_table_4_4_3_comes_out_as_printed(capsys, tmp_path):
    """Table 4.4.3, rfm_run071482.000010.root: 401 writes, 329 ms, 312 MB, 947 MB/s."""
    rows = [call("write", n / 1e3, 0.329 / 401, returned=312_000_000 // 401) for n in range(401)]
    table = printed(capsys, "summary", make_store(tmp_path / "s.parquet", rows), "--by", "file")
    line = " ".join(table.splitlines()[2].split())
    assert line == "write 401 0 329 820 820 312 948 /data/a"
    for head in ("time (ms)", "mean (us)", "max (us)", "bytes (MB)", "rate (MB/s)"):
        assert head in table.splitlines()[0]


def test_a_log_is_read_into_a_store_first(capsys, tmp_path):
    log = tmp_path / "job.log"
    log.write_text(
        '7 10:00:00.5 openat(AT_FDCWD, "/data/x", O_RDONLY) = 3 <0.000020>\n'
        '7 10:00:01.5 read(3, "x", 100) = 100 <0.000100>\n'
    )
    found = reported(capsys, "summary", log, "--by", "file")["files"]
    assert [(row["call"], row["file"]) for row in found] == [
        ("read", "/data/x"),
        ("openat", "/data/x"),
    ]
    assert list(tmp_path.iterdir()) == [log]


def test_a_store_and_a_log_at_once_are_refused(capsys, store, tmp_path):
    log = tmp_path / "job.log"
    log.write_text("x")
    assert "name it alone" in refused(capsys, "summary", store, log)


def test_a_parquet_file_of_somebody_else(capsys, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "other.parquet"
    parquet.write_table(pa.table({"a": [1]}), path)
    assert "nwtsim trace import" in refused(capsys, "summary", path)


def test_a_damaged_store_is_one_message(capsys, store):
    store.write_bytes(store.read_bytes()[:-100])
    message = refused(capsys, "summary", store)
    assert "damaged" in message
    assert message.count("\n") <= 2


def test_a_store_with_damaged_pages_is_one_message(capsys, store):
    content = bytearray(store.read_bytes())
    content[100 : len(content) // 2] = b"\xff" * (len(content) // 2 - 100)
    store.write_bytes(content)
    assert "a damaged store" in refused(capsys, "summary", store)


def test_missing_packages_are_named(capsys, store, monkeypatch):
    real = extras.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "duckdb" else real(name))
    message = refused(capsys, "summary", store)
    assert "duckdb" in message
    assert "pip install duckdb" in message


def test_names_that_a_database_would_misread(capsys, tmp_path):
    names = [
        "/data/it's [1]*.nc",
        '/data/"q"; DROP TABLE calls; --',
        "/data/日本.nc",
        "/data/%s\\n",
    ]
    rows = [call("read", n, returned=n, file=name) for n, name in enumerate(names)]
    store = make_store(tmp_path / "it's [x]*?.parquet", rows)
    for n, name in enumerate(names):
        (row,) = reported(capsys, "summary", store, "--by", "file", "--file", name)["files"]
        assert (row["file"], row["bytes"]) == (name, n)


@pytest.mark.slow
def test_a_store_larger_than_the_memory_that_may_be_used(tmp_path):
    pytest.importorskip("duckdb")
    from simulator.traces.reports.choice import Choice
    from simulator.traces.reports.opened import opened
    from simulator.traces.reports.summary import by_file

    rows = [call("read", n / 1e6, returned=1, file=f"/data/{n:064}") for n in range(100_000)]
    store = make_store(tmp_path / "s.parquet", rows)
    with opened([store], Choice(), memory="60MB") as trace:
        assert sum(1 for _ in by_file(trace).tables[0].rows) == len(rows)
