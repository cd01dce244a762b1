"""A slow, obvious reader of what strace logs say: one line at a time, clarity before speed.

It is the naive twin of the reader in ``simulator/traces`` as far as a line tells of itself: which
process, when, which call, what it asked for and returned, and whether the line is sound. What calls
mean for descriptors, names and positions, random worlds know (worlds.py), and examples.
"""

from __future__ import annotations

import bz2
import gzip
from dataclasses import dataclass, field
from pathlib import Path

from tests.traces.slow_rows import (
    FORKS,
    ORDER,
    Begun,
    LostEndError,
    Process,
    Row,
    check,
    complete,
    describe,
    may_be_born,
    requests,
)
from tests.traces.slow_text import (
    LONGEST,
    BadLineError,
    Leader,
    is_output,
    leader,
    table_line,
)
from tests.traces.slow_words import Event, event_of, words_of, words_without_end

HALF_DAY = 12 * 3600 * 10**9
WAITING = 100_000


class RefusedError(Exception):
    """The log is refused, as ``file:line: why``."""


@dataclass
class Reading:
    """All that a log says."""

    rows: list[Row]
    unknown: dict[str, dict[str, int]]
    skipped: list[str] = field(default_factory=list)


def read(path: Path, *, lenient: bool = False) -> Reading:
    """Read one log of strace."""
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    elif data.startswith(b"BZh"):
        data = bz2.decompress(data)
    return read_text(data, lenient=lenient, name=str(path))


def read_text(data: bytes, *, lenient: bool = False, name: str = "log") -> Reading:
    """Read the bytes of one log."""
    lines = spliced(data)
    if not lines:
        raise RefusedError(f"{name}: empty")
    reader = Reader(lines, lenient=lenient)
    for at, (number, text, whole) in enumerate(lines):
        reader.at = at
        try:
            reader.line(text, whole=whole)
        except BadLineError as bad:
            if whole and is_output(text) and not lenient:
                continue
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


def is_cut_signal(text: str) -> bool:
    """Is this the line of a signal, cut so short that it looks like a row of that table?"""
    try:
        return leader(text).event.startswith("--- ")
    except BadLineError:
        return False


class Reader:
    """What is known between two lines."""

    def __init__(self, lines: list[tuple[int, str, bool]], *, lenient: bool) -> None:
        self.lenient = lenient
        self.lines = lines
        self.at = 0
        self.rows: list[Row] = []
        self.skipped: list[str] = []
        self.alive: dict[int, Process] = {}
        self.processes = 0
        self.unfinished = 0
        self.clock: str | None = "any"
        self.midnight = 0
        self.understood = False
        self.last: int | None = None
        self.torn = self.torn_ns = self.within = 0
        """Calls that begin before the last one of the process has ended, by how much, and the time
        of all calls."""
        self.open_requests: dict[str | None, list[tuple[int, Row]]] = {}
        """Requests of io_submit without a completion, by context."""
        self.hidden = {"calls": 0, "requests": 0}
        """Requests of io_submit that are not shown."""
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
        self.act(process, event, self.placed(process, event, time))

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

    def placed(self, process: Process, event: Event, time: int | None) -> int | None:
        """When a line was written, if calls last as long as it says."""
        if time is None:
            return None
        time += process.later
        by = 0 if process.until is None else process.until - time
        if event.kind == "call" and by > 10_000 and (self.clock == "step" or time % 10**9):
            self.torn += 1
            self.torn_ns += by
            if self.clock == "step":
                process.later += by
                time += by
        return time

    def noted(self, process: Process, row: Row) -> None:
        """A call has ended."""
        if row.duration_ns is not None:
            self.within += row.duration_ns
            if row.time_ns is not None:
                process.until = row.time_ns + row.duration_ns

    # Processes

    def whose(self, head: Leader, event: Event) -> Process:
        """The process of a line; a new one is not yet entered."""
        if head.pid is None:
            # strace may write of a child late: then its parent still is the only one it knows.
            known = [one for one in self.alive.values() if one.number >= 0]
            for only in (known, list(self.alive.values())):
                if len(only) == 1:
                    return only[0]
            return self.alive.get(0) or Process(0)
        if head.pid in self.alive:
            return self.alive[head.pid]
        if event.kind == "superseded" and event.pid in self.alive:
            return Process(head.pid)
        main = self.alive.get(0)
        if main and (main.pending is None or event.call == main.pending.call):
            return main  # It had no number while it was alone.
        free = [one for one in self.alive.values() if one.pending and may_be_born(one.pending)]
        if len(free) > 1:
            parent = self.who_gets(head.pid)
            free = [one for one in free if one is parent]
        return Process(head.pid, maker=free[0].pending if free else None)

    def who_gets(self, pid: int) -> Process | None:
        """Look ahead: which fork will return ``pid``?"""
        for _, text, _ in self.lines[self.at : self.at + WAITING]:
            try:
                head = leader(text)
                event = event_of(head.event)
            except BadLineError:
                continue
            if event.call in FORKS and event.result and event.result.value == pid:
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
            self.rows.append(describe(process, begun, words_without_end(begun.call, begun.text)))

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
            process.pending = Begun(event.call, event.text, time)
            if event.result:
                self.ends(process, event, time, parts=1)
        elif event.kind == "resumed":
            if process.pending is None:
                process.pending = Begun(event.call, "", None)
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
        words = words_of(begun.call, begun.text, headless=begun.headless)
        if begun.call in FORKS:
            self.ended_unseen(begun, words.result.value)
        row = describe(process, begun, words)
        row.duration_ns = words.result.duration
        if parts == 2 and not words.result.has_duration and None not in (time, begun.time):
            row.duration_ns = time - begun.time
        self.rows.append(row)
        self.noted(process, row)
        context = self.open_requests.setdefault(words.arg(0), [])
        if row.call.startswith(("io_getevents", "io_pgetevents")):
            complete(context, words.arg(3))
        self.submitted(row, words.arg(2), context)
        if begun.call in FORKS and (row.returned or 0) > 0:
            self.forked(begun, row.returned or 0)

    def submitted(self, row: Row, text: str | None, context: list[tuple[int, Row]]) -> None:
        """The requests that io_submit accepted are rows of their own, if they are shown."""
        if row.call != "io_submit" or (row.returned or 0) <= 0:
            return
        left, rows = requests(row, text)
        self.rows += [one for _, one in rows]
        context += rows
        if left:
            self.hidden["calls"] += 1
            self.hidden["requests"] += left

    def ended_unseen(self, begun: Begun, pid: int | None) -> None:
        """A number that a second fork returns: the first one with it has ended."""
        one = self.alive.get(pid or 0)
        if pid and one and one.entered < begun.order and not begun.headless:
            self.leave(one)

    def forked(self, begun: Begun, pid: int) -> None:
        """A fork returned ``pid``; the child may have spoken before."""
        if pid not in self.alive and not (begun.child and begun.child.pid == pid):
            self.alive[pid] = Process(pid, entered=next(ORDER), maker=begun)

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
            self.unfinished += 1
            self.abandon(process)
        unknown = {
            "unfinished": {"calls": self.unfinished},
            "skipped": {"lines": len(self.skipped)},
            "io_submit": self.hidden,
        }
        several = self.clock == "step" or self.torn >= 3
        if self.torn_ns > 0.05 * self.within and several:
            if self.clock != "step" and not self.lenient:
                raise RefusedError("times contradict each other")
            name = "rebuilt times" if self.clock == "step" else "contradicting times"
            unknown[name] = {"calls": self.torn}
        return Reading(self.rows, unknown, self.skipped)
