"""Output of the traced program among the lines of strace, which wrote to the same terminal or file.

Output within a call, or before a line, is overwritten by blanks, and a call that output cuts into
lines is put on the last of them: no line gets another number, no byte another place. Only what can
be read in one way is mended. Not modelled: output within a string, or in calls with other lines
between their parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from simulator.traces.formats import LOOKED_AT, STRACE_LINE

PID = rb" *(?:\[pid +\d+(?:<[^>\n]*>)?\] +|\d+(?:<[^>\n]*>)? +)?"
TIME = rb"(?:\d\d:\d\d:\d\d(?:\.\d+)?|\d+\.\d{6,9}) +"
EVENT = rb"(?=[a-z_]\w*\(|<\.\.\. \w+ resumed>|\+\+\+ (?:exited|killed) |--- SIG)"
TAIL = re.compile(
    rb"(\) *| {2,})(= (?:\?|-?\d+|0x[0-9a-f]+)(?:<[^>\n]*>)?(?: E[A-Z0-9]+)?"
    rb"(?: \([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))?(?: <\d+\.\d+>)?\r?)$"
)
"""What stands behind the arguments of a call, if need be behind output that follows those."""
LATE = re.compile(
    rb'(?:"(?:[^"\\\n]|\\.)*"(?:\.\.\.)?, \d+(?:, [\w|-]+)*|\[\{W[^\n]*\}\], [\w|]+, \w+)'
    rb"\) *= \S.*$"
)
"""Arguments that a call has when it returns: what it read, or how a child ended."""
WHOLE = re.compile(rb"<(?:unfinished|detached) \.\.\.>$|(?:\+\+\+|---)\r?$")
STRING = re.compile(rb'"((?:[^"\\\n]|\\.)*)"(\.\.\.)?')
WORD = re.compile(
    rb"(?:-?(?:0x[0-9a-f]+|\d+)|[A-Z_?][A-Z0-9_?]*(?:\|[A-Z0-9_?x]+)*|[a-z_]+(?==))"
    rb"(?:<[^>\n]*>)?(?: /\* [^*\n]* \*/)?"
)
ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|[0-7]{1,3}|.)")
LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"f": b"\f", b"v": b"\v"}
REMAINS = re.compile(rb"^[ \t]*\d|[(<]|= |\[pid|\+\+\+|---")
"""What may show that a line is of strace, though damaged: a pid, a time, a table, a call."""
CONTROLS = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
WRITES = (b"write", b"pwrite", b"send")
FEWEST = 3
"""Arguments of a call that moves data."""
MOST_LINES = 10_000
"""Lines of output within one call."""


class Mixed:
    """Mends the lines of one log."""

    def __init__(self, start: bytes) -> None:
        lines = [line for line in start.split(b"\n")[:LOOKED_AT] if STRACE_LINE.match(line)]
        timed = sum(1 for line in lines if re.match(PID + TIME, line))
        time = TIME if 2 * timed > len(lines) else b""
        self._begin = re.compile(PID + time + EVENT)
        self._inside = re.compile(PID.replace(b" *(", b"(", 1) + time + EVENT)
        self._within: list[int] = []  # Several threads append to it.

    @property
    def lines(self) -> int:
        """Lines that were within calls."""
        return sum(self._within)

    def mend(self, data: bytearray, unread: Iterable[int], stop: int) -> bool:
        """Remove output from lines that cannot be read; return whether there was any."""
        mended, last = False, -1
        for start in unread:
            if start > last:
                end = data.index(b"\n", start, stop)
                line = bytes(data[start:end])
                begin = self._begin.match(line)
                if begin is None:
                    made = self._without_head(line)
                else:
                    end, made = self._mend_call(data, start, stop, begin.end())
                mended |= data[start:end] != made
                data[start:end] = made
                last = end
        return mended

    def _without_head(self, line: bytes) -> bytes:
        """Blank output before a line that is whole, if it begins in one place only."""
        found = [
            begin.start()
            for begin in self._inside.finditer(line)
            if _is_whole(line, begin.end())
            and not line[begin.start() - 1 : begin.start()].isalnum()
        ]
        return b" " * found[0] + line[found[0] :] if found else line

    def _mend_call(self, data: bytearray, start: int, stop: int, begin: int) -> tuple[int, bytes]:
        """Return where a call that output interrupts ends, and its lines, empty but the last."""
        end, lines = start - 1, -1
        while end + 1 < stop and lines < MOST_LINES:
            first, end = end + 1, data.index(b"\n", end + 1, stop)
            line = bytes(data[first:end])
            lines += 1
            if lines and self._begin.match(line):
                break
            if TAIL.search(line):
                text = bytes(data[start:end])
                parts = _parts(text, begin)
                blanks = len(text) - lines - sum(map(len, parts)) if parts else -1
                if parts is None or blanks < 0:
                    break
                self._within.append(lines)
                return end, b"\n" * lines + parts[0] + b" " * blanks + parts[1]
        end = data.index(b"\n", start, stop)
        return end, bytes(data[start:end])

    def is_output(self, line: bytes) -> bool:
        """Return whether a line has nothing of strace, and can be read."""
        if CONTROLS.search(line) or self._begin.match(line) or REMAINS.search(line):
            return False
        try:
            line.decode()
        except UnicodeDecodeError:
            return False
        return True


def _is_whole(line: bytes, at: int) -> bool:
    """Return whether a line of strace is one, from where its event begins."""
    if WHOLE.search(line):
        return True
    if line.startswith(b"<... ", at):
        return bool(TAIL.search(line))
    bracket = line.find(b"(", at)
    if bracket < 0:  # The end of a process, or a signal, that is cut off.
        return False
    end = _after_arguments(line, bracket + 1)[-1]
    return line.startswith(b")", end) and bool(TAIL.match(line, end))


def _after_arguments(text: bytes, at: int) -> list[int]:
    """Return where each argument from ``at`` on begins, and where the last one ends."""
    starts = [at]
    while (end := _after_item(text, at)) > at:
        if not text.startswith(b", ", end):
            return [*starts, end]
        at = end + 2
        starts.append(at)
    return [*starts, at]


def _after_item(text: bytes, at: int) -> int:
    """Return where an argument ends; ``at`` if none is there."""
    if text[at : at + 1] == b"~":
        at += 1
    if text[at : at + 1] == b'"':
        string = STRING.match(text, at)
        return string.end() if string else at
    if text[at : at + 1] not in (b"[", b"{"):
        word = WORD.match(text, at)
        return (
            _after_item(text, word.end() + 1)
            if word and text[word.end() : word.end() + 1] in (b"=", b"&")
            else (word.end() if word else at)
        )
    depth, i = 0, at
    while i < len(text) and text[i] != 10:
        string = STRING.match(text, i)
        if string:
            i = string.end()
            continue
        depth += (text[i] in b"[{(") - (text[i] in b"]})")
        i += 1
        if depth == 0:
            return i
    return at


def _parts(text: bytes, begin: int) -> tuple[bytes, bytes] | None:
    """Return a call up to its closing bracket, and its result; None if it is not plain."""
    bracket = text.find(b"(", begin)
    if bracket < 0:  # The end of a call that began before.
        return None
    *items, end = _after_arguments(text, bracket + 1)
    tail = TAIL.search(text)
    assert tail
    if end == items[-1]:  # The call had shown no more when the output came.
        late = LATE.search(text, end)
        return None if late is None else (text[:end], late[0])
    output = text[end : tail.start()]
    if text[end : end + 1] != b")" and not tail[1].startswith(b")"):
        return None
    if output.count(b'"') % 2 or re.search(TIME + EVENT, text[begin + 1 :]):
        return None  # Rather two lines in one.
    name = text[begin:bracket]
    if name.startswith((b"read", b"pread", b"recv", *WRITES)) and len(items) < FEWEST:
        return None
    digits = output and not output.startswith(b")") and text[items[-1] : end].isdigit()
    if digits and name.startswith(WRITES):
        end = _end_of_size(text, items, end, tail[2])
    return None if end < 0 else (text[:end] + b")", b" " + tail[2])


def _end_of_size(text: bytes, items: list[int], end: int, tail: bytes) -> int:
    """Return where the last number of a call ends, if output may go on with digits; -1: unknown."""
    last = items[-1]
    string = STRING.match(text, items[-2])
    if string is None:
        count = str(text[items[-2] : last].count(b"{iov_base=")).encode()
        return last + len(count) if text.startswith(count, last) else -1
    shown = ESCAPE.sub(_byte, string[1])
    if string[2] is None:
        size = str(len(shown)).encode()
        return last + len(size) if text.startswith(size, last) else -1
    ends = range(last + 1, end + 1)
    found = [at for at in ends if text.startswith(shown, at)] if shown else []
    if len(found) != 1:
        result = re.match(rb"= (\d+)", tail)
        found = [at for at in ends if result and text[last:at] == result[1]]
    return found[0] if len(found) == 1 else -1


def _byte(escape: re.Match[bytes]) -> bytes:
    """Return the byte that an escape of strace stands for."""
    word = escape[1]
    if word[:1] == b"x" and len(word) > 1:
        return bytes([int(word[1:], 16)])
    return bytes([int(word, 8) & 255]) if word.isdigit() else LETTERS.get(word, word)
