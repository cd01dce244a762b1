"""A slow, obvious reader of truss logs (Solaris, illumos).

A line is ``pid/lwp:``, tabs, the time of the call's END since the base time stamp, its duration
(-E), the call, and ``= result`` or ``Err#2 ENOENT``. Arguments are rewritten as strace would show
them, and what they mean is left to the same functions. The layout is that of truss's own source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.traces import slow_calls as calls
from tests.traces.slow_effects import begin, describe, finish, sizes
from tests.traces.slow_reader import Reader, Reading, RefusedError
from tests.traces.slow_text import BadLineError, Descriptor, Result, nanoseconds, number
from tests.traces.slow_words import Words, is_name
from tests.traces.slow_world import Begun, Place, Process, Row, Table

NOT_FINISHED = ("(sleeping", "(waiting for child")
KILLED = "*** process killed"
AT_FDCWD = "0xFFD19553"


@dataclass
class Line:
    """A line of truss, in parts."""

    pid: int
    lwp: int
    time: int | None
    duration: int | None
    rest: str
    stamped: bool


def read(path: Path, *, cwd: str | None = None, lenient: bool = False) -> Reading:
    """Read one log of truss."""
    text = path.read_text("latin-1")
    reader = TrussReader(cwd=cwd)
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
        reader.unknown["unfinished", "calls"] += 1
        reader.abandon(process)
    if not reader.rows and not lenient:
        raise RefusedError(f"{path} has no system call")
    return reader.end()


class TrussReader(Reader):
    """What is known between two lines."""

    def __init__(self, *, cwd: str | None) -> None:
        super().__init__([], cwd=cwd, lenient=False)
        self.base: int | None = None
        self.homes: dict[int, tuple[Table, Place]] = {}
        self.threads: dict[tuple[int, int], Process] = {}
        self.latest: dict[tuple[int, int], tuple[Begun, Words, Row]] = {}
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
            self.more(line)
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
        """The thread of a line; those of a process share all."""
        key = (line.pid, line.lwp)
        if key not in self.threads:
            if line.pid not in self.homes:
                self.homes[line.pid] = (Table(), Place(self.cwd))
            process = Process(line.pid, *self.homes[line.pid])
            process.number = self.processes
            self.processes += 1
            self.threads[key] = process
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
        text = ", ".join(words.args) + ")"
        begun = Begun.now(process, name, text, time)
        if after.startswith(NOT_FINISHED):
            begun.text = text[:-1]
            process.pending = begun
            return
        if words.call in calls.PAIRS and "[" in after:
            words = pair(words, after)
        begin(self, process, begun, result=words.result)
        row = describe(self, process, begun, words)
        row.duration_ns = line.duration
        self.rows.append(row)
        self.latest[line.pid, line.lwp] = (process, begun, words, row)
        finish(self, process, begun, words, row)
        self.count_root(row)
        if name in ("_exit", "exit"):
            self.gone(line.pid)
        elif name.startswith("exec") and row.returned is not None:
            self.executed(line, process)

    def forked(self, parent: Process, begun: Begun, pid: int) -> None:
        """A copy of the parent's table goes to the child, unless its lines came first."""
        if pid not in self.homes:
            self.homes[pid] = (Table(dict(begun.entries)), Place(begun.directory, begun.root))

    def executed(self, line: Line, process: Process) -> None:
        """Only the first thread is left, with the descriptors that stay open."""
        del self.threads[line.pid, line.lwp]
        self.gone(line.pid)
        self.homes[line.pid] = (process.table, process.place)
        self.threads[line.pid, 1 if line.lwp else 0] = process

    def gone(self, pid: int) -> None:
        """A process ends."""
        ended = [self.threads.pop(key) for key in list(self.threads) if key[0] == pid]
        for process in sorted(ended, key=lambda one: one.pending.order if one.pending else 0):
            self.abandon(process)
        self.homes.pop(pid, None)

    def more(self, line: Line) -> None:
        """What ``-v`` adds to a call; only the size of a regular file matters."""
        fields = dict(word.split("=", 1) for word in line.rest.split() if "=" in word)
        if (line.pid, line.lwp) not in self.latest or not fields.get("m", "").startswith("0100"):
            return
        process, begun, words, row = self.latest[line.pid, line.lwp]
        if words.call in calls.STATS and "sz" in fields and row.returned == 0:
            shown = f"{{st_mode=S_IFREG, st_size={fields['sz']}}}"
            again = Words(words.call, [*words.args, shown], words.result)
            sizes(self, process, begun, again, row)


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
    args, at, last, depth = [], 0, 0, 0
    word = ""
    while at < len(text):
        char = text[at]
        if char == '"':
            value, at = data(text, at) if name in calls.SIZES else path(text, at)
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
        last = at
    if at >= len(text):
        raise BadLineError("its brackets are not closed")
    del last
    args += [word.strip(" ")] if word.strip(" ") or args else []
    return [strace_word(name, place, arg) for place, arg in enumerate(args)], text[at + 1 :]


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


def strace_word(name: str, place: int, arg: str) -> str:
    """An argument as strace would show it."""
    if place == 0 and arg == AT_FDCWD:
        return "AT_FDCWD"
    if name == "fcntl" and place == 2 and arg.startswith("0x"):
        return str(number(arg.lower())) if arg != "0x00000001" else "1|FD_CLOEXEC"
    return arg.lower().replace("0x0x", "0x") if arg.startswith("0x") else arg


def result(name: str, after: str) -> Result:
    """``= 3``, ``= 3 [ 4 ]``, ``Err#2 ENOENT [PRIV]``, ``argc = 3``, or nothing."""
    if after.startswith("Err#"):
        error = [*after.split(), "", ""][1] or "errno " + after[4:]
        return Result(None, error, None, None, after)
    if after.startswith("argc = ") and name.startswith("exec"):
        return Result(0, None, None, None, after)
    if after.startswith("= "):
        value = number(after[2:].split(maxsplit=1)[0].lower())
        fd = Descriptor(value, None) if 0 <= value < 1 << 31 else None
        return Result(value, None, fd, None, after)
    if not after or after.startswith(NOT_FINISHED):
        return Result(None, None, None, None, after)
    raise BadLineError("no result")


def pair(words: Words, after: str) -> Words:
    """``pipe() = 3 [4]``."""
    parts = after[2:].replace("[", " ").replace("]", " ").split()
    both = f"[{', '.join(parts[:2])}]"
    return Words(words.call, [both, "", "", both], words.result)
