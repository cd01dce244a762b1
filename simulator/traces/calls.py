"""What calls do: to descriptors, names, positions and sizes, by the rules of docs/traces.md.

A call is *begun*: its descriptors and names are looked up, and what it closes is closed; and
*ended*: what it returned moves positions and makes descriptors. Between the two it holds its open
files, in the fields of this class or, if other lines come between, in those of its process.

The class is cut by what a call is about, each part on the one before: ``located``, ``moving``,
``opening`` and, here, what changes something else. Compiled it is one.
"""

from __future__ import annotations

from array import array
from typing import Any

from simulator.traces.arguments import Arguments
from simulator.traces.codes import *
from simulator.traces.codes import CLONE_FILES, CLONE_FS
from simulator.traces.located import OUT_NAME
from simulator.traces.moving import (
    APPENDS,
    DIRECT,
    RWF_APPEND,
    RWF_DSYNC,
    RWF_SYNC,
    SYNCHRONOUS,
)
from simulator.traces.names import Names
from simulator.traces.opening import DEV_NAME, Opening
from simulator.traces.tables import Tables

FOLLOW, NEW_MOUNTS = b"AT_SYMLINK_FOLLOW", b"CLONE_NEWNS"
FIOCLEX, FIONCLEX, FICLONE = b"FIOCLEX", b"FIONCLEX", b"FICLONE"
KEEP_SIZE, EXCHANGE, REMOVEDIR = b"KEEP_SIZE", b"EXCHANGE", b"REMOVEDIR"
S_IFREG, SIZE_FIELD = b"S_IFREG", b"_size="
FILDES, AT_OFFSET, RW_FLAGS = b"fildes=", b"offset=", b"rw_flags="
MESSAGE_BYTES = b"msg_len="


