"""Calls that move bytes: positions of open files, and sizes of files."""

from __future__ import annotations

from array import array

from simulator.traces.arguments import Arguments
from simulator.traces.codes import *
from simulator.traces.located import Located
from simulator.traces.names import Names
from simulator.traces.tables import Tables

APPENDS, SYNCHRONOUS, DIRECT = 1, 128, 256
"""Of the mode of an open file."""
SEEK_END, RWF_APPEND = b"SEEK_END", b"RWF_APPEND"
RWF_SYNC, RWF_DSYNC = b"RWF_SYNC", b"RWF_DSYNC"


class Moving(Located):
    """A call that reads, writes or seeks."""

    def __init__(
        self, arguments: Arguments, tables: Tables, names: Names, flag_words: Names
    ) -> None:
        super().__init__(arguments, tables, names)
        self.flag_words = flag_words
        self.append_calls = self.append_bytes = 0
        self.modes = array("q", [-1, -1, -1, -1])
        """Numbers of texts for flags of reads and writes; -1 if not known yet."""

    def note_request(self, act: int) -> None:
        """Note how many bytes were asked for."""
        if self.specs[self.spec + BYTES] >= 0 and act != MMAP and act != ALLOCATE:
            self.requested = self.arguments.number(self.specs[self.spec + BYTES])
        elif self.specs[self.spec + VECTOR] >= 0:
            self.requested = self.arguments.vector(self.specs[self.spec + VECTOR])

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
