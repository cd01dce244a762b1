"""A slow, obvious reader of strace logs: one line at a time, clarity before speed.

It is the naive twin of the reader in ``simulator/traces`` and follows docs/traces.md. Copies
stand for care: every call keeps a copy of its process's descriptors as they were when it began.
"""

from __future__ import annotations

import bz2
import gzip
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.traces import slow_calls as calls
from tests.traces.slow_effects import begin, change_anything, describe, finish, verify
from tests.traces.slow_text import LONGEST, BadLineError, Leader, closing, leader, member, split
from tests.traces.slow_words import Event, event_of, words_of, words_without_end
from tests.traces.slow_world import ORDER, Begun, Inodes, Place, Process, Row, Table

HALF_DAY = 12 * 3600 * 10**9
WAITING = 100_000
UNITS = (
    ("inherited", ("calls", "bytes")),
    ("append", ("calls", "bytes")),
    ("root", ("calls",)),
    ("mmap", ("calls", "bytes")),
    ("io_uring", ("calls", "submitted")),
    ("unfinished", ("calls",)),
    ("skipped", ("lines",)),
)


class RefusedError(Exception):
    """The log is refused, as ``file:line: why``."""


class LostEndError(BadLineError):
    """A call begins while another is under way: the end of that one is missing."""


@dataclass
class Reading:
    """All that a log says."""

    rows: list[Row]
    unknown: dict[str, dict[str, int]]
    skipped: list[str] = field(default_factory=list)


def read(path: Path, *, cwd: str | None = None, lenient: bool = False) -> Reading:
    """Read one log of strace."""
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    elif data.startswith(b"BZh"):
        data = bz2.decompress(data)
    return read_text(data, cwd=cwd, lenient=lenient, name=str(path))


def read_text(
    data: bytes, *, cwd: str | None = None, lenient: bool = False, name: str = "log"
) -> Reading:
    """Read the bytes of one log."""
    lines = spliced(data)
    if not lines:
        raise RefusedError(f"{name}: empty")
    reader = Reader(lines, cwd=cwd, lenient=lenient)
    for at, (number, text, whole) in enumerate(lines):
        reader.at = at
        try:
            reader.line(text, whole=whole)
        except BadLineError as bad:
            if not lenient:
                raise RefusedError(f"{name}:{number}: {bad}") from None
            reader.skipped.append(f"{name}:{number}: {bad}")
    reading = reader.end()
    if not reader.understood:
        raise RefusedError(f"{name}: no line of strace")
    if not reading.rows and not lenient:
        raise RefusedError(f"{name}: no system call")
    return reading


def spliced(data: bytes) -> list[tuple[int, str, bool]]:
    """Lines, numbered; each says whether it has its end.

    Without ``-o`` strace tells in the middle of a line that it attached to a child; the line goes
    on below.
    """
    lines = data.decode("latin-1").split("\n")
    out: list[tuple[int, str, bool]] = []
    head = ""
    for at, text in enumerate(lines, 1):
        whole = at < len(lines)
        if not whole and not text and not head:
            break
        line = head + text.removesuffix("\r")
        head = ""
        before, message, pid = line.rpartition("strace: Process ")
        if whole and message and pid.endswith(" attached") and pid[:-9].isdecimal():
            head = before
            continue
        out.append((at, line, whole))
    return out


HEADINGS = {"%", "time", "seconds", "shortest", "longest", "usecs/call", "calls", "errors"}
HEADINGS |= {"syscall"}


def table_line(text: str) -> str | None:
    """Which line of the table of ``-C`` this may be.

    >>> [table_line(line) for line in ("% time  calls", "----- ---", "0.1 5 read", "1 read(3)")]
    ['head', 'rule', 'row', None]
    """
    words = text.split()
    if text.startswith("System call usage summary for ") and text.endswith(" mode:"):
        return "title"
    if not all(re.fullmatch(r"[\w.?#%/-]+", word, re.ASCII) for word in words):
        return None
    if words and HEADINGS.issuperset(words):
        return "head"
    if words and all(word[0] + word[-1] == "--" for word in words):
        return "rule"
    names = [word for word in words if not re.fullmatch(r"[0-9.]+", word)]
    return "row" if words and len(names) <= 1 else None


