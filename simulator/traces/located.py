"""The call that is being read: the descriptors, open files and names that it is about."""

from __future__ import annotations

from array import array

from simulator.traces.arguments import Arguments
from simulator.traces.arrays import Bytes, Longs
from simulator.traces.codes import *
from simulator.traces.files import Files
from simulator.traces.links import Links
from simulator.traces.names import Names
from simulator.traces.syscalls import specs
from simulator.traces.tables import Tables

MOST_FD = 2**31 - 1
PROC_NAME, DEV_FD_NAME, OUT_NAME = b"/proc/", b"/dev/fd/", b"(root "
SELF_FD = ("/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/")
IN_ROOT, CLOEXEC, UNSHARES = b"RESOLVE_IN_ROOT", b"CLOEXEC", b"UNSHARE"


class Located:
    """A call, as it begins, and what the processes have that make calls."""

    def __init__(self, arguments: Arguments, tables: Tables, names: Names) -> None:
        self.arguments = arguments
        self.text = arguments.text
        self.tables = tables
        self.files: Files = tables.files
        self.names = names
        self.specs: Longs = specs()
        # Processes.
        self.table = array("q", [-1]) * 64
        self.fs = array("q", [-1]) * 64
        self.clear(0, 0)
        # Symbolic links, and roots that are not known.
        self.links = Links(names)
        self.link_count = 0
        self.root_count = self.root_calls = 0

    def clear(self, call: int, slot: int) -> None:
        """Another call, of which nothing is known yet."""
        self.spec = call * SPECS
        self.slot = slot
        self.fd = self.file = self.file2 = self.name = self.name2 = self.kind = self.flags = -1
        self.offset = self.offset2 = self.requested = NULL
        self.submitted = 0

    def begin(self, is_bad: int) -> None:
        """Look up what the call is about; ``is_bad``: it is known to fail with EBADF."""
        act = self.specs[self.spec + ACT]
        k = self.specs[self.spec + FD]
        if k >= 0:
            self.fd = self.descriptor(k)
            if self.fd >= 0:
                self.file = self.look_up(self.fd, is_bad)
                self.name = self.noted(self.file)
                self.kind = self.kind_of(self.file)
        k = self.specs[self.spec + PATH]
        if k >= 0:
            self.path(k, self.specs[self.spec + DIR], act)
        k = self.specs[self.spec + FD2]
        if k >= 0:
            k = self.descriptor(k)
            if k >= 0:
                self.file2 = self.look_up(k, is_bad)
                self.name2 = self.noted(self.file2)
        elif self.specs[self.spec + PATH2] >= 0:
            self.name2 = self.path_name(
                self.specs[self.spec + PATH2], self.specs[self.spec + DIR2], self.name2
            )
        if self.name >= 0 and self.file < 0 and act in {OPEN, OPENAT2, LINK, TRUNCATE, STAT}:
            if self.is_magic(self.name):
                self.file2 = self.magic_file()
        if self.file >= 0:
            self.files.hold(self.file)
        if self.file2 >= 0:
            self.files.hold(self.file2)
        if act == CLOSE:
            if self.fd >= 0 and not is_bad:
                self.tables.close(self.table[self.slot], self.fd)
        elif act == CLOSE_RANGE and not is_bad:
            self.close_range()

    def descriptor(self, k: int) -> int:
        """Return the descriptor at an argument, or -1; the text is then after it."""
        i = self.arguments.place(k)
        if i < 0 or self.text.number(i, self.arguments.end()) != 1:
            return -1
        return self.text.value if 0 <= self.text.value <= MOST_FD else -1

    def look_up(self, fd: int, is_bad: int) -> int:
        """Return the open file of a descriptor; one of which nothing is known was inherited."""
        file = self.tables.find(self.table[self.slot], fd)
        if file < 0 and not is_bad:
            file = self.files.open(INHERITED, -1)
            self.tables.put(self.table[self.slot], fd, file, 0)
        return file

    def noted(self, file: int) -> int:
        """Return the name of an open file, from the annotation after its number if there is one."""
        i = self.text.at
        self.arguments.kind = -1
        if i < self.arguments.end() and self.text.bytes[i] == 60:
            name = self.arguments.note(i, self.arguments.end())
            if name >= 0:
                if file >= 0 and self.files.kind[file] == INHERITED:
                    self.files.kind[file] = self.noted_kind(INHERITED)
                    self.files.name[file] = name
                    if self.arguments.kind == FILE:
                        self.files.attach(file, self.files.node_of(name))
                return name
        return self.files.name[file] if file >= 0 else -1

    def kind_of(self, file: int) -> int:
        """Return the kind of an open file (or -1); the annotation just read knows better."""
        return self.noted_kind(self.files.kind[file] if file >= 0 else -1)

    def noted_kind(self, known: int) -> int:
        """Return the kind by the annotation just read, of what was known to be ``known`` (or -1).

        A path says least: it may be that of a directory or of a message queue.
        """
        kind = self.arguments.kind
        if kind in {FILE, DEVICE} and known in {DIRECTORY, MEMFD, MOUNTED, MQUEUE}:
            return known
        if kind >= 0:
            return kind
        return -2 - kind if kind < -1 and known in {-1, INHERITED} else known

    def path(self, k: int, directory: int, act: int) -> None:
        """Find the name that a path argument gives."""
        i = self.arguments.place(k)
        if i < 0:
            return
        if act == SYMLINK:
            if self.arguments.is_string(i):
                end = self.text.after_string(i, self.arguments.end()) - 1
                self.name = self.names.plain(self.text, i + 1, end)
            return
        self.name = self.path_name(k, directory, self.name)

    def path_name(self, k: int, directory: int, otherwise: int) -> int:
        """Return the name of a path argument; of no path, that of the directory descriptor."""
        i = self.arguments.place(k)
        if i < 0:
            return otherwise
        end = self.text.after_string(i, self.arguments.end()) - 1 if self.text.bytes[i] == 34 else 0
        if end <= i + 1 and directory >= 0:
            if end > 0 or self.text.bytes[i] == 78:  # "" or NULL
                return self.directory_itself(directory)
        if end <= i + 1:
            return otherwise
        if self.tables.fs_root[self.fs[self.slot]] >= 0 or self.is_in_root(k):
            return self.rooted_name(k, directory, i + 1, end)
        if self.text.bytes[i + 1] == 47:
            self.note_where(directory)
            return self.names.join(-1, self.text, i + 1, end)
        return self.names.join(self.base(directory), self.text, i + 1, end)

    def is_in_root(self, k: int) -> int:
        """Say whether the directory descriptor is the root of openat2's path."""
        if self.specs[self.spec + ACT] != OPENAT2 or self.arguments.place(k + 1) < 0:
            return 0
        end = self.arguments.end()
        return self.text.find(IN_ROOT, 15, self.arguments.place(k + 1), end) >= 0

    def rooted_name(self, k: int, directory: int, i: int, end: int) -> int:
        """Return the name of the path in [i, end), in a root directory that is not that of all."""
        root = self.tables.fs_root[self.fs[self.slot]]
        base = self.base(directory)
        if self.is_in_root(k):
            root = base = base if base >= 0 else self.unknown_root()
        elif self.text.bytes[i] == 47:
            base = root
        return self.names.join_below(root, base, self.text, i, end)

    def unknown_root(self) -> int:
        """Name a root directory that the log does not tell."""
        self.root_count += 1
        return self.names.word(b"(root %d)" % self.root_count)

    def count_root(self) -> None:
        """Count a call by a name in a root directory that is not known."""
        if self.begins_with(self.name, OUT_NAME, 6) or self.begins_with(self.name2, OUT_NAME, 6):
            self.root_calls += 1

    def begins_with(self, name: int, word: Bytes, size: int) -> int:
        """Say whether a name (or -1) begins with a word of that size."""
        if name < 0:
            return 0
        at = self.names.starts[name]
        if self.names.starts[name + 1] - at < size:
            return 0
        for i in range(size):
            if self.names.arena[at + i] != word[i]:
                return 0
        return 1

    def is_magic(self, name: int) -> int:
        """Say whether a name is one of /proc or /dev/fd, which are other files for each process."""
        return self.begins_with(name, PROC_NAME, 6) or self.begins_with(name, DEV_FD_NAME, 8)

    def magic_file(self) -> int:
        """Return the open file that a name like /proc/self/fd/3 leads to, or -1."""
        name = self.names.text(self.name)
        for head in SELF_FD:
            digits = name[len(head) :]
            if name.startswith(head) and digits.isdecimal() and len(digits) < 10:
                file = self.tables.find(self.table[self.slot], int(digits))
                return file if file >= 0 and self.files.kind[file] == FILE else -1
        return -1

    def place(self, name: int, follow: int) -> int:
        """Return the name that a name leads to, by the symbolic links that the log has made."""
        if not self.link_count or name < 0:
            return name
        root = self.tables.fs_root[self.fs[self.slot]]
        return self.links.resolve(name, root, bool(follow), self.files.moves)

    def directory_itself(self, k: int) -> int:
        """The call is about its directory descriptor; gives the name of that."""
        fd = self.descriptor(k)
        if fd < 0:
            return self.base(k)
        file = self.look_up(fd, 0)
        name = self.noted(file)
        if self.fd < 0:
            self.fd = fd
            self.file = file
            self.kind = self.kind_of(file)
        return name

    def base(self, k: int) -> int:
        """Return the name of the directory that a path is seen from, or -1."""
        i = self.arguments.place(k) if k >= 0 else -1
        if i < 0:
            return self.tables.directory[self.fs[self.slot]]
        if self.text.bytes[i] == 65:
            self.note_where(k)
            return self.tables.directory[self.fs[self.slot]]
        fd = self.descriptor(k)
        if fd < 0:  # AT_FDCWD as a number, or nonsense
            return self.tables.directory[self.fs[self.slot]]
        return self.noted(self.tables.find(self.table[self.slot], fd))

    def note_where(self, k: int) -> None:
        """Take the working directory from ``AT_FDCWD</w>``, if an argument is that."""
        i = self.arguments.place(k)
        if i < 0 or self.text.bytes[i] != 65 or self.text.bytes[i + 8] != 60:
            return
        name = self.arguments.note(i + 8, self.arguments.end())
        if name >= 0:
            self.tables.directory[self.fs[self.slot]] = name

    def close_range(self) -> None:
        """Close descriptors from one to another, or mark them."""
        low = self.arguments.number(0)
        high = self.arguments.number(1)
        if low == NULL:
            return
        if self.arguments.has(2, UNSHARES, 7):
            self.own_table()
        self.tables.close_range(
            self.table[self.slot],
            low,
            MOST if high == NULL else high,
            self.arguments.has(2, CLOEXEC, 7),
        )

    def own_table(self) -> None:
        """Assign the process a table of descriptors that nobody shares."""
        table = self.table[self.slot]
        if self.tables.users[table] > 1:
            self.table[self.slot] = self.tables.copy(table)
            self.tables.leave(table)

    def node(self) -> int:
        """Return the node of the file that the call is about, or -1."""
        if self.file >= 0:
            return self.files.node[self.file]
        if self.file2 >= 0:
            return self.files.node[self.file2]
        if self.name < 0 or self.is_magic(self.name):
            return -1
        return self.files.node_of(self.place(self.name, 1))
