"""The state of an engine at a moment, kept to be compared with a later one; decisions/0054."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from simulator.native import codes as c
from simulator.native.again import cells_of
from simulator.native.statekinds import (
    ALIASES,
    CONSTANT,
    FREE,
    LOOSE,
    RULES,
    SAME,
    SUM,
    unknown,
)

if TYPE_CHECKING:
    from simulator.native.flatten import Flat

CHUNK = 256
"""Cells that are compared at once; those of a chunk that differs are looked at one by one."""
NEVER = 1 << 62
FORMS: dict[str, Literal["i", "q"]] = {"i": "i", "q": "q", "l": "q"}
BLOCKS = ("Blocks.block", "Blocks.written")
"""The largest tables by far, where there are stores."""


class DiffersError(Exception):
    """Two states are not the same; the text names a cell that differs."""

    def __init__(self, text: str, *, walked: bool = False) -> None:
        """``walked``: found by looking at the blocks of stores one by one."""
        super().__init__(text)
        self.walked = walked


class Tables:
    """The tables and numbers of an engine that are state, by the names of their owners."""

    def __init__(self, flat: Flat) -> None:
        cells = list(cells_of(flat))
        self.flat = flat
        self.unknown = unknown(cells)
        """What nobody has said of what it is; then nothing may be carried on."""
        self._owners = {
            f"{type(owner).__name__}.{name}": (owner, name)
            for owner, name, _ in cells
            if name not in ALIASES or ALIASES[name] == f"{type(owner).__name__}.{name}"
        }
        self.names = [
            name for name in self._owners if RULES.get(name, CONSTANT) not in (CONSTANT, LOOSE)
        ]
        self.firsts = [part.first for part in flat.plan.parts]
        self.kept = _kinds_of_kept(flat)
        """What each cell is that kinds of parts remember."""
        self.numbers = [name for name in self.names if isinstance(self.now(name), int)]
        self.tables = [name for name in self.names if name not in self.numbers]

    def now(self, name: str) -> Any:
        """A number, or the cells of a table, as they are."""
        owner, attribute = self._owners[name]
        return getattr(owner, attribute)

    def put(self, name: str, value: int) -> None:
        """Change a number."""
        owner, attribute = self._owners[name]
        setattr(owner, attribute, value)

    def used(self, name: str) -> int:
        """How many cells of a table there is anything in."""
        if name in ("Blocks.block", "Blocks.written"):
            return int(self.flat.blocks.used_rows) * c.B_ROWS
        if name == "Locks.lock":
            return int(self.flat.locks.rows) * c.LK_ROWS
        if name == "Locks.cell":
            return int(self.flat.locks.cells) * c.CELL_ROWS
        if name == "Buffers.cell":
            return int(self.flat.buffers.cell_count) * c.E_ROWS
        if name == "Buffers.slot":
            return int(self.flat.buffers.slot_count) * c.J_ROWS
        if name == "Blocks.frow":
            return int(self.flat.blocks.file_count) * c.F_ROWS
        if name == "Clients.known":
            return int(self.flat.clients.known_count) * c.R_ROWS
        return len(self.now(name))

    def view(self, name: str) -> memoryview[int]:
        """The cells of a table that there is anything in."""
        return memoryview(self.now(name))[: self.used(name)]

    def size(self) -> int:
        """How many cells a moment has without its blocks."""
        return sum(self.used(name) for name in self.tables if name not in BLOCKS)

    def blocks(self) -> int:
        """How many cells of blocks there are."""
        return sum(map(self.used, BLOCKS))


def _kinds_of_kept(flat: Flat) -> list[int]:
    kinds = [SAME] * len(flat.parts.kept)
    spec = flat.parts.spec
    for number, part in enumerate(flat.plan.parts):
        row = number * c.P_ROWS
        if spec[row + c.P_KIND] == c.JOURNAL:
            for at in range(spec[row + c.P_KEPT], spec[row + c.P_KEPT] + 2 * part.count, 2):
                kinds[at + c.COMMIT_BEGIN], kinds[at + c.COMMITS] = FREE, SUM
    return kinds


class Moment:
    """A copy of an engine's state; the blocks of stores are left out if it is not ``whole``."""

    def __init__(self, tables: Tables, *, whole: bool) -> None:
        self.whole = whole
        flat = tables.flat
        self.now = int(flat.clock.now)
        self.events = int(flat.clock.alarms)
        self.numbers = {name: tables.now(name) for name in tables.numbers}
        self.copies: dict[str, memoryview[int]] = {}
        for name in tables.tables:
            if name in BLOCKS and not whole:
                continue
            view = tables.view(name)
            self.copies[name] = memoryview(view.tobytes()).cast(FORMS[view.format])
        self.streams = memoryview(memoryview(flat.clients.streams.cells).tobytes()).cast("q")


def differing(then: memoryview[int], now: memoryview[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the number of each cell that differs, what it was, and what it is."""
    old, new = then.tobytes(), now.tobytes()
    if old == new:
        return
    size = then.itemsize * CHUNK
    for begin in range(0, len(new), size):
        if old[begin : begin + size] != new[begin : begin + size]:
            first = begin // then.itemsize
            end = first + CHUNK
            pairs = zip(then[first:end].tolist(), now[first:end].tolist(), strict=True)
            for number, (was, value) in enumerate(pairs, first):
                if was != value:
                    yield number, was, value
