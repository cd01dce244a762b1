"""From a plan's stores and buffer caches to tables: instances, workers, blocks that exist."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.compiled import native_class
from simulator.native.engine import Policies, Policy
from simulator.native.tables import AskedTables
from simulator.plan.codes import ASK_READ, ASK_WRITE, END, REQUEST, STORE, STRIPE
from simulator.plan.plan import buffers_of

if TYPE_CHECKING:
    from simulator.kinds.parts.raid.spec import RaidSpec
    from simulator.native.engine import Buffers
    from simulator.plan.parts import BuffersPlan, StorePlan
    from simulator.plan.plan import Plan


FEW_BLOCKS, MANY_BLOCKS = 64, 1 << 20
RELEASES = ("none", "whole", "full")


def used_policies(plan: Plan) -> list[str]:
    """Return the names of the policies of a plan's stores, each once."""
    return list(dict.fromkeys(store.policy for store in plan.stores))


def policies_of(plan: Plan) -> Policies:
    """Return the policies of a plan's stores, in the order of their numbers.

    RefusedError if the native engine has none of that name, or has it interpreted only while it
    is compiled itself.
    """
    used = used_policies(plan)
    made = [native_class("policies", name, Policy, "policy")() for name in used]
    return Policies(made or [Policy()])


def store_rows(plan: Plan) -> array[int]:
    """Return the rows of the stores."""
    rows = array("q")
    workers = 0
    used = used_policies(plan)
    for number, store in enumerate(plan.stores):
        row = [0] * c.M_ROWS
        power = store.block & (store.block - 1) == 0
        values = {
            c.M_FIRST: store.first,
            c.M_SLOTS: store.slots,
            c.M_BLOCK: store.block,
            c.M_EXTENT: store.block * store.extent,
            c.M_EXTENT_BLOCKS: store.extent,
            c.M_SHIFT: store.block.bit_length() - 1 if power else -1,
            c.M_POLICY: used.index(store.policy),
            c.M_BACK: int(store.back),
            c.M_LIMIT: store.dirty_limit,
            c.M_QUOTA: store.quota,
            c.M_RELEASE: RELEASES.index(store.release),
            c.M_MARK: int("mark" in store.triggers),
            c.M_EAGER: int("eager" in store.triggers),
            c.M_CLOSE: int("close" in store.triggers),
            c.M_REWRITE: int("rewrite" in store.triggers),
            c.M_HIGH: store.high,
            c.M_LOW: store.low,
            c.M_WORKERS: store.workers,
            c.M_AHEAD: store.ahead,
            c.M_FIRST_WORKER: store.first_worker,
            c.M_CACHE_COLUMN: store.cache_column,
            c.M_BACK_COLUMN: store.writeback_column,
            c.M_EXISTS: number * len(plan.files),
            c.M_WORKER_ROW: workers,
            c.M_GROUP: store.group,
            c.M_ELASTIC: int(store.elastic),
            c.M_EXPIRE: store.expire_ns,
            c.M_INTERVAL: store.interval_ns,
            c.M_FLUSHER: store.first_worker + store.workers * store.count,
            c.M_SLOW: store.slow_ns,
            c.M_SPAN: store.span,
        }
        for field, value in values.items():
            row[field] = value
        rows.extend(row)
        workers += store.workers * store.count
    return rows or array("q", [0])


def instance_rows(plan: Plan) -> array[int]:
    """Return the rows of the instances of all stores."""
    rows = array("q")
    for number, store in enumerate(plan.stores):
        row = array("q", bytes(8 * c.I_ROWS))
        row[c.I_STORE] = number * c.M_ROWS
        row[c.I_IDLE] = store.workers
        row[c.I_SPACE] = store.slots
        row[c.I_MOST_DIRTY], row[c.I_HIGH], row[c.I_LOW] = store.dirty_limit, store.high, store.low
        first = (c.I_CLEAN, c.I_DIRTY, c.I_QUEUED, c.I_AGAIN, c.I_ROOM, c.I_LIMIT)
        for ring in (*first, c.I_GHOST1, c.I_GHOST2):
            row[ring] = row[ring + 1] = -1
        rows.extend(row * store.count)
    count = len(rows) // c.I_ROWS
    rows[c.I_NUMBER :: c.I_ROWS] = array("q", range(count))
    return rows or array("q", [0])


def worker_rows(plan: Plan) -> array[int]:
    """Return the rows of all workers, none of which is under way."""
    return array("q", bytes(8 * c.V_ROWS * max(1, plan.workers)))


def exists_rows(plan: Plan) -> array[int]:
    """Return how much there is of each file in each store or below, in offsets of its members."""
    lengths = array("q", [file.length for file in plan.files])
    found = array("q")
    for number in range(len(plan.stores)):
        ways = {path: _stripes(plan, path, number) for path in range(len(plan.paths))}
        others = [way for way in ways.values() if way is not None]
        if not any(others):  # nothing stripes above it
            found.extend(lengths)
            continue
        for file, length in zip(plan.files, lengths, strict=True):
            way = ways[file.path]
            for unit, width in others[0] if way is None else way:
                whole, rest = divmod(length, unit * width)
                length = whole * unit + min(rest, unit)  # noqa: PLW2901 - divided again
            found.append(length)
    return found or array("q", [0])


def _stripes(plan: Plan, path: int, store: int) -> list[tuple[int, int]] | None:
    """Return units and widths of the stripes above a store on a path; None if it is not there."""
    found: list[tuple[int, int]] = []
    for top in (plan.paths[path].top, plan.paths[path].drain):
        if top < 0:
            continue
        found = []
        for row in range(top, len(plan.tiers)):
            tier = plan.tiers[row]
            if tier.kind == END:
                break
            if tier.kind == STRIPE:
                found.append((tier.size, tier.width))
            if tier.kind == STORE and tier.row == store:
                return found
    return None


def first_blocks(plan: Plan) -> int:
    """Return for how many blocks there is room at first: for all that the stores or files have."""
    size = sum(max(file.size, file.length) for file in plan.files)
    blocks = sum(
        min(store.count * store.slots, size // store.block + len(plan.files))
        for store in plan.stores
    )
    return max(FEW_BLOCKS, min(blocks, MANY_BLOCKS))


def most_admitted(stores: tuple[StorePlan, ...]) -> int:
    """Return how many blocks one step may admit at most."""
    return max((max(store.extent, store.ahead) for store in stores), default=0) + 8


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
            row[c.U_INSTANCE] = plan.parts[one.raid].first + member
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
        c.U_MOMENT: -1,
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
    """Write what is dirty when the last process has ended; return when RAID units have done all."""
    if not plan.buffers:
        return 0
    dirty: dict[int, list[int]] = {u: [] for u in range(0, len(buffers.unit), c.U_ROWS)}
    for s in range(0, buffers.slot_count * c.J_ROWS, c.J_ROWS):
        if buffers.slot[s + c.J_DIRTY]:
            dirty[buffers.cell[buffers.slot[s + c.J_CELL] + c.E_UNIT]].append(s)
    ends = [buffers.drain(u, elapsed_ns, slots) for u, slots in dirty.items()]
    buffers.settle()
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
