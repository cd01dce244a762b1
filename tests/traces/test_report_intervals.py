"""Calls and bytes per interval against a plain count, and every call on a file."""

import csv
import io
from collections import defaultdict

import pytest

from tests.traces.stores import START, call, make_store, printed, random_rows, reported


@pytest.mark.parametrize("step", ["1", "0.3", "7.25"])
def test_calls_and_errors_of_each_interval(capsys, tmp_path, step):
    rows = random_rows(1500, seed=3)
    found = reported(capsys, "calls", make_store(tmp_path / "s.parquet", rows), "--interval", step)
    step_ns = round(float(step) * 1e9)
    start = min(row["time_ns"] for row in rows)
    expected = defaultdict(lambda: [0, 0])
    for row in rows:
        counts = expected[(row["time_ns"] - start) // step_ns]
        counts[0] += 1
        counts[1] += row["error"] is not None
    assert [row["start_s"] for row in found["calls"]] == [
        i * step_ns / 1e9 for i in range(max(expected) + 1)
    ]
    for i, row in enumerate(found["calls"]):
        assert [row["count"], row["errors"]] == expected[i]
        assert row["success"] == row["count"] - row["errors"]
    assert found["interval_s"] == float(step)


def test_bytes_and_calls_read_and_written_in_each_interval(capsys, tmp_path):
    rows = random_rows(1500, seed=4)
    found = reported(capsys, "rate", make_store(tmp_path / "s.parquet", rows), "--interval", "0.5")
    start = min(row["time_ns"] for row in rows)
    expected = defaultdict(lambda: [0, 0, 0, 0])
    for row in rows:
        counts = expected[(row["time_ns"] - start) // 500_000_000]
        size = row["returned"] if row["error"] is None else 0
        for place, calls in ((0, {"read", "pread64", "sendfile"}), (2, {"write", "sendfile"})):
            if row["call"] in calls:
                counts[place] += 1
                counts[place + 1] += size
    for i, row in enumerate(found["intervals"]):
        keys = ("reads", "read_bytes", "writes", "written_bytes")
        assert [row[key] for key in keys] == expected[i]
        assert row["read_Bps"] == pytest.approx(row["read_bytes"] / 0.5)


def test_intervals_count_from_the_logs_start_whatever_is_chosen(capsys, tmp_path):
    rows = [call("openat", 0), call("read", 5.5, returned=1), call("read", 7.5, returned=2)]
    store = make_store(tmp_path / "s.parquet", rows)
    found = reported(capsys, "rate", store, "--since", "5", "--interval", "1")["intervals"]
    assert [(row["start_s"], row["read_bytes"]) for row in found] == [(5, 1), (6, 0), (7, 2)]
    (busiest,) = reported(capsys, "rate", store, "--top", "1", "--interval", "1s")["intervals"]
    assert busiest["start_s"] == 7
    assert printed(capsys, "calls", store, "--call", "openat", "--format", "csv") == (
        "start_s,count,success,errors\n0.0,1,1,0\n"
    )


def test_every_call_on_a_file_in_its_order(capsys, tmp_path):
    rows = [
        call("read", 2, 0.5, returned=10, offset=100, pid=9),
        call("openat", 1, 0.25),
        call("lseek", 3, None, returned=7, offset=7),
        call("read", 4, 0.125, error="EIO"),
        call("read", 5, returned=1, file="/data/b"),
        call(
            "sendfile",
            6,
            0.5,
            returned=3,
            offset=0,
            file="/data/b",
            to_file="/data/a",
            to_offset=50,
        ),
    ]
    store = make_store(tmp_path / "s.parquet", rows)
    found = reported(capsys, "offsets", store, "--file", "/data/a")["calls"]
    keys = ("start_s", "duration_s", "call", "offset_bytes", "size_bytes", "error")
    assert [tuple(row[key] for key in keys) for row in found] == [
        (0, 0.25, "openat", None, None, None),
        (1, 0.5, "read", 100, 10, None),
        (2, None, "lseek", 7, None, None),
        (3, 0.125, "read", None, None, "EIO"),
        (5, 0.5, "sendfile", 50, 3, None),
    ]
    assert found[1]["pid"] == 9
    (longest,) = reported(capsys, "offsets", store, "--file", "a", "--top", "1")["calls"]
    assert longest["call"] == "read"
    table = printed(capsys, "offsets", store, "--file", "a", "--top", "1")
    assert "and 4 more" in table


@pytest.mark.slow
def test_a_hundred_thousand_calls_as_csv(capsys, tmp_path):
    rows = [call("write", n / 1e3, returned=8, offset=8 * n) for n in range(100_000)]
    store = make_store(tmp_path / "s.parquet", rows)
    text = printed(capsys, "offsets", store, "--file", "a", "--format", "csv")
    listed = list(csv.DictReader(io.StringIO(text)))
    assert [int(row["offset_bytes"]) for row in listed] == [8 * n for n in range(100_000)]


def test_offsets_of_a_log_without_times_keep_the_logs_order(capsys, tmp_path):
    rows = [call("write", returned=1, offset=n) | {"time_ns": None} for n in (5, 3, 9)]
    store = make_store(tmp_path / "s.parquet", rows, times=None)
    found = reported(capsys, "offsets", store, "--file", "a")
    assert [row["offset_bytes"] for row in found["calls"]] == [5, 3, 9]
    assert found["calls"][0]["start_s"] is None
    assert "no times" in found["notes"][0]


def test_a_log_of_times_of_the_day(capsys, tmp_path):
    rows = [call("read", returned=1) | {"time_ns": hour * 3600 * 10**9} for hour in (9, 10, 11)]
    store = make_store(tmp_path / "s.parquet", rows, times="of the day")
    found = reported(capsys, "calls", store, "--since", "09:30", "--until", "10:30:00")["calls"]
    assert [row["start_s"] for row in found] == [3600]
    assert START


def test_of_a_copy_the_source_stands_before_the_target(capsys, tmp_path):
    """Whatever the names and however many there are, so that the same command says the same."""
    copy = {"offset": 0, "to_offset": 0, "returned": 8}
    rows = [
        call(
            "sendfile", n / 1e4, file=f"/data/{'ab'[n % 2]}", to_file=f"/data/{'ba'[n % 2]}", **copy
        )
        for n in range(5000)
    ]
    store = make_store(tmp_path / "s.parquet", rows)
    names = [row["file"] for row in reported(capsys, "offsets", store, "--file", "*")["calls"]]
    assert names == ["/data/a", "/data/b", "/data/b", "/data/a"] * 2500
    (first,) = reported(capsys, "offsets", store, "--file", "*", "--top", "1")["calls"]
    assert (first["start_s"], first["file"]) == (0.0, "/data/a")


# -- the default interval ---------------------------------------------------------------------


def fitted(capsys, store, *options, report="calls"):
    """The interval in ns that was chosen, and how many there are."""
    found = reported(capsys, report, store, *options)
    rows = found["calls" if report == "calls" else "intervals"]
    return round(found["interval_s"] * 1e9), len(rows)


@pytest.mark.few(4)
@pytest.mark.parametrize("report", ["calls", "rate"])
@pytest.mark.parametrize(
    ("length_s", "expected_ns"),
    [
        (0.047, 500_000),
        (1.0, 10**7),
        (1.01, 2 * 10**7),
        (60.0, 10**9),
        (3600.0, 50 * 10**9),
        (86_400.0, 1000 * 10**9),
        (4e-6, 1000),
    ],
)
def test_intervals_follow_the_length_of_the_log(capsys, tmp_path, report, length_s, expected_ns):
    times = [0.0, length_s / 4, length_s - 1e-6]
    rows = [call("read", at, 1e-6, returned=1) for at in times]
    store = make_store(tmp_path / "s.parquet", rows)
    step_ns, many = fitted(capsys, store, report=report)
    assert step_ns == expected_ns
    assert 40 <= many <= 100 or length_s < 1e-5
    text = printed(capsys, report, store)
    assert "chosen for its length (--interval sets another)" in text


def test_the_length_is_that_of_the_chosen_calls(capsys, tmp_path):
    rows = [call("read", at, returned=1) for at in range(101)]
    store = make_store(tmp_path / "s.parquet", rows)
    assert fitted(capsys, store)[0] == 2 * 10**9
    assert fitted(capsys, store, "--since", "10", "--until", "15")[0] == 10**9  # whole seconds


@pytest.mark.parametrize(("tick_s", "expected_ns"), [(1, 10**9), (1e-3, 10**8), (0.25, 10**8)])
def test_no_interval_is_below_the_tick_of_the_clock(capsys, tmp_path, tick_s, expected_ns):
    """strace -t writes whole seconds: shorter intervals would show a comb."""
    rows = [call("read", tick_s * round(at / tick_s), None, returned=1) for at in range(11)]
    rows[5]["time_ns"] += round(tick_s * 1e9) if tick_s < 1 else 0
    step_ns, _ = fitted(capsys, make_store(tmp_path / "s.parquet", rows))
    assert step_ns == expected_ns


def test_one_call_is_an_interval_too(capsys, tmp_path):
    store = make_store(tmp_path / "s.parquet", [call("read", 3, None, returned=1)])
    assert fitted(capsys, store) == (10**9, 1)
    store = make_store(tmp_path / "t.parquet", [call("read", 3.0001, 0.02, returned=1)])
    assert fitted(capsys, store) == (200_000, 1)


@pytest.mark.parametrize(
    ("written", "expected_s"), [("5 ms", 0.005), ("0.25", 0.25), ("1e-2", 0.01), ("1 min", 60.0)]
)
def test_an_interval_that_is_asked_for_stays(capsys, tmp_path, written, expected_s):
    rows = [call("read", n / 10, returned=1) for n in range(100)]
    store = make_store(tmp_path / "s.parquet", rows)
    found = reported(capsys, "rate", store, "--interval", written)
    assert found["interval_s"] == expected_s
    assert "chosen" not in found["notes"][0]


def test_empty_intervals_are_in_the_table_as_well(capsys, tmp_path):
    rows = [call("read", at, returned=1) for at in (0, 0.5, 3)]
    store = make_store(tmp_path / "s.parquet", rows)
    lines = printed(capsys, "calls", store, "--interval", "1").splitlines()[2:6]
    assert [line.split() for line in lines] == [
        ["0", "2", "2", "0"],
        ["1", "0", "0", "0"],
        ["2", "0", "0", "0"],
        ["3", "1", "1", "0"],
    ]
