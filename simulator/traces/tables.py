"""Tables of descriptors, which processes share or copy, and their working directories.

A table is a tree of nodes with sixteen entries each: a leaf's are open files, those of other nodes
are nodes. A fork copies only the root: nodes have several users, and are copied when one of these
changes them, one by one. Memory grows with the descriptors that differ, not with the processes.
"""

from __future__ import annotations

from array import array

from simulator.traces.arrays import grown
from simulator.traces.codes import *
from simulator.traces.files import Files

FIRST = 256


class Tables:
    """Who has which descriptor."""

    def __init__(self, files: Files) -> None:
        self.files = files
        # Nodes. An entry of a leaf is twice an open file, and one more if execve closes it.
        self.entry = array("q", [-1]) * (FIRST * WIDE)
        self.users_of = array("q", [0]) * FIRST
        self.used = array("q", [0]) * FIRST
        self.next_node = array("q", [-1]) * FIRST
        self.free_node = -1
        self.node_count = 0
        # Tables. A leaf has height 0.
        self.root = array("q", [-1]) * FIRST
        self.height = array("q", [0]) * FIRST
        self.users = array("q", [0]) * FIRST
        self.next_table = array("q", [-1]) * FIRST
        self.free_table = -1
        self.table_count = 0
        # Working directories.
        self.directory = array("q", [-1]) * FIRST
        self.fs_root = array("q", [-1]) * FIRST
        self.fs_users = array("q", [0]) * FIRST
        self.next_fs = array("q", [-1]) * FIRST
        self.free_fs = -1
        self.fs_count = 0

    # -- descriptors ----------------------------------------------------------------------

    def find(self, table: int, fd: int) -> int:
        """Return the open file of a descriptor, or -1."""
        entry = self.entry_of(table, fd)
        return entry >> 1 if entry >= 0 else -1

    def entry_of(self, table: int, fd: int) -> int:
        """Return the entry of a descriptor in its leaf, or -1."""
        node = self.root[table]
        shift = BITS * self.height[table]
        if node < 0 or fd < 0 or fd >> shift >= WIDE:
            return -1
        while shift > 0:
            node = self.entry[node * WIDE + ((fd >> shift) & (WIDE - 1))]
            if node < 0:
                return -1
            shift -= BITS
        return self.entry[node * WIDE + (fd & (WIDE - 1))]

    def put(self, table: int, fd: int, file: int, on_exec: int) -> None:
        """Let a descriptor lead to an open file; what it led to before is closed."""
        self.files.hold(file)
        if self.root[table] < 0:
            self.root[table] = self.fresh_node()
        while fd >> (BITS * self.height[table]) >= WIDE:
            self.raise_root(table)
        shift = BITS * self.height[table]
        node = self.root[table] = self.own(self.root[table], shift)
        while shift > 0:
            at = node * WIDE + ((fd >> shift) & (WIDE - 1))
            shift -= BITS
            below = self.entry[at]
            if below < 0:
                below = self.fresh_node()
                self.used[node] += 1
            else:
                below = self.own(below, shift)
            self.entry[at] = below
            node = below
        at = node * WIDE + (fd & (WIDE - 1))
        if self.entry[at] >= 0:
            self.files.drop(self.entry[at] >> 1)
        else:
            self.used[node] += 1
        self.entry[at] = 2 * file + (on_exec != 0)

    def raise_root(self, table: int) -> None:
        """Have room for descriptors with more bits."""
        root = self.fresh_node()
        self.entry[root * WIDE] = self.root[table]
        self.used[root] = 1
        self.root[table] = root
        self.height[table] += 1

    def mark(self, table: int, fd: int, on_exec: int) -> None:
        """Say whether a descriptor is closed by execve."""
        entry = self.entry_of(table, fd)
        if entry >= 0 and (entry & 1) != (on_exec != 0):
            self.put(table, fd, entry >> 1, on_exec)

    def close(self, table: int, fd: int) -> None:
        """A descriptor leads nowhere any more."""
        if self.entry_of(table, fd) >= 0:
            root = self.without(self.root[table], BITS * self.height[table], fd)
            self.root[table] = root
            if root < 0:
                self.height[table] = 0

    def without(self, node: int, shift: int, fd: int) -> int:
        """Return a node like this one without a descriptor, or -1 if it had no other one."""
        if self.used[node] == 1 and shift == 0:
            self.leave_node(node, shift)
            return -1
        node = self.own(node, shift)
        at = node * WIDE + ((fd >> shift) & (WIDE - 1))
        if shift > 0:
            below = self.without(self.entry[at], shift - BITS, fd)
            self.entry[at] = below
            if below >= 0:
                return node
        else:
            self.files.drop(self.entry[at] >> 1)
            self.entry[at] = -1
        self.used[node] -= 1
        if self.used[node] == 0:
            self.leave_node(node, shift)
            return -1
        return node

    def following(self, table: int, fd: int) -> int:
        """Return the first descriptor from ``fd`` on that is open, or -1."""
        if self.root[table] < 0:
            return -1
        return self.first_below(self.root[table], BITS * self.height[table], fd)

    def first_below(self, node: int, shift: int, fd: int) -> int:
        """Return the first open descriptor from ``fd`` on below a node, or -1."""
        k = fd >> shift
        while k < WIDE:
            entry = self.entry[node * WIDE + k]
            if entry >= 0:
                if shift == 0:
                    return k
                found = self.first_below(entry, shift - BITS, max(0, fd - (k << shift)))
                if found >= 0:
                    return (k << shift) + found
            k += 1
        return -1

    def close_range(self, table: int, low: int, high: int, only_mark: int) -> None:
        """Close all descriptors from low to high, or mark them closed on execve."""
        fd = self.following(table, max(0, low))
        while 0 <= fd <= high:
            if only_mark:
                self.mark(table, fd, 1)
            else:
                self.close(table, fd)
            fd = self.following(table, fd + 1)

    def close_on_exec(self, table: int) -> None:
        """Close the descriptors that are marked."""
        fd = self.following(table, 0)
        while fd >= 0:
            if self.entry_of(table, fd) & 1:
                self.close(table, fd)
            fd = self.following(table, fd + 1)

    # -- nodes ----------------------------------------------------------------------------

    def fresh_node(self) -> int:
        """Return an empty node with one user."""
        node = self.free_node
        if node >= 0:
            self.free_node = self.next_node[node]
        else:
            node = self.node_count
            if node == len(self.used):
                self.entry = grown(self.entry, -1)
                self.users_of = grown(self.users_of, 0)
                self.used = grown(self.used, 0)
                self.next_node = grown(self.next_node, -1)
            self.node_count = node + 1
        for k in range(WIDE):
            self.entry[node * WIDE + k] = -1
        self.users_of[node] = 1
        self.used[node] = 0
        return node

    def own(self, node: int, shift: int) -> int:
        """Return a node for one user alone: this one, or a copy of it."""
        if self.users_of[node] == 1:
            return node
        self.users_of[node] -= 1
        new = self.fresh_node()
        for k in range(WIDE):
            entry = self.entry[node * WIDE + k]
            if entry >= 0:
                self.entry[new * WIDE + k] = entry
                if shift > 0:
                    self.users_of[entry] += 1
                else:
                    self.files.hold(entry >> 1)
        self.used[new] = self.used[node]
        return new

    def leave_node(self, node: int, shift: int) -> None:
        """One user of a node is no more; with the last, what is below it is left too."""
        self.users_of[node] -= 1
        if self.users_of[node] == 0:
            for k in range(WIDE):
                entry = self.entry[node * WIDE + k]
                if entry >= 0:
                    if shift > 0:
                        self.leave_node(entry, shift - BITS)
                    else:
                        self.files.drop(entry >> 1)
            self.next_node[node] = self.free_node
            self.free_node = node

    # -- tables ---------------------------------------------------------------------------

    def fresh(self) -> int:
        """Return an empty table with one user."""
        table = self.free_table
        if table >= 0:
            self.free_table = self.next_table[table]
        else:
            table = self.table_count
            if table == len(self.root):
                self.root = grown(self.root, -1)
                self.height = grown(self.height, 0)
                self.users = grown(self.users, 0)
                self.next_table = grown(self.next_table, -1)
            self.table_count = table + 1
        self.root[table] = -1
        self.height[table] = 0
        self.users[table] = 1
        return table

    def copy(self, table: int) -> int:
        """Return a table of its own with the same open files."""
        new = self.fresh()
        root = self.root[table]
        if root >= 0:
            self.users_of[root] += 1
        self.root[new] = root
        self.height[new] = self.height[table]
        return new

    def leave(self, table: int) -> None:
        """One user of a table is no more; with the last, its descriptors are closed."""
        if table < 0:
            return
        self.users[table] -= 1
        if self.users[table] == 0:
            if self.root[table] >= 0:
                self.leave_node(self.root[table], BITS * self.height[table])
            self.next_table[table] = self.free_table
            self.free_table = table

    # -- directories ----------------------------------------------------------------------

    def fresh_fs(self, directory: int) -> int:
        """Return a working directory with one user."""
        fs = self.free_fs
        if fs >= 0:
            self.free_fs = self.next_fs[fs]
        else:
            fs = self.fs_count
            if fs == len(self.directory):
                self.directory = grown(self.directory, -1)
                self.fs_root = grown(self.fs_root, -1)
                self.fs_users = grown(self.fs_users, 0)
                self.next_fs = grown(self.next_fs, -1)
            self.fs_count = fs + 1
        self.directory[fs] = directory
        self.fs_root[fs] = -1
        self.fs_users[fs] = 1
        return fs

    def copy_fs(self, fs: int) -> int:
        """Return a working directory of its own, with the same root, with one user."""
        new = self.fresh_fs(self.directory[fs])
        self.fs_root[new] = self.fs_root[fs]
        return new

    def leave_fs(self, fs: int) -> None:
        """One user of a working directory is no more."""
        if fs < 0:
            return
        self.fs_users[fs] -= 1
        if self.fs_users[fs] == 0:
            self.next_fs[fs] = self.free_fs
            self.free_fs = fs
