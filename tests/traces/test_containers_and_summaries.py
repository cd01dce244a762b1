"""Logs of containers (--pidns-translation), and logs with a summary behind the calls (-C)."""

import subprocess
from pathlib import Path

import pytest

from simulator.cli.trace_import import import_text
from simulator.traces.reader import read
from tests.traces.fast_and_slow import differences, fast, same, slow
from tests.traces.logs import columns_of, rows_in, trace_of

PIDNS = """\
90 12:00:00.000001 unshare(CLONE_NEWPID) = 0
90 12:00:00.000002 openat(AT_FDCWD, "/a", O_RDONLY) = 3
90 12:00:00.000003 fork() = 91
91 12:00:00.000004 getpid() = 1 /* 91 in strace's PID NS */
91 12:00:00.000005 clone(child_stack=NULL, flags=SIGCHLD) = 2 /* 92 in strace's PID NS */ <0.000009>
92 12:00:00.000006 read(3, "abc", 3) = 3
92 12:00:00.000007 vfork( <unfinished ...>
91 12:00:00.000008 vfork( <unfinished ...>
94 12:00:00.000009 read(3, "def", 3) = 3
93 12:00:00.000010 read(3, "ghi", 3) = 3
92 12:00:00.000011 <... vfork resumed>) = 3 /* 93 in strace's PID NS */
91 12:00:00.000012 <... vfork resumed>) = 4 /* 94 in strace's PID NS */
91 12:00:00.000013 kill(3 /* 93 in strace's PID NS */, SIGTERM) = 0
91 12:00:00.000014 kill(-1, SIGTERM) = -1 ESRCH (No such process)
"""
TABLE = """\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 60.00    0.000197           9        21         1 openat
 40.00    0.000000           0         7           syscall_0x1ff
------ ----------- ----------- --------- --------- ----------------
100.00    0.000197           9        28         1 total
"""
CALLS = '1 12:00:00.1 open("/a", O_RDONLY) = 3\n1 12:00:00.2 read(3, "x", 9) = 1\n'


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "the.log"
    path.write_text(text)
    return path


# Numbers of processes in two namespaces


def test_the_number_that_strace_knows_a_process_by_is_its_own(tmp_path: Path) -> None:
    rows = same(write(tmp_path, PIDNS)).rows
    assert [(row["call"], row["pid"], row["returned"]) for row in rows if row["pid"] == 91] == [
        ("getpid", 91, 91),
        ("clone", 91, 92),
        ("vfork", 91, 94),
        ("kill", 91, 0),
        ("kill", 91, None),
    ]
    assert len({row["process"] for row in rows}) == 5


def test_children_in_another_namespace_have_their_parents_descriptors(tmp_path: Path) -> None:
    rows = same(write(tmp_path, PIDNS)).rows
    reads = [(row["pid"], row["file"], row["offset"]) for row in rows if row["call"] == "read"]
    assert reads == [(92, "/a", 0), (94, "/a", 3), (93, "/a", 6)]


@pytest.mark.parametrize(
    "result",
    [
        "1 /* 0 in strace's PID NS */",
        "1 /* x in strace's PID NS */",
        "1 /* 9 in strace's */",
        "1 /*",
    ],
)
def test_another_comment_behind_a_result_is_refused(tmp_path: Path, result: str) -> None:
    path = write(tmp_path, f"{CALLS}1 12:00:00.3 getpid() = {result}\n")
    assert ":3: " in (fast(path).refused or "")
    assert slow(path).refused


def test_names_of_commands_beside_the_numbers(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '[pid    7<a b>] open("/a", O_RDONLY) = 3\n'
        "[pid    7<a b>] fork() = 2<a b> /* 8 in strace's PID NS */\n"
        '[pid    8<a b>] read(3, "x", 1) = 1\n',
    )
    rows = same(path).rows
    assert [(row["pid"], row["file"]) for row in rows] == [(7, "/a"), (7, None), (8, "/a")]


