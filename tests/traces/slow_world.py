"""What an operating system remembers of a process: descriptors, open files, sizes, directories."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

SOCKETS = ("socket:", "TCP", "UDP", "UNIX", "NETLINK", "PACKET", "RAW", "SCTP", "ICMP", "DCCP")
ANON = {"eventpoll": "epoll"}


@dataclass
class Row:
    """One call: the columns of docs/traces.md."""

    time_ns: int | None = None
    duration_ns: int | None = None
    pid: int = 0
    process: int = 0
    call: str = ""
    fd: int | None = None
    kind: str | None = None
    file: str | None = None
    to_file: str | None = None
    offset: int | None = None
    to_offset: int | None = None
    requested: int | None = None
    returned: int | None = None
    error: str | None = None
    flags: str | None = None


@dataclass(eq=False)
class Inode:
    """A file, under whatever name."""

    size: int | None = None


@dataclass(eq=False)
class OpenFile:
    """What a descriptor leads to."""

    kind: str
    name: str | None = None
    position: int | None = None
    append: bool = False
    inode: Inode = field(default_factory=Inode)


@dataclass(frozen=True)
class Entry:
    """A descriptor: an open file and whether ``execve`` closes it."""

    open_file: OpenFile
    cloexec: bool = False


@dataclass(eq=False)
class Table:
    """Descriptors of one process, or of several that share them."""

    entries: dict[int, Entry] = field(default_factory=dict)


@dataclass(eq=False)
class Place:
    """A working directory, of one process or of several that share it."""

    directory: str | None = None


ORDER = count()


@dataclass(eq=False)
class Begun:
    """A call under way, with copies of what it found when it began."""

    call: str
    text: str
    time: int | None
    entries: dict[int, Entry]
    directory: str | None
    order: int = field(default_factory=lambda: next(ORDER))
    headless: bool = False
    """The log has only the end of it."""
    returned: bool = False
    child: Process | None = None
    """The process that this fork made, if it spoke before the fork returned."""

    @classmethod
    def now(cls, process: Process, call: str, text: str, time: int | None) -> Begun:
        """A call that begins."""
        return cls(call, text, time, dict(process.table.entries), process.place.directory)


@dataclass(eq=False)
class Process:
    """A process or thread."""

    pid: int
    table: Table
    place: Place
    number: int = -1
    """-1 until its first line."""
    entered: int = -1
    """When it got its number, in the order of all that begins."""
    pending: Begun | None = None
    maker: Begun | None = None


def join(directory: str | None, path: str) -> str:
    """Put a name behind a directory and take ``.``, ``..`` and ``//`` out, as text.

    >>> join("/a/b", "../c"), join(None, "./x//y/"), join(None, "../x"), join("/", "..")
    ('/a/c', 'x/y', '../x', '/')
    """
    whole = path if path.startswith("/") or not directory else directory + "/" + path
    parts: list[str] = []
    for part in whole.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part == ".." and whole.startswith("/"):
            continue
        elif part not in ("", "."):
            parts.append(part)
    text = "/".join(parts)
    return "/" + text if whole.startswith("/") else text or "."


def kind_of_path(path: str | None, flags: str) -> str:
    """What an opened name is."""
    if "O_DIRECTORY" in flags.split("|") and "O_TMPFILE" not in flags.split("|"):
        return "directory"
    under = path is not None and (path + "/").startswith("/dev/")
    return "device" if under and not (path + "/").startswith("/dev/shm/") else "file"


def kind_of_name(name: str, tracked: str | None) -> str:
    """What the kernel's own name says, with what was known before."""
    if name.startswith("/memfd:"):
        return "memfd"
    if name.startswith("/"):
        kind = kind_of_path(name, "")
        return "directory" if tracked == "directory" else kind
    if name.startswith("pipe:"):
        return "pipe"
    if name.startswith("anon_inode:"):
        kind = name.removeprefix("anon_inode:").strip("[]")
        return ANON.get(kind, kind)
    if name.startswith(SOCKETS):
        return "socket"
    head = name.partition(":")[0]
    return {"pid": "pidfd", "signalfd": "signalfd"}.get(head, tracked or head)


class Inodes:
    """Files by name: what ``rename``, ``link`` and ``unlink`` do to sizes that are known."""

    def __init__(self) -> None:
        self.named: dict[str, Inode] = {}

    def get(self, name: str | None) -> Inode:
        """The file of that name."""
        return Inode() if name is None else self.named.setdefault(name, Inode())

    def new(self, name: str | None) -> Inode:
        """A file that did not exist before."""
        inode = Inode(0)
        if name is not None:
            self.named[name] = inode
        return inode

    def remove(self, name: str | None) -> None:
        """``unlink``."""
        self.named.pop(name or "", None)

    def link(self, old: str | None, new: str | None) -> None:
        """``link``."""
        if old and new:
            self.named[new] = self.get(old)

    def rename(self, old: str | None, new: str | None, *, exchange: bool = False) -> None:
        """``rename``, of a file or of a directory with all below it."""
        if not old or not new or old == new:
            return
        moved = self.take(old)
        back = self.take(new)
        self.named.update({new + rest: inode for rest, inode in moved.items()})
        if exchange:
            self.named.update({old + rest: inode for rest, inode in back.items()})

    def take(self, name: str) -> dict[str, Inode]:
        """Remove ``name`` and all below; the rests of their names, and the files."""
        found = [key for key in self.named if key == name or key.startswith(name + "/")]
        return {key[len(name) :]: self.named.pop(key) for key in found}
