"""Nothing is worth doing: said only where the log shows what the time is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.answers.explained import AWAKE, SLEPT, WAITED, Spent
from simulator.cli.main import main
from simulator.replay.advice import explained_of
from simulator.replay.observed import Observed
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


def msync(ms: float = 3, flag: str = "MS_SYNC", name: str = "/w/m") -> Log:
    log = Log()
    log.add(f'openat(AT_FDCWD, "{name}", O_RDWR)', 3)
    log.add("mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0)", "0x7fca0b200000")
    for _ in range(40):
        log.add(f"msync(0x7fca0b200000, 4096, {flag})", 0, ms)
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


def spinning() -> Log:
    log = Log()
    for _ in range(201):
        log.add('stat("/w/done", 0x7ff0)', "-1 ENOENT (No such file or directory)")
        log.add("sched_yield()", 0)
    log.file(8_388_608, 0.1)
    return log


def windows() -> Log:
    log = reading()
    log.add('openat(AT_FDCWD, "/w/m", O_RDONLY)', 3)
    for _ in range(50):
        log.add("mmap(NULL, 4096, PROT_READ, MAP_SHARED, 3, 0)", "0x7fca0b200000")
        log.add("munmap(0x7fca0b200000, 4096)", 0)
    return log


def dropping() -> Log:
    log = Log()
    log.add('openat(AT_FDCWD, "/w/in", O_RDONLY)', 3)
    for _ in range(40):
        log.add('pread64(3, "x"..., 65536, 0)', 65_536, 1)
        log.add("fadvise64(3, 0, 65536, POSIX_FADV_DONTNEED)", 0)
        log.add("fadvise64(3, 0, 65536, POSIX_FADV_RANDOM)", 0)
    return log


def receiving() -> Log:
    log = reading()
    log.add("socket(AF_INET, SOCK_STREAM, IPPROTO_TCP)", 4)
    for _ in range(5):
        log.add('recvfrom(4, "x"..., 64, 0, NULL, NULL)', 64, 100)
    return log


def starting() -> Log:
    return starts(50)


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
        (msync, "in syncs of mappings"),
        (mapping, "1 file with data mapped into memory"),
        (sleeping, "200 ms in which none of its processes was awake and one slept (10 sleeps,"),
        (sleeping, "9 calls failed as the one before the sleep had (stat of /w/done)"),
        (
            spinning,
            "199 calls that failed as the one before had (stat of /w/done), without a sleep",
        ),
        (windows, "1 file with data mapped into memory, 50 times: map each once and as a whole"),
        (dropping, "40 calls of posix_fadvise"),
        (receiving, "500 ms in which all processes waited for others, that the log does not have"),
        (starting, "2 started"),
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
    state = {"wait4": WAITED, "nanosleep": SLEPT}
    by_call = {(name, state.get(name, AWAKE)): sums for name, sums in calls.items()}
    sleeps, asleep = calls.get("nanosleep", (0, 0))
    return Observed(  # type: ignore[call-arg]
        **dict.fromkeys(
            ("traced", "name", "names", "duration", "begin", "counts", "languages"), None
        ),
        **dict.fromkeys(
            ("unmodelled", "unmodelled_ns", "without_duration", "placed", "at_once"), 0
        ),
        elapsed_ns=1000 * MS,
        spent=Spent(1000 * MS, by_call, asleep_ns=asleep, sleeps=sleeps),
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
        "Of 1.00 s 70.0 % sleeping, 15.0 % none of these, 10.0 % in calls on files,"
        " 5.0 % computing (the processor's time, measured)"
    )
    assert not found.known


TIMED = {
    "nanosleep": ("nanosleep({tv_sec=0, tv_nsec=20000000}, NULL)", 0),
    "poll": ("poll(NULL, 0, 20)", "0 (Timeout)"),
    "select": ("select(0, NULL, NULL, NULL, {tv_sec=0, tv_usec=20000})", "0 (Timeout)"),
    "pselect6": (
        "pselect6(0, NULL, NULL, NULL, {tv_sec=0, tv_nsec=20000000}, NULL)",
        "0 (Timeout)",
    ),
    "epoll_wait": ("epoll_wait(3, [], 1, 20)", 0),
    "futex": (
        "futex(0x7ff0, FUTEX_WAIT_PRIVATE, 0, {tv_sec=0, tv_nsec=20000000})",
        "-1 ETIMEDOUT (Connection timed out)",
    ),
}
WOKEN = {
    "poll": ("poll([{fd=0, events=POLLIN}], 1, 20)", "1 ([{fd=0, revents=POLLIN}])"),
    "futex": ("futex(0x7ff0, FUTEX_WAIT_PRIVATE, 0, NULL)", 0),
    "wait4": ("wait4(-1, NULL, 0, NULL)", 99),
    "flock": ("flock(9, LOCK_EX)", 0),
    "fcntl": ("fcntl(9, F_SETLKW, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=0, l_len=0})", 0),
    "fcntl64": ("fcntl64(9, F_OFD_SETLKW, {l_type=F_RDLCK, l_start=0, l_len=0})", 0),
    "restart_syscall": ("restart_syscall(<... resuming interrupted read ...>)", 0),
    "rt_sigtimedwait_time64": ("rt_sigtimedwait_time64([USR1], NULL, NULL, 8)", 10),
    "semtimedop_time64": ("semtimedop_time64(1, [{0, -1, 0}], 1, NULL)", 0),
    "recvmmsg": ("recvmmsg(9, [], 1, 0, NULL)", 1),
    "recvfrom": ('recvfrom(9, "x", 100, 0, NULL, NULL)', 1),
    "pipe": ('read(0<pipe:[77]>, "x", 100)', 1),
    "terminal": ('read(0</dev/pts/1>, "x", 100)', 1),
}


def with_calls(call: str, result: object) -> Log:
    log = reading()
    for _ in range(10):
        log.add(call, result, 20)
    return log


@pytest.mark.parametrize("kind", TIMED)
def test_a_wait_whose_time_passes_is_a_sleep_and_no_computing(kind, tmp_path, capsys) -> None:
    told = advised(with_calls(*TIMED[kind]), tmp_path, capsys)
    assert told.startswith("Of 30")
    assert "66.6 % sleeping" in told
    assert "200 ms in which none of its processes was awake and one slept (10 sleeps" in told
    assert "Nothing is worth doing" not in told


@pytest.mark.parametrize("kind", WOKEN)
def test_a_wait_that_others_end_is_no_sleep(kind, tmp_path, capsys) -> None:
    told = advised(with_calls(*WOKEN[kind]), tmp_path, capsys)
    assert "sleeping" not in told
    assert "66.6 % waiting for others" in told
    words = " ".join(told.split())
    call = WOKEN[kind][0].partition("(")[0]
    assert f"The longest wait: 20.0 ms in {call}" in words
    assert "by process 7" in words
    assert "Nothing is worth doing" not in words


@pytest.mark.parametrize("kind", WOKEN)
def test_a_summary_tells_waits_from_calls_on_files(kind, tmp_path: Path, capsys) -> None:
    path = tmp_path / "log"
    path.write_text("".join(with_calls(*WOKEN[kind]).lines))
    assert main(["trace", "summary", str(path)]) == 0
    assert "66.6 % waiting for others" in " ".join(capsys.readouterr().out.split())


def test_a_control_of_a_descriptor_that_ends_at_once_is_no_wait(tmp_path: Path, capsys) -> None:
    log = reading()
    for _ in range(100):
        log.add("fcntl(9, F_GETFL)", 2, 0.01)
    assert "waiting for others" not in advised(log, tmp_path, capsys)


def test_who_sleeps_while_another_works_is_no_matter(tmp_path: Path, capsys) -> None:
    """A thread of a runtime that wakes up at times."""
    log = Log()
    log.add("clone(child_stack=NULL, flags=CLONE_VM|CLONE_FILES|CLONE_THREAD)", 8)
    lines = []
    start = log.at
    for number in range(10):
        log.at = start + 20 * number
        log.add(*TIMED["futex"], 19.9, pid=8)
    lines, log.lines = log.lines, []
    log.at = start
    log.file(8_388_608, 200)
    log.lines = sorted([*lines, *log.lines], key=lambda line: line.split()[1])
    told = advised(log, tmp_path, capsys)
    assert "slept" not in told
    assert "sleeping" not in told


@pytest.mark.parametrize(
    ("log", "unsaid"),
    [
        (lambda: looks_at("/w/done%d"), "failed as the one before"),
        (lambda: looks_at("/w/done", 5), "without a sleep"),
        (lambda: maps(2), "map each once"),
        (lambda: starts(3), "programs started"),
    ],
)
def test_what_is_rare_is_no_pattern(log, unsaid: str, tmp_path: Path, capsys) -> None:
    assert unsaid not in advised(log(), tmp_path, capsys)


def looks_at(name: str, times: int = 200) -> Log:
    log = reading()
    for number in range(times):
        one = name % number if "%" in name else name
        log.add(f'stat("{one}", 0x7ff0)', "-1 ENOENT (No such file or directory)")
    return log


def maps(times: int) -> Log:
    log = reading()
    log.add('openat(AT_FDCWD, "/w/m", O_RDONLY)', 3)
    for _ in range(times):
        log.add("mmap(NULL, 4096, PROT_READ, MAP_SHARED, 3, 0)", "0x7fca0b200000")
    return log


def starts(times: int) -> Log:
    log = reading()
    for pid in range(100, 100 + times):
        log.add("vfork()", pid, 1)
        log.add('execve("/bin/grep", ["grep"], 0x7ff0 /* 9 vars */)', 0, 0.3, pid=pid)
        log.add("wait4(-1, NULL, 0, NULL)", pid, 1)
    return log


def test_starting_programs_is_told_by_what_one_takes_here() -> None:
    spent = Spent(1000 * MS, {("read", AWAKE): (9, 100 * MS)}, starts=200, started_ns=700 * MS)
    record = replace(recorded(300, 100), start_ns=2.0 * MS)
    found = explained_of(replace(observed(), spent=spent), record)
    assert found.told().startswith("Of 1.00 s 40.0 % starting and ending programs, 30.0 % comput")
    assert found.told().endswith("; 200 programs load and set up within it")
    what = "200 programs started, which lived 700 ms in the log; one that does nothing takes"
    assert f"{what} 2.00 ms here (measured), so many of them 400 ms" in next(found.seen())


def test_a_sync_after_each_page_of_a_mapping_is_one_at_the_end(tmp_path: Path, capsys) -> None:
    """Each writes a page, and waits for it on the machine as in the log."""
    found = json.loads(advised(msync(), tmp_path, capsys, "--format", "json", "--no-limits"))
    first = found["advice"][0]
    assert (first["pattern"], first["calls"]) == ("sync-write", 40)
    assert first["files"][0]["name"] == "/w/m"
    assert "msync" in first["how"]
    assert first["predicted_s"] < found["predicted_s"] / 10
    assert found["predicted_s"] > 40 * 1e-3
    assert found["time"]["msync_s"] == pytest.approx(0.12)


@pytest.mark.parametrize("how", [(0.005, "MS_ASYNC"), (3, "MS_SYNC", "/usr/lib/libx.so.6")])
def test_a_sync_that_waits_for_nothing_is_none(how, tmp_path: Path, capsys) -> None:
    found = json.loads(advised(msync(*how), tmp_path, capsys, "--format", "json", "--no-limits"))
    assert "sync-write" not in [one["pattern"] for one in found["advice"]]


@pytest.mark.parametrize("log", [sleeping, reading])
def test_a_summary_begins_with_what_the_time_is(log, tmp_path: Path, capsys) -> None:
    path = tmp_path / "log"
    path.write_text("".join(log().lines))
    main(["trace", "summary", str(path)])
    first = capsys.readouterr().out.split("\n\n")[0]
    assert first.startswith("Of 30") == (log is sleeping)
    assert ("66.6 % sleeping, 33.3 % in calls on files" in first) == (log is sleeping)
    main(["trace", "summary", str(path), "--call", "nanosleep"])
    assert not capsys.readouterr().out.startswith("Of ")


def test_a_replay_does_not_call_sleeping_computing(tmp_path: Path, capsys) -> None:
    log = Log()
    log.file(100_000, 0.1, gap=50)
    for _ in range(50):
        log.add("nanosleep({tv_sec=0, tv_nsec=20000000}, NULL)", 0, 20)
    path = tmp_path / "log"
    path.write_text("".join(log.lines))
    main(["replay", str(path), "--on", "workstation", "--limits"])
    told = " ".join(capsys.readouterr().out.split())
    assert "Of 1.05 s 95.2 % sleeping, 4.8 % not shown by the log" in told
    assert "What limits: computing" not in told
    assert "% of the 64.0 ms that are not idle" in told
