"""Logs in other clothes: encodings, blanks for tabs, and tools whose logs are not read."""

from __future__ import annotations

import codecs
import gzip
from contextlib import closing
from pathlib import Path

import pytest

from simulator.traces.errors import ForeignFormatError, TraceError
from simulator.traces.formats import detect
from simulator.traces.reader import read
from simulator.traces.sources import Source
from simulator.workload.callfile import HEAD, read_calls
from tests.traces.fast_and_slow import fast
from tests.traces.logs import rows_in

STRACE = """\
10 1700000000.000001 openat(AT_FDCWD, "/d/\u00e9", O_RDONLY) = 3 <0.000010>
10 1700000000.000020 read(3, "abc"..., 100) = 100 <0.000005>
10 1700000000.000030 close(3) = 0 <0.000001>
"""
TRUSS = """\
Base time stamp:  1412345678.1234  [ Fri Oct  3 14:14:38 UTC 2014 ]
7:\t 0.0100\t 0.0001\texecve("/bin/ls", 0x08047, 0x0804)\targc = 2
7:\t 0.0200\t 0.0002\topen("/a", O_RDONLY)\t\t= 3
7:\t 0.0300\t 0.0003\tread(3, " a b", 100)\t\t= 2
7:\t 0.0400\t 0.0003\topen("/b", O_RDONLY)\tErr#2 ENOENT
7:\t 0.0500\t 0.0003\tclose(3)\t\t= 0
"""
FREEBSD = """\
open("/etc/none.conf",O_RDONLY,00)\t ERR#2 'No such file or directory'
read(3,"abc"...,128)\t = 128 (0x80)
process exit, rval = 0
"""
DTRUSS = """\
SYSCALL(args) \t\t = return
open("/dev/dtracehelper\\0", 0x2, 0x0)\t\t = 3 0
"""
KDUMP = "  901 cat      CALL  open(0x7fff,0,0)\n  901 cat      RET   open 3\n"
PERF = "     0.000 ( 0.013 ms): cat/91 read(fd: 3, buf: 0x7f, count: 832) = 832\n"
MARKS = {
    "UTF-8": lambda text: codecs.BOM_UTF8 + text.encode(),
    "UTF-16 LE": lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
    "UTF-16 BE": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
}


def log(folder: Path, content: str | bytes) -> Path:
    """Write a log."""
    path = folder / "log"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("text", [STRACE, STRACE.replace("\n", "\r\n"), TRUSS])
@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
def test_a_marked_log_is_the_log_without(tmp_path: Path, mark: str, text: str, squeeze) -> None:
    plain = fast(log(tmp_path, text))
    assert plain.rows[1]["call"]
    assert fast(log(tmp_path, squeeze(MARKS[mark](text)))) == plain


@pytest.mark.parametrize("mark", MARKS)
def test_a_marked_log_in_small_blocks(tmp_path: Path, mark: str) -> None:
    """No block ends within a character, and a fault has the line that it has in the file."""
    text = STRACE * 40
    with closing(Source(log(tmp_path, MARKS[mark](text)), lenient=False, block=101)) as source:
        assert b"".join(bytes(one.data[: one.stop]) for one in source.blocks()) == text.encode()
    with pytest.raises(TraceError, match=r"log:121: "):
        rows_in(read([log(tmp_path, MARKS[mark](text + "10 17 read(\n" + STRACE))]))


def test_a_log_of_a_mark_alone_is_empty(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="is empty"):
        rows_in(read([log(tmp_path, codecs.BOM_UTF16_LE)]))


@pytest.mark.parametrize("mark", MARKS)
def test_a_marked_file_of_calls(tmp_path: Path, mark: str) -> None:
    text = (
        ",".join(HEAD) + "\n,file,/\u00e9,400,500,\nmain,start,,3,,20\nmain,read,/\u00e9,0,100,7\n"
    )
    plain = read_calls(log(tmp_path, text), "calls")
    assert read_calls(log(tmp_path, MARKS[mark](text)), "calls").digest == plain.digest


