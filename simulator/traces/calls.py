"""What calls do: to descriptors, names, positions and sizes, by the rules of docs/traces.md.

A call is *begun*: its descriptors and names are looked up, and what it closes is closed; and
*ended*: what it returned moves positions and makes descriptors. Between the two it holds its open
files, in the fields of this class or, if other lines come between, in those of its process.
"""

from __future__ import annotations

from array import array
from typing import Any

from simulator.traces.arguments import Arguments
from simulator.traces.arrays import Bytes, Longs
from simulator.traces.codes import *
from simulator.traces.codes import CLONE_FILES, CLONE_FS
from simulator.traces.files import Files
from simulator.traces.links import Links
from simulator.traces.names import Names
from simulator.traces.syscalls import specs
from simulator.traces.tables import Tables

MOST_FD = 2**31 - 1
APPENDS, TRUNCATES, OPENS_DIRECTORY, CLOSES_ON_EXEC, CREATES = 1, 2, 4, 8, 16
EXCLUSIVE, TEMPORARY, SYNCHRONOUS, DIRECT = 32, 64, 128, 256
DEV_NAME, PROC_NAME, OUT_NAME = b"/dev/", b"/proc/", b"(root "
DEV_FD_NAME = b"/dev/fd/"
SELF_FD = ("/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/")
IN_ROOT, FOLLOW, NEW_MOUNTS = b"RESOLVE_IN_ROOT", b"AT_SYMLINK_FOLLOW", b"CLONE_NEWNS"
O_APPEND, CLOEXEC, SEEK_END, RWF_APPEND = b"O_APPEND", b"CLOEXEC", b"SEEK_END", b"RWF_APPEND"
O_DIRECT, RWF_SYNC, RWF_DSYNC = b"O_DIRECT", b"RWF_SYNC", b"RWF_DSYNC"
F_DUP, F_SETFD, F_SETFL, FD_CLOEXEC = b"F_DUP", b"F_SETFD", b"F_SETFL", b"FD_CLOEXEC"
FIOCLEX, FIONCLEX, FICLONE = b"FIOCLEX", b"FIONCLEX", b"FICLONE"
KEEP_SIZE, EXCHANGE, UNSHARES = b"KEEP_SIZE", b"EXCHANGE", b"UNSHARE"
S_IFREG, SIZE_FIELD, FLAGS_FIELD = b"S_IFREG", b"_size=", b"flags="


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