def is_cut_signal(text: str) -> bool:
    """Is this the line of a signal, cut so short that it looks like a row of that table?"""
    try:
        return leader(text).event.startswith("--- ")
    except BadLineError:
        return False


class Reader:
    """What is known between two lines."""

    def __init__(
        self, lines: list[tuple[int, str, bool]], *, cwd: str | None, lenient: bool
    ) -> None:
        self.lenient = lenient
        self.lines = lines
        self.at = 0
        self.cwd = cwd
        self.rows: list[Row] = []
        self.skipped: list[str] = []
        self.alive: dict[int, Process] = {}
        self.processes = 0
        self.inodes = Inodes()
        self.roots = 0
        self.unnamed: list[str] = []
        self.unknown: Counter[tuple[str, str]] = Counter()
        self.clock: str | None = "any"
        self.midnight = 0
        self.understood = False
        self.last: int | None = None
        self.table: str | None = None
        """The last line of a table of -C, if we are in one: ``head``, ``rows`` or ``sum``."""

    def of_table(self, text: str) -> bool:
        """Is this a line of the table of numbers that ``strace -C`` writes below the calls?"""
        kind, before = table_line(text), self.table
        follows = {("rule", "head"): "rows", ("rule", "rows"): "sum", ("row", "rows"): "rows"}
        self.table = "head" if kind == "head" else follows.get((str(kind), str(before)))
        if kind is None:
            self.table = before
        return (
            kind in ("title", "head") or self.table is not None or (kind, before) == ("row", "sum")
        )

    def line(self, text: str, *, whole: bool) -> None:
        """Read one line; a bad one is found before it changes anything."""
        if "\0" in text:
            raise BadLineError("zero bytes")
        if table_line(text) and not is_cut_signal(text):
            if not self.of_table(text):
                raise BadLineError("no call")
            return
        if len(text) > LONGEST:
            raise BadLineError("longer than 64 MiB")
        if not whole and text.strip() and not text.endswith((")", ">", "?", "+++")):
            raise BadLineError("cut off")
        if not text.strip(" \t") or text.startswith("strace: "):
            return
        head = leader(text)
        if head.clock == "step" and self.clock in ("any", "step") and head.event:
            self.last = (self.last or 0) + (head.time or 0)  # Also if the line is bad.
        event = event_of(head.event)
        self.understood = True
        if event.kind == "note":
            return
        process = self.whose(head, event)
        is_root = process.entered < 0 and process.maker is None
        time, midnight = self.time(head, is_root=is_root)
        self.last, self.midnight, self.clock = time, midnight, head.clock
        try:
            check(process, event)
        except LostEndError as lost:
            if not self.lenient:
                raise
            self.skipped.append(str(lost))
            self.abandon(process)
        self.enter(process, head.pid or process.pid)
        self.act(process, event, time)

    def unknown_root(self) -> str:
        """A name for a root directory that the log does not tell."""
        self.roots += 1
        return f"(root {self.roots})"

    def count_root(self, row: Row) -> None:
        """Count a call by a name in such a directory."""
        if self.roots and any((one or "").startswith("(root ") for one in (row.file, row.to_file)):
            self.unknown["root", "calls"] += 1

    def time(self, head: Leader, *, is_root: bool) -> tuple[int | None, int]:
        """Absolute time of a line, and the midnight that it counts from.

        ``is_root``: with it a process begins that nobody forked, perhaps another log.
        """
        if self.clock not in ("any", head.clock):
            raise BadLineError("no time, or another kind of time")
        if head.time is None:
            return None, self.midnight
        if head.clock == "step":
            return self.last, 0
        now = head.time + self.midnight
        back = 0 if self.last is None else self.last - now
        if back > HALF_DAY and head.clock == "day":
            return now + 2 * HALF_DAY, self.midnight + 2 * HALF_DAY
        if (
            self.midnight
            and head.clock == "day"
            and -back > HALF_DAY
            and back <= 10**9 - 2 * HALF_DAY
        ):
            return now - 2 * HALF_DAY, self.midnight
        if back > 10**9 and not is_root:
            self.last = now
            raise BadLineError("time goes back")
        return now, self.midnight

    # Processes

    def whose(self, head: Leader, event: Event) -> Process:
        """The process of a line; a new one is not yet entered."""
        if head.pid is None:
            # strace may write of a child late: then its parent still is the only one it knows.
            known = [one for one in self.alive.values() if one.number >= 0]
            for only in (known, list(self.alive.values())):
                if len(only) == 1:
                    return only[0]
            return self.alive.get(0) or self.stranger(0)
        if head.pid in self.alive:
            return self.alive[head.pid]
        if event.kind == "superseded" and event.pid in self.alive:
            return self.stranger(head.pid)
        main = self.alive.get(0)
        if main and (main.pending is None or event.call == main.pending.call):
            return main  # It had no number while it was alone.
        free = [one for one in self.alive.values() if one.pending and may_be_born(one.pending)]
        if len(free) > 1:
            parent = self.who_gets(head.pid)
            free = [one for one in free if one is parent]
        return child_of(free[0], head.pid) if free else self.stranger(head.pid)

    def stranger(self, pid: int) -> Process:
        """A process that began before the log, or unseen."""
        return Process(pid, Table(), Place(self.cwd))

    def who_gets(self, pid: int) -> Process | None:
        """Look ahead: which fork will return ``pid``?"""
        for _, text, _ in self.lines[self.at : self.at + WAITING]:
            try:
                head = leader(text)
                event = event_of(head.event)
            except BadLineError:
                continue
            if event.call in calls.FORKS and event.result and event.result.value == pid:
                return self.alive.get(head.pid or 0)
        return None

    def enter(self, process: Process, pid: int) -> None:
        """Know a process by its number, which may be another one than before."""
        if process.maker and self.alive.get(pid) is not process:
            process.maker.child = process
        if self.alive.get(process.pid) is process:
            del self.alive[process.pid]
        if process.pid != pid or process.entered < 0:
            process.entered = next(ORDER)
        process.pid = pid
        self.alive[pid] = process

    def leave(self, process: Process) -> None:
        """A process ends; a call of its that has not returned ends with it."""
        self.abandon(process)
        if self.alive.get(process.pid) is process:
            del self.alive[process.pid]

    def abandon(self, process: Process) -> None:
        """A call that never returns."""
        if process.pending:
            begun = process.pending
            process.pending = None
            words = words_without_end(begun.call, begun.text)
            row = describe(self, process, begun, words)
            self.rows.append(row)
            self.count_root(row)
            if begun.text:
                change_anything(self, begun.call, row.kind)

    # Events

    def act(self, process: Process, event: Event, time: int | None) -> None:
        """Let a line happen; its first call gives a process its place in the order."""
        if event.kind in ("call", "resumed") and process.number < 0:
            process.number = self.processes
            self.processes += 1
        if event.kind == "exit":
            self.leave(process)
        elif event.kind == "superseded":
            self.supersede(process, event.pid)
        elif event.kind == "call":
            begun = Begun.now(process, event.call, event.text, time)
            process.pending = begun
            begin(self, process, begun, result=event.result)
            if event.result:
                self.ends(process, event, time, parts=1)
        elif event.kind == "resumed":
            if process.pending is None:
                process.pending = Begun.now(process, event.call, "", None)
                process.pending.headless = True
            process.pending.text += event.text
            if event.result:
                if process.pending.headless and time is not None:
                    took = event.result.duration
                    process.pending.time = None if took is None else time - took
                self.ends(process, event, time, parts=2)

    def ends(self, process: Process, event: Event, time: int | None, *, parts: int) -> None:
        """A call returns: its row, then what it did."""
        begun = process.pending
        assert begun
        process.pending = None
        begun.returned = not begun.headless
        words = words_of(begun.call, begun.text, headless=begun.headless)
        if begun.call in calls.FORKS:
            self.ended_unseen(begun, words.result.value)
        row = describe(self, process, begun, words)
        row.duration_ns = words.result.duration
        if parts == 2 and not words.result.has_duration and None not in (time, begun.time):
            row.duration_ns = time - begun.time
        self.rows.append(row)
        finish(self, process, begun, words, row)
        if begun.headless:
            change_anything(self, begun.call, None)
        self.count_root(row)

    def ended_unseen(self, begun: Begun, pid: int | None) -> None:
        """A number that a second fork returns: the first one with it has ended."""
        one = self.alive.get(pid or 0)
        if pid and one and one.entered < begun.order and not begun.headless:
            self.leave(one)

    def forked(self, parent: Process, begun: Begun, pid: int) -> None:
        """A fork returned ``pid``; the child may have spoken before."""
        if pid not in self.alive and not (begun.child and begun.child.pid == pid):
            parent.pending = begun
            self.alive[pid] = child_of(parent, pid)
            self.alive[pid].entered = next(ORDER)
            parent.pending = None

    def supersede(self, process: Process, old: int | None) -> None:
        """A thread's ``execve`` ends the others; it goes on under the first one's number."""
        heir = self.alive.get(old if old is not None else -1)
        if heir is None or heir is process:
            return
        self.leave(process)
        self.enter(heir, process.pid)

    def end(self) -> Reading:
        """What is under way when the log ends never ends; it comes in the order of its begin."""
        left = [one for one in self.alive.values() if one.pending]
        for process in sorted(left, key=lambda one: one.pending.order if one.pending else 0):
            self.unknown["unfinished", "calls"] += 1
            self.abandon(process)
        self.unknown["skipped", "lines"] = len(self.skipped)
        unknown = {
            what: {unit: self.unknown[what, unit] for unit in units} for what, units in UNITS
        }
        return Reading(self.rows, unknown, self.skipped)


