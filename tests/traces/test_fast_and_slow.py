"""The fast reader and its naive twin give the same rows, column by column."""

from pathlib import Path

import pytest

from tests.traces.fast_and_slow import same

CAPTURED = ["cpr", "dd1m", "ddappend", "ddseek", "findgrep", "gitclone", "gitlab_rails_yyy"]
CAPTURED += ["gitlog", "gitstatus", "grepr", "tar"]
LONG = {"cpr", "gitclone"}


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "cwd", [pytest.param(None, marks=pytest.mark.slow), "/home/user/projects/work"]
)
@pytest.mark.parametrize(
    "log", [pytest.param(one, marks=pytest.mark.slow) if one in LONG else one for one in CAPTURED]
)
def test_the_captured_logs(shared_dir: Path, log: str, cwd: str | None) -> None:
    path = shared_dir / "data" / "strace" / f"{log}.strace.gz"
    if not path.exists():
        pytest.skip(f"no {path.name} among the shared data")
    assert same(path, cwd=cwd).rows


LATE = """\
vfork(strace: Process 11 attached
 <unfinished ...>
[pid    11] close(3) = 0
[pid    10] <... vfork resumed>) = 11
[pid    10] wait4(-1,  <unfinished ...>
[pid    11] +++ exited with 0 +++
<... wait4 resumed>NULL, 0, NULL) = 11
clone(child_stack=NULL, flags=SIGCHLD) = 12
close(4) = 0
wait4(-1, strace: Process 12 attached
 <unfinished ...>
[pid    12] close(5) = 0
[pid    12] +++ exited with 0 +++
<... wait4 resumed>NULL, 0, NULL) = 12
+++ exited with 0 +++
"""
"""A terminal's log of a busy machine: the second child is there before strace writes of it."""


