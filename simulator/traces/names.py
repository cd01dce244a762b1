"""Names with a number each: bytes in one long array, found again by their hash.

A name is added once and never removed, so memory grows with the names that differ. ``local``
numbers those that a batch of rows uses, from 0.
"""

from __future__ import annotations

from array import array
from typing import Any

from simulator.traces.grow import grown
from simulator.traces.text import Text

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # interpreted, and Cython is not there
    from simulator.engine.native.interpreted import cython
if not cython.compiled:
    from simulator.traces.bytesearch import copy_bytes, hash_bytes, same_bytes

FIRST = 1024
FIRST_BYTES = 1 << 16


class Names:
    """Texts as numbers 0, 1, 2, ..."""

    def __init__(self) -> None:
        self.count = 0
        self.store = array("B", bytes(FIRST_BYTES))
        self.arena: Any = self.store
        self.starts = array("q", [0]) * (FIRST + 1)
        self.hashes = array("q", [0]) * FIRST
        self.slots = array("i", [-1]) * (4 * FIRST)
        self.mask = 4 * FIRST - 1
        # Which names the current batch has, and their numbers in it.
        self.batch = 1
        self.stamp = array("q", [0]) * FIRST
        self.local_of = array("q", [0]) * FIRST
        self.used = array("q", [0]) * FIRST
        self.used_count = 0
        # Where a name is put together.
        self.build = array("B", bytes(8192))
        self.raw = array("B", bytes(8192))
        self.raw_text: Any = array("B", bytes(1))

    # -- finding and adding ---------------------------------------------------------------

    def find(self, data: Any, start: int, end: int) -> int:
        """Give the number of data[start:end], or -1 if it is none of the names."""
        hashed = hash_bytes(data, start, end)
        slot = hashed & self.mask
        size = end - start
        while True:
            name = self.slots[slot]
            if name < 0:
                return -1
            if (
                self.hashes[name] == hashed
                and self.starts[name + 1] - self.starts[name] == size
                and same_bytes(data, start, self.arena, self.starts[name], size)
            ):
                return name
            slot = (slot + 1) & self.mask

    def add(self, data: Any, start: int, end: int) -> int:
        """Give the number of data[start:end], a new one if need be."""
        name = self.find(data, start, end)
        if name >= 0:
            return name
        name = self.count
        if name + 1 >= len(self.hashes):
            self.grow()
        at = self.starts[name]
        if at + end - start > len(self.arena):
            self.grow_arena(at + end - start)
        copy_bytes(self.arena, at, data, start, end)
        self.starts[name + 1] = at + end - start
        self.hashes[name] = hash_bytes(data, start, end)
        self.count = name + 1
        self.place(name)
        return name

    def place(self, name: int) -> None:
        """Enter a name into the table of hashes."""
        slot = self.hashes[name] & self.mask
        while self.slots[slot] >= 0:
            slot = (slot + 1) & self.mask
        self.slots[slot] = name

    def grow(self) -> None:
        """Have room for twice as many names."""
        self.starts = grown(self.starts, 0)
        self.hashes = grown(self.hashes, 0)
        self.stamp = grown(self.stamp, 0)
        self.local_of = grown(self.local_of, 0)
        self.used = grown(self.used, 0)
        self.slots = array("i", [-1]) * (4 * len(self.hashes))
        self.mask = 4 * len(self.hashes) - 1
        for name in range(self.count):
            self.place(name)

    def grow_arena(self, need: int) -> None:
        """Have room for more bytes; in place, where the system can."""
        size = len(self.store)
        while size < need:
            size += size if size < (1 << 24) else size // 4
        self.arena = None
        self.store.frombytes(bytes(size - len(self.store)))
        self.arena = self.store

    def word(self, text: bytes) -> int:
        """Give the number of a text from outside."""
        self.raw_text = array("B", text + b"\n")
        return self.add(self.raw_text, 0, len(text))

    def text(self, name: int) -> str:
        """Give a name as text."""
        return bytes(self.store[self.starts[name] : self.starts[name + 1]]).decode()

    # -- a batch of rows ------------------------------------------------------------------

    def local(self, name: int) -> int:
        """Give the number that a name has in the current batch."""
        if self.stamp[name] != self.batch:
            self.stamp[name] = self.batch
            self.local_of[name] = self.used_count
            self.used[self.used_count] = name
            self.used_count += 1
        return self.local_of[name]

    def used_bytes(self) -> int:
        """Give how many bytes the names of the batch have."""
        total = 0
        for i in range(self.used_count):
            total += self.starts[self.used[i] + 1] - self.starts[self.used[i]]
        return total

    def end_batch(self, data: Any, ends: Any) -> None:
        """Copy the batch's names to ``data`` and where each ends to ``ends``; begin another."""
        at = 0
        for i in range(self.used_count):
            name = self.used[i]
            copy_bytes(data, at, self.arena, self.starts[name], self.starts[name + 1])
            at += self.starts[name + 1] - self.starts[name]
            ends[i] = at
        self.used_count = 0
        self.batch += 1

    # -- file names -----------------------------------------------------------------------

    def join(self, base: int, text: Text, start: int, end: int) -> int:
        """Give the name of the path in [start, end), seen from the directory ``base`` (or -1).

        Escapes are undone; ``.``, ``..`` and ``//`` taken out.
        """
        if text.find(BACKSLASH, 1, start, end) >= 0:
            end = self.undo(text, start, end)
            return self.build_name(base, self.raw, 0, end)
        return self.build_name(base, text.bytes, start, end)

    def plain(self, text: Text, start: int, end: int) -> int:
        """Give the name in [start, end), escapes undone and nothing else."""
        size = self.undo(text, start, end)
        return self.valid(self.raw, 0, size)

    def undo(self, text: Text, start: int, end: int) -> int:
        """Undo strace's escapes into ``raw``; gives the length."""
        if end - start >= len(self.raw):
            self.raw = array("B", bytes(2 * (end - start)))
        n = 0
        i = start
        while i < end:
            c = text.bytes[i]
            i += 1
            if c == 92 and i < end:
                c = text.bytes[i]
                i += 1
                if 48 <= c <= 55:
                    c -= 48
                    for k in range(2):  # noqa: B007 - _ has no C type
                        if i < end and 48 <= text.bytes[i] <= 55:
                            c = c * 8 + text.bytes[i] - 48
                            i += 1
                elif c == 120 and i + 1 < end and text.digit(text.bytes[i + 1]) >= 0:
                    c = text.digit(text.bytes[i]) * 16 + text.digit(text.bytes[i + 1])
                    i += 2
                else:
                    c = self.control(c)
            self.raw[n] = c & 255
            n += 1
        return n

    def control(self, c: int) -> int:
        """Give the byte that stands behind a backslash and a letter."""
        if c == 110:
            return 10
        if c == 116:
            return 9
        if c == 114:
            return 13
        if c == 118:
            return 11
        if c == 102:
            return 12
        if c == 97:
            return 7
        if c == 98:
            return 8
        if c == 101:
            return 27
        return c

    def build_name(self, base: int, data: Any, start: int, end: int) -> int:
        """Put a directory and a path together, in ``build``."""
        n = 0
        absolute = start < end and data[start] == 47
        if not absolute and base >= 0:
            n = self.starts[base + 1] - self.starts[base]
            absolute = self.arena[self.starts[base]] == 47
        if n + end - start + 2 > len(self.build):
            self.build = array("B", bytes(2 * (n + end - start + 2)))
        if n:
            copy_bytes(self.build, 0, self.arena, self.starts[base], self.starts[base + 1])
            if n == 1 and (absolute or self.build[0] == 46):
                n = 0  # "/" and "." are nothing before a name
        high = 0
        i = start
        while i < end:
            while i < end and data[i] == 47:
                i += 1
            first = i
            while i < end and data[i] != 47:
                high |= data[i]
                i += 1
            if i == first or (i == first + 1 and data[first] == 46):
                continue
            if i == first + 2 and data[first] == 46 and data[first + 1] == 46:
                if self.can_go_up(n):
                    n = self.parent(n)
                    continue
                if absolute:
                    continue
            if n or absolute:
                self.build[n] = 47
                n += 1
            copy_bytes(self.build, n, data, first, i)
            n += i - first
        if n == 0:
            self.build[0] = 47 if absolute else 46
            n = 1
        if high > 127:
            return self.valid(self.build, 0, n)
        return self.add(self.build, 0, n)

    def can_go_up(self, n: int) -> int:
        """Say whether the name of length ``n`` in ``build`` has a last part that is not ``..``."""
        if n == 0:
            return 0
        if n >= 2 and self.build[n - 1] == 46 and self.build[n - 2] == 46:
            return n > 2 and self.build[n - 3] != 47
        return 1

    def parent(self, n: int) -> int:
        """Give the length of the name in ``build`` without its last part."""
        while n > 0 and self.build[n - 1] != 47:
            n -= 1
        return n - 1 if n > 0 else 0

    def valid(self, data: Any, start: int, end: int) -> int:
        r"""Give the number of a name whose bytes may not be UTF-8: those are shown as \xNN."""
        name = bytes(data[start:end])
        return self.word(name.decode("utf-8", "backslashreplace").encode())


BACKSLASH = b"\\"
