"""Random worlds that know the truth: processes, descriptors and files, and strace's log of them.

A world plays the kernel (names, positions, sizes, who shares what) and strace (lines in two parts,
escapes, formats of time). It knows what every row should be, without ever reading the log.
Some names are of one file before the log begins: hard links, symbolic links, a folder that is one.
Not played: mounts, and other programs that change files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")

CWD = "/w"
NAMES = [
    *(b"a", b"b", b"b c", b'q"q', b"back\\slash", "\u00fc\u6f22".encode(), b"\xff\xfe0"),
    *(b"x) = 7 <0.5>", b"n\nl\t", b"a<b>c", b"c, d", b"e <unfinished ...>", b"{[(", b"\x077"),
]
DATA = [b"", b"abc", b") = 7 <0.1>", b'"', b"\\", b"\0\1\2777", b" <unfinished ...>", b"[{(\n"]
DIRECTORIES = [b"/w", b"/w/d", b"/e"]
ALIAS, ALIASED = b"/l", b"/w"
"""A folder's other name: a symbolic link from before the log."""
MICRO = 1000
DAY = 24 * 3600 * 10**9


@dataclass(frozen=True)
class Maybe:
    """The truth, which a reader may also not know."""

    value: int | None


class Chooser:
    """Where all choices come from: Hypothesis, or a seed."""

    def __init__(self, below: Callable[[int], int]) -> None:
        self.below = below

    def of(self, options: Sequence[T]) -> T:
        """One of several."""
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        """True as often as that; false is the simpler case."""
        return self.below(100) >= 100 - percent


@dataclass(eq=False)
class Inode:
    size: int


@dataclass(eq=False)
class Dentry:
    path: bytes
    inode: Inode
    deleted: bool = False


@dataclass(eq=False)
class Description:
    """An open file."""

    kind: str
    name: bytes | None = None
    dentry: Dentry | None = None
    position: int = 0
    append: bool = False
    lost: bool = False
    """May a reader have lost the position (an append to a file of unknown size)?"""
    unnamed: bool = False
    """Was it made without a name?"""
    hidden: Dentry | None = None
    """What is inherited may be any file."""


@dataclass
class Table:
    entries: dict[int, tuple[Description, bool]] = field(default_factory=dict)


@dataclass
class Place:
    path: bytes
    root: bytes = b""


@dataclass(eq=False)
class Task:
    """A thread."""

    pid: int
    group: list[Task]
    table: Table
    place: Place
    finish: Callable[[], None] | None = None
    fork: bool = False
    """Is its call under way a fork?"""
    row: dict[str, Any] = field(default_factory=dict)
    late: dict[str, Any] = field(default_factory=dict)
    """What the row has only if the call returns: it stands in the line's second part."""
    begun: int = 0
    number: int = -1
    requests: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """Data and rows of what it has submitted and has not waited for."""


@dataclass(frozen=True)
class Style:
    """How strace was told to write."""

    clock: str = "-ttt"
    durations: bool = True
    pids: bool = True
    names: bool = False
    container: bool = False
    """With the numbers that processes have in two namespaces."""


def quote(text: bytes, extra: bytes = b"") -> str:
    """Escape as strace does."""
    out = []
    short = {7: None, 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}
    for at, byte in enumerate(text):
        if byte in b'"\\':
            out.append("\\" + chr(byte))
        elif short.get(byte):
            out.append(short[byte] or "")
        elif 32 <= byte < 127 and byte not in extra:
            out.append(chr(byte))
        else:
            digit = text[at + 1 : at + 2].isdigit()
            out.append(f"\\{byte:03o}" if digit else f"\\{byte:o}")
    return "".join(out)


def plain(path: bytes) -> bytes:
    """Without ``.``, ``..`` and ``//``."""
    parts: list[bytes] = []
    for part in path.split(b"/"):
        if part == b"..":
            parts = parts[:-1]
        elif part not in (b"", b"."):
            parts.append(part)
    return b"/" + b"/".join(parts)


def shown(name: bytes | None) -> str | None:
    """A name as a row has it."""
    return None if name is None else name.decode("utf-8", "backslashreplace")


class Pen:
    """Writes lines as strace does: one line is open at a time."""

    def __init__(self, style: Style, start: int) -> None:
        self.style = style
        self.out: list[str] = []
        self.writer: Task | None = None
        self.now = start
        self.last = start
        self.elapsed = 0
        self.callers = 0
        self.day = 0

    def stamp(self) -> int | None:
        """The time that a reader gets from the line that is written now."""
        clock = self.style.clock
        if clock == "":
            return None
        if clock == "-r":
            return self.elapsed
        unit = 10**9 if clock == "-t" else MICRO
        day = self.day * DAY if clock in ("-t", "-tt") else 0
        return self.now // unit * unit - day

    def leader(self, task: Task) -> str:
        """Pid and time."""
        if not self.out:
            self.day = self.now // DAY
        pid = f"{task.pid:<5} " if self.style.pids else ""
        second, micro = divmod(self.now // MICRO, 10**6)
        day = f"{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}"
        clock = self.style.clock
        if clock == "-r":
            delta = 0 if not self.out else self.now - self.last
            self.elapsed += delta
            self.last = self.now
            return f"{pid}{delta // 10**9:6}.{delta // MICRO % 10**6:06} "
        texts = {"-ttt": f"{second}.{micro:06} ", "-tt": f"{day}.{micro:06} ", "-t": day + " "}
        return pid + texts.get(clock, "")

    def begin(self, task: Task, text: str) -> None:
        """The first part of a call."""
        self.interrupt()
        if task.number < 0:
            task.number = self.callers
            self.callers += 1
        self.out.append(self.leader(task) + text)
        self.writer = task

    def interrupt(self) -> None:
        """Another one speaks: the open line ends."""
        if self.writer:
            self.out[-1] += " <unfinished ...>\n"
        self.writer = None

    def end(self, task: Task, call: str, text: str) -> bool:
        """The second part of a call; did it need a line of its own?"""
        if self.writer is task:
            self.out[-1] += text + "\n"
            self.writer = None
            return False
        self.interrupt()
        self.out.append(f"{self.leader(task)}<... {call} resumed>{text}\n")
        return True

    def line(self, task: Task, text: str) -> None:
        """A whole line."""
        self.interrupt()
        self.out.append(self.leader(task) + text + "\n")

    def log(self) -> bytes:
        """All of it."""
        self.interrupt()
        return "".join(self.out).encode("latin-1")
