"""From a plan's buffer caches and asked requests to tables."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.tables import AskedTables
from simulator.plan.codes import ASK_READ, ASK_WRITE, REQUEST
from simulator.plan.plan import buffers_of

if TYPE_CHECKING:
    from simulator.kinds.parts.raid.spec import RaidSpec
    from simulator.native.engine import Buffers
    from simulator.plan.parts import BuffersPlan
    from simulator.plan.plan import Plan

COUNTS = (
    "hits",
    "misses",
    "read_ahead",
    "used_ahead",
    "evicted",
    "accepted_bytes",
    "overwritten_bytes",
    "disk_reads",
    "disk_writes",
    "disk_read_bytes",
    "disk_written_bytes",
    "disk_busy_ns",
    "bus_busy_ns",
    "disk_hits",
)
"""The counters of a unit, in their order there."""


def ints(values: array[int]) -> array[int]:
    """Return a column that the engine can look at; one without rows would be no memory."""
    return values or array("q", [0])


def asked_tables(plan: Plan) -> AskedTables:
    """Return the columns of asked requests, and of the groups of those that are merged."""
    asked, empty = plan.asked, array("q", [0])
    if asked is None:
        return AskedTables(-1, *[empty] * 11)
    rows, groups = asked.requests, asked.groups
    columns = (rows.node, rows.size, rows.pieces, rows.group, rows.first, rows.count)
    merged = (groups.members, groups.size, groups.more, groups.first, groups.count)
    return AskedTables(plan.merging_column, *[ints(one) for one in (*columns, *merged)])


def most_asked(plan: Plan) -> int:
    """Return how many requests one operation asks for at most."""
    table = plan.operations
    if plan.asked is None:
        return 0
    kinds = (ASK_READ, ASK_WRITE)
    return max((n for k, n in zip(table.kind, table.size, strict=True) if k in kinds), default=0)


def first_units(plan: Plan) -> list[int]:
    """Return where the units of each row of buffers begin."""
    found, at = [], 0
    for row in plan.buffers:
        found.append(at)
        at += plan.groups[row.group].count * c.U_ROWS
    return found


def most_wanted(plan: Plan) -> int:
    """Return how many blocks one request, or group, can be the first to want at most."""
    if not plan.buffers:
        return 0
    asked = plan.asked
    counts = (asked.requests.count, asked.groups.count) if asked else ()
    ahead = max(row.ahead for row in plan.buffers)
    most = max((max(one) for one in counts if one), default=0)
    longest = max((file.size for file in plan.files), default=0)
    for path in plan.paths:
        tier = buffers_of(plan, path.top)
        if tier is not None:
            above = plan.tiers[path.top : plan.asked_top(path)]
            size = min([longest, *(one.size for one in above if one.kind == REQUEST)])
            most = max(most, size // plan.buffers[tier.row].block + 2)
    return most + ahead


def extent_columns(plan: Plan) -> tuple[array[int], array[int], array[int]]:
    """Return block, low and high of the extents."""
    if plan.asked is None:
        return ints(array("q")), ints(array("q")), ints(array("q"))
    rows = plan.asked.extents
    return ints(rows.block), ints(rows.low), ints(rows.high)


def unit_rows(plan: Plan) -> tuple[array[int], array[float], array[int]]:
    """Return a row for each member of each row of buffers, their rates, and what is stored."""
    rows, rates, stored = array("q"), array("d"), array("q")
    number = 0
    for one in plan.buffers:
        raid = plan.parts[one.raid].spec
        assert raid is not None
        for member in range(plan.groups[one.group].count):
            row = _unit(one, raid, one.blocks[member])
            row[c.U_RATES] = 3 * number
            row[c.U_ENDS] = number * len(plan.processes)
            row[c.U_STORED] = len(stored)
            stored.extend(_runs(one, member))
            row[c.U_STORED_END] = len(stored)
            rows.extend(row)
            rates.extend((one.copy.ns_per_byte, 1e9 / raid.rate, 1e9 / raid.bus_rate))
            number += 1
    return ints(rows), rates or array("d", [0.0]), ints(stored)


def _unit(one: BuffersPlan, raid: RaidSpec, blocks: int) -> array[int]:
    pause_ns = raid.overhead_ns + raid.turn_ns // 2
    row = array("q", bytes(8 * c.U_ROWS))
    caches = {c.U_SLOTS: one.slots, c.U_DISK_SLOTS: raid.cache // one.block}
    for at, slots in caches.items():
        row[at] = row[at + c.RING_LAST] = -1
        row[at + c.RING_MOST] = max(1, min(slots, blocks))
    values = {
        c.U_BLOCK: one.block,
        c.U_BLOCKS: blocks,
        c.U_AHEAD: one.ahead,
        c.U_COLUMN: one.column,
        c.U_REQUEST_NS: one.request_ns,
        c.U_PIECE_NS: one.piece_ns,
        c.U_COPY_NS: one.copy.overhead_ns,
        c.U_PAUSE_NS: pause_ns,
        c.U_SEEK_NS: pause_ns + raid.seek_ns,
        c.U_BUS_NS: raid.bus_overhead_ns,
    }
    for field, value in values.items():
        row[field] = value
    return row


def _runs(one: BuffersPlan, member: int) -> list[int]:
    """Return first and end of the runs of blocks that a member has at the start."""
    runs: list[int] = []
    for _, first, count in sorted(row for row in one.stored if row[0] == member):
        if runs and runs[-1] >= first:
            runs[-1] = max(runs[-1], first + count)
        else:
            runs += (first, first + count)
    return runs


def drain(plan: Plan, buffers: Buffers, elapsed_ns: int) -> int:
    """Write what is dirty when the last process has ended; return when it is on the disks."""
    if not plan.buffers:
        return 0
    buffers.drain(elapsed_ns)
    ends = memoryview(buffers.unit)[c.U_DISK_FREE :: c.U_ROWS]
    return max(elapsed_ns, *ends)


def written_of(plan: Plan, buffers: Buffers) -> Iterator[tuple[int, int]]:
    """Yield for each unit that was written to its bytes, and when the last of them were safe."""
    units = sum(plan.groups[row.group].count for row in plan.buffers)
    for at in range(0, units * c.U_ROWS, c.U_ROWS):
        if size := buffers.unit[at + c.U_DISK_WRITTEN_BYTES]:
            yield size, buffers.unit[at + c.U_SAFE]


def counts_of(buffers: Buffers, number: int) -> dict[str, int]:
    """Return the counters of a unit."""
    at = number * c.U_ROWS + c.U_HITS
    return dict(zip(COUNTS, memoryview(buffers.unit)[at : at + len(COUNTS)], strict=True))
