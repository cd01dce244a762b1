"""Positions, sizes, and what a log cannot say."""

from pathlib import Path
from typing import Any

import pytest

from tests.traces.logs import columns_of, rows_in, rows_of, trace_of

OPEN = '1 open("/a", O_RDWR) = 3\n'
APPEND = '1 open("/a", O_WRONLY|O_APPEND) = 3\n'
COPY = OPEN + '1 open("/b", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 4\n'
HALF = 2**62


def offsets(tmp_path: Path, log: str) -> list[Any]:
    return [offset for (offset,) in columns_of(rows_of(tmp_path, log), "offset")]


def test_pread_and_pwrite_have_their_own_offset(tmp_path: Path) -> None:
    log = (
        OPEN + f'1 pread64(3, "", 4, {HALF}) = 4\n1 pwrite64(3, "", 4, 7) = 4\n'
        '1 preadv2(3, [{iov_base="", iov_len=2}], 1, -1, 0) = 2\n'
        '1 preadv(3, [{iov_base="", iov_len=2}], 1, 50) = 2\n1 read(3, "", 1) = 1\n'
        '1 pread64(0, "", 4, 8) = 4\n'
    )
    assert offsets(tmp_path, log)[1:] == [HALF, 7, 0, 50, 2, 8]


@pytest.mark.parametrize(
    ("seek", "position"),
    [
        ("lseek(3, -5, SEEK_END) = 95", 95),
        ("lseek(3, 0, SEEK_DATA) = 4096", 4096),
        ("_llseek(3, 0, [77], SEEK_CUR) = 0", 77),
        (f"lseek(3, {HALF}, SEEK_SET) = {HALF}", HALF),
    ],
)
def test_lseek_sets_the_position(tmp_path: Path, seek: str, position: int) -> None:
    log = OPEN + f'1 {seek}\n1 read(3, "", 1) = 1\n'
    assert offsets(tmp_path, log)[1:] == [position, position]


@pytest.mark.parametrize(
    ("before", "offset"),
    [
        ("", None),
        ("1 fstat(3, {st_mode=S_IFREG|0644, st_size=70, ...}) = 0\n", 70),
        ('1 stat("/a", {st_mode=S_IFREG|0644, st_size=70, ...}) = 0\n', 70),
        ('1 stat("/a", {st_mode=S_IFCHR|0644, st_size=70, ...}) = 0\n', None),
        ("1 fstat(3, {st_dev=1, st_mode=S_IFREG|0644, st_uid=0, st_size=70, st_x=1}) = 0\n", 70),
        ('1 statx(AT_FDCWD, "/a", 0, STATX_ALL, {stx_mode=S_IFREG|0644, stx_size=70}) = 0\n', 70),
        ("1 lseek(3, -30, SEEK_END) = 40\n", 70),
        ("1 ftruncate(3, 70) = 0\n", 70),
        ('1 truncate("/a", 70) = 0\n', 70),
        ('1 truncate("/a", 70) = 0\n1 ioctl(3, FICLONE, 9) = 0\n', None),
        ("1 ftruncate(3, 9) = 0\n1 fallocate(3, 0, 60, 10) = 0\n", 70),
        ("1 ftruncate(3, 70) = 0\n1 fallocate(3, FALLOC_FL_KEEP_SIZE, 60, 90) = 0\n", 70),
        ('1 open("/a", O_WRONLY|O_TRUNC) = 5\n1 pwrite64(5, "", 7, 63) = 7\n', 70),
        ('1 truncate("/a", 70) = 0\n1 rename("/a", "/b") = 0\n1 truncate("/a", 9) = 0\n', None),
        ('1 truncate("/b", 70) = 0\n1 rename("/b", "/a") = 0\n', None),
        ('1 link("/a", "/b") = 0\n1 truncate("/b", 70) = 0\n', 70),
        ('1 unlink("/a") = 0\n1 open("/a", O_CREAT|O_EXCL|O_RDWR, 0666) = 7\n', None),
    ],
)
def test_an_append_goes_to_the_end_if_that_is_known(
    tmp_path: Path, before: str, offset: int | None
) -> None:
    log = APPEND + before + '1 write(3, "", 5) = 5\n1 write(3, "", 5) = 5\n'
    then = None if offset is None else offset + 5
    assert offsets(tmp_path, log)[-2:] == [offset, then]


