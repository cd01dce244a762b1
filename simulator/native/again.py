"""An engine that begins again: its state before its first event, kept, and put back.

Points of a sweep differ in numbers of parts mostly. Making an engine takes two hundred
microseconds, putting one back a fifth of that; the plan's numbers are then written over the old.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simulator.native import codes as c
from simulator.native.collect import bins_at
from simulator.native.statekinds import CONSTANT, RULES
from simulator.native.tables import PartTables

if TYPE_CHECKING:
    from simulator.native.flatten import Flat
    from simulator.plan.plan import Plan

MOST_BYTES = 1 << 20
"""Tables that are kept: larger engines run for so long that making them costs nothing."""
_NEW = ("streams", "jobs")
"""What has no number or table of its own that is state but the cells of streams."""


def may_begin_again(plan: Plan) -> bool:
    """Return whether only a plan's parts decide what differs before the first event.

    Not where data is brought in before, or where rates of parts go into buffer caches.
    """
    return not plan.buffers and not any(file.prestaged for file in plan.files)


def cells_of(flat: Flat) -> Iterator[tuple[Any, str, Any]]:
    """Yield the owner, name and value of every number and table of an engine."""
    waiting = [one for name, one in vars(flat).items() if name not in _NEW and _is_own(one)]
    seen = {id(one): one for one in waiting}
    for owner in waiting:  # which grows
        for name in _names(owner):
            value = getattr(owner, name)
            if isinstance(value, int | float) or _is_table(value):
                yield owner, name, value
            elif name not in _NEW and _is_own(value) and id(value) not in seen:
                seen[id(value)] = value
                waiting.append(value)


def _names(owner: Any) -> list[str]:
    return [name for name in dir(owner) if not name.startswith("__") and not _is_code(owner, name)]


def _is_code(owner: Any, name: str) -> bool:
    return callable(getattr(owner, name))


def _is_own(value: Any) -> bool:
    """Return whether a value is a part of the engine."""
    return type(value).__module__.startswith(("simulator.native", "simulator.kinds"))


def _is_table(value: Any) -> bool:
    try:
        memoryview(value)
    except TypeError:
        return False
    return not isinstance(value, bytes)


class Kept:
    """An engine, with its state when its processes had begun, before the first event."""

    def __init__(self, flat: Flat) -> None:
        self.flat = flat
        self.size = 0
        """Bytes of all tables."""
        self._numbers: list[tuple[Any, str, Any]] = []
        self._tables: list[tuple[Any, str, Any]] = []
        self._images: list[tuple[memoryview, bytes]] = []
        seen = dict[int, Any]()
        for owner, name, value in cells_of(flat):
            if RULES.get(f"{type(owner).__name__}.{name}") == CONSTANT:
                continue
            if isinstance(value, int | float):
                self._numbers.append((owner, name, value))
                continue
            self._tables.append((owner, name, value))
            if name == "latency":  # Its histograms are empty.
                continue
            whole = _whole(value)
            if id(whole) not in seen:
                seen[id(whole)] = whole
                self._keep(value)
        self._keep(flat.clients.streams.cells)
        self._latency = memoryview(flat.clients.latency)
        flat.grown = False

    def _keep(self, table: Any) -> None:
        """Take an image of a table."""
        cells = memoryview(table).cast("B")
        self._images.append((cells, bytes(cells)))
        self.size += len(cells)

    def again(self, plan: Plan, parts: PartTables) -> Flat:
        """Return the engine as it was, for a plan with other numbers of parts."""
        flat = self.flat
        if flat.grown:
            for owner, name, table in self._tables:
                setattr(owner, name, table)
            flat.grown = False
        whole = slice(None)
        for cells, image in self._images:
            cells[whole] = image
        for owner, name, number in self._numbers:
            setattr(owner, name, number)
        self._empty_histograms()
        flat.plan = plan
        flat.parts.spec, flat.parts.rate, flat.parts.own = parts.spec, parts.rate, parts.own
        flat.sharing.speeds = parts.speeds
        flat.clients.copy_ns_per_byte = parts.copy_rate
        return flat

    def _empty_histograms(self) -> None:
        """Empty those of latencies, the largest table: all between the least one and the most."""
        table, cells = self._latency, self._latency.cast("B")
        for row in range(0, len(table) - c.Q_ROWS + 1, c.Q_ROWS):
            if table[row + c.Q_COUNT]:
                for first, end in (bins_at(table, row), (row, row + c.Q_BINS)):
                    cells[8 * first : 8 * end] = bytes(8 * (end - first))


def _whole(table: Any) -> Any:
    """Return what a compiled owner's table is a view of, if of all of it: several may have it."""
    base = getattr(table, "base", table)
    return base if memoryview(base).nbytes == memoryview(table).nbytes else table


def kept_of(flat: Flat) -> Kept | None:
    """Keep an engine whose processes have begun; None if it is too large."""
    kept = Kept(flat)
    return kept if kept.size <= MOST_BYTES else None
