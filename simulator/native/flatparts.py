"""From a plan's parts to tables: specifications, servers, noise."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.tables import PartTables

if TYPE_CHECKING:
    from simulator.plan.parts import PartPlan
    from simulator.plan.plan import Plan

KINDS = {
    "cpu": c.CPU,
    "queue": c.QUEUE,
    "delay": c.DELAY,
    "disk": c.DISK,
    "shared": c.SHARED,
    "raid": c.RAID,
    "journal": c.JOURNAL,
}


def part_tables(plan: Plan) -> PartTables:
    """Return the tables of all parts.

    A row for each, one of a cpu that takes no time, and a row of each part for what writes it.
    """
    tables = PartTables(state=array("q", bytes(32 * (plan.instances + 1))))
    pools = _pools(plan)
    places: dict[tuple[int, ...], int] = {}
    for number, part in enumerate(plan.parts):
        _add_part(tables, part, number in pools)
        if plan.noisy or part.noise.exponential:
            _add_noise(tables, plan, number, part, places)
    _add_part_row(tables, {c.P_KIND: c.CPU, c.P_FIRST: plan.instances, c.P_COLUMN: -1})
    for number, part in enumerate(plan.parts):
        _add_writes(tables, number, part, len(plan.parts))
    for name in ("disk", "heads", "speeds", "factors"):
        if not getattr(tables, name):
            setattr(tables, name, array("q", [0]))
    shares = array("q", bytes(8 * c.S_ROWS * max(1, tables.share_count)))
    tables.shares = shares
    return tables


def tables_like(plan: Plan, other: Plan, known: PartTables) -> PartTables | None:
    """Return the tables of all parts, made from those of another plan, ``known``.

    None if the parts of the two differ in more than numbers of their service times. The tables that
    a run changes are copies; others are shared unless a part differs.
    """
    same = (plan.noisy, plan.seed, plan.run, plan.runs) == (
        *(other.noisy, other.seed, other.run, other.runs),
    )
    if not same or len(plan.parts) != len(other.parts) or plan.groups != other.groups:
        return None
    pools = _pools(plan)
    if pools != _pools(other):
        return None
    tables = known.copy()
    differing = [
        (number, part, old)
        for number, (part, old) in enumerate(zip(plan.parts, other.parts, strict=True))
        if part is not old
    ]
    if differing:
        tables.own_numbers()
    for number, part, old in differing:
        if _place_of(part) != _place_of(old) or not _put(tables, number, part, number in pools):
            return None
        _put_writes(tables, number, part, len(plan.parts))
    return tables


def _place_of(part: PartPlan) -> tuple[object, ...]:
    """What decides where a part's rows are, and how its times vary."""
    drawn = part.disk is not None and part.disk.rotation_drawn
    return (
        *(part.name, part.kind, part.way, part.group, part.first, part.count, part.servers),
        *(len(part.speeds), part.noise, part.column, part.stream, drawn),
        *(part.writes is None, len(part.write_speeds)),
    )


_OFFSETS = (c.P_NOISE, c.P_SERVER, c.P_DISK, c.P_SPEED, c.P_SHARE, c.P_VARIES, c.P_WRITES)
"""What a row says of other tables."""


def _put(tables: PartTables, number: int, part: PartPlan, pool: bool) -> bool:
    """Replace the row of a part; false if it has other tables than before."""
    one = PartTables()
    _add_part(one, part, pool)
    at = number * c.P_ROWS
    old = tables.spec[at : at + c.P_ROWS]
    if one.spec[c.P_KIND] != old[c.P_KIND]:  # A disk becomes a queue without positions.
        return False
    for field in _OFFSETS:
        one.spec[field] = old[field]
    tables.spec[at : at + c.P_ROWS] = one.spec
    tables.rate[number] = one.rate[0]
    tables.copy_rate[number] = one.copy_rate[0]
    disk, speed = old[c.P_DISK], old[c.P_SPEED]
    if one.disk:
        tables.disk[disk : disk + len(one.disk)] = one.disk
    if one.speeds:
        tables.speeds[speed : speed + len(one.speeds)] = one.speeds
    return True


def _pools(plan: Plan) -> set[int]:
    return {hold.part for tier in plan.tiers if tier.kind == c.K_HOLD for hold in tier.down}


def _add_part_row(
    tables: PartTables, fields: dict[int, int], rate: float = 0.0, copy_rate: float = 0.0
) -> None:
    row = [0] * c.P_ROWS
    row[c.P_NOISE] = -1
    for field, value in fields.items():
        row[field] = value
    tables.spec.extend(row)
    tables.rate.append(rate)
    tables.copy_rate.append(copy_rate)


