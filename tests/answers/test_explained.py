"""Nothing is worth doing: said only where the log shows what the time is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.cli.main import main
from simulator.study.advise import explained_of
from simulator.traces.observed import Observed
from simulator.traces.record import Cost, Ended, Record

MS = 1_000_000


class Log:
    """A log of strace, with times between calls."""

    def __init__(self) -> None:
        self.at = 0.0
        self.lines: list[str] = []
        self.add('execve("/bin/p", ["p"], 0x7ff0 /* 9 vars */)', 0)

    def add(self, call: str, result: object, ms: float = 0.01, gap: float = 0.01, pid=7) -> None:
        self.at += gap
        self.lines.append(
            f"{pid} {1_700_000_000 + self.at / 1e3:.6f} {call} = {result} <{ms / 1e3:.6f}>\n"
        )
        self.at += ms

    def file(self, size: int, ms: float, gap: float = 0.01) -> None:
        self.add('openat(AT_FDCWD, "/w/in", O_RDONLY)', 3)
        self.add('read(3, "x"..., 8388608)', size, ms, gap)
        self.add("close(3)", 0)


def reading() -> Log:
    log = Log()
    log.file(8_388_608, 100)
    return log


def msync() -> Log:
    log = Log()
    log.add('openat(AT_FDCWD, "/w/m", O_RDWR)', 3)
    log.add("mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0)", "0x7fca0b200000")
    for _ in range(40):
        log.add("msync(0x7fca0b200000, 4096, MS_SYNC)", 0, 3)
    return log


def mapping() -> Log:
    log = reading()
    log.add('openat(AT_FDCWD, "/w/m", O_RDWR)', 3)
    log.add("mmap(NULL, 67108864, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0)", "0x7fca0b200000")
    return log


def sleeping() -> Log:
    log = reading()
    for _ in range(10):
        log.add('stat("/w/done", 0x7ff0)', "-1 ENOENT (No such file or directory)")
        log.add("nanosleep({tv_sec=0, tv_nsec=20000000}, NULL)", 0, 20)
    return log


def starting() -> Log:
    log = reading()
    for pid in range(100, 150):
        log.add("vfork()", pid, 1)
        log.add('execve("/bin/grep", ["grep"], 0x7ff0 /* 9 vars */)', 0, 0.3, pid=pid)
        log.add("wait4(-1, NULL, 0, NULL)", pid, 1)
    return log


def computing() -> Log:
    log = Log()
    log.file(100_000, 0.1, gap=50)
    return log


def advised(log: Log, folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    path = folder / "log"
    path.write_text("".join(log.lines))
    main(["advise", str(path), "--on", "workstation", *more])
    return " ".join(capsys.readouterr().out.split())


def test_where_calls_are_the_time_it_is_said(tmp_path: Path, capsys) -> None:
    told = advised(reading(), tmp_path, capsys)
    assert "not simulated" not in told
    assert "Nothing is worth doing" in told or "The best change" in told


@pytest.mark.parametrize(
    ("log", "seen"),
    [
        (msync, "40 msyncs took 120 ms"),
        (mapping, "1 file with data mapped into memory"),
        (sleeping, "10 sleeps took 200 ms"),
        (starting, "50 programs started"),
        (computing, "'nwtsim trace record -- COMMAND' measures the processor's time"),
    ],
)
def test_what_the_log_does_not_show_is_told(log, seen: str, tmp_path: Path, capsys) -> None:
    told = advised(log(), tmp_path, capsys)
    assert seen in told
    assert "Nothing is worth doing" not in told
    assert "What limits is computing" not in told
    record = json.loads(advised(log(), tmp_path, capsys, "--format", "json"))["time"]
    assert not record["known"]
    assert record["seen"]


def observed(**calls: tuple[int, int]) -> Observed:
    by_call = {(name, name == "wait4"): sums for name, sums in calls.items()}
    return Observed(  # type: ignore[call-arg]
        **dict.fromkeys(
            ("traced", "name", "names", "duration", "begin", "counts", "languages"), None
        ),
        **dict.fromkeys(
            ("unmodelled", "unmodelled_ns", "without_duration", "placed", "at_once"), 0
        ),
        elapsed_ns=1000 * MS,
        lived_ns=1000 * MS,
        by_call=by_call,
    )


def recorded(user: int, system: int) -> Record:
    ended = Ended(1000 * MS, user * MS, system * MS, 0, 0, 0)
    nothing = Cost(0, 0, 0)
    words = dict.fromkeys(("cwd", "cache", "host", "kernel", "filesystem", "strace", "date"), "")
    return Record(  # type: ignore[arg-type]
        command=("p",),
        **words,
        first_line="",
        traced=ended,
        untraced=ended,
        costs=dict.fromkeys(("plain", "data", "path", "struct"), nothing),
        child_ns=0,
    )


@pytest.mark.parametrize(
    ("calls_ms", "user_ms", "known", "is_computing"),
    [
        (900, 50, True, False),
        (500, 350, True, False),
        (10, 950, True, True),
        (400, 350, False, False),
    ],
)
def test_four_fifths_have_to_be_explained(calls_ms, user_ms, known, is_computing) -> None:
    found = explained_of(observed(read=(9, calls_ms * MS)), recorded(user_ms, 0))
    assert (found.known, found.computing) == (known, is_computing)
    assert found.rest == max(1000 - calls_ms - user_ms, 0) * MS


def test_what_the_time_is_adds_up_with_the_most_first() -> None:
    found = explained_of(
        observed(read=(9, 100 * MS), nanosleep=(5, 700 * MS), wait4=(1, 900 * MS)),
        recorded(50, 10),
    )
    assert found.told() == (
        "Of 1.00 s 70.0 % sleeping, 15.0 % neither of these, 10.0 % in calls on files,"
        " 5.0 % computing (the processor's time, measured)"
    )
    assert not found.known
