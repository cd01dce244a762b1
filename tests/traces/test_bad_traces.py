"""Bad traces: refused with file and line, or passed over and counted; never half believed."""

import gzip
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.traces.fast_and_slow import Answer, fast, same

GOOD = b"""\
10 12:00:00.000001 openat(AT_FDCWD, "/a", O_RDONLY) = 3 <0.000010>
10 12:00:00.000020 read(3, "abc"..., 100) = 100 <0.000005>
10 12:00:00.000030 close(3) = 0 <0.000001>
"""
LAST = b'10 12:00:00.000090 read(4, "", 5) = 0 <0.000001>\n'

Write = Callable[[bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a log."""

    def log(data: bytes, name: str = "the.log") -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return log


def refused(path: Path, line: int | None) -> Answer:
    """Refused with its file and line; what ``lenient`` makes of it."""
    answer = fast(path)
    assert answer.refused is not None
    assert (f"{path}:{line}" if line else str(path)) in answer.refused
    return fast(path, lenient=True)


# Lines that are refused: what, and how many calls there are without it


BAD_LINES = {
    "no call": b"10 12:00:00.000050 hello, world\n",
    "cut in the middle": b'10 12:00:00.000050 read(3, "ab\n',
    "no result": b"10 12:00:00.000050 getpid()\n",
    "an empty result": b"10 12:00:00.000050 getpid() = \n",
    "resumed without a beginning": b"10 12:00:00.000050 <... read resumed>) = 3 <0.1>\n",
    "a hole of zeros": b"\0" * 5000 + b"\n",
    "zeros in a line": b"10 12:00:00.000050 getpid\0\0\0() = 3 <0.1>\n",
    "binary": bytes(range(128, 256)) + b"\n",
    "comma in a duration": b"10 12:00:00.000050 getpid() = 3 <0,000001>\n",
    "a duration that is no number": b"10 12:00:00.000050 getpid() = 3 <nan>\n",
    "a negative duration": b"10 12:00:00.000050 getpid() = 3 <-0.000001>\n",
    "comma in a time": b"10 12:00:00,000050 getpid() = 3 <0.1>\n",
    "a time of another kind": b"10 1700000000.000050 getpid() = 3 <0.1>\n",
    "a missing time": b"10 getpid() = 3 <0.1>\n",
    "an hour that is none": b"10 25:00:00.000050 getpid() = 3 <0.1>\n",
    "time goes back": b"10 11:59:58.500000 getpid() = 3 <0.1>\n",
    "bytes beyond 64 bits": b'10 12:00:00.000050 read(3, "", 1) = 99999999999999999999 <0.1>\n',
    "an offset beyond 64 bits": (
        b'10 12:00:00.000050 pread64(3, "", 1, 99999999999999999999) = 1 <0.1>\n'
    ),
    "another call under way": b"10 12:00:00.000050 read(3,  <unfinished ...>\n",
}


@pytest.mark.parametrize("bad", BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_refused_or_passed_over(write: Write, bad: bytes) -> None:
    path = write(GOOD + bad + LAST)
    lenient = refused(path, 5 if b"unfinished" in bad else 4)
    calls = [row["call"] for row in lenient.rows]
    assert calls == ["openat", "read", "close", *(["read"] if b"unfinished" in bad else []), "read"]
    assert lenient.unknown["skipped"]["lines"] == 1
    assert lenient.rows[1]["file"] == "/a"
    same(path, lenient=True)


@pytest.mark.parametrize(
    "cut",
    [b"10 12:00:00.000050 read(3, ", b"10 12:00:00.0", b"1", b"10 12:00:00.000050 getpid() = 12"],
)
def test_a_last_line_cut_off(write: Write, cut: bytes) -> None:
    lenient = refused(write(GOOD + cut), 4)
    assert (len(lenient.rows), lenient.unknown["skipped"]["lines"]) == (3, 1)


def test_an_empty_file(write: Write) -> None:
    assert refused(write(b""), None).refused


@pytest.mark.parametrize(
    "data", [b"\0" * 9999, bytes(range(256)) * 40, b"\x7fELF\2\1\1" + b"\0" * 99]
)
def test_a_file_that_is_no_log_is_refused_even_if_lenient(write: Write, data: bytes) -> None:
    assert refused(write(data), None).refused


ROOT = Path(__file__).resolve().parents[2]
LONG = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        '7/1: 0.0010 open("/data/in",' + " " * LONG,
        " " * LONG + "open(",
        " \t" * (LONG // 2) + "open(",
        "[pid" + " " * LONG,
        "1" * LONG,
        "1.0 " * (LONG // 4),
        "[" * LONG,
        "12" + "<" * LONG,
        'open("a")' + " =" * (LONG // 2),
        "calls " * (LONG // 6),
    ],
    ids=lambda text: text.strip()[:12],
)
def test_a_long_line_of_any_kind_is_told_in_linear_time(text: str) -> None:
    """Twice as long takes twice as long, not four times: few seconds where it was minutes."""
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_CPU, (20, 20))\n"
        "from simulator.traces.detect import detect; from pathlib import Path\n"
        "from simulator.traces.errors import UnknownFormatError\n"
        "try: print(detect(Path('job.log'), sys.stdin.buffer.read()))\n"
        "except UnknownFormatError: print('unknown')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], input=text.encode(), cwd=ROOT, capture_output=True, check=True
    )
    assert ran.stdout.decode().strip() in ("strace", "truss", "unknown")


def test_a_line_longer_than_64_mib(write: Write) -> None:
    endless = b'10 12:00:00.000050 write(1, "' + b"x" * (65 << 20) + b'", 1) = 1 <0.1>\n'
    lenient = refused(write(GOOD + endless + LAST), 4)
    assert (len(lenient.rows), lenient.unknown["skipped"]["lines"]) == (4, 1)


# Damage of compressed files


@pytest.mark.parametrize("end", [1, 5, 10, 15, 20, 40, -9, -5, -1])
def test_a_gz_file_that_is_cut(write: Write, end: int) -> None:
    whole = gzip.compress(GOOD * 3, mtime=0)
    refused(write(whole[:end], "the.log.gz"), None)


@pytest.mark.parametrize("at", [0, 1, 2, 3, 12, 30, -8, -7, -4, -1])
def test_a_gz_file_with_a_broken_byte(write: Write, at: int) -> None:
    whole = bytearray(gzip.compress(GOOD * 30, mtime=0))
    whole[at] ^= 0xFF
    refused(write(bytes(whole), "the.log.gz"), None)


def test_what_comes_before_the_break_is_read_if_lenient(write: Write) -> None:
    lines = b"".join(b"1 %d.5 read(3, %d, 7) = 7\n" % (k, k) for k in range(10**9, 10**9 + 50_000))
    whole = gzip.compress(lines, mtime=0)
    lenient = refused(write(whole[: len(whole) // 2], "the.log.gz"), None)
    assert 1000 < len(lenient.rows) < 50_000
    assert lenient.unknown["skipped"]["lines"] >= 1


def test_a_gz_file_of_several_members(write: Write) -> None:
    members = [gzip.compress(part, mtime=0) for part in (GOOD[:70], GOOD[70:], LAST)]
    answer = fast(write(b"".join(members), "the.log.gz"))
    assert (answer.refused, len(answer.rows)) == (None, 4)


def test_a_gz_file_with_rubbish_behind(write: Write) -> None:
    refused(write(gzip.compress(GOOD, mtime=0) + b"rubbish", "the.log.gz"), None)


@pytest.mark.slow
def test_a_gz_bomb_is_refused_and_not_unpacked_into_memory(write: Write) -> None:
    press = zlib.compressobj(9, wbits=31)
    zeros = b"".join(press.compress(bytes(1 << 20)) for _ in range(300)) + press.flush()
    refused(write(gzip.compress(GOOD, mtime=0) + zeros, "the.log.gz"), 4)


# What looks bad and is good


GOOD_LINES = {
    "signals": (b"10 12:00:00.000050 --- SIGCHLD {si_signo=SIGCHLD, si_status=0} ---\n", 0),
    "no result yet": (b"10 12:00:00.000050 exit_group(0) = ?\n", 1),
    "the duration is not known": (b"10 12:00:00.000050 getpid() = 3 <unavailable>\n", 1),
    "restarts": (b"10 12:00:00.000050 read(4, 0x1, 5) = ? ERESTARTSYS (To be ...) <0.1>\n", 1),
    "restart_syscall": (
        b"10 12:00:00.000050 restart_syscall(<... resuming interrupted poll ...>) = 0 <0.1>\n",
        1,
    ),
    "an error without words": (b"10 12:00:00.000050 read(4, 0x1, 5) = -1 EIO <0.1>\n", 1),
    "an unknown error": (b"10 12:00:00.000050 ioctl(4, 0x1, 5) = -1 (errno 530) <0.1>\n", 1),
    "a small step back": (b"10 11:59:59.100000 getpid() = 3 <0.1>\n", 1),
    "a duration of 0": (b"10 12:00:00.000050 getpid() = 3 <0.000000>\n", 1),
    "227 seconds": (b"10 12:00:00.000050 getpid() = 3 <227.000001>\n", 1),
    "more returned than asked for": (b'10 12:00:00.000050 read(4, "", 5) = 50 <0.1>\n', 1),
    "a call that nobody knows": (b"10 12:00:00.000050 syscall_0x1ff(0x7, 0x8) = 0 <0.1>\n", 1),
    "CRLF": (b"10 12:00:00.000050 getpid() = 3 <0.1>\r\n", 1),
    "an empty line": (b"\n", 0),
    "an unknown descriptor": (b"10 12:00:00.000050 close(99) = 0 <0.1>\n", 1),
    "the end of a call that began before": (
        b"11 12:00:00.00005 <... read resumed>, 5) = 3 <0.1>\n",
        1,
    ),
    "strace's own words": (b"strace: Process 11 attached\n", 0),
}


@pytest.mark.parametrize(("line", "rows"), GOOD_LINES.values(), ids=GOOD_LINES)
def test_what_looks_bad_and_is_good(write: Write, line: bytes, rows: int) -> None:
    answer = same(write(GOOD + line + LAST))
    assert (answer.refused, len(answer.rows)) == (None, 4 + rows)
    assert answer.unknown["skipped"]["lines"] == 0


def test_midnight(write: Write) -> None:
    path = write(
        b"1 23:59:59.9 getpid() = 1\n1 00:00:00.1 getpid() = 1\n1 00:00:00.2 getpid() = 1\n"
    )
    day = 24 * 3600 * 10**9
    times = [row["time_ns"] for row in same(path).rows]
    assert times == [day - 10**8, day + 10**8, day + 2 * 10**8]


def test_midnight_between_a_signal_and_a_call(write: Write) -> None:
    path = write(b"1 23:59:59.9 --- SIGALRM {si_signo=SIGALRM} ---\n1 00:00:00.1 getpid() = 1\n")
    assert [row["time_ns"] for row in same(path).rows] == [24 * 3600 * 10**9 + 10**8]


def test_names_with_all_that_strace_escapes(write: Write) -> None:
    escaped = rb"/a\"b\\c\n\t\303\274\377\x2f<) = 7"
    path = write(
        b'openat(AT_FDCWD, "' + escaped + b'", O_RDONLY) = 3\nread(3, "\\") = 1", 9) = 9\n'
    )
    name = '/a"b\\c\n\tü\\xff/<) = 7'
    assert [row["file"] for row in same(path).rows] == [name, name]


def test_bytes_in_the_flags_that_are_not_utf8(write: Write) -> None:
    path = write(GOOD + b'10 12:00:00.000050 open("/x", O_RD\xffONLY) = 3 <0.1>\n')
    same(path)
    same(path, lenient=True)


def test_a_child_that_strace_tells_of_in_the_middle_of_a_line(write: Write) -> None:
    # Without -o: `strace -f sh -c ... 2> log`.
    path = write(
        b'openat(AT_FDCWD, "/a", O_RDONLY) = 3\n'
        b"clone(child_stack=NULL, flags=SIGCHLDstrace: Process 12 attached\n"
        b", child_tidptr=0x7f) = 12\n"
        b'[pid    12] read(3, "ab", 5)  = 2\n'
        b"[pid    11] vfork(strace: Process 13 attached\n"
        b" <unfinished ...>\n"
        b'[pid    13] read(3, "ab", 5)  = 2\n'
        b"[pid    11] <... vfork resumed>) = 13\n"
        b"[pid    13] +++ exited with 0 +++\n"
        b"[pid    12] +++ exited with 0 +++\n"
        b"--- SIGCHLD {si_signo=SIGCHLD} ---\n"
        b'read(3, "ab", 5)  = 2\n'
    )
    answer = same(path)
    moves = [(row["file"], row["offset"]) for row in answer.rows if row["call"] == "read"]
    assert moves == [("/a", 0), ("/a", 2), ("/a", 4)]


# Meaning


def test_what_is_asked_for_stands_in_the_first_part_of_a_call_that_never_returns(
    write: Write,
) -> None:
    path = write(
        b'1 write(2, "x"..., 4522 <unfinished ...>\n'
        b'2 openat(AT_FDCWD, "/x", O_RDWR <unfinished ...>\n'
    )
    rows = same(path).rows
    assert rows[0]["requested"] == 4522
    assert rows[1]["flags"] == "O_RDWR"


def test_a_vector_in_the_second_part_of_a_call(write: Write) -> None:
    path = write(
        b"1 readv(6,  <unfinished ...>\n2 getpid() = 2\n"
        b'1 <... readv resumed>[{iov_base="\\\\", iov_len=20}, {iov_base="", iov_len=6}], 2) = 8\n'
    )
    assert same(path).rows[1]["requested"] == 26


def test_no_descriptor_is_no_inherited_one(write: Write) -> None:
    path = write(
        b'1 open("/a", O_RDWR) = 3\n'
        b"1 close(77) = -1 EBADF (Bad file descriptor)\n"
        b"1 sendfile(77, 3, NULL, 9) = -1 EBADF (Bad file descriptor)\n"
    )
    assert same(path).unknown["inherited"]["calls"] == 0


def test_a_thread_that_executes_goes_on_under_its_leaders_number(write: Write) -> None:
    flags = b"CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD"
    path = write(
        b'20 open("/a", O_RDONLY|O_CLOEXEC) = 3\n'
        b"20 clone3({flags=" + flags + b"}, 88) = 21\n"
        b"20 futex(0x7f, FUTEX_WAIT, 21, NULL <unfinished ...>\n"
        b'21 open("/b", O_RDONLY) = 4\n'
        b'21 execve("/bin/cat", ["cat"], 0x7f /* 3 vars */ <unfinished ...>\n'
        b"20 <... futex resumed>) = ?\n"
        b"20 +++ superseded by execve in pid 21 +++\n"
        b"20 <... execve resumed>) = 0\n"
        b'20 read(4, "abc", 9) = 3\n'
        b'20 read(3, "", 9) = -1 EBADF (Bad file descriptor)\n'
    )
    rows = same(path).rows
    assert [(row["call"], row["pid"], row["process"], row["file"]) for row in rows[-3:]] == [
        ("execve", 20, 1, "/bin/cat"),
        ("read", 20, 1, "/b"),
        ("read", 20, 1, None),
    ]


@pytest.mark.slow
def test_lines_in_two_pieces_at_the_ends_of_blocks(write: Write) -> None:
    told = b"".join(
        b'read(3, "a", %dstrace: Process %d attached\n) = 1\n' % (k, 100 + k) for k in range(30_000)
    )
    answer = same(write(b'open("/a", O_RDONLY) = 3\n' + told))
    assert [row["requested"] for row in answer.rows[1:]] == list(range(30_000))
    assert answer.rows[-1]["offset"] == 29_999


def test_the_line_of_a_fault_is_counted_through_lines_in_two_pieces(write: Write) -> None:
    path = write(b'read(3, "a", 1strace: Process 9 attached\n) = 1\nnonsense\n')
    refused(path, 3)


def test_a_vector_that_is_not_all_shown(write: Write) -> None:
    path = write(
        b'1 writev(1, [{iov_base="iov_len=5", iov_len=2}, {iov_base="b", iov_len=3}], 2) = 5\n'
        b'1 writev(1, [{iov_base="a", iov_len=2}, {iov_base=0x7f}], 2) = 5\n'
        b'1 writev(1, [{iov_base="a", iov_len=2}, ...], 9) = 5\n'
        b'1 sendmsg(1, {msg_name=NULL, msg_iov=[{iov_base="}", iov_len=4}], msg_iovlen=1}, 0) = 4\n'
        b"1 writev(1, [], 0) = 0\n"
        b"1 writev(1, 0x7f, 1) = -1 EFAULT (Bad address)\n"
    )
    assert [row["requested"] for row in same(path).rows] == [5, None, None, 4, 0, None]


def test_the_kernel_says_where_a_process_is(write: Write) -> None:
    path = write(
        b'1 openat(AT_FDCWD</w>, "/etc/passwd", O_RDONLY) = 3</etc/passwd>\n'
        b'1 stat("d/a", 0x7f) = -1 ENOENT (No such file or directory)\n'
        b'1 openat(AT_FDCWD</v>, "x" <unfinished ...>\n'
        b"1 <... openat resumed>, O_RDONLY) = 4</v/x>\n"
        b'1 stat("d/a", 0x7f) = -1 ENOENT (No such file or directory)\n'
    )
    names = ["/etc/passwd", "/w/d/a", "/v/x", "/v/d/a"]
    assert [row["file"] for row in same(path, cwd="/u").rows] == names


def test_every_process_that_none_made_begins_where_it_is_said(write: Write) -> None:
    path = write(b'1 stat("a", 0x7f) = 0\n2 stat("b", 0x7f) = 0\n')
    assert [row["file"] for row in same(path, cwd="/w").rows] == ["/w/a", "/w/b"]


def test_time_may_go_back_where_another_log_begins(write: Write) -> None:
    path = write(GOOD + b"11 11:00:00 getpid() = 11\n11 10:00:00 getpid() = 11\n")
    refused(path, 5)
    assert len(same(path, lenient=True).rows) == 4


def test_only_calls_count_processes(write: Write) -> None:
    path = write(b"1 --- SIGHUP {} ---\n2 +++ exited with 0 +++\n3 getpid() = 3\n1 getpid() = 1\n")
    assert [row["process"] for row in fast(path).rows] == [0, 1]
    assert [row["process"] for row in same(path).rows] == [0, 1]


def test_an_error_that_is_not_utf8(write: Write) -> None:
    answer = fast(write(b"1 read(3, 0x7f, 1) = -1 (errno 5\xff)\n"))
    assert answer.rows[0]["error"] == "errno 5\\xff"