class Calls:
    """The call that is being read, and everything that calls change."""

    def __init__(
        self,
        arguments: Arguments,
        tables: Tables,
        names: Names,
        flag_words: Names,
    ) -> None:
        self.arguments = arguments
        self.text = arguments.text
        self.tables = tables
        self.files: Files = tables.files
        self.names = names
        self.flag_words = flag_words
        self.bits = array("q", [0]) * 64
        self.bits_count = 0
        self.specs: Longs = specs()
        # Processes.
        self.table = array("q", [-1]) * 64
        self.fs = array("q", [-1]) * 64
        self.clear(0, 0)
        # What a log cannot say.
        self.mapped_calls = self.mapped_bytes = 0
        self.ring_calls = self.ring_submitted = 0
        self.append_calls = self.append_bytes = 0
        self.root_calls = 0
        self.modes = array("q", [-1, -1, -1, -1])
        """Numbers of texts for flags of reads and writes; -1 if not known yet."""
        # Symbolic links, files without a name, roots that are not known.
        self.links = Links(names)
        self.link_count = 0
        self.unnamed: set[int] = set()
        self.unnamed_count = 0
        self.root_count = 0

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

    # -- the beginning --------------------------------------------------------------------

    def clear(self, call: int, slot: int) -> None:
        """Another call, of which nothing is known yet."""
        self.spec = call * SPECS
        self.slot = slot
        self.fd = self.file = self.file2 = self.name = self.name2 = self.kind = self.flags = -1
        self.offset = self.offset2 = self.requested = NULL

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

    # -- the end --------------------------------------------------------------------------

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

    def note_request(self, act: int) -> None:
        """Note how many bytes were asked for."""
        if self.specs[self.spec + BYTES] >= 0 and act != MMAP and act != ALLOCATE:
            self.requested = self.arguments.number(self.specs[self.spec + BYTES])
        elif self.specs[self.spec + VECTOR] >= 0:
            self.requested = self.arguments.vector(self.specs[self.spec + VECTOR])

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

    def move(self, act: int, value: int) -> None:
        """Move positions: ``value`` is what the call returned."""
        k = self.specs[self.spec + OFFSET]
        if act == READ:
            self.offset = self.read(self.file, value)
        elif act == WRITE:
            self.offset = self.write(self.file, value, self.is_appending())
        elif act == PREAD:
            self.offset = self.arguments.number(k)
        elif act == PWRITE:
            self.offset = self.write_at(self.arguments.number(k), value, self.is_appending())
        elif act == PREADV2:
            self.offset = self.arguments.number(k)
            if self.offset == -1:
                self.offset = self.read(self.file, value)
        elif act == PWRITEV2:
            self.write_vector(self.arguments.number(k), value)
        elif act in {SENDFILE, COPY}:
            self.transfer(act, k, value)
        else:
            self.seek(act, k, value)

    def note_mode(self, act: int) -> None:
        """Note which flags of its open file concern a read or write."""
        mode = self.files.mode[self.file] if self.file >= 0 else 0
        if act in {READ, PREAD, PREADV2}:
            mode &= DIRECT
        elif act not in {WRITE, PWRITE, PWRITEV2}:
            return
        if act == PWRITEV2:
            k = self.specs[self.spec + FLAGS]
            if self.arguments.has(k, RWF_SYNC, 8) or self.arguments.has(k, RWF_DSYNC, 9):
                mode |= SYNCHRONOUS
        if mode & (SYNCHRONOUS | DIRECT):
            self.flags = self.word_of(mode)

    def word_of(self, mode: int) -> int:
        """Return the number of the text for flags of a read or write."""
        place = (mode & (SYNCHRONOUS | DIRECT)) // SYNCHRONOUS
        if self.modes[place] < 0:
            text = ("", "O_DSYNC", "O_DIRECT", "O_DSYNC|O_DIRECT")[place]
            self.modes[place] = self.flag_words.word(text.encode())
        return self.modes[place]

    def is_appending(self) -> int:
        """Say whether writes of the open file go to the end of the file."""
        return self.file >= 0 and self.files.mode[self.file] & APPENDS

    def read(self, file: int, value: int) -> int:
        """Move the position of an open file; gives where it was, or NULL."""
        if file < 0 or self.files.kind[file] != FILE:
            return NULL
        position = self.files.position[file]
        if position != NULL:
            self.files.position[file] = position + value
        return position

    def write(self, file: int, value: int, append: int) -> int:
        """Write at the position of an open file, or at the end; gives where, or NULL."""
        if file < 0 or self.files.kind[file] != FILE:
            self.write_elsewhere(file, value)
            return NULL
        position = self.files.size_of(file) if append else self.files.position[file]
        end = position + value if position != NULL else NULL
        self.files.position[file] = end
        self.wrote(file, value, end, append)
        return position

    def write_at(self, offset: int, value: int, append: int) -> int:
        """Write at an offset, which Linux forgets if the file is open for appending."""
        if self.file < 0 or self.files.kind[self.file] != FILE:
            self.write_elsewhere(self.file, value)
            return offset
        if append:
            offset = self.files.size_of(self.file)
        self.wrote(self.file, value, offset + value if offset != NULL else NULL, append)
        return offset

    def wrote(self, file: int, value: int, end: int, append: int) -> None:
        """Bytes were written to a file, up to ``end`` if that is known."""
        if value > 0:
            if append and end == NULL:
                self.append_calls += 1
                self.append_bytes += value
            self.files.reaches(file, end)

    def write_elsewhere(self, file: int, value: int) -> None:
        """Bytes were written, but not to a file that the log has opened: perhaps to any file."""
        if value > 0 and file >= 0 and self.files.kind[file] == INHERITED:
            self.files.change(-1, 0)

    def write_vector(self, offset: int, value: int) -> None:
        """Do what pwritev2 does: an offset of -1 is the position, and there are flags."""
        append = self.is_appending() or self.arguments.has(
            self.specs[self.spec + FLAGS], RWF_APPEND, 10
        )
        if offset == -1:
            self.offset = self.write(self.file, value, append)
        else:
            self.offset = self.write_at(offset, value, append)

    def transfer(self, act: int, k: int, value: int) -> None:
        """Move bytes from one open file to another."""
        if self.is_null(k):
            self.offset = self.read(self.file, value)
        else:
            self.offset = self.arguments.bracketed(k)
        k = self.specs[self.spec + OFFSET2]
        if act == SENDFILE or self.is_null(k):
            append = self.file2 >= 0 and self.files.mode[self.file2] & APPENDS
            self.offset2 = self.write(self.file2, value, append)
        else:
            self.offset2 = self.arguments.bracketed(k)
            if value > 0 and self.file2 >= 0:
                self.files.reaches(
                    self.file2, self.offset2 + value if self.offset2 != NULL else NULL
                )

    def is_null(self, k: int) -> int:
        """Say whether an argument is NULL."""
        i = self.arguments.place(k)
        return i >= 0 and (self.text.bytes[i] == 78 or self.arguments.number(k) == 0)

    def seek(self, act: int, k: int, value: int) -> None:
        """Set the position of an open file."""
        if act == LLSEEK:
            value = self.arguments.bracketed(k - 1)
        if self.file < 0 or self.files.kind[self.file] != FILE or value == NULL:
            return
        self.files.position[self.file] = value
        self.offset = value
        if self.arguments.begins(k, SEEK_END, 8):
            by = self.arguments.number(1)
            if by != NULL and self.files.node[self.file] >= 0:
                self.files.learn(self.files.node[self.file], value - by)

    # -- what gives descriptors -----------------------------------------------------------

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

    # -- what changes something else ------------------------------------------------------

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
            self.resize(self.arguments.number(self.specs[self.spec + OFFSET]))
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

    def node(self) -> int:
        """Return the node of the file that the call is about, or -1."""
        if self.file >= 0:
            return self.files.node[self.file]
        if self.file2 >= 0:
            return self.files.node[self.file2]
        if self.name < 0 or self.is_magic(self.name):
            return -1
        return self.files.node_of(self.place(self.name, 1))

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
            self.remove_name(self.place(name, 0))
            self.files.moves += 1
            return
        name2 = self.place(self.name2, 0)
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
        elif act == RENAME and self.arguments.has(self.specs[self.spec + FLAGS], EXCHANGE, 8):
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
