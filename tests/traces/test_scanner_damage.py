"""Logs that cannot be read: a message with file and line, or counted with --lenient."""

import gzip
import lzma
import os
from pathlib import Path

import pytest

from simulator.traces.errors import TraceError
from simulator.traces.reader import read
from tests.traces.logs import rows_in, rows_of, trace_of

GOOD = '1 12:00:00 read(3, "", 5) = 0\n'
DAMAGE = {
    "two lines in one": ('1 12:00:00 read(3, "ab1 12:00:01 write(4, "xyz", 3) = 3\n', "no line"),
    "a cut line": ('1 12:00:00 read(3, "abc\n', "no line"),
    "words": ("hello\n", "no line"),
    "no result": ('1 12:00:00 read(3, "", 5)\n', "no line"),
    "a hole": ("1 12:0\0\0\0\0\0:00 read(3) = 0\n", "zero bytes: a hole"),
    "a hole in a string": ('1 12:00:00 read(3, "a\0\0", 5) = 0\n', "zero bytes: a hole"),
    "an argument too large": ('1 12:00:00 read(3, "", 18446744073709551616) = 0\n', "64 bits"),
    "a result too large": ('1 12:00:00 read(3, "", 5) = 18446744073709551616\n', "64 bits"),
    "a comma": ('1 12:00:00 read(3, "", 5) = 0 <0,000012>\n', "duration"),
    "not a number": ('1 12:00:00 read(3, "", 5) = 0 <nan>\n', "duration"),
    "a negative duration": ('1 12:00:00 read(3, "", 5) = 0 <-0.1>\n', "duration"),
    "a comma in the time": ("1 12:00:00,5 close(3) = 0\n", "no line"),
    "the time goes back": ("1 11:59:58 close(3) = 0\n", "time goes back"),
    "no time": ("1 close(3) = 0\n", "time is missing"),
    "another clock": ("1 1700000000.5 close(3) = 0\n", "time is missing"),
    "nothing to resume": ("1 12:00:00 <... read resumed>) = 0\n", "has not begun"),
    "another one resumed": (
        "1 12:00:00 read(3 <unfinished ...>\n1 12:00:00 <... write resumed>) = 0\n",
        "has not begun",
    ),
    "not resumed": ("1 12:00:00 read(3 <unfinished ...>\n" + GOOD, "has not ended"),
}


