"""Calls that make descriptors, and what the flags of an open call mean."""

from __future__ import annotations

from array import array

from simulator.traces.arguments import Arguments
from simulator.traces.codes import *
from simulator.traces.located import CLOEXEC, MOST_FD
from simulator.traces.moving import APPENDS, DIRECT, SYNCHRONOUS, Moving
from simulator.traces.names import Names
from simulator.traces.tables import Tables

TRUNCATES, OPENS_DIRECTORY, CLOSES_ON_EXEC, CREATES, EXCLUSIVE, TEMPORARY = 2, 4, 8, 16, 32, 64
DEV_NAME, FLAGS_FIELD = b"/dev/", b"flags="
O_APPEND, O_DIRECT = b"O_APPEND", b"O_DIRECT"
F_DUP, F_SETFD, F_SETFL, FD_CLOEXEC = b"F_DUP", b"F_SETFD", b"F_SETFL", b"FD_CLOEXEC"


def bits_of(flags: bytes) -> int:
    """Return what the flags of an open call mean here."""
    words = flags.split(b"|")
    known = {
        b"O_APPEND": APPENDS,
        b"O_TRUNC": TRUNCATES,
        b"O_DIRECTORY": OPENS_DIRECTORY,
        b"O_CLOEXEC": CLOSES_ON_EXEC,
        b"O_CREAT": CREATES,
        b"O_EXCL": EXCLUSIVE,
        b"O_TMPFILE": TEMPORARY,
        b"O_DIRECT": DIRECT,
    }
    synchronous = SYNCHRONOUS if b"O_SYNC" in words or b"O_DSYNC" in words else 0
    return synchronous + sum(bit for word, bit in known.items() if word in words)


