"""Tables of descriptors, which processes share or copy, and their working directories.

An entry is one descriptor of one table; the entries of a table are in a ring, so that it can be
copied and closed without looking at all numbers.
"""

from __future__ import annotations

from array import array

from simulator.traces.files import Files
from simulator.traces.grow import grown
from simulator.traces.intmap import IntMap

FIRST = 256
SMALL = 16
"""Descriptors below this are found without a search."""
TABLE = 1 << 32
"""Key of a descriptor: its table times this, and its number."""


class Tables:
    """Who has which descriptor."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.entries = IntMap()
        self.small = array("q", [-1]) * (FIRST * SMALL)
        self.fd = array("q", [0]) * FIRST
        self.file = array("q", [-1]) * FIRST
        self.on_exec = array("q", [0]) * FIRST
        self.after = array("q", [-1]) * FIRST
        self.before = array("q", [-1]) * FIRST
        self.free_entry = -1
        self.entry_count = 0
        # Tables.
        self.first = array("q", [-1]) * FIRST
        self.users = array("q", [0]) * FIRST
        self.next_table = array("q", [-1]) * FIRST
        self.free_table = -1
        self.table_count = 0
        # Working directories.
        self.directory = array("q", [-1]) * FIRST
        self.root = array("q", [-1]) * FIRST
        self.fs_users = array("q", [0]) * FIRST
        self.next_fs = array("q", [-1]) * FIRST
        self.free_fs = -1
        self.fs_count = 0

    # -- descriptors ----------------------------------------------------------------------

    def find(self, table: int, fd: int) -> int:
        """Give the open file of a descriptor, or -1."""
        if fd < SMALL:
            return self.small[table * SMALL + fd]
        entry = self.entries.find(table * TABLE + fd)
        return self.file[entry] if entry >= 0 else -1

    def put(self, table: int, fd: int, file: int, on_exec: int) -> None:
        """Let a descriptor lead to an open file; what it led to before is closed."""
        self.files.hold(file)
        entry = self.entries.find(table * TABLE + fd)
        if entry >= 0:
            self.files.drop(self.file[entry])
        else:
            entry = self.free_entry
            if entry >= 0:
                self.free_entry = self.after[entry]
            else:
                entry = self.entry_count
                if entry == len(self.fd):
                    self.grow()
                self.entry_count = entry + 1
            self.fd[entry] = fd
            self.before[entry] = -1
            self.after[entry] = self.first[table]
            if self.first[table] >= 0:
                self.before[self.first[table]] = entry
            self.first[table] = entry
            self.entries.put(table * TABLE + fd, entry)
        self.file[entry] = file
        self.on_exec[entry] = on_exec
        if fd < SMALL:
            self.small[table * SMALL + fd] = file

    def mark(self, table: int, fd: int, on_exec: int) -> None:
        """Say whether a descriptor is closed by execve."""
        entry = self.entries.find(table * TABLE + fd)
        if entry >= 0:
            self.on_exec[entry] = on_exec

    def close(self, table: int, fd: int) -> None:
        """A descriptor leads nowhere any more."""
        entry = self.entries.find(table * TABLE + fd)
        if entry >= 0:
            self.remove(table, entry)

    def remove(self, table: int, entry: int) -> None:
        """Take an entry out of its table."""
        if self.before[entry] >= 0:
            self.after[self.before[entry]] = self.after[entry]
        else:
            self.first[table] = self.after[entry]
        if self.after[entry] >= 0:
            self.before[self.after[entry]] = self.before[entry]
        self.entries.remove(table * TABLE + self.fd[entry])
        if self.fd[entry] < SMALL:
            self.small[table * SMALL + self.fd[entry]] = -1
        self.files.drop(self.file[entry])
        self.file[entry] = -1
        self.after[entry] = self.free_entry
        self.free_entry = entry

    def close_range(self, table: int, low: int, high: int, only_mark: int) -> None:
        """Close all descriptors from low to high, or mark them closed on execve."""
        entry = self.first[table]
        while entry >= 0:
            following = self.after[entry]
            if low <= self.fd[entry] <= high:
                if only_mark:
                    self.on_exec[entry] = 1
                else:
                    self.remove(table, entry)
            entry = following

    def close_on_exec(self, table: int) -> None:
        """Close the descriptors that are marked."""
        entry = self.first[table]
        while entry >= 0:
            following = self.after[entry]
            if self.on_exec[entry]:
                self.remove(table, entry)
            entry = following

    def grow(self) -> None:
        """Have room for twice as many entries."""
        self.fd = grown(self.fd, 0)
        self.file = grown(self.file, -1)
        self.on_exec = grown(self.on_exec, 0)
        self.after = grown(self.after, -1)
        self.before = grown(self.before, -1)

    # -- tables ---------------------------------------------------------------------------

    def fresh(self) -> int:
        """Give an empty table with one user."""
        table = self.free_table
        if table >= 0:
            self.free_table = self.next_table[table]
        else:
            table = self.table_count
            if table == len(self.first):
                self.first = grown(self.first, -1)
                self.small = grown(self.small, -1)
                self.users = grown(self.users, 0)
                self.next_table = grown(self.next_table, -1)
            self.table_count = table + 1
        self.first[table] = -1
        self.users[table] = 1
        return table

    def copy(self, table: int) -> int:
        """Give a table of its own with the same open files."""
        new = self.fresh()
        entry = self.first[table]
        while entry >= 0:
            self.put(new, self.fd[entry], self.file[entry], self.on_exec[entry])
            entry = self.after[entry]
        return new

    def leave(self, table: int) -> None:
        """One user of a table is no more; with the last, its descriptors are closed."""
        if table < 0:
            return
        self.users[table] -= 1
        if self.users[table] == 0:
            while self.first[table] >= 0:
                self.remove(table, self.first[table])
            self.next_table[table] = self.free_table
            self.free_table = table

    # -- directories ----------------------------------------------------------------------

    def fresh_fs(self, directory: int) -> int:
        """Give a working directory with one user."""
        fs = self.free_fs
        if fs >= 0:
            self.free_fs = self.next_fs[fs]
        else:
            fs = self.fs_count
            if fs == len(self.directory):
                self.directory = grown(self.directory, -1)
                self.root = grown(self.root, -1)
                self.fs_users = grown(self.fs_users, 0)
                self.next_fs = grown(self.next_fs, -1)
            self.fs_count = fs + 1
        self.directory[fs] = directory
        self.root[fs] = -1
        self.fs_users[fs] = 1
        return fs

    def copy_fs(self, fs: int) -> int:
        """Give a working directory of its own, with the same root, with one user."""
        new = self.fresh_fs(self.directory[fs])
        self.root[new] = self.root[fs]
        return new

    def leave_fs(self, fs: int) -> None:
        """One user of a working directory is no more."""
        if fs < 0:
            return
        self.fs_users[fs] -= 1
        if self.fs_users[fs] == 0:
            self.next_fs[fs] = self.free_fs
            self.free_fs = fs
