"""What an operating system remembers of a process: descriptors, open files, sizes, directories."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

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
    made: bool = False
    """Did the log make it? Then it is none that was there before."""


@dataclass(eq=False)
class OpenFile:
    """What a descriptor leads to."""

    kind: str
    name: str | None = None
    position: int | None = None
    append: bool = False
    synchronous: bool = False
    direct: bool = False
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
    root: str | None = None
    """Where absolute names begin, if that is not the root of all (``chroot``)."""


ORDER = count()


@dataclass(eq=False)
class Begun:
    """A call under way, with copies of what it found when it began."""

    call: str
    text: str
    time: int | None
    entries: dict[int, Entry]
    directory: str | None
    root: str | None
    names: dict[int, str | None]
    order: int = field(default_factory=lambda: next(ORDER))
    headless: bool = False
    """The log has only the end of it."""
    returned: bool = False
    made_root: str | None = None
    """The unknown directory that is the root of its name alone (``RESOLVE_IN_ROOT``)."""
    child: Process | None = None
    """The process that this fork made, if it spoke before the fork returned."""

    @classmethod
    def now(cls, process: Process, call: str, text: str, time: int | None) -> Begun:
        """A call that begins."""
        place, entries = process.place, dict(process.table.entries)
        names = {fd: entry.open_file.name for fd, entry in entries.items()}
        return cls(call, text, time, entries, place.directory, place.root, names)


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


def join_below(root: str, directory: str | None, path: str) -> str:
    """As ``join``, for a process with that root directory, above which there is nothing.

    >>> join_below("/j", "/j/a", "../../../b"), join_below("/j", "/x", "/../b")
    ('/j/b', '/j/b')
    """
    here = root if path.startswith("/") else directory
    for part in path.split("/"):
        if part and not (part == ".." and here == root):
            here = join(here, part)
    return here or "."


def is_magic(name: str) -> bool:
    """Is a name another file for each process (``/proc/self/fd/3``)?"""
    return name.startswith(("/proc/", "/dev/fd/"))


def kind_of_path(path: str | None, flags: str, root: str | None = None) -> str:
    """What an opened name is."""
    if "O_DIRECTORY" in flags.split("|") and "O_TMPFILE" not in flags.split("|"):
        return "directory"
    if root and path is not None and (path + "/").startswith(root + "/"):
        path = path.removeprefix(root)
    elif root:
        return "file"
    under = path is not None and path.startswith("/dev/")
    return "device" if under and not f"{path}/".startswith("/dev/shm/") else "file"


def kind_of_name(name: str, tracked: str | None) -> str:
    """What the kernel's own name says, with what was known before."""
    if name.startswith("/memfd:"):
        return "memfd"
    if name.startswith("/"):
        with_path = ("directory", "memfd", "mount", "mqueue")
        return tracked if tracked in with_path else kind_of_path(name, "")
    if name.startswith("pipe:"):
        return "pipe"
    if name.startswith("anon_inode:"):
        kind = name.removeprefix("anon_inode:").strip("[]")
        return ANON.get(kind, kind)
    if name.startswith("socket:") or "A" <= name[:1] <= "Z":
        return "socket"  # A protocol: TCP, UNIX-STREAM, L2TP/IP.
    head = name.partition(":")[0]
    return {"pid": "pidfd", "signalfd": "signalfd"}.get(head, tracked or head)


class Inodes:
    """Files by name, and what is known of their sizes.

    Any two files may be one, but if the log made one that came later. So where one changes its
    length, that of all which it may be is forgotten.
    """

    def __init__(self) -> None:
        self.named: dict[str, tuple[Inode, int]] = {}
        self.links: dict[str, tuple[str, int]] = {}
        self.known: set[Inode] = set()
        self.moves = 0
        """Files renamed or removed; where a name leads is known until the next."""

    # Sizes

    def learn(self, inode: Inode, size: int | None) -> None:
        """A file is that long."""
        inode.size = size
        self.known.add(inode)

    def change(self, inode: Inode | None) -> None:
        """A file, or any one, may be longer or shorter than before."""
        for other in self.known - {inode}:
            if not (other.made and inode and inode.made):
                other.size = None
                self.known.remove(other)

    def resize(self, inode: Inode, size: int | None) -> None:
        """A file gets that length."""
        if size is None or size != inode.size:
            self.change(inode)
            self.learn(inode, size)

    # Names

    def get(self, name: str | None) -> Inode:
        """The file of that name."""
        if name is None or is_magic(name):
            return Inode()
        inode, moves = self.named.get(name, (None, -1))
        if inode is None or moves != self.moves:
            inode = Inode()
            self.put(name, inode)
        return inode

    def put(self, name: str | None, inode: Inode) -> None:
        """A name leads to a file."""
        if name is not None:
            self.named[name] = inode, self.moves

    def remove(self, name: str | None) -> None:
        """A name leads nowhere."""
        self.named.pop(name or "", None)
        self.links.pop(name or "", None)

    def link_at(self, name: str) -> str | None:
        """The text of a symbolic link, if the log made one of that name."""
        text, moves = self.links.get(name, ("", -1))
        return text if moves == self.moves else None

    def resolve(self, name: str | None, root: str | None, *, follow: bool) -> str | None:
        """Where a name leads, by the symbolic links that are known."""
        for _ in range(40):
            if name is None:
                return None
            whole = [at for at, char in enumerate(name) if char == "/" and at]
            whole += [len(name)] if follow else []
            for end in whole:
                text = self.link_at(name[:end])
                if text is not None:
                    above = name[:end].rpartition("/")[0] or ("/" if name[0] == "/" else None)
                    rest = text + name[end:]
                    name = join_below(root, above, rest) if root else join(above, rest)
                    break
            else:
                return name
        return name

    def link(self, old: str | None, new: str | None, *, moves: bool, sure: bool) -> None:
        """``link`` or ``rename``; ``sure``: ``old`` is no symbolic link that we do not know."""
        if old is None or new is None or is_magic(old):
            self.remove(new)
            self.moves += moves
            return
        if old == new:
            return
        text, inode = self.link_at(old), self.get(old)
        self.moves += moves
        self.remove(new)
        if text is not None:
            self.links[new] = text, self.moves
        elif sure or inode.made or old.rpartition("/")[0] == new.rpartition("/")[0]:
            self.put(new, inode)
        if moves:
            self.remove(old)
