"""Descriptors, processes and the names of files."""

from pathlib import Path

import pytest

from tests.traces.logs import columns_of, files_of, rows_in, rows_of, trace_of

OPEN = '1 openat(AT_FDCWD, "/d/a", O_RDONLY) = 3\n'


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/a/b", "/a/b"),
        ("//a//b/", "/a/b"),
        ("/a/./b/../c", "/a/c"),
        ("/../a", "/a"),
        ("/", "/"),
        ("b", "/w/b"),
        ("../b", "/b"),
        ("../../..", "/"),
        (".", "/w"),
        ("./b/", "/w/b"),
        (".git/x", "/w/.git/x"),
        ("..b/...", "/w/..b/..."),
        (r"a\"b\\c\td", '/w/a"b\\c\td'),
        (r"\303\251", "/w/é"),
        (r"\377", r"/w/\xff"),
        (r"\x41\x2fb", "/w/A/b"),
        (r"a\0b", "/w/a\0b"),
    ],
)
def test_names_are_absolute(tmp_path: Path, path: str, name: str) -> None:
    assert files_of(tmp_path, f'1 stat("{path}", 0x1) = -1 ENOENT (No)\n', cwd="/w") == [name]


def test_without_a_directory_names_stay_relative_until_chdir(tmp_path: Path) -> None:
    log = (
        '1 access("../x/./a", F_OK) = 0\n1 chdir("sub") = 0\n1 access("a", F_OK) = 0\n'
        '1 access("../../a", F_OK) = 0\n'
        '1 chdir("/abs") = 0\n1 access("a", F_OK) = 0\n1 chdir("/no") = -1 ENOENT (No)\n'
        '1 access("a", F_OK) = 0\n'
    )
    assert files_of(tmp_path, log) == [
        "../x/a", "sub", "sub/a", "../a", "/abs", "/abs/a", "/no", "/abs/a",
    ]  # fmt: skip


def test_directory_descriptors_are_followed(tmp_path: Path) -> None:
    log = (
        '1 openat(AT_FDCWD, "/d", O_RDONLY|O_DIRECTORY) = 3\n'
        '1 openat(3, "a", O_RDONLY) = 4\n1 newfstatat(3, "", {}, AT_EMPTY_PATH) = 0\n'
        '1 newfstatat(3, "b", 0x1, 0) = -1 ENOENT (No)\n1 fchdir(3) = 0\n1 unlink("c") = 0\n'
        '1 utimensat(4, NULL, NULL, 0) = 0\n1 newfstatat(AT_FDCWD, "", {}, AT_EMPTY_PATH) = 0\n'
        '1 newfstatat(9, "x", {}, 0) = 0\n'
    )
    assert columns_of(rows_of(tmp_path, log), "fd", "kind", "file") == [
        (3, "directory", "/d"),
        (4, "file", "/d/a"),
        (3, "directory", "/d"),
        (None, None, "/d/b"),
        (3, "directory", "/d"),
        (None, None, "/d/c"),
        (4, "file", "/d/a"),
        (None, None, "/d"),
        (None, None, "x"),
    ]


def test_kinds(tmp_path: Path) -> None:
    log = (
        '1 open("/dev/null", O_RDWR) = 3\n1 read(3, "", 1) = 0\n'
        "1 pipe2([4, 5], O_CLOEXEC) = 0\n1 close(5) = 0\n"
        "1 socketpair(AF_UNIX, SOCK_STREAM, 0, [6, 7]) = 0\n1 close(7) = 0\n"
        "1 socket(AF_INET, SOCK_STREAM, 0) = 8\n1 accept4(8, NULL, NULL, 0) = 9\n1 close(9) = 0\n"
        '1 epoll_create1(0) = 10\n1 eventfd2(0, 0) = 11\n1 memfd_create("x", 0) = 12\n'
        "1 timerfd_create(CLOCK_MONOTONIC, 0) = 13\n1 signalfd4(-1, [], 8, 0) = 14\n"
        "1 inotify_init() = 15\n1 pidfd_open(1, 0) = 16\n1 io_uring_setup(8, {}) = 17\n"
    )
    assert [kind for (kind,) in columns_of(rows_of(tmp_path, log), "kind")] == [
        "device", "device", None, "pipe", None, "socket", "socket", "socket", "socket", "epoll",
        "eventfd", "memfd", "timerfd", "signalfd", "inotify", "pidfd", "io_uring",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("opening", "kept"),
    [
        ('openat(AT_FDCWD, "/a", O_RDONLY) = 3', True),
        ("pidfd_open(7, 0) = 3", False),
        ('openat(AT_FDCWD, "/a", O_RDONLY) = 3\n1 ioctl(3, FIOCLEX) = 0', False),
        ('open("/a", O_RDONLY) = 3\n1 close_range(3, 4294967295, CLOSE_RANGE_CLOEXEC) = 0', False),
    ],
)
def test_execve_closes_what_is_marked(tmp_path: Path, opening: str, kept: bool) -> None:
    log = f'1 {opening}\n1 execve("/b", ["b"], 0x1 /* 3 vars */) = 0\n1 read(3, "", 1) = 0\n'
    assert (rows_of(tmp_path, log)[-1]["kind"] != "inherited") == kept