def check(process: Process, event: Event) -> None:
    """Refuse a line that contradicts what is under way."""
    pending = process.pending
    if event.kind == "resumed":
        if pending is None and process.number >= 0:
            raise BadLineError(f"{event.call} resumed, but no call is under way")
        if pending and pending.call != event.call:
            raise BadLineError(f"{event.call} resumed, but {pending.call} is under way")
        if event.result:
            headless = not pending or pending.headless
            text = (pending.text if pending else "") + event.text
            verify(words_of(event.call, text, headless=headless))
    elif event.kind == "call" and pending:
        raise LostEndError(f"{event.call}, but {pending.call} is under way")
    elif event.result:
        verify(words_of(event.call, event.text))


def may_be_born(begun: Begun) -> bool:
    """Is this a fork whose child has not spoken?"""
    return begun.call in calls.FORKS and begun.child is None


def child_of(parent: Process, pid: int) -> Process:
    """A process as it leaves the fork that its parent has under way."""
    begun = parent.pending
    assert begun
    parts = split(begun.text[: closing(begun.text, 0)] if begun.returned else begun.text)
    flags = next((part[6:] for part in parts if part.startswith("flags=")), None)
    flags = flags or (member(parts[0], "flags") if parts else None) or ""
    shared = {flag.strip(" {}") for flag in flags.split("|")}
    table = parent.table if "CLONE_FILES" in shared else Table(dict(begun.entries))
    place = parent.place if "CLONE_FS" in shared else Place(begun.directory, begun.root)
    return Process(pid, table, place, maker=begun)