def test_fcntl_may_change_appending(tmp_path: Path) -> None:
    log = (
        OPEN + '1 ftruncate(3, 70) = 0\n1 write(3, "", 5) = 5\n'
        "1 fcntl(3, F_SETFL, O_RDWR|O_APPEND) = 0\n"
        '1 write(3, "", 5) = 5\n1 pwrite64(3, "", 5, 1) = 5\n'
        '1 fcntl(3, F_SETFL, O_RDWR) = 0\n1 write(3, "", 5) = 5\n'
    )
    assert offsets(tmp_path, log)[2:] == [0, None, 70, 75, None, 75]


def test_a_file_that_is_removed_keeps_its_size_for_who_has_it_open(tmp_path: Path) -> None:
    log = (
        '1 open("/a", O_CREAT|O_EXCL|O_APPEND|O_WRONLY, 0666) = 3\n1 unlink("/a") = 0\n'
        '1 write(3, "", 8) = 8\n1 open("/a", O_APPEND|O_WRONLY) = 4\n1 write(4, "", 1) = 1\n'
        '1 write(3, "", 8) = 8\n'
    )
    assert offsets(tmp_path, log)[2:] == [0, None, None, None]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("sendfile(4, 3, NULL, 9) = 9", (0, 0, 9)),
        ("sendfile(4, 3, [50] => [59], 9) = 9", (50, 0, 0)),
        ("copy_file_range(3, [5], 4, [6], 9, 0) = 9", (5, 6, 0)),
        ("splice(3, NULL, 4, NULL, 9, 0) = 9", (0, 0, 9)),
    ],
)
def test_copies_move_both_sides(tmp_path: Path, call: str, expected: tuple[int, int, int]) -> None:
    rows = rows_of(tmp_path, COPY + f'1 {call}\n1 read(3, "", 1) = 1\n')
    row = rows[2]
    assert (row["file"], row["to_file"], row["fd"], row["requested"]) == ("/a", "/b", 3, 9)
    assert (row["offset"], row["to_offset"], rows[3]["offset"]) == expected


def test_what_a_log_cannot_say_is_counted(tmp_path: Path) -> None:
    log = (
        OPEN + '1 read(0, "", 5) = 5\n1 mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, 3, 0) = 0x7f00\n'
        "1 mmap(NULL, 8192, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f00\n"
        "1 io_uring_setup(8, {}) = 5\n1 io_uring_enter(5, 3, 0, 0, NULL, 8) = 3\n"
        "1 read(3,  <unfinished ...>\n2 read(3,  <unfinished ...>\n2 +++ killed by SIGKILL +++\n"
    )
    trace = trace_of(tmp_path, log)
    rows = rows_in(trace)
    assert rows[-1]["pid"] == 1  # what never ends stands last
    assert trace.unknown == {
        "inherited": {"calls": 2, "bytes": 5},
        "append": {"calls": 0, "bytes": 0},
        "root": {"calls": 0},
        "mmap": {"calls": 1, "bytes": 8192},
        "io_uring": {"calls": 1, "submitted": 3},
        "unfinished": {"calls": 1},
        "skipped": {"lines": 0},
    }


def test_a_log_may_begin_in_the_middle_of_a_call(tmp_path: Path) -> None:
    log = '5 12:00:02 <... read resumed>"", 7) = 4 <1.5>\n5 12:00:03 close(1) = 0 <0.1>\n'
    rows = rows_of(tmp_path, log)
    assert columns_of(rows, "call", "fd", "returned")[0] == ("read", None, 4)
    assert rows[0]["time_ns"] == (12 * 3600 + 0.5) * 10**9
