"""Which calls a report is about: files, calls, folders, endings, times."""

import pytest

from simulator.traces.reports.choice import moment
from tests.traces.stores import START, call, make_store, refused, reported

NAMES = ["/data/run1/out.nc", "/data/run2/out.nc", "/usr/lib/libc.so", "/data/b.txt", None]


@pytest.fixture
def store(tmp_path):
    rows = [call("read", n, returned=1, file=name) for n, name in enumerate(NAMES)]
    return make_store(tmp_path / "s.parquet", [*rows, call("openat", 5, file="/data/b.txt")])


def count(capsys, store, *options):
    return sum(row["count"] for row in reported(capsys, "summary", store, *options)["calls"])


@pytest.mark.few(6)
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--file /data/run1/out.nc", 1),
        ("--file out.nc", 2),
        ("--file run2/out.nc", 1),
        ("--file un2/out.nc", None),
        ("--file *.nc", 2),
        ("--file /data/*", 4),
        ("--file ?.txt", 2),
        ("--file out.nc --file b.txt", 4),
        ("--exclude-dir /usr", 5),
        ("--exclude-dir /usr/,/data/run1", 4),
        ("--exclude-dir /us", 6),
        ("--exclude-ext so,.nc", 3),
        ("--call read", 5),
        ("--call read,openat", 6),
        ("--call open*", 1),
        ("--call read --file b.txt", 1),
        ("--since 1 --until 3", 2),
        ("--since 4.5", 1),
        ("--until 0.1", 1),
        ("--since 2023-11-14T22:13:21", 5),
        ("--since 2023-11-14T22:13:21+00:00 --until 2023-11-14T22:13:22.5Z", 2),
        ("--since 2023-11-15T07:13:21+09:00", 5),
    ],
)
def test_what_is_chosen(capsys, store, options, expected):
    if expected is None:
        assert "no call matches" in refused(capsys, "summary", store, *options.split())
    else:
        assert count(capsys, store, *options.split()) == expected


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            "--file nothing.nc",
            "no call matches --file nothing.nc; the most used files are /data/b.txt",
        ),
        ("--call raed", "no call is named raed; did you mean 'read'?"),
        ("--call openat --file out.nc", "no call is left"),
        ("--since 99", "no call is left"),
        ("--since 3 --until 3", "is not before"),
        ("--since soon", "not understood; write seconds"),
        ("--since 09:30", "a clock time, but the log has dates"),
        ("--since 2023-13-01", "not understood"),
    ],
)
def test_what_cannot_be_chosen(capsys, store, options, said):
    assert said in refused(capsys, "summary", store, *options.split())


@pytest.mark.parametrize(
    "words",
    [
        ["calls", "--interval", "0"],
        ["calls", "--interval", "-1"],
        ["rate", "--interval", "1 kB"],
        ["rate", "--interval", "1 m"],
        ["rate", "--interval", "2e9"],
        ["rate", "--interval", ""],
        ["rate", "--interval", "nan"],
        ["rate", "--interval", "1/3"],
        ["rate", "--interval", "1e-12"],
        ["rate", "--interval", "1e99"],
        ["sizes", "--plot", "plot.pdf"],
        ["sizes", "--plot", "plot"],
        ["sizes", "--top", "0"],
        ["offsets"],
        ["summary", "--call", ","],
    ],
)
def test_options_that_make_no_sense(capsys, store, words):
    assert "error:" in refused(capsys, words[0], store, *words[1:])


@pytest.mark.slow
def test_too_many_intervals_are_refused_with_a_length_that_works(capsys, store):
    message = refused(capsys, "calls", store, "--interval", "0.000001")
    assert "--interval 1 us makes 5,000,001 intervals" in message
    assert "write '10 us' or more" in message
    assert len(reported(capsys, "calls", store, "--interval", "10 us")["calls"]) == 500_001
    # With --top only the intervals with calls are listed, so that there may be any number.
    assert reported(capsys, "calls", store, "--interval", "1us", "--top", "1")["calls"]


@pytest.mark.parametrize("report", ["calls", "rate"])
def test_a_log_without_times(capsys, tmp_path, report):
    rows = [call("read", returned=1) | {"time_ns": None}]
    store = make_store(tmp_path / "s.parquet", rows, times=None)
    assert f"the log has no times, which '{report}' needs" in refused(capsys, report, store)
    assert "no times" in refused(capsys, "summary", store, "--since", "1")


@pytest.mark.parametrize(
    ("written", "expected_s"),
    [
        ("10:00", 36000),
        ("9:30:15", 34215),
        ("23:59:59.25", 86399.25),
        ("00:10", 87000),
        ("5", 82805),
    ],
)
def test_clock_times_of_a_log_that_runs_over_midnight(written, expected_s):
    start, end = 82_800 * 10**9, 90_000 * 10**9
    found = moment(written, "--since", times="of the day", start=start, end=end)
    assert found == (expected_s + (86_400 if expected_s < 82_800 else 0)) * 10**9


def test_a_clock_time_before_a_log_of_one_day_is_that_day():
    assert (
        moment("01:00", "--since", times="of the day", start=7200 * 10**9, end=9000 * 10**9)
        == 3600 * 10**9
    )


def test_an_iso_time_keeps_its_nanoseconds():
    found = moment("2023-11-14T22:13:20.123456789", "--since", times="epoch", start=0, end=START)
    assert found == START + 123_456_789