class Calls(Opening):
    """The call that is being read, and everything that calls change."""

    def __init__(
        self, arguments: Arguments, tables: Tables, names: Names, flag_words: Names
    ) -> None:
        super().__init__(arguments, tables, names, flag_words)
        # What a log cannot say.
        self.mapped_calls = self.mapped_bytes = 0
        self.ring_calls = self.ring_submitted = 0
        self.submit_calls = self.submit_lost = 0
        self.unread: dict[int, int] = {}
        """Of each call that moves data and is not read, its number: how many bytes;"""
        self.unread_calls: dict[int, int] = {}
        """and how often it succeeded."""

    def forget(self) -> None:
        """Another log begins, of another world."""
        self.files.forget()
        self.links.forget()
        self.link_count = 0
        self.unnamed = set()

    def know(self, spec: Any) -> None:
        """Add the row of a call that was not known."""
        new = array("q", bytes(8 * (len(self.specs) + SPECS)))
        for i in range(len(self.specs)):
            new[i] = self.specs[i]
        for i in range(SPECS):
            new[len(self.specs) + i] = spec[i]
        self.specs = new

    def end(self) -> None:
        """Do what the call did, and find the numbers of its row."""
        act = self.specs[self.spec + ACT]
        value = -1
        if self.arguments.tokens[self.arguments.row + RESULT] == A_NUMBER:
            value = self.arguments.tokens[self.arguments.row + VALUE]
        self.note_request(act)
        if act in {OPEN, OPENAT2, CREAT}:
            self.open(act, value)
        elif value >= 0 and act != DO_NOTHING:
            if act <= LLSEEK:
                self.note_mode(act)
                self.move(act, value)
            elif act <= SIGNALFD:
                self.make(act, value)
            else:
                self.change(act, value)

    def lose(self) -> None:
        """The call never returns: of its row, note what its first part says."""
        act = self.specs[self.spec + ACT]
        self.note_request(act)
        if act in {OPEN, OPENAT2}:
            self.flags_at(self.specs[self.spec + FLAGS], act)
        self.change_anything(act)

    def change_anything(self, act: int) -> None:
        """The log does not tell what a call has done that may change sizes and names."""
        if self.kind not in {-1, FILE, INHERITED}:
            return
        if act in {WRITE, PWRITE, PWRITEV2, SENDFILE, COPY, OPEN, OPENAT2, CREAT}:
            self.files.change(-1, 0)
        if act in {TRUNCATE, URING, IOCTL, ALLOCATE}:
            self.files.change(-1, 0)
        if act in {UNLINK, RENAME, LINK, SYMLINK, MOUNT}:
            self.files.moves += 1

    def change(self, act: int, value: int) -> None:
        """Do what a call does that succeeded and gives no descriptor."""
        if act == STAT:
            self.note_size()
        elif act == EXEC:
            self.own_table()
            self.tables.close_on_exec(self.table[self.slot])
        elif act in {CHDIR, FCHDIR}:
            self.tables.directory[self.fs[self.slot]] = self.name
        elif act == TRUNCATE:
            self.truncate(self.arguments.number(self.specs[self.spec + OFFSET]))
        elif act in {UNLINK, RENAME, LINK, SYMLINK}:
            self.change_names(act)
        elif act in {CHROOT, SETNS}:
            self.change_root(act)
        elif act == MOUNT:
            self.files.moves += 1
        elif act == MMAP:
            if self.file >= 0:
                self.mapped_calls += 1
                self.mapped_bytes += max(0, self.arguments.number(1))
        elif act == URING:
            self.files.change(-1, 0)
            self.ring_calls += 1
            self.ring_submitted += value
        elif act == IOCTL:
            self.io_control()
        elif act == UNSHARE:
            self.unshare()
        elif act == ALLOCATE:
            self.allocate()
        elif act == SUBMIT:
            self.offset = self.arguments.number(0)
            self.submitted = value
        elif act == CONTEXT:
            self.offset = self.arguments.number(0)
        elif act == UNREAD:
            self.count_unread(value)

    def count_unread(self, value: int) -> None:
        """Count a call that moves data which is not read: what it asked for, moved, or shows."""
        call = self.spec // SPECS
        amount = value
        if self.specs[self.spec + BYTES] >= 0:
            amount = max(self.requested, 0)
        elif self.kind == SOCKET or self.kind == INHERITED:  # recvmmsg returns how many messages
            amount = self.message_bytes()
        self.unread[call] = self.unread.get(call, 0) + amount
        self.unread_calls[call] = self.unread_calls.get(call, 0) + 1

    def message_bytes(self) -> int:
        """Return the sum of all ``msg_len`` that the call shows."""
        total = 0
        end = self.arguments.end()
        i = self.text.find(MESSAGE_BYTES, 8, self.arguments.place(1), end)
        while i >= 0:
            if self.text.number(i + 8, end) == 1 and self.text.value <= MOST - total:
                total += self.text.value
            i = self.text.find(MESSAGE_BYTES, 8, i + 8, end)
        return total

    def take_request(self, what: int, i: int) -> int:
        """Make a request of ``io_submit`` the call whose row is next; 0 if it is not all shown."""
        end = self.arguments.end()
        moves = what < AIO_SYNC
        amount = self.arguments.request_bytes(i) if moves else 0
        at = self.arguments.field(i, end, AT_OFFSET, 7)
        offset = NULL
        if at >= 0 and self.text.number(at, end) == 1:
            offset = self.text.value
        at = self.arguments.field(i, end, FILDES, 7)
        if at < 0 or self.text.number(at, end) != 1 or self.text.value < 0:
            return 0
        if moves and (amount == NULL or offset == NULL):
            return 0
        self.fd = self.text.value
        self.file = self.look_up(self.fd, 0)
        self.name = self.noted(self.file)
        self.kind = self.kind_of(self.file)
        self.flags = -1
        self.offset = self.requested = NULL
        if moves:
            self.requested = amount
            self.offset = offset
            self.move_request(what, i, end)
        self.submitted = amount
        return 1

    def move_request(self, what: int, i: int, end: int) -> None:
        """Do what a request that reads or writes does."""
        mode = self.files.mode[self.file] & DIRECT
        if what in {AIO_WRITE, AIO_WRITEV}:
            mode = self.files.mode[self.file]
            append = mode & APPENDS
            at = self.arguments.field(i, end, RW_FLAGS, 9)
            if at >= 0:
                stop = self.arguments.word_end(at)
                append |= self.text.find(RWF_APPEND, 10, at, stop) >= 0
                if self.text.find(RWF_SYNC, 8, at, stop) >= 0:
                    mode |= SYNCHRONOUS
                if self.text.find(RWF_DSYNC, 9, at, stop) >= 0:
                    mode |= SYNCHRONOUS
            self.offset = self.write_at(self.offset, self.requested, append)
        if mode & (SYNCHRONOUS | DIRECT):
            self.flags = self.word_of(mode)

    def note_size(self) -> None:
        """Take a regular file's size from what stat found."""
        end = self.arguments.end()
        i = self.specs[self.spec + PATH]
        if i < 0:
            i = self.specs[self.spec + FD]
        i = self.arguments.place(i + 1)
        if i < 0:
            return
        i = self.text.find(S_IFREG, 7, i, end)
        if i < 0:
            return
        i = self.text.find(SIZE_FIELD, 6, i, end)
        if i >= 0 and self.text.number(i + 6, end) == 1:
            i = self.node()
            if i >= 0:
                self.files.learn(i, self.text.value)

    def truncate(self, size: int) -> None:
        """Do what truncate and ftruncate do; to nothing, it is what O_TRUNC does."""
        if size == 0:
            text = "O_TRUNC"
            self.flags = self.flag_words.word(text.encode())
        self.resize(size)

    def resize(self, size: int) -> None:
        """The file that the call is about is given this length, or an unknown one (NULL)."""
        i = self.node()
        if i >= 0:
            self.files.resize(i, size)
        else:
            self.files.change(-1, 0)

    def change_names(self, act: int) -> None:
        """Do what unlink, rename, link and symlink do."""
        name = self.name
        if act == UNLINK:
            if self.arguments.has(self.specs[self.spec + FLAGS], REMOVEDIR, 9):
                self.flags_at(self.specs[self.spec + FLAGS], act)
            self.remove_name(self.place(name, 0))
            self.files.moves += 1
            return
        name2 = self.place(self.name2, 0)
        exchanges = act == RENAME and self.arguments.has(self.specs[self.spec + FLAGS], EXCHANGE, 8)
        if exchanges:
            self.flags_at(self.specs[self.spec + FLAGS], act)
        if act == SYMLINK:
            self.remove_name(name2)
            if name >= 0 and name2 >= 0:
                self.links.add(name2, name, self.files.moves)
                self.link_count += 1
            return
        file = self.file if self.file >= 0 else self.file2
        if act == LINK and file >= 0:
            self.name_file(file, name2)
            return
        follow = act == LINK and self.arguments.has(4, FOLLOW, 17)
        name = self.place(name, follow)
        if name < 0 or name2 < 0 or self.is_magic(name):
            self.remove_name(name2)
            self.files.moves += act == RENAME
        elif exchanges:
            self.remove_name(name)
            self.remove_name(name2)
            self.files.moves += 1
        elif self.link_count and self.links.is_link(name, self.files.moves):
            self.link_link(act, name, name2)
        else:
            sure = follow or self.are_beside(name, name2)
            if self.link_count and name != name2:
                self.links.remove(name2)
            self.files.link(name, name2, sure, act == RENAME)

    def remove_name(self, name: int) -> None:
        """A name leads nowhere any more."""
        self.files.unbind(name)
        if self.link_count and name >= 0:
            self.links.remove(name)

    def link_link(self, act: int, name: int, name2: int) -> None:
        """A symbolic link has a second name, or another one."""
        if name == name2:
            return
        self.remove_name(name2)
        self.files.moves += act == RENAME
        self.links.copy(name, name2, self.files.moves)
        if act == RENAME:
            self.links.remove(name)

    def are_beside(self, name: int, name2: int) -> int:
        """Say whether two names are of one directory."""
        left = self.names.text(name).rpartition("/")[0]
        return left == self.names.text(name2).rpartition("/")[0]

    def name_file(self, file: int, name: int) -> None:
        """An open file is given a name (linkat of its descriptor)."""
        self.remove_name(name)
        if name >= 0 and self.files.node[file] >= 0:
            self.files.name_node(name, self.files.node[file])
        if name >= 0 and self.files.name[file] in self.unnamed:
            self.files.name[file] = self.name2

    def change_root(self, act: int) -> None:
        """Do what chroot and pivot_root do, and setns that enters other mounts."""
        fs = self.fs[self.slot]
        old = self.tables.fs_root[fs]
        if act == SETNS:
            if self.arguments.has(1, NEW_MOUNTS, 11):
                self.tables.fs_root[fs] = self.tables.directory[fs] = self.unknown_root()
            return
        root = self.name
        if self.begins_with(root, DEV_NAME, 1):
            if self.names.starts[root + 1] - self.names.starts[root] == 1:
                root = -1
        elif not self.begins_with(root, OUT_NAME, 6):
            root = self.unknown_root()
        self.tables.fs_root[fs] = root
        if self.specs[self.spec + PATH2] >= 0:  # pivot_root
            self.files.moves += 1
            where = self.tables.directory[fs]
            if where == old or (old < 0 and where >= 0 and self.names.text(where) == "/"):
                self.tables.directory[fs] = root

    def io_control(self) -> None:
        """Do what ioctl does."""
        if self.arguments.begins(1, FIOCLEX, 7):
            self.tables.mark(self.table[self.slot], self.fd, 1)
        elif self.arguments.begins(1, FIONCLEX, 8):
            self.tables.mark(self.table[self.slot], self.fd, 0)
        else:
            i = self.arguments.place(1)
            if i >= 0 and self.text.find(FICLONE, 7, i, self.arguments.end()) >= 0:
                self.resize(NULL)

    def unshare(self) -> None:
        """Do what unshare does."""
        if self.arguments.has(0, CLONE_FILES, 11):
            self.own_table()
        if self.arguments.has(0, CLONE_FS, 8):
            fs = self.fs[self.slot]
            if self.tables.fs_users[fs] > 1:
                self.fs[self.slot] = self.tables.copy_fs(fs)
                self.tables.leave_fs(fs)

    def allocate(self) -> None:
        """Do what fallocate does to a file's size."""
        if self.file < 0 or self.arguments.has(1, KEEP_SIZE, 9):
            return
        start = self.arguments.number(2)
        size = self.arguments.number(3)
        if self.arguments.number(1) == 0 and start != NULL and size != NULL:
            self.files.reaches(self.file, start + size)
        else:
            self.resize(NULL)

    def release(self) -> None:
        """The call is over: it holds no open file any more."""
        if self.file >= 0:
            self.files.drop(self.file)
        if self.file2 >= 0:
            self.files.drop(self.file2)
