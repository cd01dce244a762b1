"""The arguments of one call: numbers, words and annotations at a place, counted from 0."""

from __future__ import annotations

from array import array

from simulator.traces.arrays import Bytes, Longs
from simulator.traces.bytesearch import find_byte
from simulator.traces.codes import *
from simulator.traces.names import Names
from simulator.traces.text import Text

IOV_LEN, MSG_IOV = b"iov_len=", b"msg_iov="
AIO, OPCODE, COMMAND = b"aio_", b"lio_opcode=", b"IOCB_CMD_"
NBYTES, BUF, IOVEC = b"nbytes=", b"buf=", b"iovec="
OLD_READ, OLD_WRITE, OLD_SYNC, OLD_DATASYNC = b"pread", b"pwrite", b"fsync", b"fdsync"
ANON = b"anon_inode:"
PIPE_NOTE, MEMFD_NOTE, PIDFD_NOTE, SIGNALFD_NOTE = b"pipe:", b"/memfd:", b"pid:", b"signalfd:"
SOCKET_NOTE = b"socket:"
DELETED = b" (deleted)"
DEV, SHM = b"/dev/", b"/dev/shm"
EVENTPOLL = b"eventpoll"


class Arguments:
    """Where the arguments of a call stand in a text, and what they say."""

    def __init__(self, text: Text, files: Names, kinds: Names) -> None:
        self.text = text
        self.files = files
        self.kinds = kinds
        self.tokens: Longs = array("q", [0]) * WIDTH
        self.row = 0
        self.kind = -1
        self.after = 0
        self.epoll = kinds.word(b"epoll")
        self.pidfd = kinds.word(b"pidfd")
        self.signalfd = kinds.word(b"signalfd")

    def hold(self, tokens: Longs) -> None:
        """Look at other tokens; ``row`` says at which."""
        self.tokens = tokens

    def place(self, k: int) -> int:
        """Return where an argument begins, or -1."""
        if k < 0 or k >= MOST_ARGS or k >= self.tokens[self.row + COUNT]:
            return -1
        return self.tokens[self.row + ARG + k]

    def end(self) -> int:
        """Return where the arguments end."""
        return self.tokens[self.row + ARGS_END]

    def number(self, k: int) -> int:
        """Return an argument that is a number, else NULL."""
        i = self.place(k)
        if i < 0 or self.text.number(i, self.end()) != 1:
            return NULL
        return self.text.value

    def bracketed(self, k: int) -> int:
        """Return the number in ``[5]`` or ``[5] => [9]``, else NULL."""
        i = self.place(k)
        if i < 0 or self.text.bytes[i] != 91 or self.text.number(i + 1, self.end()) != 1:
            return NULL
        return self.text.value

    def begins(self, k: int, word: Bytes, size: int) -> int:
        """Say whether an argument begins with a word."""
        i = self.place(k)
        return self.text.holds(word, size, i, self.end()) if i >= 0 else 0

    def has(self, k: int, word: Bytes, size: int) -> int:
        """Say whether an argument, up to a comma, has a word in it."""
        i = self.place(k)
        if i < 0:
            return 0
        return self.text.find(word, size, i, self.word_end(i)) >= 0

    def word_end(self, i: int) -> int:
        """Return where an argument without brackets, or a field of a structure, ends."""
        end = self.end()
        while i < end:
            c = self.text.bytes[i]
            if c in {44, 41, 125, 32}:
                break
            i += 1
        return i

    def vector(self, k: int) -> int:
        """Return the sum of all ``iov_len`` of a vector; NULL if not all are shown."""
        i = self.place(k)
        if i >= 0 and self.text.bytes[i] == 123:  # of a message
            i = self.field(i, self.end(), MSG_IOV, 8)
        return self.vector_at(i)

    def vector_at(self, i: int) -> int:
        """Return the sum of all ``iov_len`` of the vector at ``i``; NULL if not all are shown."""
        end = self.end()
        if i < 0 or self.text.bytes[i] != 91:
            return NULL
        total = 0
        i = self.after_blanks(i + 1, end)
        while i < end and self.text.bytes[i] == 123:
            i = self.field(i, end, IOV_LEN, 8)
            if i < 0 or self.text.number(i, end) != 1 or self.text.value > MOST - total:
                return NULL
            total += self.text.value
            i = self.after_blanks(self.after, end)
            if i < end and self.text.bytes[i] == 44:
                i = self.after_blanks(i + 1, end)
                if i < end and self.text.bytes[i] != 123:
                    return NULL
        return total if i < end and self.text.bytes[i] == 93 else NULL

    def after_blanks(self, i: int, end: int) -> int:
        """Return where something other than blanks begins."""
        while i < end and self.text.bytes[i] == 32:
            i += 1
        return i

    def field(self, i: int, end: int, name: Bytes, size: int) -> int:
        """Return where the value of a field begins in the structure at ``i``, or -1.

        ``name`` has ``size`` bytes, and may follow ``aio_``.
        Sets ``after``, where the structure ends.
        """
        depth = 0
        found = -1
        while i < end:
            c = self.text.bytes[i]
            if c == 34:
                i = self.text.after_string(i, end)
                if i < 0:
                    return -1
                continue
            i += 1
            if c in {123, 91, 40}:
                depth += 1
            elif c in {125, 93, 41}:
                depth -= 1
                if depth == 0:
                    self.after = i
                    return found
            if depth == 1 and c in {123, 44}:
                i = self.after_blanks(i, end)
                if self.text.holds(AIO, 4, i, end):
                    i += 4
                if self.text.holds(name, size, i, end):
                    found = i + size
        return -1

    # -- requests of io_submit ------------------------------------------------------------

    def first_request(self) -> int:
        """Return where the first request of ``io_submit`` stands, or -1."""
        i = self.place(2)
        if i < 0 or self.text.bytes[i] != 91 or self.text.bytes[i + 1] != 123:
            return -1
        return i + 1

    def next_request(self) -> int:
        """Return where the request behind the one before ``after`` stands, or -1."""
        i = self.after_blanks(self.after, self.end())
        if i < self.end() and self.text.bytes[i] == 44:
            i = self.after_blanks(i + 1, self.end())
            if i < self.end() and self.text.bytes[i] == 123:
                return i
        return -1

    def request(self, i: int) -> int:
        """Return what the request at ``i`` does, -1 if that is not known; sets ``after``."""
        end = self.end()
        at = self.field(i, end, OPCODE, 11)
        if at < 0:  # as older versions write it
            at = max(
                self.field(i, end, OLD_READ, 5) - 5,
                self.field(i, end, OLD_WRITE, 6) - 6,
                self.field(i, end, OLD_SYNC, 5) - 5,
                self.field(i, end, OLD_DATASYNC, 6) - 6,
            )
        elif self.text.holds(COMMAND, 9, at, end):
            at += 9
        if at < 0 or at + 7 >= end:
            return -1
        first = self.text.bytes[at] | 32
        second = self.text.bytes[at + 1] | 32
        if first == 112 and second == 114:
            return AIO_READV if self.text.bytes[at + 5] | 32 == 118 else AIO_READ
        if first == 112 and second == 119:
            return AIO_WRITEV if self.text.bytes[at + 6] | 32 == 118 else AIO_WRITE
        if first == 102:
            return AIO_SYNC if second == 115 else AIO_DATASYNC
        return AIO_NOTHING if second == 111 else -1  # POLL, NOOP

    def request_bytes(self, i: int) -> int:
        """Return how many bytes the request at ``i`` asks for, or NULL."""
        end = self.end()
        at = self.field(i, end, NBYTES, 7)
        if at >= 0:
            return self.text.value if self.text.number(at, end) == 1 else NULL
        after = self.after
        at = max(self.field(i, end, BUF, 4), self.field(i, end, IOVEC, 6))
        total = self.vector_at(at)
        self.after = after
        return total

    def is_string(self, i: int) -> int:
        """Say whether a string begins at ``i``."""
        return i >= 0 and self.text.bytes[i] == 34

    # -- annotations (-y) -----------------------------------------------------------------

    def note(self, i: int, end: int) -> int:
        """Return the name in the annotation at ``i``, or -1 if there is none.

        Sets ``kind``: a kind, or -1, or below that -2 - ``k``: kind ``k`` if none is known.
        """
        self.kind = -1
        if i >= end or self.text.bytes[i] != 60:
            return -1
        end = self.text.after_note(i, end) - 1
        if end < 0:
            return -1
        i += 1
        if self.text.bytes[i] == 47:
            return self.path_note(i, end)
        if self.text.holds(ANON, 11, i, end):
            self.anon_kind(i + 11, end)
        elif self.text.holds(PIPE_NOTE, 5, i, end):
            self.kind = PIPE
        elif self.text.holds(PIDFD_NOTE, 4, i, end):
            self.kind = self.pidfd
        elif self.text.holds(SIGNALFD_NOTE, 9, i, end):
            self.kind = self.signalfd
        else:
            self.other_kind(i, end)
        return self.files.plain(self.text, i, end)

    def other_kind(self, i: int, end: int) -> None:
        """Find the kind of a socket (by its protocol, ``TCP:[...]``), or of a ``net:[4]``."""
        if 65 <= self.text.bytes[i] <= 90 or self.text.holds(SOCKET_NOTE, 7, i, end):
            self.kind = SOCKET
        else:
            colon = find_byte(self.text.bytes, 58, i, end)
            self.kind = -2 - self.kinds.add_valid(self.text, i, colon)

    def anon_kind(self, i: int, end: int) -> None:
        """Find the kind of an ``anon_inode:[eventpoll]``."""
        if self.text.bytes[i] == 91 and self.text.bytes[end - 1] == 93:
            i += 1
            end -= 1
        if end - i == 9 and self.text.holds(EVENTPOLL, 9, i, end):
            self.kind = self.epoll
        else:
            self.kind = self.kinds.add_valid(self.text, i, end)

    def path_note(self, i: int, end: int) -> int:
        """Return the name in an annotation that begins with a path."""
        self.kind = FILE
        if self.text.bytes[end - 1] == 62:  # <char 1:3>
            k = end - 1
            while k > i and self.text.bytes[k] != 60:
                k -= 1
            if k > i:
                end = k
                self.kind = DEVICE
        elif self.text.holds(DEV, 5, i, end) and not self.is_shared_memory(i, end):
            self.kind = DEVICE
        elif self.text.holds(MEMFD_NOTE, 7, i, end):
            self.kind = MEMFD
        if end - i > 10 and self.text.holds(DELETED, 10, end - 10, end):
            end -= 10
        return self.files.plain(self.text, i, end)

    def is_shared_memory(self, i: int, end: int) -> int:
        """Say whether a path is /dev/shm, whose files are no devices, or below it."""
        if not self.text.holds(SHM, 8, i, end):
            return 0
        return end == i + 8 or self.text.bytes[i + 8] == 47
