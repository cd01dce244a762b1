"""The arguments of one call: numbers, words and annotations at a place, counted from 0."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from simulator.traces.codes import ARG, ARGS_END, COUNT, FILE, MOST_ARGS, NULL, PIPE, SOCKET, WIDTH
from simulator.traces.codes import DEVICE as DEVICE_KIND
from simulator.traces.codes import MEMFD as MEMFD_KIND
from simulator.traces.names import Names
from simulator.traces.text import Text

IOV_LEN = b"iov_len="
ANON = b"anon_inode:"
PIPE_NOTE, MEMFD_NOTE, PIDFD_NOTE, SIGNALFD_NOTE = b"pipe:", b"/memfd:", b"pidfd:", b"signalfd:"
DELETED = b" (deleted)"
DEV = b"/dev/"
EVENTPOLL = b"eventpoll"


class Arguments:
    """Where the arguments of a call stand in a text, and what they say."""

    def __init__(self, text: Text, files: Names, kinds: Names) -> None:
        self.text = text
        self.files = files
        self.kinds = kinds
        self.tokens: Sequence[int] = array("q", [0]) * WIDTH
        self.row = 0
        self.kind = -1
        self.epoll = kinds.word(b"epoll")
        self.pidfd = kinds.word(b"pidfd")
        self.signalfd = kinds.word(b"signalfd")

    def hold(self, tokens: Sequence[int]) -> None:
        """Look at other tokens; ``row`` says at which."""
        self.tokens = tokens

    def place(self, k: int) -> int:
        """Give where an argument begins, or -1."""
        if k < 0 or k >= MOST_ARGS or k >= self.tokens[self.row + COUNT]:
            return -1
        return self.tokens[self.row + ARG + k]

    def end(self) -> int:
        """Give where the arguments end."""
        return self.tokens[self.row + ARGS_END]

    def number(self, k: int) -> int:
        """Give an argument that is a number, else NULL."""
        i = self.place(k)
        if i < 0 or self.text.number(i, self.end()) != 1:
            return NULL
        return self.text.value

    def bracketed(self, k: int) -> int:
        """Give the number in ``[5]`` or ``[5] => [9]``, else NULL."""
        i = self.place(k)
        if i < 0 or self.text.bytes[i] != 91 or self.text.number(i + 1, self.end()) != 1:
            return NULL
        return self.text.value

    def begins(self, k: int, word: bytes, size: int) -> int:
        """Say whether an argument begins with a word."""
        i = self.place(k)
        return self.text.holds(word, size, i, self.end()) if i >= 0 else 0

    def has(self, k: int, word: bytes, size: int) -> int:
        """Say whether an argument, up to a comma, has a word in it."""
        i = self.place(k)
        if i < 0:
            return 0
        return self.text.find(word, size, i, self.word_end(i)) >= 0

    def word_end(self, i: int) -> int:
        """Give where an argument without brackets, or a field of a structure, ends."""
        end = self.end()
        while i < end:
            c = self.text.bytes[i]
            if c in {44, 41, 125, 32}:
                break
            i += 1
        return i

    def vector(self, k: int) -> int:
        """Give the sum of all ``iov_len`` of a vector; NULL if it is not shown, or cut short."""
        i = self.place(k)
        if i < 0 or self.text.bytes[i] not in {91, 123}:
            return NULL
        end = self.end()
        total = 0
        found = 0
        while True:
            i = self.text.find(IOV_LEN, 8, i, end)
            if i < 0:
                break
            found = 1
            i += 8
            if self.text.number(i, end) != 1 or total + self.text.value < total:
                return NULL
            total += self.text.value
        return total if found else NULL

    def plain_word(self, words: Names, i: int, end: int) -> int:
        """Give the number of a word; bytes that are not UTF-8 become escapes."""
        for k in range(i, end):
            if self.text.bytes[k] > 127:
                return words.plain(self.text, i, end)
        return words.add(self.text, i, end)

    def is_string(self, i: int) -> int:
        """Say whether a string begins at ``i``."""
        return i >= 0 and self.text.bytes[i] == 34

    # -- annotations (-y) -----------------------------------------------------------------

    def note(self, i: int, end: int) -> int:
        """Give the name in the annotation at ``i``, or -1 if there is none; sets ``kind``."""
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
        elif self.text.holds(PIDFD_NOTE, 6, i, end):
            self.kind = self.pidfd
        elif self.text.holds(SIGNALFD_NOTE, 9, i, end):
            self.kind = self.signalfd
        else:
            self.kind = SOCKET
        return self.files.plain(self.text, i, end)

    def anon_kind(self, i: int, end: int) -> None:
        """Find the kind of an ``anon_inode:[eventpoll]``."""
        if self.text.bytes[i] == 91 and self.text.bytes[end - 1] == 93:
            i += 1
            end -= 1
        if end - i == 9 and self.text.holds(EVENTPOLL, 9, i, end):
            self.kind = self.epoll
        else:
            self.kind = self.plain_word(self.kinds, i, end)

    def path_note(self, i: int, end: int) -> int:
        """Give the name in an annotation that begins with a path."""
        self.kind = FILE
        if self.text.bytes[end - 1] == 62:  # <char 1:3>
            k = end - 1
            while k > i and self.text.bytes[k] != 60:
                k -= 1
            if k > i:
                end = k
                self.kind = DEVICE_KIND
        elif self.text.holds(DEV, 5, i, end):
            self.kind = DEVICE_KIND
        elif self.text.holds(MEMFD_NOTE, 7, i, end):
            self.kind = MEMFD_KIND
        if end - i > 10 and self.text.holds(DELETED, 10, end - 10, end):
            end -= 10
        return self.files.plain(self.text, i, end)