@pytest.mark.parametrize("strip", ["", "7:"], ids=["pids", "no pids"])
@pytest.mark.parametrize("base", [True, False])
@pytest.mark.parametrize("blanks", [" ", "    "])
def test_truss_with_blanks_for_tabs(tmp_path: Path, strip: str, base: bool, blanks: str) -> None:
    text = TRUSS.replace(strip, "") if strip else TRUSS
    text = text if base else text.partition("\n")[2]
    tabs = fast(log(tmp_path, text))
    assert [row["call"] for row in tabs.rows] == ["execve", "open", "read", "open", "close"]
    assert tabs.rows[3]["error"] == "ENOENT"
    assert tabs.rows[2]["file"] == "/a"
    assert fast(log(tmp_path, text.replace("\t", blanks))) == tabs


def test_truss_without_times_and_pids(tmp_path: Path) -> None:
    calls = "\n".join(line.split("\t", 3)[3] for line in TRUSS.splitlines()[1:]) + "\n"
    tabs = fast(log(tmp_path, calls))
    assert (len(tabs.rows), tabs.rows[2]["file"]) == (5, "/a")
    assert fast(log(tmp_path, calls.replace("\t", "    "))) == tabs


def test_truss_with_threads_and_no_pids(tmp_path: Path) -> None:
    rows = fast(log(tmp_path, TRUSS.replace("7:", "/1:").replace("/1:", "/2:", 1))).rows
    assert (len(rows), rows[2]["file"]) == (5, "/a")


def test_time_since_the_line_before_is_no_duration(tmp_path: Path) -> None:
    """-d -D: what each line has is the difference of the times, which no duration is."""
    lines = TRUSS.splitlines(keepends=True)
    since = "".join(
        "\t".join([*line.split("\t")[:2], " 0.0100", *line.split("\t")[3:]]) for line in lines[1:]
    )
    assert all(row["duration_ns"] for row in fast(log(tmp_path, TRUSS)).rows)
    assert not any(row["duration_ns"] for row in fast(log(tmp_path, lines[0] + since)).rows)


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        (FREEBSD, "FreeBSD's truss"),
        (f" 12: {FREEBSD}", "FreeBSD's truss"),
        (DTRUSS, "dtruss"),
        (DTRUSS.partition("\n")[2], "dtruss"),
        (
            "\tPID/THRD  SYSCALL(args) \t\t = return\n12/0x3ab:  close(0x3)\t\t = -1 Err#9\n",
            "dtruss",
        ),
        (KDUMP, "kdump"),
        (PERF, "perf trace"),
    ],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_what_is_alike_is_named(tmp_path: Path, text: str, tool: str, lenient: bool) -> None:
    path = log(tmp_path, text + 'exit(0x0)\nwrite(1,"x",1)\n')
    with pytest.raises(
        ForeignFormatError, match=rf":1: a log of {tool}.* not read; record .*strace"
    ):
        rows_in(read([path], lenient=lenient))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("read(3, 0x7f, 5)                      = 5\n", "strace"),
        ("read(3, 0x7f, 5)\t= 5\n", "truss"),
        ('stat("/x", 0x7f)   = -1 ENOENT (No such file or directory)\n', "strace"),
        ("mmap(NULL, 5, 1, 2, 3, 0)  = 0x7f0000000000\n", "strace"),
        ('getpid()  = 4321 [ 4320 ]\nopen("/q", 0) Err#2 ENOENT\n', "truss"),
    ],
)
def test_which_of_two_tools(tmp_path: Path, line: str, found: str) -> None:
    assert detect(tmp_path, line.encode()) == found


def test_text_of_darshan_among_other_logs_is_named(tmp_path: Path) -> None:
    text = "# darshan log version: 3.41\n# exe: a\n"
    with pytest.raises(TraceError, match=r"log:1: text of darshan-parser .* decompress it"):
        rows_in(read([log(tmp_path, text + "POSIX\t-1\t5\tPOSIX_OPENS\t3\t/a\t/\text4\n")]))
