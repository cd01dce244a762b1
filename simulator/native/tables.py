"""What the engine's modules begin with: the tables that a plan is flattened into."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from simulator.native.flatparts import Stationed

Table = TypeVar("Table")


def copy_with(table: Table, changed: dict[str, Any]) -> Table:
    """Return a copy of some tables with others in their places; its attributes are shared."""
    new = object.__new__(type(table))
    vars(new).update(vars(table))
    vars(new).update(changed)
    return new


def _ints(*values: int) -> array[int]:
    return array("q", values or (0,))


@dataclass
class PartTables:
    """Specifications of parts, a row each, and the state of their instances."""

    kinds: Stationed
    """The parts' kinds."""
    crowded: frozenset[int] = frozenset()
    """The groups on whose nodes tasks can wait for a core."""
    spec: array[int] = field(default_factory=lambda: array("q"))
    rate: array[float] = field(default_factory=lambda: array("d"))
    """Nanoseconds for a byte."""
    copy_rate: array[float] = field(default_factory=lambda: array("d"))
    state: array[int] = field(default_factory=_ints)
    own: array[int] = field(default_factory=lambda: array("q"))
    """Numbers of specifications of kinds,"""
    kept: array[int] = field(default_factory=lambda: array("q"))
    """and what instances of them remember."""
    run_factor: array[int] = field(default_factory=lambda: array("q", [1 << 20]))
    table: array[int] = field(default_factory=lambda: array("q", [-1]))
    key: array[int] = field(default_factory=lambda: array("Q", [0]))
    factors: array[int] = field(default_factory=lambda: array("q"))
    shares: array[int] = field(default_factory=_ints)
    speeds: array[int] = field(default_factory=lambda: array("q"))
    share_count: int = 0
    pools: int = 0
    arrays: int = 0

    def copy(self) -> PartTables:
        """Return a copy whose state is its own."""
        return copy_with(self, {name: getattr(self, name)[:] for name in _STATE})

    def emptied(self) -> PartTables:
        """Return tables with the same kinds, for the row of a part alone."""
        empty = {name: getattr(self, name)[:0] for name in (*_STATE, *_NUMBERS)}
        return copy_with(self, {**empty, "share_count": 0})

    def own_numbers(self) -> None:
        """Have specifications of its own too."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name)[:])


_STATE = ("state", "kept", "shares")
"""What a run changes."""
_NUMBERS = ("spec", "rate", "copy_rate", "own", "speeds")


@dataclass
class TierTables:
    """Tiers, the parts that stages hold, places, paths and files."""

    tier: array[int]
    hold_part: array[int]
    hold_slot: array[int]
    hold_leads: array[int]
    child: array[int]
    cost: array[int]
    file: array[int]
    stable: array[int]
    path: array[int]
    where: array[int]
    order: array[int]
    pool: array[int]
    shares: array[int]
    chosen: array[int]
    first_branch: int
    width: int
    ask_tier: int
    hop_tier: int
    message: array[int]


@dataclass(slots=True)
class AskedTables:
    """Asked requests, and the groups of those that are merged."""

    merging_column: int
    node: array[int]
    size: array[int]
    pieces: array[int]
    group: array[int]
    first: array[int]
    count: array[int]
    members: array[int]
    group_size: array[int]
    more: array[int]
    group_first: array[int]
    group_count: array[int]


@dataclass
class ProcessTables:
    """Processes, phases, listed operations, and where processes meet."""

    process: array[int]
    phase: array[int]
    path: array[int]
    drain: array[int]
    named: array[int]
    cut: array[int]
    first_copier: int
    kind: array[int]
    file: array[int]
    offset: array[int]
    size: array[int]
    gap: array[int]
    column: array[int]
    draw: array[int]
    draw_key: array[int]
    file_path: array[int]
    copy_ns_per_byte: array[float]
    shared: array[int]
    failed: array[int]
    passed: array[int]
    mark_waiters: array[int]
    lock: array[int]
    barrier: array[int]
    channel: array[int]
    others_column: int
    lock_column: int
    barrier_column: int
    rounds: array[int]
    holdings: array[int]
    awaited: int
    arrivals: array[int]
    arrival_times: array[int]
    arrival_keys: array[int]
    factors: array[int]
    meta_place: array[int]
    version: array[int]
    latency_row: array[int]
    latency: array[int]