def test_close_range_closes(tmp_path: Path) -> None:
    log = OPEN + "1 close_range(3, 4294967295, 0) = 0\n1 close(3) = -1 EBADF (Bad)\n"
    assert columns_of(rows_of(tmp_path, log), "file", "kind")[2] == (None, None)


def test_what_fails_with_ebadf_was_not_inherited(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, "1 close(7) = -1 EBADF (Bad file descriptor)\n1 close(2) = 0\n")
    assert columns_of(rows_in(trace), "kind") == [(None,), ("inherited",)]
    assert trace.unknown["inherited"] == {"calls": 1, "bytes": 0}


THREAD = "1 clone(child_stack=0x1, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD) = 2\n"


def test_a_thread_that_calls_execve_takes_the_first_ones_number(tmp_path: Path) -> None:
    log = (
        OPEN + THREAD + '1 futex(0x1, FUTEX_WAIT <unfinished ...>\n2 execve("/x", [], 0x1 '
        "<pid changed to 1 ...>\n1 +++ superseded by execve in pid 2 +++\n"
        "1 <... execve resumed>) = 0\n1 close(3) = 0\n"
    )
    assert columns_of(rows_of(tmp_path, log), "call", "pid", "process")[2:] == [
        ("futex", 1, 0),
        ("execve", 1, 1),
        ("close", 1, 1),
    ]


def test_an_annotation_names_the_file(tmp_path: Path) -> None:
    log = (
        '1 openat(AT_FDCWD</w>, "x", O_RDONLY) = 3</real/x>\n'
        "1 fstat(3</real/x>, {st_mode=S_IFREG|0644, st_size=5, ...}) = 0\n"
        '1 read(0</dev/null<char 1:3>>, "", 1) = 0\n1 write(1<pipe:[7]>, "", 1) = 1\n'
        '1 recvfrom(5<TCP:[1.2.3.4:5->6.7.8.9:10]>, "", 9, 0, NULL, NULL) = 1\n'
        '1 write(6<UNIX:[1->2,"/s>k"]>, "", 1) = 1\n1 epoll_wait(7<anon_inode:[eventpoll]>) = 0\n'
        '1 read(8</t/x>(deleted), "", 1) = 0\n1 read(8</t/a\\74b\\76>, "", 1) = 0\n'
        '1 unlinkat(AT_FDCWD</w>, "y", 0) = 0\n1 read(9<anon_inode:inotify>, "", 1) = 0\n'
    )
    trace = trace_of(tmp_path, log)
    assert columns_of(rows_in(trace), "kind", "file") == [
        ("file", "/real/x"),
        ("file", "/real/x"),
        ("device", "/dev/null"),
        ("pipe", "pipe:[7]"),
        ("socket", "TCP:[1.2.3.4:5->6.7.8.9:10]"),
        ("socket", 'UNIX:[1->2,"/s>k"]'),
        ("epoll", "anon_inode:[eventpoll]"),
        ("file", "/t/x"),
        ("file", "/t/a<b>"),
        (None, "/w/y"),
        ("inotify", "anon_inode:inotify"),
    ]
    assert trace.unknown["inherited"]["calls"] == 0


