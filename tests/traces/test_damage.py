"""Damaged logs: refused with file and line, or passed over and counted; never half believed."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.traces.errors import TraceError
from simulator.traces.reader import read
from tests.traces.fast_and_slow import fast, same
from tests.traces.logs import rows_in, rows_of, trace_of

AT = "10 12:00:00.000050 "
GOOD = """\
10 12:00:00.000001 openat(AT_FDCWD, "/a", O_RDONLY) = 3 <0.000010>
10 12:00:00.000020 read(3, "abc"..., 100) = 100 <0.000005>
10 12:00:00.000030 close(3) = 0 <0.000001>
"""
LAST = '10 12:00:00.000090 read(4, "", 5) = 0 <0.000001>\n'
Write = Callable[[str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a log."""

    def log(data: str | bytes) -> Path:
        path = tmp_path / "log"
        path.write_bytes(data if isinstance(data, bytes) else data.encode("latin-1"))
        return path

    return log


# Lines that are refused: what stands between GOOD and LAST, and what is said of its last line


BAD_LINES = {
    "no call": (f"{AT}hello, world\n", "no line"),
    "cut in the middle": (f'{AT}read(3, "ab\n', "no line"),
    "two lines in one": (f'{AT}read(3, "ab1 12:00:01 write(4, "xyz", 3) = 3\n', "no line"),
    "no result": (f"{AT}getpid()\n", "no line"),
    "an empty result": (f"{AT}getpid() = \n", "no line"),
    "resumed without a beginning": (f"{AT}<... read resumed>) = 3 <0.1>\n", "has not begun"),
    "another call under way": (f"{AT}read(3,  <unfinished ...>\n{LAST}", "has not ended"),
    "another one resumed": (
        "11 12:00:00.000050 read(3 <unfinished ...>\n11 12:00:00.00005 <... write resumed>) = 0\n",
        "has not begun",
    ),
    "a hole of zeros": ("\0" * 5000 + "\n", "zero bytes: a hole"),
    "zeros in a line": (f"{AT}getpid\0\0\0() = 3 <0.1>\n", "zero bytes: a hole"),
    "a hole in a string": (f'{AT}read(3, "a\0\0", 5) = 0\n', "zero bytes: a hole"),
    "binary": ("".join(map(chr, range(128, 256))) + "\n", "no line"),
    "comma in a duration": (f"{AT}getpid() = 3 <0,000001>\n", "duration"),
    "a duration that is no number": (f"{AT}getpid() = 3 <nan>\n", "duration"),
    "a negative duration": (f"{AT}getpid() = 3 <-0.000001>\n", "duration"),
    "comma in a time": ("10 12:00:00,000050 getpid() = 3 <0.1>\n", "no line"),
    "a time of another kind": ("10 1700000000.000050 getpid() = 3 <0.1>\n", "time is missing"),
    "a missing time": ("10 getpid() = 3 <0.1>\n", "time is missing"),
    "an hour that is none": ("10 25:00:00.000050 getpid() = 3 <0.1>\n", "no line"),
    "time goes back": ("10 11:59:58.500000 getpid() = 3 <0.1>\n", "time goes back"),
    "a result beyond 64 bits": (f'{AT}read(3, "", 1) = 99999999999999999999 <0.1>\n', "64 bits"),
    "an argument beyond 64 bits": (f'{AT}read(3, "", 18446744073709551616) = 0\n', "64 bits"),
    "an offset beyond 64 bits": (
        f'{AT}pread64(3, "", 1, 99999999999999999999) = 1 <0.1>\n', "64 bits"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("bad", "words"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_refused_with_its_place_or_passed_over(
    write: Write, bad: str, words: str
) -> None:
    path = write(GOOD + bad + LAST)
    with pytest.raises(TraceError, match=rf"log:{3 + bad.count(chr(10))}: .*{words}.*--lenient"):
        rows_in(read([path]))
    lenient = same(path, lenient=True)
    begun = bad.count("unfinished") + bad.count(LAST)
    assert len(lenient.rows) == 4 + begun
    assert [row["call"] for row in lenient.rows[:3]] == ["openat", "read", "close"]
    assert lenient.unknown["skipped"]["lines"] == 1
    assert lenient.rows[1]["file"] == "/a"


@pytest.mark.parametrize(
    ("tail", "whole"),
    [
        (f"{AT}read(3, ", False),
        ("10 12:00:00.0", False),
        ("1", False),
        (f"{AT}getpid() = 12", False),
        (f'{AT}read(3, "", 5) = 0 <0.0', False),
        (f'{AT}read(3, "", 5) = 0 <0.000012>', True),
        (f"{AT}exit_group(0) = ?", True),
        (f"{AT}close(3) = -1 EBADF (Bad file descriptor)", True),
        (f"{AT}+++ exited with 0 +++", True),
    ],
)
def test_a_last_line_without_its_end(write: Write, tail: str, whole: bool) -> None:
    path = write(GOOD + tail)
    if whole:
        assert same(path).refused is None
        return
    with pytest.raises(TraceError, match="log:4: the last line is cut off"):
        rows_in(read([path]))
    lenient = fast(path, lenient=True)
    assert (len(lenient.rows), lenient.unknown["skipped"]["lines"]) == (3, 1)


def test_the_line_of_a_fault_is_counted_through_lines_in_two_pieces(write: Write) -> None:
    path = write('read(3, "a", 1strace: Process 9 attached\n) = 1\nnonsense(\n')
    assert "log:3: " in (fast(path).refused or "")


def test_time_may_go_back_where_another_log_begins(write: Write) -> None:
    path = write(GOOD + "11 11:00:00 getpid() = 11\n11 10:00:00 getpid() = 11\n")
    assert "log:5: " in (fast(path).refused or "")
    rows = same(path, lenient=True).rows
    assert [(row["process"], row["time_ns"] // 10**9) for row in rows[2:]] == [
        (0, 43200),
        (1, 39600),
    ]


# Files that are no logs, or several


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (b"\0" * 9999, "neither strace's nor truss's"),
        (bytes(range(256)) * 40, "neither strace's nor truss's"),
        (b"\x7fELF\2\1\1" + b"\0" * 99, "it is a program"),
        (b"<html>\n", "neither strace's nor truss's.*<html>"),
        (b"%PDF-1.4\n", "it is a PDF"),
        (b"\x1f\x8b broken", "cut off or broken"),
        (b"\xfd7zXZ\x00 broken", "cut off or broken"),
        (b"1 +++ exited with 0 +++\n", "no system call"),
    ],
)
def test_what_is_no_log_is_refused(write: Write, content: bytes, words: str) -> None:
    path = write(content)
    with pytest.raises(TraceError, match=words):
        rows_in(read([path]))
    broken = words in {"cut off or broken", "no system call"}
    assert broken or fast(path, lenient=True).refused


def test_no_log_and_wrong_directories(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no log was named"):
        read([])
    with pytest.raises(TraceError, match="is a directory"):
        rows_in(read([tmp_path]))
    with pytest.raises(TraceError, match="No such file"):
        rows_in(read([tmp_path / "nowhere"]))
    with pytest.raises(TraceError, match="not absolute"):
        rows_of(tmp_path, GOOD, cwd="here")


def test_the_files_of_ff_need_times_and_faults_in_them_have_their_place(tmp_path: Path) -> None:
    seven, eight = tmp_path / "log.7", tmp_path / "log.8"
    for path in (seven, eight):
        path.write_text("close(3) = 0\n")
    with pytest.raises(TraceError, match="cannot be put in order; trace with -ttt"):
        rows_in(read([seven, eight]))
    seven.write_text("1700000000.1 close(3) = 0\n1700000000.2 clos\n")
    eight.write_text("1700000000.1 close(3) = 0\n")
    with pytest.raises(TraceError, match=r"log\.7:2: "):
        rows_in(read([seven, eight]))


# Lengths


ROOT = Path(__file__).resolve().parents[2]
LONG = 1_000_000


@pytest.mark.few(2)
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
        "from simulator.traces.formats import detect; from pathlib import Path\n"
        "from simulator.traces.errors import UnknownFormatError\n"
        "try: print(detect(Path('job.log'), sys.stdin.buffer.read()))\n"
        "except UnknownFormatError: print('unknown')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], input=text.encode(), cwd=ROOT, capture_output=True, check=True
    )
    assert ran.stdout.decode().strip() in ("strace", "truss", "unknown")


def lines(count: int) -> bytes:
    return b"".join(
        b'%d 12:00:00 read(3, "%d", 5) = 0\n' % (n % 7 + 1, n * n) for n in range(count)
    )


@pytest.mark.slow
def test_a_line_that_is_too_long_is_refused_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with path.open("wb") as file:
        file.write(lines(30_000) + b'1 12:00:00 read(3, "')
        file.seek(100 << 20, os.SEEK_CUR)
        file.write(b'", 5) = 0\n' + lines(1))
    with pytest.raises(TraceError, match="log:30001: a line of more than 64 MiB"):
        rows_in(read([path]))
    lenient = fast(path, lenient=True)
    assert (len(lenient.rows), lenient.unknown["skipped"]["lines"]) == (30_001, 1)


@pytest.mark.slow
def test_lines_in_two_pieces_at_the_ends_of_blocks(write: Write) -> None:
    told = "".join(
        f'read(3, "a", {k}strace: Process {100 + k} attached\n) = 1\n' for k in range(30_000)
    )
    answer = same(write('open("/a", O_RDONLY) = 3\n' + told))
    assert [row["requested"] for row in answer.rows[1:]] == list(range(30_000))
    assert answer.rows[-1]["offset"] == 29_999


# Compressed files


PACKED = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKED)
def test_compressed_logs_are_read_and_their_damage_is_found(tmp_path: Path, name: str) -> None:
    """Of two members; cut or with a broken byte, what comes before is read if lenient."""
    trace = trace_of(tmp_path, PACKED[name](lines(1000)) + PACKED[name](lines(500)))
    assert len(rows_in(trace)) == 1500
    assert trace.about["sources"][0]["compression"] == name
    whole = PACKED[name](lines(60_000))
    broken = bytearray(whole)
    broken[len(whole) // 2] ^= 0xFF
    where = rf"log:\d{{4,}}: the {name} file is cut off or broken"
    for damaged, words in ((whole[: len(whole) // 2], where), (bytes(broken), r"log:\d+: ")):
        with pytest.raises(TraceError, match=words):
            rows_of(tmp_path, damaged)
        trace = trace_of(tmp_path, damaged, lenient=True)
        assert 1000 < len(rows_in(trace)) < 60_000
        assert trace.unknown["skipped"]["lines"] >= 1
    for end in range(1, 12):
        trace_of(tmp_path, whole[:end])
        assert fast(tmp_path / "log").refused


def test_zstd_is_read(tmp_path: Path) -> None:
    import pyarrow as pa

    packed = pa.Codec("zstd").compress(lines(1000), asbytes=True)
    assert len(rows_of(tmp_path, packed)) == 1000


def test_any_damage_of_a_gz_file_is_found(write: Write) -> None:
    whole = gzip.compress(GOOD.encode() * 30, mtime=0)
    damaged = [whole[:end] for end in (1, 5, 10, 15, 20, 40, -9, -5, -1)]
    for at in (0, 1, 2, 3, 12, 30, -8, -7, -4, -1):
        broken = bytearray(whole)
        broken[at] ^= 0xFF
        damaged.append(bytes(broken))
    for content in (*damaged, whole + b"rubbish"):
        assert "log" in (fast(write(content)).refused or "")
        fast(write(content), lenient=True)
    broken = bytearray(whole)
    broken[-6] ^= 1
    assert "CRC" in (fast(write(bytes(broken))).refused or "")


@pytest.mark.slow
def test_a_gz_bomb_is_refused_and_not_unpacked_into_memory(write: Write) -> None:
    press = zlib.compressobj(9, wbits=31)
    zeros = b"".join(press.compress(bytes(1 << 20)) for _ in range(300)) + press.flush()
    path = write(gzip.compress(GOOD.encode(), mtime=0) + zeros)
    assert "log:4" in (fast(path).refused or "")
    fast(path, lenient=True)


# What looks bad and is good


GOOD_LINES = {
    "restart_syscall": (
        f"{AT}restart_syscall(<... resuming interrupted poll ...>) = 0 <0.1>\n",
        1,
    ),
    "a small step back": ("10 11:59:59.100000 getpid() = 3 <0.1>\n", 1),
    "a duration of 0": (f"{AT}getpid() = 3 <0.000000>\n", 1),
    "more returned than asked for": (f'{AT}read(4, "", 5) = 50 <0.1>\n', 1),
    "CRLF": (f"{AT}getpid() = 3 <0.1>\r\n", 1),
    "an unknown descriptor": (f"{AT}close(99) = 0 <0.1>\n", 1),
    "the end of a call that began before": ("11 12:00:00.00005 <... read resumed>, 5) = 3\n", 1),
    "bytes in the flags that are not UTF-8": (f'{AT}open("/x", O_RD\xffONLY) = 3 <0.1>\n', 1),
    "an error that is not UTF-8": (f"{AT}read(3, 0x7f, 1) = -1 (errno 5\xff)\n", 1),
    "a signal": (f"{AT}--- SIGCHLD {{si_signo=SIGCHLD, si_status=0}} ---\n", 0),
}


@pytest.mark.parametrize(("line", "rows"), GOOD_LINES.values(), ids=GOOD_LINES)
def test_what_looks_bad_and_is_good(write: Write, line: str, rows: int) -> None:
    answer = same(write(GOOD + line + LAST))
    assert (answer.refused, len(answer.rows)) == (None, 4 + rows)
    assert answer.unknown["skipped"]["lines"] == 0


def test_midnight_between_a_signal_and_a_call(write: Write) -> None:
    path = write("1 23:59:59.9 --- SIGALRM {si_signo=SIGALRM} ---\n1 00:00:00.1 getpid() = 1\n")
    assert [row["time_ns"] for row in same(path).rows] == [24 * 3600 * 10**9 + 10**8]


def test_only_calls_count_processes(write: Write) -> None:
    path = write("1 --- SIGHUP {} ---\n2 +++ exited with 0 +++\n3 getpid() = 3\n1 getpid() = 1\n")
    assert [row["process"] for row in fast(path).rows] == [0, 1]
    assert [row["process"] for row in same(path).rows] == [0, 1]


# Meaning of lines in parts


def test_what_is_asked_for_stands_in_the_first_part_of_a_call_that_never_returns(
    write: Write,
) -> None:
    path = write(
        '1 write(2, "x"..., 4522 <unfinished ...>\n'
        '2 openat(AT_FDCWD, "/x", O_RDWR <unfinished ...>\n'
    )
    rows = same(path).rows
    assert (rows[0]["requested"], rows[1]["flags"]) == (4522, "O_RDWR")


def test_vectors_in_a_second_part_and_not_all_shown(write: Write) -> None:
    path = write(
        "1 readv(6,  <unfinished ...>\n2 getpid() = 2\n"
        '1 <... readv resumed>[{iov_base="\\\\", iov_len=20}, {iov_base="", iov_len=6}], 2) = 8\n'
        '1 writev(1, [{iov_base="iov_len=5", iov_len=2}, {iov_base="b", iov_len=3}], 2) = 5\n'
        '1 writev(1, [{iov_base="a", iov_len=2}, {iov_base=0x7f}], 2) = 5\n'
        '1 writev(1, [{iov_base="a", iov_len=2}, ...], 9) = 5\n'
        '1 sendmsg(1, {msg_name=NULL, msg_iov=[{iov_base="}", iov_len=4}], msg_iovlen=1}, 0) = 4\n'
        "1 writev(1, [], 0) = 0\n"
        "1 writev(1, 0x7f, 1) = -1 EFAULT (Bad address)\n"
    )
    asked = [row["requested"] for row in same(path).rows]
    assert asked == [None, 26, 5, None, None, 4, 0, None]


def test_the_kernel_says_where_a_process_is(write: Write) -> None:
    path = write(
        '1 openat(AT_FDCWD</w>, "/etc/passwd", O_RDONLY) = 3</etc/passwd>\n'
        '1 stat("d/a", 0x7f) = -1 ENOENT (No such file or directory)\n'
        '1 openat(AT_FDCWD</v>, "x" <unfinished ...>\n'
        "1 <... openat resumed>, O_RDONLY) = 4</v/x>\n"
        '1 stat("d/a", 0x7f) = -1 ENOENT (No such file or directory)\n'
        '2 stat("b", 0x7f) = 0\n'
    )
    names = ["/etc/passwd", "/w/d/a", "/v/x", "/v/d/a", "/u/b"]
    assert [row["file"] for row in same(path, cwd="/u").rows] == names