class Opening(Moving):
    """A call that gives a process a descriptor."""

    def __init__(
        self, arguments: Arguments, tables: Tables, names: Names, flag_words: Names
    ) -> None:
        super().__init__(arguments, tables, names, flag_words)
        self.bits = array("q", [0]) * 64
        self.bits_count = 0
        self.unnamed: set[int] = set()
        self.unnamed_count = 0

    def open(self, act: int, value: int) -> None:
        """Open a path, if the call did; note its flags."""
        bits = CREATES | TRUNCATES
        if act != CREAT:
            bits = self.flags_at(self.specs[self.spec + FLAGS], act)
        if value < 0 or value > MOST_FD:
            return
        kind = FILE
        if bits & OPENS_DIRECTORY:
            kind = DIRECTORY
        elif self.is_device():
            kind = DEVICE
        name = self.result_note()
        if name >= 0:
            self.name = name
            kind = self.noted_kind(kind)
        elif bits & TEMPORARY and kind == FILE:
            self.name = self.unnamed_file()
        self.fd = value
        self.kind = kind
        file = self.files.open(kind, self.name)
        if kind == FILE:
            self.files.position[file] = 0
            self.files.mode[file] = bits & (APPENDS | SYNCHRONOUS | DIRECT)
            self.attach(file, bits, name >= 0)
        self.tables.put(self.table[self.slot], value, file, bits & CLOSES_ON_EXEC)

    def attach(self, file: int, bits: int, is_kernels: int) -> None:
        """Let a file just opened lead to its node; ``is_kernels``: the name needs no resolving."""
        if bits & TEMPORARY:
            node = self.files.nameless()
            self.files.make(node)
        elif self.file2 >= 0 and self.files.node[self.file2] >= 0:
            node = self.files.node[self.file2]
        elif self.name < 0 or self.is_magic(self.name):
            node = self.files.nameless()
        elif bits & CREATES and bits & EXCLUSIVE:
            node = self.files.fresh(self.name if is_kernels else self.place(self.name, 0))
            self.files.make(node)
        else:
            node = self.files.node_of(self.name if is_kernels else self.place(self.name, 1))
        self.files.attach(file, node)
        if bits & TRUNCATES:
            self.files.resize(node, 0)

    def unnamed_file(self) -> int:
        """Assign a name of its own to a file that has none (O_TMPFILE)."""
        self.unnamed_count += 1
        folder = self.names.text(self.name).rstrip("/") + "/" if self.name >= 0 else ""
        name = self.names.word(f"{folder}(unnamed {self.unnamed_count})".encode())
        self.unnamed.add(name)
        return name

    def is_device(self) -> int:
        """Say whether the name is under /dev, but not among the files of /dev/shm."""
        root = self.tables.fs_root[self.fs[self.slot]]
        if self.name < 0 or (root < 0 and not self.begins_with(self.name, DEV_NAME, 5)):
            return 0
        name, folder = self.names.text(self.name), self.names.text(root) if root >= 0 else ""
        shared = f"{name}/".startswith(f"{folder}/dev/shm/")
        return name.startswith(f"{folder}/dev/") and not shared

    def flags_at(self, k: int, act: int) -> int:
        """Note the flags of an open call; gives what they mean."""
        i = self.arguments.place(k)
        if i < 0:
            return 0
        if act == OPENAT2:
            i = self.text.find(FLAGS_FIELD, 6, i, self.arguments.end()) + 6
            if i < 6:
                return 0
        end = self.arguments.word_end(i)
        self.flags = self.flag_words.add_valid(self.text, i, end)
        if self.flags >= self.bits_count:
            self.note_bits()
        return self.bits[self.flags]

    def note_bits(self) -> None:
        """Find out what flags that are new mean."""
        bits = array("q", bytes(8 * (self.flags + 64)))
        for i in range(self.flags + 1):
            bits[i] = bits_of(self.flag_words.text(i).encode())
        self.bits = bits
        self.bits_count = self.flags + 1

    def result_note(self) -> int:
        """Return the name in the annotation of the result, or -1."""
        i = self.arguments.tokens[self.arguments.row + VALUE_AT]
        end = self.arguments.tokens[self.arguments.row + END]
        self.arguments.kind = -1
        if self.text.number(i, end) != 1:
            return -1
        return self.arguments.note(self.text.at, end)

    def new(self, kind: int, fd: int, name: int, on_exec: int) -> None:
        """Let a descriptor lead to a new open file."""
        if fd <= MOST_FD:
            self.tables.put(self.table[self.slot], fd, self.files.open(kind, name), on_exec)

    def make(self, act: int, value: int) -> None:
        """Do what a call does that returned a descriptor."""
        k = self.specs[self.spec + FLAGS]
        if act in {DUP, DUP2}:
            if self.file >= 0 and value != self.fd and value <= MOST_FD:
                on_exec = k >= 0 and self.arguments.has(k, CLOEXEC, 7)
                self.tables.put(self.table[self.slot], value, self.file, on_exec)
        elif act == FCNTL:
            self.control(value)
        elif act == MAKE_PAIR:
            self.make_pair(k)
        elif act == MAKE or (act == SIGNALFD and value != self.fd):
            on_exec = k == -2 or (k >= 0 and self.arguments.has(k, CLOEXEC, 7))
            kind = self.specs[self.spec + MAKES]
            name = self.result_note()
            if kind < 0:
                kind = self.arguments.signalfd
            if kind == INHERITED:
                kind = self.noted_kind(kind)
            self.new(kind, value, name, on_exec)
            if self.fd < 0:
                self.fd = value
                self.kind = kind
                self.name = name if self.name < 0 else self.name

    def make_pair(self, k: int) -> None:
        """Note the two descriptors in brackets of pipe or socketpair."""
        on_exec = k >= 0 and self.arguments.has(k, CLOEXEC, 7)
        i = self.arguments.place(self.specs[self.spec + PAIR])
        end = self.arguments.end()
        kind = self.specs[self.spec + MAKES]
        if i < 0 or self.text.bytes[i] != 91:
            i = self.arguments.row
            if self.arguments.tokens[i + OTHER] > 0:  # truss: = 3 [4]
                self.new(kind, self.arguments.tokens[i + VALUE], -1, on_exec)
                self.new(kind, self.arguments.tokens[i + OTHER], -1, on_exec)
            return
        for k in range(2):  # noqa: B007, PLR1704 - a new name would need a type
            i += 1
            while i < end and self.text.bytes[i] == 32:
                i += 1
            if self.text.number(i, end) != 1 or self.text.value < 0:
                return
            value = self.text.value
            i = self.text.at
            name = self.arguments.note(i, end)
            self.new(kind, value, name, on_exec)
            if i < end and self.text.bytes[i] == 60:
                i = self.text.after_note(i, end)

    def control(self, value: int) -> None:
        """Do what fcntl does."""
        if self.arguments.begins(1, F_DUP, 5):
            if self.file >= 0 and value != self.fd and value <= MOST_FD:
                on_exec = self.arguments.has(1, CLOEXEC, 7)
                self.tables.put(self.table[self.slot], value, self.file, on_exec)
        elif self.arguments.begins(1, F_SETFD, 7):
            on_exec = self.arguments.begins(2, FD_CLOEXEC, 10) or self.arguments.number(2) & 1
            self.tables.mark(self.table[self.slot], self.fd, on_exec)
        elif self.arguments.begins(1, F_SETFL, 7) and self.file >= 0:
            self.set_mode(self.file)

    def set_mode(self, file: int) -> None:
        """Do what F_SETFL does to an open file; whether it is synchronous stays as it is."""
        mode = self.files.mode[file] & SYNCHRONOUS
        if self.arguments.has(2, O_APPEND, 8):
            mode += APPENDS
        if self.arguments.has(2, O_DIRECT, 8):
            mode += DIRECT
        self.files.mode[file] = mode
