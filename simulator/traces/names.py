"""Names with a number each: bytes in one long array, found again by their hash.

A name is added once and never removed, so memory grows with the names that differ.
"""

from __future__ import annotations

from array import array
from typing import Any

from simulator.traces.arrays import Buffer, grown
from simulator.traces.bytesearch import copy_bytes, cut_bytes, find_byte, hash_bytes, same_bytes
from simulator.traces.text import Text

FIRST = 1024
FIRST_BYTES = 1 << 16
STEP = 1 << 22
"""By so many bytes a long arena grows."""
NUMBER_BITS = (1 << 31) - 1
PART_BITS = (1 << 62) - (1 << 31)
"""Of a slot: the bits of a name's number, and of its hash."""


class Names:
    """Texts as numbers 0, 1, 2, ..."""

    def __init__(self) -> None:
        self.count = 0
        self.odd = 0
        self.root = -1  # of the path that is being put together: it has no directory above
        self.few_escapes = 0  # truss: \" and \xNN only; other backslashes stand for themselves
        self.store: Any = array("B", bytes(FIRST_BYTES))
        self.arena: Buffer = self.store
        self.starts = array("q", [0]) * (FIRST + 1)
        self.slots = array("q", [-1]) * (2 * FIRST)
        self.mask = 2 * FIRST - 1
        self.room = FIRST
        # Where a name is put together, and where escapes are undone.
        self.build = array("B", bytes(8192))
        self.raw = array("B", bytes(8192))
        self.built = Text()
        self.built.hold(self.build)
        self.undone = Text()
        self.undone.hold(self.raw)

    # -- finding and adding ---------------------------------------------------------------

    def find(self, text: Text, start: int, end: int) -> int:
        """Return the number of the name in [start, end) of a text, or -1 if there is none."""
        hashed = hash_bytes(text.bytes, start, end)
        return self.find_hashed(text, start, end, hashed)

    def find_hashed(self, text: Text, start: int, end: int, hashed: int) -> int:
        """As ``find``, for one whose hash is known.

        A slot has the number of a name and a part of its hash, so that others are seldom looked at.
        """
        slot = hashed & self.mask
        part = hashed & PART_BITS
        size = end - start
        while True:
            name = self.slots[slot]
            if name < 0:
                return -1
            if name & PART_BITS == part:
                name = name & NUMBER_BITS
                if self.starts[name + 1] - self.starts[name] == size and same_bytes(
                    text.bytes, start, self.arena, self.starts[name], size
                ):
                    return name
            slot = (slot + 1) & self.mask

    def add(self, text: Text, start: int, end: int) -> int:
        """Return the number of the name in [start, end) of a text, a new one if need be."""
        hashed = hash_bytes(text.bytes, start, end)
        name = self.find_hashed(text, start, end, hashed)
        if name >= 0:
            return name
        name = self.count
        if name + 1 >= self.room:
            self.grow()
        at = self.starts[name]
        if at + end - start > len(self.arena):
            self.grow_arena(at + end - start)
        copy_bytes(self.arena, at, text.bytes, start, end)
        self.starts[name + 1] = at + end - start
        self.count = name + 1
        self.place(name, hashed)
        return name

    def add_valid(self, text: Text, start: int, end: int) -> int:
        r"""As ``add``, but bytes that are not UTF-8 are shown as \xNN."""
        name = self.find(text, start, end)
        if name >= 0:
            return name
        return self.shown(cut_bytes(text.bytes, start, end))

    def place(self, name: int, hashed: int) -> None:
        """Enter a name into the table of hashes."""
        slot = hashed & self.mask
        while self.slots[slot] >= 0:
            slot = (slot + 1) & self.mask
        self.slots[slot] = (hashed & PART_BITS) + name

    def grow(self) -> None:
        """Have room for twice as many names."""
        self.starts = grown(self.starts, 0)
        self.room *= 2
        size = 2 * self.room
        self.slots = array("q")  # the old ones go before the new ones come
        self.slots = array("q", [-1]) * size
        self.mask = size - 1
        for name in range(self.count):
            self.place(name, hash_bytes(self.arena, self.starts[name], self.starts[name + 1]))

    def grow_arena(self, need: int) -> None:
        """Have room for more bytes; in place, where the system can."""
        self.arena = None
        while len(self.store) < need:
            self.store.frombytes(bytes(min(len(self.store), STEP)))
        self.arena = self.store

    def word(self, text: bytes) -> int:
        """Return the number of a text from outside."""
        whole = Text()
        whole.hold(text + b"\n")
        return self.add(whole, 0, len(text))

    def text(self, name: int) -> str:
        """Return a name as text."""
        return bytes(self.store[self.starts[name] : self.starts[name + 1]]).decode()

    # -- file names -----------------------------------------------------------------------

    def join(self, base: int, text: Text, start: int, end: int) -> int:
        """Return the name of the path in [start, end), seen from the directory ``base`` (or -1).

        Escapes are undone; ``.``, ``..`` and ``//`` taken out.
        """
        if find_byte(text.bytes, 92, start, end) < end:
            end = self.undo(text, start, end)
            return self.build_name(base, self.undone, 0, end)
        if not self.odd and (base < 0 or (start < end and text.bytes[start] == 47)):
            name = self.find(text, start, end)
            if name >= 0:  # it stands there as names do: nothing is to be taken out
                return name
        return self.build_name(base, text, start, end)

    def join_below(self, root: int, base: int, text: Text, start: int, end: int) -> int:
        """As ``join``, for a process with that root directory: ``..`` does not leave it.

        A path from the root is to be given with the root as its base.
        """
        end = self.undo(text, start, end)
        start = 0
        while base == root and start < end and self.raw[start] == 47:
            start += 1
        self.root = root
        name = self.build_name(base, self.undone, start, end)
        self.root = -1
        return name

    def plain(self, text: Text, start: int, end: int) -> int:
        """Return the name in [start, end), escapes undone and nothing else."""
        size = self.undo(text, start, end)
        for i in range(size):
            if self.raw[i] > 127:
                name = self.valid(self.undone, size)
                break
        else:
            name = self.add(self.undone, 0, size)
        if self.build_name(-1, self.undone, 0, size) != name:
            self.odd = 1
        return name

    def undo(self, text: Text, start: int, end: int) -> int:
        """Undo strace's (or truss's) escapes into ``raw``; gives the length."""
        if end - start >= len(self.raw):
            self.raw = array("B", bytes(2 * (end - start)))
            self.undone.hold(self.raw)
        n = 0
        i = start
        while i < end:
            c = text.bytes[i]
            i += 1
            if c == 92 and self.few_escapes:
                if i < end and text.bytes[i] == 34:
                    c = 34
                    i += 1
                elif self.is_hexadecimal(text, i, end):
                    c = text.digit(text.bytes[i + 1]) * 16 + text.digit(text.bytes[i + 2])
                    i += 3
            elif c == 92 and i < end:
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

    def is_hexadecimal(self, text: Text, i: int, end: int) -> int:
        """Say whether ``xNN`` stands at ``i``."""
        if i + 2 >= end or text.bytes[i] != 120:
            return 0
        return text.digit(text.bytes[i + 1]) >= 0 and text.digit(text.bytes[i + 2]) >= 0

    def control(self, c: int) -> int:
        """Return the byte that stands behind a backslash and a letter."""
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

    def build_name(self, base: int, text: Text, start: int, end: int) -> int:
        """Put a directory and a path together, in ``build``."""
        n = 0
        absolute = start < end and text.bytes[start] == 47
        if not absolute and base >= 0:
            n = self.starts[base + 1] - self.starts[base]
            absolute = self.arena[self.starts[base]] == 47
        if n + end - start + 2 > len(self.build):
            self.build = array("B", bytes(2 * (n + end - start + 2)))
            self.built.hold(self.build)
        if n:
            copy_bytes(self.build, 0, self.arena, self.starts[base], self.starts[base + 1])
            if n == 1 and (absolute or self.build[0] == 46):
                n = 0  # "/" and "." are nothing before a name
        high = 0
        i = start
        while i < end:
            while i < end and text.bytes[i] == 47:
                i += 1
            first = i
            while i < end and text.bytes[i] != 47:
                high |= text.bytes[i]
                i += 1
            if i == first or (i == first + 1 and text.bytes[first] == 46):
                continue
            if i == first + 2 and text.bytes[first] == 46 and text.bytes[first + 1] == 46:
                if self.root >= 0 and self.is_root(n):
                    continue
                if self.can_go_up(n):
                    n = self.parent(n)
                    continue
                if absolute:
                    continue
            if n or absolute:
                self.build[n] = 47
                n += 1
            copy_bytes(self.build, n, text.bytes, first, i)
            n += i - first
        if n == 0:
            self.build[0] = 47 if absolute else 46
            n = 1
        if high > 127:
            return self.valid(self.built, n)
        return self.add(self.built, 0, n)

    def is_root(self, n: int) -> int:
        """Say whether the name of length ``n`` in ``build`` is that of the root directory."""
        at = self.starts[self.root]
        if self.starts[self.root + 1] - at != n:
            return 0
        for i in range(n):
            if self.build[i] != self.arena[at + i]:
                return 0
        return 1

    def can_go_up(self, n: int) -> int:
        """Say whether the name of length ``n`` in ``build`` has a last part that is not ``..``."""
        if n == 0:
            return 0
        if n >= 2 and self.build[n - 1] == 46 and self.build[n - 2] == 46:
            return n > 2 and self.build[n - 3] != 47
        return 1

    def parent(self, n: int) -> int:
        """Return the length of the name in ``build`` without its last part."""
        while n > 0 and self.build[n - 1] != 47:
            n -= 1
        return n - 1 if n > 0 else 0

    def valid(self, text: Text, size: int) -> int:
        """Return the number of a name whose bytes may not be UTF-8."""
        return self.shown(cut_bytes(text.bytes, 0, size))

    def shown(self, name: bytes) -> int:
        r"""Return the number of a name; its bytes that are not UTF-8 are shown as \xNN."""
        return self.word(name.decode("utf-8", "backslashreplace").encode())