@pytest.mark.parametrize(("damage", "words"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_line_is_refused_with_its_place(tmp_path: Path, damage: str, words: str) -> None:
    line = 1 + damage.count("\n")
    with pytest.raises(TraceError, match=rf"log:{line}: .*{words}.*--lenient"):
        rows_of(tmp_path, GOOD + damage)


@pytest.mark.parametrize(("damage", "words"), DAMAGE.values(), ids=DAMAGE.keys())
def test_lenient_passes_over_and_counts(tmp_path: Path, damage: str, words: str) -> None:
    assert words
    trace = trace_of(tmp_path, GOOD + damage + GOOD.replace("1 12", "2 12"), lenient=True)
    rows = rows_in(trace)
    assert (rows[0]["pid"], rows[-1]["pid"] in {1, 2}) == (1, True)
    assert any(row["pid"] == 2 for row in rows)
    assert trace.unknown["skipped"] == {"lines": 1}


@pytest.mark.parametrize(
    ("tail", "whole"),
    [
        ('1 12:00:00 read(3, "", 5) = 0', False),
        ('1 12:00:00 read(3, "", 5', False),
        ('1 12:00:00 read(3, "", 5) = 0 <0.0', False),
        ('1 12:00:00 read(3, "", 5) = 0 <0.000012>', True),
        ("1 12:00:00 exit_group(0) = ?", True),
        ("1 12:00:00 close(3) = -1 EBADF (Bad file descriptor)", True),
        ("1 12:00:00 +++ exited with 0 +++", True),
    ],
)
def test_a_last_line_without_its_end(tmp_path: Path, tail: str, whole: bool) -> None:
    if whole:
        assert rows_of(tmp_path, GOOD + tail)
    else:
        with pytest.raises(TraceError, match="log:2: the last line is cut off"):
            rows_of(tmp_path, GOOD + tail)
        trace = trace_of(tmp_path, GOOD + tail, lenient=True)
        assert (len(rows_in(trace)), trace.unknown["skipped"]["lines"]) == (1, 1)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (os.urandom(4096).replace(b"\n", b"")[:4000], "neither strace's nor truss's"),
        (b"<html>\n", "neither strace's nor truss's.*<html>"),
        (b"%PDF-1.4\n", "it is a PDF"),
        (b"\x1f\x8b broken", "cut off or broken"),
        (b"\xfd7zXZ\x00 broken", "cut off or broken"),
        (b"1 +++ exited with 0 +++\n", "no system call"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(TraceError, match=words):
        rows_of(tmp_path, content)


def lines(count: int) -> bytes:
    return b"".join(
        b'%d 12:00:00 read(3, "%d", 5) = 0\n' % (n % 7 + 1, n * n) for n in range(count)
    )


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_compressed_logs_are_read(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    assert len(rows_of(tmp_path, pack(lines(1000)) + pack(lines(500)))) == 1500


def test_zstd_is_read(tmp_path: Path) -> None:
    import pyarrow as pa

    packed = pa.Codec("zstd").compress(lines(1000), asbytes=True)
    assert len(rows_of(tmp_path, packed)) == 1000


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_compressed_log_that_is_cut_off_is_refused_where_it_is(
    tmp_path: Path, pack: object
) -> None:
    assert callable(pack)
    whole = pack(lines(50_000))
    cut = whole[: len(whole) // 2]
    with pytest.raises(TraceError, match=r"log:\d{4,}: the (gzip|xz) file is cut off or broken"):
        rows_of(tmp_path, cut)
    trace = trace_of(tmp_path, cut, lenient=True)
    assert 10_000 < len(rows_in(trace)) < 50_000
    assert trace.unknown["skipped"]["lines"] in {1, 2}  # and the line that was cut


def test_a_wrong_checksum_is_found(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(lines(1000), mtime=0))
    packed[-6] ^= 1
    with pytest.raises(TraceError, match="CRC"):
        rows_of(tmp_path, bytes(packed))


def test_the_line_is_counted_through_blocks(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="log:40001: "):
        rows_of(tmp_path, lines(40_000) + b"nonsense\n")


def test_a_line_that_is_too_long_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with path.open("wb") as file:
        file.write(lines(30_000) + b'1 12:00:00 read(3, "')
        file.seek(100 << 20, os.SEEK_CUR)
        file.write(b'", 5) = 0\n' + lines(1))
    with pytest.raises(TraceError, match="log:30001: a line of more than 64 MiB"):
        rows_in(read([path]))
    trace = read([path], lenient=True)
    assert (len(rows_in(trace)), trace.unknown["skipped"]["lines"]) == (30_001, 1)


def test_the_files_of_ff_need_times(tmp_path: Path) -> None:
    for pid in (7, 8):
        (tmp_path / f"log.{pid}").write_text("close(3) = 0\n")
    with pytest.raises(TraceError, match="cannot be put in order; trace with -ttt"):
        rows_in(read([tmp_path / "log.7", tmp_path / "log.8"]))


def test_damage_in_a_file_of_ff_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "log.7").write_text("1700000000.1 close(3) = 0\n1700000000.2 clos\n")
    (tmp_path / "log.8").write_text("1700000000.1 close(3) = 0\n")
    with pytest.raises(TraceError, match=r"log\.7:2: "):
        rows_in(read([tmp_path / "log.7", tmp_path / "log.8"]))


def test_no_log_and_wrong_directories(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no log was named"):
        read([])
    with pytest.raises(TraceError, match="is a directory"):
        rows_in(read([tmp_path]))
    with pytest.raises(TraceError, match="No such file"):
        rows_in(read([tmp_path / "nowhere"]))
    with pytest.raises(TraceError, match="not absolute"):
        rows_of(tmp_path, GOOD, cwd="here")


def test_logs_that_follow_each_other_in_one_file(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, GOOD + "1 12:00:01 +++ exited with 0 +++\n2 11:59:00 close(3) = 0\n")
    assert [(row["process"], row["time_ns"] // 10**9) for row in rows] == [(0, 43200), (1, 43140)]