@pytest.mark.real("strace", "unshare")
@pytest.mark.parametrize("options", [("--pidns-translation",), ("--decode-pids=comm,pidns",)])
def test_a_real_container(tmp_path: Path, options: tuple[str, ...]) -> None:
    log = tmp_path / "container.log"
    script = "cat < in > out; (cat in; kill -0 $$) >> out & wait; cat out in | sort > sorted"
    (tmp_path / "in").write_text("in\n" * 999)
    run = ["strace", "-f", "-ttt", "-T", *options, "-o", str(log), "unshare", "-pf", "sh", "-c"]
    done = subprocess.run(
        [*run, script], cwd=tmp_path, capture_output=True, check=False, timeout=60
    )
    if done.returncode:
        pytest.skip(f"no PID namespace may be made here: {done.stderr.decode()[:200]}")
    text = log.read_text()
    assert "in strace's PID NS */" in text
    here = str(tmp_path.resolve())
    quickly, slowly = fast(log, cwd=here), slow(log)
    assert not differences(quickly, slowly)
    pids = {int(line[:5].split("<")[0]) for line in text.splitlines()}
    assert {row["pid"] for row in quickly.rows} == pids
    moved = [
        row["returned"] or 0
        for row in quickly.rows
        if row["call"] in ("read", "copy_file_range", "splice") and row["file"] == f"{here}/in"
    ]
    assert sum(moved) == 3 * 2997


# The summary that -C writes


def test_a_summary_behind_the_calls_is_passed_over_and_counted(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, CALLS + TABLE)
    assert columns_of(rows_in(trace), "call", "file") == [("open", "/a"), ("read", "/a")]
    assert (trace.about["summary_lines"], trace.unknown["skipped"]["lines"]) == (6, 0)
    text = import_text(trace.about, trace.unknown, 2, "x.parquet")
    assert "skipped: the summary that strace -C wrote, 6 lines\n" in text


def test_two_summaries_with_titles(tmp_path: Path) -> None:
    both = "".join(
        f"System call usage summary for {bits} bit mode:\n{TABLE}\n" for bits in (64, 32)
    )
    trace = trace_of(tmp_path, CALLS + both + CALLS)
    assert len(rows_in(trace)) == 4
    assert trace.about["summary_lines"] == 14


def test_a_summary_with_columns_of_ones_choice(tmp_path: Path) -> None:
    table = (
        "syscall calls\n------- -----\nread        3\ngetpid      1\n------- -----\ntotal       4\n"
    )
    answer = same(write(tmp_path, CALLS + table))
    assert (answer.refused, len(answer.rows)) == (None, 2)


@pytest.mark.parametrize(
    "damaged",
    [
        " 40.00    0.000000           0         7           read\n",  # a row without a table
        "------ -----------\n",
        TABLE.replace("total", "total\n 40.00    0.000000           0         7           read"),
        TABLE.replace(" 60.00 ", " 60,00 "),
        "1 12:00:00.3 rea\n",
    ],
)
def test_what_stands_in_no_table_is_damage(tmp_path: Path, damaged: str) -> None:
    path = write(tmp_path, CALLS + damaged)
    assert same(path).refused
    lenient = same(path, lenient=True)
    assert lenient.unknown["skipped"]["lines"] == 1
    assert len(lenient.rows) == 2


def test_a_log_cut_in_its_summary(tmp_path: Path) -> None:
    for end in range(len(CALLS), len(CALLS + TABLE) + 1, 7):
        path = write(tmp_path, (CALLS + TABLE)[:end])
        assert len(same(path, lenient=True).rows) == 2
        same(path)


def test_a_summary_alone_gets_a_clear_message(tmp_path: Path) -> None:
    for text in (TABLE, "strace: Process 7 attached\n" + TABLE):
        path = write(tmp_path, text)
        for lenient in (False, True):
            refused = fast(path, lenient=lenient).refused
            assert refused == (
                f"{path} has only the summary that strace -c writes; trace with -C, which writes"
                " the calls as well, or without -c"
            )
        assert slow(path).refused


@pytest.mark.real("strace")
@pytest.mark.parametrize(
    "options", [(), ("-f", "-r"), ("-U", "name,max-time,calls"), ("-w", "-tt", "-U", "calls")]
)
def test_a_real_summary(tmp_path: Path, options: tuple[str, ...]) -> None:
    log, plain = tmp_path / "C.log", tmp_path / "plain.log"
    command = ["sh", "-c", "echo a > a; cat a > b"]
    subprocess.run(
        ["strace", "-C", *options, "-o", str(log), *command], cwd=tmp_path, check=True, timeout=60
    )
    lines = log.read_text().splitlines(keepends=True)
    head = next(at for at, line in enumerate(lines) if "calls" in line and "(" not in line)
    plain.write_text("".join(lines[:head]))
    assert not differences(same(log), same(plain))
    trace = read([log])
    rows_in(trace)
    assert trace.about["summary_lines"] == len(lines) - head > 10
