"""Output of the program among the lines of strace: found, taken away, counted; else refused."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from simulator.traces.errors import TraceError
from simulator.traces.reader import read
from tests.traces.fast_and_slow import fast, same
from tests.traces.logs import rows_in

MIXED = """\
execve("./a", ["./a"], 0x7ffe /* 20 vars */) = 0
write(1, "abc", 3abc)                      = 3
write(1, "a\\nb\\n", 4a
b
)                    = 4
write(1, "5\\n", 25
)                      = 2
write(1, "012345678901234567890123456789ab"..., 50012345678901234567890123456789abcde
more) = 50
write(1, "a)b", 3a)b)                      = 3
hello, I am the output
wait4(-1, total 12
x y z
[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 123
read(0, foo
"foo\\n", 1024)                      = 4
Enter a name: openat(AT_FDCWD, "/a", O_RDONLY) = 3
write(2, "x", 1)x                       = 1
writev(1, [{iov_base="12", iov_len=2}, {iov_base="\\n", iov_len=1}], 212
) = 3
openat(AT_FDCWD, "/none", O_RDONLYoops
) = -1 ENOENT (No such file or directory)
close(3) = 0
exit_group(0)                           = ?
+++ exited with 0 +++
"""
CLEAN = """\
execve("./a", ["./a"], 0x7ffe /* 20 vars */) = 0
write(1, "abc", 3) = 3
write(1, "a\\nb\\n", 4) = 4
write(1, "5\\n", 2) = 2
write(1, "012345678901234567890123456789ab"..., 50) = 50
write(1, "a)b", 3) = 3
wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 123
read(0, "foo\\n", 1024) = 4
openat(AT_FDCWD, "/a", O_RDONLY) = 3
write(2, "x", 1) = 1
writev(1, [{iov_base="12", iov_len=2}, {iov_base="\\n", iov_len=1}], 2) = 3
openat(AT_FDCWD, "/none", O_RDONLY) = -1 ENOENT (No such file or directory)
close(3) = 0
exit_group(0) = ?
+++ exited with 0 +++
"""
CALLS = (
    "execve(",
    "write(",
    "wait4(",
    "read(0",
    "openat(",
    "writev(",
    "close(",
    "exit_group(",
    "+++",
)
LEADERS = ["", "7 ", "7 12:00:00.000001 ", "[pid  7] 1700000000.000001 ", "12:00:00 "]


def log(folder: Path, text: str, leader: str = "") -> Path:
    """Write a log, with a pid or a time before each of its calls."""
    for call in CALLS if leader else ():
        text = "\n".join(
            line.replace(call, leader + call, 1)
            if line.startswith((call, f"Enter a name: {call}")) and leader not in line
            else line
            for line in text.split("\n")
        )
    path = folder / "log"
    path.write_text(text)
    return path


@pytest.mark.parametrize("leader", LEADERS)
def test_a_mixed_log_is_the_log_without_the_output(tmp_path: Path, leader: str) -> None:
    clean = same(log(tmp_path, CLEAN, leader))
    mixed = fast(log(tmp_path, MIXED, leader))
    assert mixed.refused is None
    assert mixed.rows == clean.rows
    assert mixed.unknown.pop("program's output") == {"lines": 10}
    assert mixed.unknown == clean.unknown


def test_output_at_the_ends_of_blocks(tmp_path: Path) -> None:
    """Calls in more lines than one are whole wherever a block of the reader ends."""
    part = 'write(1, "ab\\ncd\\n", 6ab\ncd\n)    = 6\n' + "x" * 57 + "\n"
    many = 8000
    rows = fast(log(tmp_path, part * many)).rows
    assert (len(rows), {row["requested"] for row in rows}) == (many, {6})


def test_the_line_of_a_fault_behind_output(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"log:26: this is no line"):
        rows_in(read([log(tmp_path, MIXED + 'read(3, "ab\n')]))


UNCLEAR = {
    "two lines in one": 'read(3, "abwrite(4, "xyz", 3) = 3\n',
    "no result": 'write(1, "abc", 3abc\n',
    "a size that the string denies": 'write(1, "abc", 9abc\n) = 3\n',
    "a size and digits": 'write(1, "ab"..., 64321\n) = 5\n',
    "another call before the end": 'write(1, "abc", 3abc\nread(3, "", 1) = 0\n) = 3\n',
    "no text": "\x01\x02\x03\n",
    "output before an end that is cut off": "ab +++ exited with\n",
    "output in the end of a call": "<... read resumed>ab\ncd) = 3\n",
}


@pytest.mark.parametrize("bad", UNCLEAR.values(), ids=UNCLEAR)
def test_what_can_be_read_in_two_ways_is_refused(tmp_path: Path, bad: str) -> None:
    assert "log:16: " in (fast(log(tmp_path, CLEAN + bad + CLEAN)).refused or "")


def test_what_is_no_log_is_refused_still(tmp_path: Path) -> None:
    text = "".join(f"line {n} of a letter\n" for n in itertools.islice(itertools.count(), 300))
    with pytest.raises(TraceError, match="neither strace's nor truss's format"):
        rows_in(read([log(tmp_path, text)]))