def _add_part(tables: PartTables, part: PartPlan, pool: bool) -> None:
    kind = KINDS[part.kind]
    fields = {c.P_KIND: kind, c.P_FIRST: part.first, c.P_COLUMN: part.column}
    fields[c.P_LATENCY] = part.latency_ns
    spec, copy_rate = part.service, 0.0
    if kind == c.CPU:
        assert part.cpu is not None
        fields[c.P_CALL] = part.cpu.call_overhead_ns
        fields[c.P_TURN] = part.cpu.turn_overhead_ns
        fields[c.P_RECORD] = part.cpu.record_overhead_ns
        copy_rate = 1e9 / part.cpu.copy_rate
    elif kind == c.QUEUE:
        fields[c.P_SERVERS] = part.servers
        if pool:
            fields[c.P_SHARE] = tables.pools
            tables.pools += part.count
        elif part.servers > 1:
            fields[c.P_SERVER] = len(tables.state)
            tables.state.frombytes(bytes(8 * part.servers * part.count))
    elif kind == c.DISK:
        assert part.disk is not None
        disk = part.disk
        spec = disk.transfer()
        fields[c.P_SERVERS] = 1
        row = (disk.seek_ns, disk.turn_ns, disk.mount_ns, disk.capacity, disk.track_seek_ns)
        if not (disk.seek_ns or disk.turn_ns or disk.mount_ns or disk.full_seek_ns):
            fields[c.P_KIND] = c.QUEUE  # Where its head is does not matter.
        else:
            fields[c.P_SERVER] = len(tables.heads) // 2
            fields[c.P_DISK] = len(tables.disk)
            fields[c.P_VARIES] = 1
            tables.heads.extend(array("q", [-1, -1]) * part.count)
            tables.disk.extend((*row, disk.full_seek_ns, int(disk.rotation_drawn), 0))
    elif kind in (c.JOURNAL, c.SHARED):
        fields |= _apart(tables, part, kind)
    fields[c.P_OVERHEAD] = spec.overhead_ns
    _add_part_row(tables, fields, spec.ns_per_byte, copy_rate)


def _apart(tables: PartTables, part: PartPlan, kind: int) -> dict[int, int]:
    """Make room for what instances of a kind keep of their own; return where that is."""
    if kind == c.JOURNAL:
        tables.heads.extend(array("q", [-1, 0]) * part.count)
        return {c.P_SERVER: len(tables.heads) // 2 - part.count}
    speed, share = len(tables.speeds), tables.share_count
    tables.speeds.extend(part.speeds)
    tables.share_count += part.count
    return {c.P_SHARE: share, c.P_SPEED: speed, c.P_SPEEDS: len(part.speeds)}


def row_of_writes(number: int, parts: int) -> int:
    """Return the row of what writes a part, of so many parts."""
    return parts + 1 + number


def _add_writes(tables: PartTables, number: int, part: PartPlan, parts: int) -> None:
    """Add the row of what writes a part: a copy of its own, with another service if it has one."""
    at, own = number * c.P_ROWS, row_of_writes(number, parts) * c.P_ROWS
    tables.spec.extend(array("q", bytes(8 * c.P_ROWS)))
    tables.rate.append(0.0)
    tables.copy_rate.append(0.0)
    if part.writes is not None:
        tables.spec[at + c.P_WRITES] = own
        tables.spec[own + c.P_WRITES] = -1 - at
        tables.spec[own + c.P_SPEED] = len(tables.speeds)
        tables.spec[own + c.P_SPEEDS] = len(part.write_speeds)
        tables.speeds.extend(part.write_speeds)
    _put_writes(tables, number, part, parts)


def _put_writes(tables: PartTables, number: int, part: PartPlan, parts: int) -> None:
    """Give the row of what writes a part the numbers of its own row, and those of its service."""
    row = row_of_writes(number, parts)
    at, own = number * c.P_ROWS, row * c.P_ROWS
    kept = {field: tables.spec[own + field] for field in (c.P_WRITES, c.P_SPEED, c.P_SPEEDS)}
    tables.spec[own : own + c.P_ROWS] = tables.spec[at : at + c.P_ROWS]
    tables.rate[row], tables.copy_rate[row] = tables.rate[number], tables.copy_rate[number]
    if part.writes is None:
        return
    for field, value in kept.items():
        tables.spec[own + field] = value
    tables.spec[own + c.P_OVERHEAD] = part.writes.overhead_ns
    tables.rate[row] = part.writes.ns_per_byte
    first = kept[c.P_SPEED]
    tables.speeds[first : first + len(part.write_speeds)] = array("q", part.write_speeds)


def _add_noise(
    tables: PartTables,
    plan: Plan,
    number: int,
    part: PartPlan,
    places: dict[tuple[int, ...], int],
) -> None:
    """Give each instance its stream, and a run's factor; or none if nothing varies there."""
    drawn = part.disk is not None and part.disk.rotation_drawn
    noise = part.noise
    if not (noise.exponential or noise.run_sd > 0 or noise.request_sd > 0 or drawn):
        return
    tables.spec[number * c.P_ROWS + c.P_NOISE] = len(tables.key)
    tables.spec[number * c.P_ROWS + c.P_VARIES] = 1
    for index in range(part.count):
        one = plan.noise(part, index)
        tables.key.append(one.key)
        tables.run_factor.append(one.run_factor)
        tables.table.append(_table(tables, one.table, places) if one.table else -1)


def _table(tables: PartTables, factors: tuple[int, ...], places: dict[tuple[int, ...], int]) -> int:
    """Return where a table of factors begins; the same table is kept once."""
    if factors not in places:
        places[factors] = len(tables.factors)
        tables.factors.extend(factors)
    return places[factors]
