"""What stands before, in and after a call in a line of strace."""

from pathlib import Path
from typing import Any

import pytest

from tests.traces.logs import columns_of, rows_in, rows_of, trace_of

CALL = 'openat(AT_FDCWD, "/a", O_RDONLY) = 3'
NOON = 12 * 3600 * 10**9


def only(tmp_path: Path, log: str, **options: Any) -> dict[str, Any]:
    (row,) = rows_of(tmp_path, log, **options)
    return row


def test_a_whole_call_is_a_row_with_every_column(tmp_path: Path) -> None:
    line = '17 12:00:00.000001 openat(AT_FDCWD, "/a", O_RDONLY|O_CLOEXEC) = 3 <0.000012>\n'
    assert only(tmp_path, line) == {
        "time_ns": NOON + 1000,
        "duration_ns": 12_000,
        "pid": 17,
        "process": 0,
        "call": "openat",
        "fd": 3,
        "kind": "file",
        "file": "/a",
        "to_file": None,
        "offset": None,
        "to_offset": None,
        "requested": None,
        "returned": 3,
        "error": None,
        "flags": "O_RDONLY|O_CLOEXEC",
    }


@pytest.mark.parametrize(
    ("prefix", "pid", "time"),
    [
        ("", 0, None),
        ("17 ", 17, None),
        ("17    ", 17, None),
        ("17<a b> ", 17, None),
        ("[pid    17] ", 17, None),
        ("[pid 17<sh>] ", 17, None),
        ("12:00:00 ", 0, NOON),
        ("17 12:00:00.5 ", 17, NOON + 5 * 10**8),
        ("12:00:00.123456789 ", 0, NOON + 123_456_789),
        ("1700000000.25 ", 0, 1_700_000_000_250_000_000),
        ("17 1700000000 ", 17, 1_700_000_000_000_000_000),
        ("     0.000123 ", 0, 123_000),
        ("17      0.000123 ", 17, 123_000),
        ("12:00:00 (+     0.000123) ", 0, NOON),
        ("12:00:00 [  59] [00007f5ef33fb4a0] ", 0, NOON),
        ("17 [????????????????] ", 17, None),
    ],
)
def test_what_stands_before_a_call(tmp_path: Path, prefix: str, pid: int, time: int | None) -> None:
    row = only(tmp_path, f"{prefix}{CALL}\n")
    assert (row["pid"], row["time_ns"], row["file"]) == (pid, time, "/a")


@pytest.mark.parametrize(
    ("result", "returned", "error", "duration"),
    [
        ("= 3", 3, None, None),
        ("= 3 <0.5>", 3, None, 5 * 10**8),
        ("     = 3 <227.000001>", 3, None, 227_000_001_000),
        ("= 3 <0.000000123>", 3, None, 123),
        ("= 0x7f0000000000", 0x7F0000000000, None, None),
        ("= 0x802 (flags O_RDWR|O_NONBLOCK) <0.000019>", 0x802, None, 19_000),
        ("= 022", 18, None, None),
        ("= 1 (in [32], left {28, 951969}) <0.1>", 1, None, 10**8),
        ("= 0 (Timeout)", 0, None, None),
        ("= ?", None, None, None),
        ("= ? <unavailable>", None, None, None),
        (
            "= ? ERESTARTSYS (To be restarted if SA_RESTART is set) <0.1>",
            None,
            "ERESTARTSYS",
            10**8,
        ),
        ("= -1 ENOENT (No such file or directory) <0.000015>", None, "ENOENT", 15_000),
        ("= -1 ENOENT (No such file or directory) (INJECTED)", None, "ENOENT", None),
        ("= -1 (errno 524)", None, "errno 524", None),
        ("= -1", -1, None, None),
        ("= 3 <unavailable>", 3, None, None),
    ],
)
def test_what_stands_after_a_call(
    tmp_path: Path, result: str, returned: int | None, error: str | None, duration: int | None
) -> None:
    row = only(tmp_path, f"1 poll([{{fd=3}}], 1, 5) {result} \n".replace(" \n", "\n") + "")
    assert (row["returned"], row["error"], row["duration_ns"]) == (returned, error, duration)


def test_lines_that_are_no_calls_are_passed_over(tmp_path: Path) -> None:
    log = (
        "strace: Process 12 attached\n"
        "1 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---\n"
        "1 close(9) = 0\n"
        " > /lib/libc.so.6(close+0x3) [0x3]\n"
        " | 00000  61 62                                            ab               |\n"
        "strace: [ Process PID=1 runs in 32 bit mode. ]\n"
        "\n"
        "1 +++ exited with 0 +++\n"
    )
    trace = trace_of(tmp_path, log)
    assert columns_of(rows_in(trace), "call") == [("close",)]
    assert trace.unknown["skipped"] == {"lines": 0}


def test_calls_that_are_not_known_are_rows_too(tmp_path: Path) -> None:
    log = "1 frobnicate(3) = 7\n1 frobnicate(4) = 8\n1 ???? (1) = 1\n"
    with pytest.raises(Exception, match="no line of a trace"):
        rows_of(tmp_path, log)
    rows = rows_of(tmp_path, log.replace("???? ", "????"))
    assert columns_of(rows, "call", "returned") == [
        ("frobnicate", 7),
        ("frobnicate", 8),
        ("????", 1),
    ]


def test_numbers_beyond_63_bits_are_the_largest(tmp_path: Path) -> None:
    log = '1 read(3, "", 18446744073709551615) = 0\n1 read(3, "", 9223372036854775807) = 0\n'
    most = 2**63 - 1
    assert columns_of(rows_of(tmp_path, log), "requested") == [(most,), (most,)]


def test_after_midnight_the_day_goes_on(tmp_path: Path) -> None:
    log = (
        "1 23:59:59.9 close(9) = 0\n"
        "1 00:00:00.1 close(9) = 0\n"
        "1 23:59:59.9 close(9) = 0\n"
        "1 00:00:02.0 close(9) = 0\n"
    )
    second = 10**9
    day = 24 * 3600 * second
    times = [time for (time,) in columns_of(rows_of(tmp_path, log), "time_ns")]
    assert times == [day - second // 10, day + second // 10, day - second // 10, day + 2 * second]


def test_a_log_says_what_it_has(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, "1 1700000000.5 close(9) = 0 <0.1>\n")
    rows_in(trace)
    about = trace.about
    assert (about["format"], about["times"], about["durations"]) == ("strace", "epoch", True)