@pytest.mark.parametrize(
    ("call", "file", "to_file"),
    [
        ('rename("a", "/b") = 0', "/w/a", "/b"),
        ('link("a", "b") = 0', "/w/a", "/w/b"),
        ('symlinkat("a", AT_FDCWD, "b") = 0', "a", "/w/b"),
    ],
)
def test_calls_with_two_names(tmp_path: Path, call: str, file: str, to_file: str) -> None:
    (row,) = rows_of(tmp_path, f"1 {call}\n", cwd="/w")
    assert (row["file"], row["to_file"]) == (file, to_file)


def test_logs_are_worlds_of_their_own(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, OPEN, '1 read(3, "", 1) = 0\n')
    assert columns_of(rows, "process", "kind") == [(0, "file"), (1, "inherited")]


def test_the_files_of_ff_are_put_together_by_their_times(tmp_path: Path) -> None:
    (tmp_path / "log.7").write_text(
        '1700000000.1 open("/a", O_RDONLY) = 3\n1700000000.2 vfork() = 9\n'
        '1700000000.5 read(3, "", 1) = 0\n1700000000.6 +++ exited with 0 +++\n'
    )
    (tmp_path / "log.9").write_text('1700000000.3 read(3, "abc", 3) = 3\n')
    from simulator.traces.reader import read

    rows = rows_in(read([tmp_path / "log.7", tmp_path / "log.9"]))
    assert columns_of(rows, "pid", "call", "file", "offset") == [
        (7, "open", "/a", None),
        (7, "vfork", None, None),
        (9, "read", "/a", 0),
        (7, "read", "/a", 3),
    ]


def test_the_text_of_a_symbolic_link_is_no_name_that_was_looked_up(tmp_path: Path) -> None:
    log = '1 symlink("./a", "/l") = 0\n1 open("./a", O_RDONLY) = 3\n1 open("a", O_RDONLY) = 4\n'
    assert files_of(tmp_path, log) == ["./a", "a", "a"]


RARE = """\
openat(AT_FDCWD, "/w/d", O_RDONLY|O_DIRECTORY) = 3
openat2(3, "a", {flags=O_WRONLY|O_CREAT|O_APPEND, mode=0666, resolve=RESOLVE_BENEATH}, 24) = 4
statx(3, "a", AT_STATX_SYNC_AS_STAT, STATX_ALL, {stx_mode=S_IFREG|0644, stx_size=70, ...}) = 0
write(4, "abcd", 4) = 4
creat("/w/b", 0666) = 5
fchmodat(3, "c", 0644) = 0
lgetxattr("c", "user.x", "", 9) = 0
renameat(3, "c", AT_FDCWD, "/e/f") = 0
quotactl(Q_SYNC, "/dev/x", 0, NULL) = 0
inotify_init1(0) = 6
inotify_add_watch(6, "/e", IN_CREATE) = 1
accept4(8, NULL, NULL, 0) = 9
sendmsg(9, {msg_name=NULL, msg_iov=[{iov_base="abc", iov_len=3}], msg_iovlen=1}, 0) = 3
recvfrom(9, "ab", 100, 0, NULL, NULL) = 2
epoll_ctl(10, EPOLL_CTL_ADD, 9, {}) = 0
fcntl64(9, F_DUPFD, 20) = 20
mmap2(NULL, 4096, PROT_READ, MAP_SHARED, 5, 0) = 0x7f00
"""


def test_calls_that_no_random_world_makes(tmp_path: Path) -> None:
    rows = columns_of(
        rows_of(tmp_path, RARE, cwd="/w"), "fd", "kind", "file", "to_file", "offset", "requested"
    )
    assert rows == [
        (3, "directory", "/w/d", None, None, None),
        (4, "file", "/w/d/a", None, None, None),
        (None, None, "/w/d/a", None, None, None),
        (4, "file", "/w/d/a", None, 70, 4),
        (5, "file", "/w/b", None, None, None),
        (None, None, "/w/d/c", None, None, None),
        (None, None, "/w/c", None, None, None),
        (None, None, "/w/d/c", "/e/f", None, None),
        (None, None, "/dev/x", None, None, None),
        (6, "inotify", None, None, None, None),
        (6, "inotify", "/e", None, None, None),
        (8, "inherited", None, None, None, None),
        (9, "socket", None, None, None, 3),
        (9, "socket", None, None, None, 100),
        (10, "inherited", None, None, None, None),
        (9, "socket", None, None, None, None),
        (5, "file", "/w/b", None, None, None),
    ]