def test_a_child_that_strace_attaches_to_late(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(LATE, encoding="utf-8")
    calls = {str(row["fd"]): row["process"] for row in same(log).rows if row["call"] == "close"}
    assert (calls["3"], calls["4"], calls["5"]) == (1, 0, 2)


UNSEEN = """\
clone(child_stack=NULL, flags=SIGCHLDstrace: Process 11 attached
) = 11
[pid    10] clone(child_stack=NULL, flags=SIGCHLD) = 12
[pid    10] close(3) = 0
[pid    10] wait4(-1,  <unfinished ...>
[pid    11] close(4) = 0
[pid    11] +++ exited with 0 +++
<... wait4 resumed>NULL, 0, NULL) = 11
close(5) = 0
wait4(-1, strace: Process 12 attached
 <unfinished ...>
[pid    12] close(6) = 0
[pid    12] +++ exited with 0 +++
<... wait4 resumed>NULL, 0, NULL) = 12
+++ exited with 0 +++
"""
"""The same, but a first child ends before: its parent then has no number in its lines."""


def test_a_parent_is_alone_until_strace_attaches_to_its_child(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(UNSEEN, encoding="utf-8")
    rows = same(log).rows
    calls = {str(row["fd"]): row["process"] for row in rows if row["call"] == "close"}
    assert (calls["3"], calls["4"], calls["5"], calls["6"]) == (0, 1, 0, 2)
    assert sum(row["call"] == "wait4" for row in rows) == 2


# What random worlds once found


def test_a_signal_cut_behind_its_dashes_is_no_row_of_a_table(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("1700000000.5 dup(0) = 3\n1700000000.6 --- \n1700000000.7 close(3) = 0\n")
    assert [row["call"] for row in same(log).rows] == ["dup", "close"]


@pytest.mark.parametrize("end", [1, 5, 8])
def test_a_line_cut_in_the_mark_of_a_deleted_file(tmp_path: Path, end: int) -> None:
    log = tmp_path / "log"
    mark = "(deleted)"[:end]
    log.write_text(f'dup(0) = 4\nopenat(AT_FDCWD</w>, "/w", O_RDWR|O_TMPFILE) = 3</w/#1>{mark}\n')
    assert "log:2" in str(same(log).refused)


def test_what_failed_has_moved_mapped_and_submitted_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(
        'read(77, "", 5) = -1\n'  # This is cut, too.
        "mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 77, 0) = -1\n"  # Cut: an error stood behind.
        "mmap(NULL, 8192, PROT_READ, MAP_PRIVATE|MAP_FIXED, 7, 0) = 0\n"
        "old_mmap(NULL, 1, PROT_READ, MAP_PRIVATE, 7, 0) = 0x7f00\n"
        "io_uring_enter(5, 3, 0, 0, NULL, 8) = -1 EINTR (Interrupted system call)\n"
        "io_uring_enter(5, 3, 0, 0, NULL, 8) = 2\n"
        "io_uring_enter(5, 3, 0, 0 <unfinished ...>\n"
    )
    unknown = same(log).unknown
    assert unknown["inherited"] == {"calls": 7, "bytes": 0}
    assert unknown["mmap"] == {"calls": 2, "bytes": 8193}
    assert unknown["io_uring"] == {"calls": 1, "submitted": 2}


# Kinds


NOTED = """\
pidfd_open(28609, 0) = 3<pid:28609>
fstat(3<pid:28609>, {st_mode=0700, st_size=0, ...}) = 0
openat(AT_FDCWD</tmp>, "/proc/self/ns/net", O_RDONLY|O_CLOEXEC) = 5<net:[4026531833]>
setns(6<net:[4026531833]>, CLONE_NEWNET) = 0
openat(AT_FDCWD</tmp>, "/dev/null", O_RDONLY|O_CLOEXEC) = 7</dev/null<char 1:3>>
openat(AT_FDCWD</tmp>, "/dev/stdin", O_RDONLY) = 8</tmp/in>
memfd_create("xx", MFD_CLOEXEC) = 9</memfd:xx>(deleted)
memfd_secret(0) = 10</secretmem>(deleted)
fstat(10</secretmem>(deleted), {st_mode=S_IFREG|0600, st_size=0, ...}) = 0
mq_open("xx", O_RDWR|O_CREAT, 0600, NULL) = 11</xx>
mq_timedsend(11</xx>, "a", 1, 0, NULL) = 0
openat(AT_FDCWD</tmp>, "/dev/shm/x", O_RDWR|O_CREAT, 0777) = 12</dev/shm/x>
fstat(13</dev/shm>, {st_mode=S_IFDIR|S_ISVTX|0777, st_size=40, ...}) = 0
fstat(14<L2TP/IP:[127.0.0.1:1]>, {st_mode=S_IFSOCK|0777, st_size=0, ...}) = 0
"""
"""Mostly as strace 6.1 writes it with -yy."""

KINDS_NOTED = ["pidfd", "pidfd", "file", "net", "device", "file", "memfd", "memfd", "memfd"]
KINDS_NOTED += ["mqueue", "mqueue", "file", "file", "socket"]


def test_the_kinds_of_what_the_kernel_names(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(NOTED, encoding="utf-8")
    rows = same(log).rows
    assert [row["kind"] for row in rows] == KINDS_NOTED
    assert rows[4]["file"] == "/dev/null"


def test_a_name_tells_the_kind_of_another_file_with_the_same_number(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(
        'open("/w/d", O_RDONLY|O_DIRECTORY) = 3</w/d>\n'
        "fstat(3</w/e>, {...}) = 0\n"  # renamed meanwhile
        "close(3<socket:[4711]>) = 0\n"  # the lines between are lost
    )
    assert [row["kind"] for row in same(log).rows] == ["directory", "directory", "socket"]


def test_files_in_shared_memory_have_offsets(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text('open("/dev/shm/x", O_RDWR) = 3\n' + 'write(3, "abc", 3) = 3\n' * 2)
    assert [row["offset"] for row in same(log).rows] == [None, 0, 3]
