"""The listed calls of a program as columns of numbers, for patterns and rewrites.

A *stream* is what one client does with one file: its calls of one kind, in order. Sizes are bytes,
times are ns.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from simulator.plan.codes import CREATE, DIRECT, OPEN, PAUSE, READ, SYNC, SYNCED, WRITE
from simulator.runtime.listed import CallTable
from simulator.workload.libraries import library_ns
from simulator.workload.traced import TracedClient, digest_of

if TYPE_CHECKING:
    from simulator.workload.traced import Traced

Numbers: TypeAlias = np.ndarray[Any, Any]
READS = (READ, READ | DIRECT)
"""Kinds of reads."""
LAZY_WRITES = (WRITE, WRITE | DIRECT)
"""Kinds of writes that need not be on the device when they return."""
SYNCED_WRITES = (WRITE | SYNCED, WRITE | DIRECT | SYNCED)
WRITES = (*LAZY_WRITES, *SYNCED_WRITES)
MOVES = (*READS, *WRITES)
OPENS = (OPEN, CREATE)
TYPES = {"kind": np.int8, "file": np.int32, "offset": np.int64, "size": np.int64, "gap": np.int64}
_CODES = {"kind": "b", "file": "i", "offset": "q", "size": "q", "gap": "q"}


class Columns:
    """The columns of a traced program's table; the arrays are its own and must not be changed."""

    def __init__(self, traced: Traced) -> None:
        self.traced = traced
        table = traced.table
        self.kind = _numbers(table.kind, np.int8)
        self.file = _numbers(table.file, np.int32)
        self.offset = _numbers(table.offset, np.int64)
        self.size = _numbers(table.size, np.int64)
        self.gap = _numbers(table.gap, np.int64)

    def __len__(self) -> int:
        return len(self.kind)

    @cached_property
    def client(self) -> Numbers:
        """The number of the client of each row."""
        client = np.full(len(self), -1, np.int64)
        for number, one in enumerate(self.traced.clients):
            client[one.first : one.first + one.calls] = number
        return client

    @cached_property
    def pair(self) -> Numbers:
        """Client and file of each row as one number; -1 for rows without a file."""
        pair: Numbers = np.where(self.file >= 0, self.client << 32 | self.file, -1)
        return pair

    def moving(self, kinds: Sequence[int]) -> Numbers:
        """Return which rows are calls of some kinds that move bytes."""
        which: Numbers = np.isin(self.kind, kinds) & (self.size > 0)
        return which

    def streams(self, kinds: Sequence[int], *, moving: bool = False) -> Streams:
        """Return the streams of some kinds of calls; ``moving``: of calls that move bytes."""
        which = self.moving(kinds) if moving else np.isin(self.kind, kinds)
        return Streams(self, np.flatnonzero(which & (self.file >= 0)))

    def all_but(self, rows: Numbers) -> Numbers:
        """Return which rows are left without some."""
        keep = np.ones(len(self), bool)
        keep[rows] = False
        return keep


