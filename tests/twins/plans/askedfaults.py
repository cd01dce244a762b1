"""What is wrong with buffer caches, and with requests for pieces of files: see :mod:`faults`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.plan.codes import COMMIT, END, EXPORT, HOLD, REQUEST, STAGE, STRIPE, WORK
from simulator.plan.plan import buffers_of

if TYPE_CHECKING:
    from simulator.plan.jobs import AskedPlan, ProcessPlan
    from simulator.plan.parts import BuffersPlan
    from simulator.plan.paths import TierPlan
    from simulator.plan.plan import Plan


def buffers_faults(plan: Plan) -> Iterator[str]:
    """Yield what is wrong with buffer caches and their RAID units."""
    units = Counter(row.raid for row in plan.buffers)
    for row in plan.buffers:
        for fault in _cache(plan, row):
            yield f"buffers {row.name}: {fault}"
        if units[row.raid] > 1:
            yield f"buffers {row.name}: the RAID units of others too"


def _cache(plan: Plan, row: BuffersPlan) -> Iterator[str]:
    if not 0 <= row.group < len(plan.groups):
        yield f"on group {row.group}"
        return
    members = plan.groups[row.group].count
    if min(row.slots, row.block) < 1 or min(row.ahead, row.request_ns, row.piece_ns) < 0:
        yield f"{row.slots} slots of {row.block} B, {row.ahead} blocks ahead"
    if len(row.blocks) != members or min(row.blocks, default=0) < 0:
        yield f"blocks on {len(row.blocks)} of {members} members"
        return
    for member, first, count in row.stored:
        known = 0 <= member < members and min(first, count) >= 0
        if not known or first + count > row.blocks[member]:
            yield f"{count} blocks from {first} on stored on member {member}"
    if not 0 <= row.column < len(plan.columns):
        yield f"column {row.column} of {len(plan.columns)}"
    part = plan.parts[row.raid] if 0 <= row.raid < len(plan.parts) else None
    if part is None or part.kind != "raid" or part.group != row.group:
        yield f"part {row.raid} is no RAID unit of its group"
        return
    spec = part.spec
    times = (spec.overhead_ns, spec.seek_ns, spec.turn_ns, spec.bus_overhead_ns, spec.cache)
    if min(times) < 0 or not min(spec.rate, spec.bus_rate) > 0:
        yield f"a RAID unit of {spec.rate} B/s and times {times}"


def way_faults(
    plan: Plan, tiers: list[TierPlan], after: TierPlan, places: tuple[int, ...]
) -> Iterator[str]:
    """Yield what is wrong with a path to a buffer cache: ``tiers``, the last of which is it."""
    last = tiers[-1]
    below = tiers[:-1]
    while below and below[0].kind in (REQUEST, STRIPE):
        below = below[1:]
    passed = (STAGE, WORK, HOLD, COMMIT, EXPORT)
    if any(tier.kind not in passed for tier in below) or after.kind != END:
        yield "has buffers among tiers that asked requests cannot pass"
    if not 0 <= last.row < len(plan.buffers) or last.slot not in range(min(2, len(places))):
        yield f"names buffers {last.row} at place {last.slot}"
    elif places[last.slot] != plan.buffers[last.row].group:
        yield f"has buffers {plan.buffers[last.row].name} at a place of another group"
    for hold in last.down:
        if 0 <= hold.part < len(plan.parts) and plan.parts[hold.part].kind != "queue":
            yield f"has {plan.parts[hold.part].label} as its processor, which is no queue"


def asked_faults(plan: Plan) -> Iterator[str]:
    """Yield what is wrong with asked requests, whoever asks for them."""
    asked = plan.asked
    if asked is None:
        return
    rows, groups, extents = asked.requests, asked.groups, asked.extents
    tables = (
        (rows.node, rows.size, rows.message, rows.pieces, rows.group, rows.first, rows.count),
        (groups.members, groups.size, groups.more, groups.first, groups.count),
        (extents.block, extents.low, extents.high),
    )
    for name, columns in zip(("requests", "groups", "extents"), tables, strict=True):
        if len({len(column) for column in columns}) > 1:
            yield f"asked {name}: columns of different lengths"
            return
        least = [min(column, default=0) for column in columns]
        if name == "requests":
            least[4] += 1  # the group of those that stand alone is -1
        if min(least) < 0:
            yield f"asked {name}: a negative number"
    yield from _gathered(plan, asked)
    for number in range(len(extents.block)):
        if not extents.low[number] < extents.high[number]:
            yield f"extent {number}: from {extents.low[number]} to {extents.high[number]}"


def room_faults(plan: Plan, path: int, file: int) -> Iterator[str]:
    """Yield what is wrong with where a file lies that is read or written along a path."""
    tier = buffers_of(plan, plan.paths[path].top) if 0 <= path < len(plan.paths) else None
    if tier is None:
        return
    one, row, size = plan.files[file], plan.buffers[tier.row], plan.files[file].size
    top = plan.paths[path].top
    for above in plan.tiers[top : plan.asked_top(plan.paths[path])]:
        if above.kind == STRIPE:
            rows, rest = divmod(size, above.size * above.width)
            size = rows * above.size + min(rest, above.size)
    if size > one.room:
        yield f"has {size} B of {one.name} on a member, where it has room for {one.room}"
    if one.base + one.room > min(row.blocks) * row.block:
        yield f"has {one.name} to byte {one.base + one.room} of members of {min(row.blocks)} blocks"


def _gathered(plan: Plan, asked: AskedPlan) -> Iterator[str]:
    """Yield what is wrong with which requests are merged, and which extents they have."""
    rows, groups = asked.requests, asked.groups
    most = len(asked.extents.block)
    nodes: dict[int, set[int]] = {}
    for number, group in enumerate(rows.group):
        if group >= len(groups.members):
            yield f"asked request {number}: in group {group} of {len(groups.members)}"
        elif group >= 0:
            nodes.setdefault(group, set()).add(rows.node[number])
        elif not 0 < rows.count[number] <= most - rows.first[number]:
            yield f"asked request {number}: {rows.count[number]} of {most} extents"
    members = Counter(rows.group)
    for group, count in enumerate(groups.members):
        if members[group] != count or len(nodes.get(group, ())) > 1:
            yield f"group {group}: {members[group]} requests of {count}, on {nodes.get(group)}"
        if not 0 < groups.count[group] <= most - groups.first[group]:
            yield f"group {group}: {groups.count[group]} of {most} extents"
    if groups.members and not 0 <= plan.merging_column < len(plan.columns):
        yield "requests are merged, but there is no merging_column"


def ask_faults(plan: Plan, process: ProcessPlan, path: int, asks: range) -> Iterator[str]:
    """Yield what is wrong with an operation that asks for rows of requests along a path."""
    tier = buffers_of(plan, plan.paths[path].top)
    asked = plan.asked
    if tier is None or asked is None:
        yield f"asks for pieces along path {plan.paths[path].name}, which leads to no buffers"
        return
    rows = asked.requests
    if asks.stop > len(rows.node):
        yield f"asks for requests to {asks.stop} of {len(rows.node)}"
        return
    nodes = [rows.node[row] for row in asks]
    buffers = plan.buffers[tier.row]
    if len(set(nodes)) < len(nodes):
        yield "asks a node twice at one time"
    if any(node >= len(buffers.blocks) for node in nodes):
        yield f"asks nodes {nodes} of {len(buffers.blocks)}"
        return
    if tier.slot == 0 and any(node != process.node for node in nodes):
        yield f"asks nodes {nodes} from node {process.node}, without a way there"
    for row, node in zip(asks, nodes, strict=True):
        group = rows.group[row]
        first, count = rows.first[row], rows.count[row]
        if group >= 0:
            first, count = asked.groups.first[group], asked.groups.count[group]
        for one in range(first, first + count):
            block, high = asked.extents.block[one], asked.extents.high[one]
            if block >= buffers.blocks[node] or high > buffers.block:
                yield f"asks member {node} for block {block} to byte {high}"
