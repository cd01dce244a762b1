"""A reader of strace's logs in pure Python, for small logs where the compiled one is missing.

It follows descriptors through open, dup, pipe, fork and exec; a test compares it with
``nwtsim trace``. Not read: logs of other tracers, threads, changes of the folder, requests
(``io_submit``), and lines that are damaged.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LINE = re.compile(r"(\d+) (\d+)\.(\d{6}) (.*)")
RESUMED = re.compile(r"<\.\.\. \w+ resumed>(.*)")
WHOLE = re.compile(r"(\w+)\((.*)\)\s+= (0x[0-9a-f]+|-?\d+|\?)(?: (E\w+))?.*?(?:<(\d+\.\d+)>)?$")
UNFINISHED = "<unfinished ...>"
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
FORKS = ("fork", "vfork", "clone", "clone3")
PIPE = "(pipe)"
READS, WRITES = ("read", "pread64"), ("write", "pwrite64")
MOVES = (*READS, *WRITES)


@dataclass(frozen=True)
class Call:
    """One system call."""

    begin_ns: int
    """Since the first call of the log."""
    took_ns: int
    pid: int
    name: str
    file: str | None
    """What its descriptor or its name means; None if neither is a file's."""
    offset: int | None
    """Where a read or write begins, or a seek ends."""
    result: int
    error: str

    @property
    def size(self) -> int:
        """Bytes that it moved."""
        return max(0, self.result) if self.name in MOVES else 0


@dataclass
class Opened:
    """A file that was opened, which several descriptors may mean."""

    file: str
    offset: int = 0


class Descriptors:
    """What the descriptors of a process mean."""

    def __init__(self, opened: dict[int, Opened], closing: set[int]) -> None:
        self.opened, self.closing = dict(opened), set(closing)

    def put(self, number: int, opened: Opened | None, *, closing: bool) -> None:
        """Let a descriptor mean a file; ``closing``: until the process starts a program."""
        self.opened.pop(number, None)
        self.closing.discard(number)
        if opened is not None:
            self.opened[number] = opened
        if closing:
            self.closing.add(number)

    def start(self) -> None:
        """Start a program."""
        for number in self.closing:
            self.opened.pop(number, None)
        self.closing.clear()


def read(lines: Iterable[str], folder: str) -> list[Call]:
    """Return the calls of a log of ``strace -f -ttt -T`` of a job that began in a folder."""
    found = list(_joined(lines))
    children = {int(one[4]): one[0] for one in found if one[2] in FORKS and one[4].isdigit()}
    known: dict[int, Descriptors] = {}
    calls, start = [], found[0][1]
    for pid, begin, name, arguments, result, error, took in found:
        if pid not in known:
            known[pid] = Descriptors({}, set())
        number = int(result, 0) if result != "?" else 0
        file, offset = _follow(known[pid], name, arguments, number, folder)
        calls.append(Call(begin - start, took, pid, name, file, offset, number, error))
        if name in FORKS and children.get(number) == pid:
            known[number] = Descriptors(known[pid].opened, known[pid].closing)
    return calls


def _joined(lines: Iterable[str]) -> Iterator[tuple[int, int, str, str, str, str, int]]:
    """Yield the calls in the order in which they began: their two lines, if they have two, as one.

    Process, begin in ns, name, arguments, result, error, and duration in ns.
    """
    texts: list[tuple[int, int, str]] = []
    waiting: dict[int, int] = {}
    for line in lines:
        found = LINE.match(line)
        if found is None:
            continue
        pid, begin, text = int(found[1]), int(found[2]) * 10**9 + int(found[3]) * 1000, found[4]
        if resumed := RESUMED.match(text):
            place = waiting.pop(pid)
            texts[place] = (*texts[place][:2], texts[place][2] + resumed[1])
            continue
        if text.endswith(UNFINISHED):
            waiting[pid] = len(texts)
            text = text.removesuffix(UNFINISHED)
        texts.append((pid, begin, text))
    for pid, begin, text in texts:
        if whole := WHOLE.match(text):
            name, arguments, result, error, took = whole.groups()
            yield pid, begin, name, arguments, result, error or "", round(float(took or 0) * 1e9)


def _follow(
    known: Descriptors, name: str, arguments: str, result: int, folder: str
) -> tuple[str | None, int | None]:
    """Follow what a call does to the descriptors; return its file, and its place there."""
    words = arguments.split(", ")
    number = int(words[0]) if words[0].strip().isdigit() else -1
    opened = known.opened.get(number)
    if name == "openat":
        path = TEXT.search(arguments)
        file = posixpath.normpath(posixpath.join(folder, path[1])) if path else ""
        if result >= 0:
            known.put(result, Opened(file), closing="O_CLOEXEC" in arguments)
        return file, None
    place: int | None = None
    if name in ("read", "write", "lseek") and opened is not None and opened.file != PIPE:
        place = opened.offset if name != "lseek" else result
        opened.offset = place + (max(0, result) if name != "lseek" else 0)
    elif name in ("pread64", "pwrite64"):
        place = int(words[-1])
    elif name == "close" and result == 0:
        known.put(number, None, closing=False)
    elif name == "dup2" or (name == "fcntl" and "F_DUPFD" in words[1]):
        known.put(result, opened, closing="F_DUPFD_CLOEXEC" in arguments)
    elif name == "fcntl" and words[1] == "F_SETFD":
        known.put(number, opened, closing="FD_CLOEXEC" in arguments)
    elif name == "pipe2":
        for one in re.findall(r"\d+", arguments.partition("]")[0]):
            known.put(int(one), Opened(PIPE), closing="O_CLOEXEC" in arguments)
    elif name == "execve" and result == 0:
        known.start()
    return (opened.file if opened is not None else None), place