@dataclass
class Streams:
    """Rows of some calls, sorted by stream; of each stream in their order."""

    columns: Columns
    rows: Numbers

    def __post_init__(self) -> None:
        pair = self.columns.pair[self.rows]
        order = np.argsort(pair, kind="stable")
        self.rows = self.rows[order]
        self.of = pair[order]
        new = np.diff(self.of, prepend=-2) != 0
        self.first = np.flatnonzero(new)
        """The place of the first row of each stream in ``rows``."""
        self.number = np.cumsum(new) - 1
        """The number of the stream of each row."""

    def __len__(self) -> int:
        return len(self.first)

    @property
    def last(self) -> Numbers:
        """The place of the last row of each stream in ``rows``."""
        return np.append(self.first[1:], len(self.rows)) - 1 if len(self.first) else self.first

    @property
    def low(self) -> Numbers:
        """The least offset of each stream."""
        return self.least(self.offsets)

    @property
    def high(self) -> Numbers:
        """The end of the farthest call of each stream."""
        return self.most(self.offsets + self.sizes)

    def least(self, values: Numbers) -> Numbers:
        """Return the least over each stream of a number for each row."""
        return np.minimum.reduceat(values, self.first) if len(self.first) else values[:0]

    def most(self, values: Numbers) -> Numbers:
        """Return the largest over each stream of a number for each row."""
        return np.maximum.reduceat(values, self.first) if len(self.first) else values[:0]

    @property
    def pairs(self) -> Numbers:
        """Client and file of each stream."""
        found: Numbers = self.of[self.first]
        return found

    @property
    def files(self) -> Numbers:
        """The file of each stream."""
        found: Numbers = self.pairs & 0xFFFFFFFF
        return found

    @property
    def counts(self) -> Numbers:
        """The number of calls of each stream."""
        return np.diff(self.first, append=len(self.rows))

    @property
    def begins(self) -> Numbers:
        """True for each row that is the first of its stream."""
        begins = np.zeros(len(self.rows), bool)
        begins[self.first] = True
        return begins

    @property
    def offsets(self) -> Numbers:
        """The begin of each call in its file."""
        found: Numbers = self.columns.offset[self.rows]
        return found

    @property
    def sizes(self) -> Numbers:
        """The bytes of each call."""
        found: Numbers = self.columns.size[self.rows]
        return found

    def sums(self, values: Numbers) -> Numbers:
        """Return the sum over each stream of a number for each row."""
        if not len(self.first):
            return np.zeros(0, np.int64)
        return np.add.reduceat(values.astype(np.int64, copy=False), self.first)

    def sequential(self) -> Numbers:
        """Return whether each call begins where the one before it in its stream ended."""
        ends = np.roll(self.offsets + self.sizes, 1)
        found: Numbers = (self.offsets == ends) & ~self.begins
        return found

    def goes_on(self) -> Numbers:
        """Return whether each call begins within the one before, or at its end.

        Who reads ahead, and goes back to behind what was used, goes on as well.
        """
        before, ends = np.roll(self.offsets, 1), np.roll(self.offsets + self.sizes, 1)
        found: Numbers = (self.offsets > before) & (self.offsets <= ends) & ~self.begins
        return found


def without(old: Columns, rows: Numbers) -> Traced:
    """Return the program without some of its rows."""
    return remade(old, old.all_but(rows))


def remade(
    old: Columns,
    keep: Numbers | None = None,
    *,
    kind: Numbers | None = None,
    offset: Numbers | None = None,
    size: Numbers | None = None,
    file: Numbers | None = None,
    within: Numbers | None = None,
) -> Traced:
    """Return the program with only some of its rows, or all, and with changed columns.

    The computing before a row that goes is before the next one of its client, but for what its
    libraries compute for the call itself; if there is no next one, the row becomes a pause.
    ``within``: rows before which nothing else is computed than what goes with them.
    """
    keep = np.ones(len(old), bool) if keep is None else keep.copy()
    kind = (old.kind if kind is None else kind).copy()
    file = (old.file if file is None else file).copy()
    offset = (old.offset if offset is None else offset).copy()
    size = (old.size if size is None else size).copy()
    goes = library_ns_of(old)
    goes[keep] = 0
    if within is not None:
        goes[within] = old.gap[within]
    traced = old.traced
    last = [one.first + one.calls - 1 for one in traced.clients if one.calls]
    lost = np.array([row for row in last if not keep[row]], np.int64)
    keep[lost], kind[lost], file[lost] = True, PAUSE, -1
    offset[lost] = size[lost] = 0
    kept = np.flatnonzero(keep)
    before, going = np.cumsum(old.gap), np.cumsum(goes)
    gap, less = np.diff(before[kept], prepend=0), np.diff(going[kept], prepend=0)
    clients: list[TracedClient] = []
    place = np.searchsorted(kept, [one.first for one in traced.clients])
    ends = np.searchsorted(kept, [one.first + one.calls for one in traced.clients])
    for one, first, end in zip(traced.clients, place.tolist(), ends.tolist(), strict=True):
        if end > first:
            for found, sums in ((gap, before), (less, going)):
                earlier = int(sums[one.first - 1]) if one.first else 0
                found[first] = sums[kept[first]] - earlier
        clients.append(replace(one, first=first, calls=end - first))
    columns = {
        "kind": kind[kept],
        "file": file[kept],
        "offset": offset[kept],
        "size": size[kept],
        "gap": np.maximum(gap - less, 0),
    }
    return with_columns(traced, columns, clients)


