"""A slow, obvious reader of truss logs (Solaris, illumos).

A line is ``pid/lwp:``, tabs, the time of the call's END since the base time stamp, its duration
(-E), the call, and ``= result`` or ``Err#2 ENOENT``. The layout is that of truss's own source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.traces.slow_reader import Reader, Reading, RefusedError
from tests.traces.slow_rows import SIZES, Begun, Process, describe, verify
from tests.traces.slow_text import BadLineError, Result, nanoseconds, number
from tests.traces.slow_words import Words, is_name

NOT_FINISHED = ("(sleeping", "(waiting for child")
KILLED = "*** process killed"


@dataclass
class Line:
    """A line of truss, in parts."""

    pid: int
    lwp: int
    time: int | None
    duration: int | None
    rest: str
    stamped: bool


def read(path: Path, *, lenient: bool = False) -> Reading:
    """Read one log of truss."""
    text = path.read_text("latin-1")
    reader = TrussReader()
    lines = text.split("\n")
    for at, line in enumerate(lines, 1):
        try:
            if at < len(lines) or line:
                reader.one(line.removesuffix("\r"), whole=at < len(lines))
        except BadLineError as bad:
            if not lenient:
                raise RefusedError(f"{path}:{at}: {bad}") from None
            reader.skipped.append(f"{path}:{at}: {bad}")
    for process in sorted(reader.sleeping, key=lambda one: one.pending.order if one.pending else 0):
        reader.unfinished += 1
        reader.abandon(process)
    if not reader.rows and not lenient:
        raise RefusedError(f"{path} has no system call")
    return reader.end()


class TrussReader(Reader):
    """What is known between two lines."""

    def __init__(self) -> None:
        super().__init__([], lenient=False)
        self.base: int | None = None
        self.threads: dict[tuple[int, int], Process] = {}
        self.columns: int | None = None

    @property
    def sleeping(self) -> list[Process]:
        """Threads with a call that has not returned."""
        return [one for one in self.threads.values() if one.pending]

    def one(self, text: str, *, whole: bool) -> None:
        """Read one line."""
        if "\0" in text:
            raise BadLineError("zero bytes")
        if text.startswith("Base time stamp:"):
            self.base = nanoseconds(text.split()[3])
            return
        if not text.strip() or text.startswith(("psargs:", "(Warning:")):
            return
        line = self.parts(text)
        if line.stamped and line.rest.strip(" ").startswith(KILLED):
            self.gone(line.pid)
        elif not line.stamped or (not is_call(line.rest) and line.rest.startswith(" ")):
            return  # What ``-v`` adds to a call.
        elif not whole and not text.endswith((")", "]")):
            raise BadLineError("cut off")
        else:
            self.call(line)

    def parts(self, text: str) -> Line:
        """Take a line apart; without a call it is more about the call before."""
        pid, lwp, rest = "", "", text
        who = re.match(r"(\d+)(/(\d*))?(:?)", text)
        if who and who[2] and not (who[3] and who[4]):
            raise BadLineError("whose line is it?")
        if who and who[4]:
            pid, lwp, rest = who[1], who[3] or "", text[who.end() :]
        stamps: list[int] = []
        tail = rest.lstrip("\t")
        while len(stamps) < 3 and is_stamp(tail.partition("\t")[0]):
            stamps.append(nanoseconds(tail.partition("\t")[0].strip(" ")))
            tail = tail.partition("\t")[2]
        if self.columns is None and is_call(tail):
            self.columns = len(stamps)
        if self.columns and 0 < len(stamps) < self.columns:
            raise BadLineError("a time is missing")
        is_event = bool(stamps) or (not self.columns and is_call(tail))
        time = stamps[0] + self.base if stamps and self.base is not None else None
        timed = len(stamps) > (time is not None)  # Without a base, the only number is of -E.
        duration = stamps[-1] if timed else None
        return Line(int(pid or 0), int(lwp or 0), time, duration, tail, is_event)

    def thread(self, line: Line) -> Process:
        """The thread of a line."""
        key = (line.pid, line.lwp)
        if key not in self.threads:
            self.threads[key] = Process(line.pid, self.processes)
            self.processes += 1
        return self.threads[key]

    def call(self, line: Line) -> None:
        """A call that returns, sleeps, or never returns."""
        name, _, rest = line.rest.partition("(")
        if not is_call(line.rest):
            raise BadLineError("no call")
        args, after = arguments(name, rest)
        after = after.strip(" \t")
        if after.startswith("(returning as "):
            if not re.search(r"= *\d", after):
                raise BadLineError("cut off")
            return  # The other end of a fork or lwp_create.
        words = Words(name, args, result(name, after))
        process = self.thread(line)
        process.pending = None
        time = line.time
        if time is not None and line.duration is not None and not after.startswith(NOT_FINISHED):
            time -= line.duration
        begun = Begun(name, ", ".join(words.args), time)
        if after.startswith(NOT_FINISHED):
            process.pending = begun
            return
        verify(words)
        row = describe(process, begun, words)
        row.duration_ns = line.duration
        self.rows.append(row)
        if name in ("_exit", "exit"):
            self.gone(line.pid)
        elif name.startswith("exec") and row.returned is not None:
            del self.threads[line.pid, line.lwp]  # Only the first thread is left.
            self.gone(line.pid)
            self.threads[line.pid, 1 if line.lwp else 0] = process

    def gone(self, pid: int) -> None:
        """A process ends."""
        ended = [self.threads.pop(key) for key in list(self.threads) if key[0] == pid]
        for process in sorted(ended, key=lambda one: one.pending.order if one.pending else 0):
            self.abandon(process)


def is_stamp(word: str) -> bool:
    """``12.3456``."""
    whole, dot, fraction = word.strip(" ").partition(".")
    return whole.isdecimal() and dot == "." and len(fraction) == 4 and fraction.isdecimal()


def is_call(text: str) -> bool:
    """``name(``."""
    name, bracket, _ = text.partition("(")
    return bool(bracket) and is_name(name)


def arguments(name: str, text: str) -> tuple[list[str], str]:
    """Arguments as strace would show them, and what follows the closing bracket."""
    args, at, depth, word = [], 0, 0, ""
    while at < len(text):
        char = text[at]
        if char == '"':
            value, at = data(text, at) if name in SIZES else path(text, at)
            word += value
            continue
        depth += (char == "(") - (char == ")")
        if depth < 0:
            break
        if char == "," and depth == 0:
            args.append(word.strip(" "))
            word = ""
        else:
            word += char
        at += 1
    if at >= len(text):
        raise BadLineError("its brackets are not closed")
    args += [word.strip(" ")] if word.strip(" ") or args else []
    return [arg.lower() if arg.startswith("0x") else arg for arg in args], text[at + 1 :]


def data(text: str, at: int) -> tuple[str, int]:
    """A buffer: two characters for each byte, so that a quote in it is `` "``."""
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2
    if at >= len(text):
        raise BadLineError("a quote is not closed")
    at += 1
    return '""', at + 2 if text[at : at + 2] == ".." else at


def path(text: str, at: int) -> tuple[str, int]:
    r"""A name: only ``\"`` and ``\xNN`` are escapes."""
    out, at = "", at + 1
    while at < len(text) and text[at] != '"':
        if text[at : at + 2] == '\\"':
            out, at = out + '\\"', at + 2
        elif text[at : at + 2] == "\\x" and all(
            c in "0123456789abcdefABCDEF" for c in text[at + 2 : at + 4]
        ):
            out, at = out + text[at : at + 4], at + 4
        else:
            out, at = out + ("\\\\" if text[at] == "\\" else text[at]), at + 1
    if at >= len(text):
        raise BadLineError("a quote is not closed")
    return f'"{out}"', at + 1


def result(name: str, after: str) -> Result:
    """``= 3``, ``= 3 [ 4 ]``, ``Err#2 ENOENT [PRIV]``, ``argc = 3``, or nothing."""
    if after.startswith("Err#"):
        error = [*after.split(), "", ""][1] or "errno " + after[4:]
        return Result(None, error)
    if after.startswith("argc = ") and name.startswith("exec"):
        return Result(0, None)
    if after.startswith("= "):
        value = number(after[2:].split(maxsplit=1)[0].lower())
        return Result(value, None)
    if not after or after.startswith(NOT_FINISHED):
        return Result(None, None)
    raise BadLineError("no result")