def library_ns_of(columns: Columns) -> Numbers:
    """Return what goes with each row, if it goes, of what is computed before it.

    It is what the libraries of its program compute for it. Of opens that is all, but for a turn of
    the loop around them, up to the next call that moves bytes, since a log that was traced may have
    it there; of others at most half: what is written has to be made first, and what is asked for is
    had in another way. A program that only copies computes nothing else.
    """
    libraries = [one.library for one in columns.traced.clients]
    found = library_ns(columns.kind, libraries, columns.client)
    turn = np.array([one.turn for one in libraries], np.int64)[columns.client]
    opens = np.isin(columns.kind, OPENS)
    most = np.where(opens, np.maximum(_until_moved(columns) - turn, 0), columns.gap // 2)
    only = np.array([one.only for one in libraries], bool)[columns.client]
    some: Numbers = np.where(only, columns.gap, np.minimum(found, most))
    return some


def _until_moved(columns: Columns) -> Numbers:
    """Return the computing before each row, and after it up to the next that moves its bytes."""
    rows, before = np.arange(len(columns)), np.cumsum(columns.gap)
    after = np.where(columns.moving(MOVES), rows, len(rows) - 1)
    after = np.minimum.accumulate(after[::-1])[::-1]
    own = columns.pair[after] == columns.pair
    found: Numbers = columns.gap + np.where(own, before[after] - before, 0)
    return found


def inserted(traced: Traced, after: Numbers, kind: int) -> Traced:
    """Return the program with another call after some of its rows, on the same file."""
    after = np.sort(after)
    none = np.zeros(len(after), np.int64)
    rows = {"kind": none + kind, "file": Columns(traced).file[after], "offset": none, "size": none}
    return added(traced, after, rows)


def added(traced: Traced, after: Numbers, rows: dict[str, Numbers]) -> Traced:
    """Return the program with more calls, each after a row; ``after`` does not fall.

    ``rows`` are the columns of these calls, in their order; there is no computing before them.
    """
    columns = Columns(traced)
    place = after + 1
    gap = np.zeros(len(after), np.int64)
    made = {
        name: np.insert(getattr(columns, name), place, {**rows, "gap": gap}[name]) for name in TYPES
    }
    clients = []
    for one in traced.clients:
        # A row after the last one of a client is its own.
        first = one.first + int(np.searchsorted(place, one.first, side="right"))
        end = one.first + one.calls
        end += int(np.searchsorted(place, end, side="right"))
        clients.append(replace(one, first=first, calls=end - first))
    return with_columns(traced, made, clients)


def with_columns(
    traced: Traced, columns: dict[str, Numbers], clients: Sequence[TracedClient]
) -> Traced:
    """Return a program with other calls."""
    cells = {name: _cells(name, columns[name]) for name in TYPES}
    table = CallTable(**cells, marks=traced.table.marks)
    return replace(traced, table=table, clients=tuple(clients), digest=digest_of(table))


def _cells(name: str, numbers: Numbers) -> array[int]:
    cells = array(_CODES[name])
    cells.frombytes(np.ascontiguousarray(numbers, TYPES[name]).view(np.uint8).data)
    return cells


def _numbers(cells: array[int], kind: Any) -> Numbers:
    numbers: Numbers = np.frombuffer(cells, kind) if len(cells) else np.zeros(0, kind)
    return numbers


def written_before_syncs(columns: Columns) -> Numbers:
    """Return of each sync the bytes that its stream has written until then."""
    used = columns.streams((SYNC, *WRITES))
    sizes = np.where(np.isin(columns.kind[used.rows], WRITES), used.sizes, 0)
    total = np.cumsum(sizes)
    total -= (total - sizes)[used.first][used.number]
    found: Numbers = total[np.isin(columns.kind[used.rows], (SYNC, *SYNCED_WRITES))]
    return found
