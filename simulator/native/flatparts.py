"""From a plan's parts to tables: specifications, servers, noise."""

from __future__ import annotations

import functools
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.compiled import native_class
from simulator.native.engine import Station, Stations
from simulator.native.tables import PartTables, copy_with
from simulator.plan.codes import HOLD
from simulator.plan.cores import cpu_of, crowded_groups, speeds_of

if TYPE_CHECKING:
    from simulator.plan.parts import PartPlan
    from simulator.plan.paths import TierPlan
    from simulator.plan.plan import Plan


class PartRow:
    """A part's row of the tables, for its kind to write its numbers into."""

    def __init__(self, tables: PartTables, part: PartPlan, *, pool: bool) -> None:
        """``pool``: requests keep its servers."""
        self.tables = tables
        self.part = part
        self.pool = pool
        self.service = part.service
        """What a request takes: an overhead, and a rate for its bytes."""
        self.copy_rate = 0.0
        self.hooked = False
        """Whether the kind's methods are called for each request."""
        self.draws = False
        """Whether they draw, by ``Parts.draw``."""
        self.fields = {
            c.P_KIND: c.STATION,
            c.P_FIRST: part.first,
            c.P_COLUMN: part.column,
            c.P_LATENCY: part.latency_ns,
            c.P_SERVERS: 1,
            c.P_HOOK: -1,
        }
        """Numbers by their places; those of codes.py that begin with ``P_``."""

    def own(self, *numbers: int) -> None:
        """Add the numbers of a specification."""
        self.fields[c.P_OWN] = len(self.tables.own)
        self.tables.own.extend(numbers)

    def keep(self, *numbers: int) -> None:
        """Have each instance remember so many numbers; these are the first ones."""
        self.fields[c.P_KEPT] = len(self.tables.kept)
        self.tables.kept.extend(array("q", numbers) * self.part.count)

    def serve_with(self, servers: int) -> None:
        """Return each instance so many equal servers; 0: nothing queues."""
        self.fields[c.P_SERVERS] = servers
        if servers > 1:
            self.fields[c.P_SERVER] = len(self.tables.state)
            self.tables.state.frombytes(bytes(8 * servers * self.part.count))

    def share(self, speeds: Sequence[int]) -> None:
        """Have all requests under way share what an instance does, at such speeds."""
        self.fields[c.P_SHARE] = self.tables.share_count
        self.fields[c.P_SPEED] = len(self.tables.speeds)
        self.fields[c.P_SPEEDS] = len(speeds)
        self.tables.speeds.extend(speeds)
        self.tables.share_count += self.part.count


@functools.lru_cache
def stationed(*kinds: tuple[str, str]) -> Stationed:
    """Return kinds of parts, each given with the label of one; they keep nothing of a run.

    RefusedError if the native engine lacks one.
    """
    return Stationed(dict(kinds))


def stationed_of(plan: Plan) -> Stationed:
    """Return the kinds of a plan's parts, as :func:`stationed` does."""
    found = {part.kind: (part.kind, part.label) for part in reversed(plan.parts)}
    return stationed(*found.values())


class Stationed:
    """Kinds of parts, each with an object of its class and a number."""

    def __init__(self, labels: dict[str, str]) -> None:
        """``labels``: of each kind that of a part."""
        self.kinds = {
            kind: native_class("parts", kind, Station, "part of kind", label)()
            for kind, label in labels.items()
        }
        self._number = {kind: number for number, kind in enumerate(self.kinds)}

    def chain(self) -> Stations:
        """Return them for the engine, in the order of their numbers."""
        return Stations([*self.kinds.values()] or [Station()])

    def row(self, tables: PartTables, part: PartPlan, *, pool: bool) -> PartRow:
        """Let the kind of a part write its numbers."""
        row = PartRow(tables, part, pool=pool)
        self.kinds[part.kind].flatten(row)
        if row.hooked:
            row.fields |= {c.P_HOOK: self._number[part.kind], c.P_VARIES: 1}
        row.fields[c.P_DRAWS] = int(row.draws)
        row.fields[c.P_OVERHEAD] = row.service.overhead_ns
        return row


def part_tables(plan: Plan) -> PartTables:
    """Return the tables of all parts.

    A row for each, one of a cpu that takes no time, and a row of each part for what writes it.
    """
    state = array("q", bytes(32 * (plan.instances + 1)))
    tables = PartTables(stationed_of(plan), crowded_groups(plan), state=state)
    pools = _pools(plan)
    places: _Places = {}
    for number, part in enumerate(plan.parts):
        _add_part(tables, part, number in pools)
        if part.group in tables.crowded:
            _crowd(tables, plan, part)
        if plan.noisy or part.noise.exponential:
            _add_noise(tables, plan, number, part, places)
    last = {c.P_KIND: c.CPU, c.P_FIRST: plan.instances, c.P_COLUMN: -1, c.P_HOOK: -1}
    _add_part_row(tables, last)
    for number, part in enumerate(plan.parts):
        _add_writes(tables, number, part, len(plan.parts))
    for name in ("own", "kept", "speeds", "factors"):
        if not getattr(tables, name):
            setattr(tables, name, array("q", [0]))
    shares = array("q", bytes(8 * c.S_ROWS * max(1, tables.share_count)))
    tables.shares = shares
    return tables


def tables_like(
    plan: Plan, other: Plan, known: PartTables, *, state: bool = True
) -> PartTables | None:
    """Return the tables of all parts, made from those of another plan, ``known``.

    The two have the same crowded groups. None if their parts differ in more than numbers of their
    service times. The tables that a run changes are copies, if ``state``; others are shared unless
    a part differs.
    """
    same = (plan.noisy, plan.seed, plan.run, plan.runs) == (
        *(other.noisy, other.seed, other.run, other.runs),
    )
    if not same or len(plan.parts) != len(other.parts) or plan.groups != other.groups:
        return None
    if plan.tiers is not other.tiers and _pools(plan) != _pools(other):
        return None
    tables = known.copy() if state else copy_with(known, {})
    differing = [
        (number, part, old)
        for number, (part, old) in enumerate(zip(plan.parts, other.parts, strict=True))
        if part is not old
    ]
    if differing:
        tables.own_numbers()
    pools = _pools(plan) if differing else set()
    for number, part, old in differing:
        if part.group in known.crowded and part.cores != old.cores:
            return None
        one = known.emptied()
        if _place_of(part) == _place_of(old):
            _add_part(one, part, number in pools)
        if not one.spec or not _put(tables, number, one):
            return None
        _put_writes(tables, number, part, len(plan.parts))
    return tables


def _place_of(part: PartPlan) -> tuple[object, ...]:
    """What decides where a part's rows are, and how its times vary."""
    return (
        *(part.name, part.kind, part.way, part.group, part.first, part.count, part.servers),
        *(len(part.speeds), part.noise, part.column, part.stream),
        *(part.writes is None, len(part.write_speeds)),
    )


_OFFSETS = (
    *(c.P_NOISE, c.P_SERVER, c.P_OWN, c.P_SPEED, c.P_SPEEDS, c.P_SHARE, c.P_VARIES, c.P_CPU),
    *(c.P_WRITES, c.P_KEPT, c.P_KIND),
)
"""What a row says of other tables, and of its kind: work that waits for cores is one of its own."""


def _put(tables: PartTables, number: int, one: PartTables) -> bool:
    """Replace the row of a part by the only one of other tables; false if it needs other places."""
    at = number * c.P_ROWS
    old = tables.spec[at : at + c.P_ROWS]
    if any(one.spec[field] != old[field] for field in (c.P_HOOK, c.P_DRAWS)):
        return False
    for field in _OFFSETS:
        one.spec[field] = old[field]
    tables.spec[at : at + c.P_ROWS] = one.spec
    tables.rate[number] = one.rate[0]
    tables.copy_rate[number] = one.copy_rate[0]
    own, speed = old[c.P_OWN], old[c.P_SPEED]
    tables.own[own : own + len(one.own)] = one.own
    if one.speeds:
        tables.speeds[speed : speed + len(one.speeds)] = one.speeds
    return True


_last_pools: list[tuple[tuple[TierPlan, ...], set[int]]] = [((), set())]
"""The tiers of the last plan, and its pools: those of a sweep's points are the same."""


def _pools(plan: Plan) -> set[int]:
    tiers, pools = _last_pools[0]
    if plan.tiers is not tiers:
        pools = {hold.part for tier in plan.tiers if tier.kind == HOLD for hold in tier.down}
        _last_pools[0] = plan.tiers, pools
    return pools


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
    row = tables.kinds.row(tables, part, pool=pool)
    _add_part_row(tables, row.fields, row.service.ns_per_byte, row.copy_rate)


def _crowd(tables: PartTables, plan: Plan, part: PartPlan) -> None:
    """Let tasks share the cores of a cpu, whose row is the last one, or a part's work be tasks."""
    row = len(tables.spec) - c.P_ROWS
    if part.kind == "cpu":
        shared = PartRow(tables, part, pool=False)
        shared.share(speeds_of(part.cores))
        for field in (c.P_SHARE, c.P_SPEED, c.P_SPEEDS):
            tables.spec[row + field] = shared.fields[field]
    elif part.kind == "core":
        tables.spec[row + c.P_KIND] = c.CORE
        tables.spec[row + c.P_CPU] = cpu_of(plan, part.group) * c.P_ROWS


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
    """Fill the row of what writes a part with the numbers of its row and of its service."""
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


_Places = dict[int, tuple[tuple[int, ...], int]]
"""Identity of a table of factors -> the table, which so lives as long, and where it begins."""


def _add_noise(
    tables: PartTables,
    plan: Plan,
    number: int,
    part: PartPlan,
    places: _Places,
) -> None:
    """Set each instance's stream, and a run's factor; or none if nothing varies there."""
    drawn = tables.spec[number * c.P_ROWS + c.P_DRAWS]
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


def _table(tables: PartTables, factors: tuple[int, ...], places: _Places) -> int:
    """Return where a table of factors begins; the same table is kept once.

    It is told by its identity: to hash its 4,096 numbers for each instance took half of the time.
    """
    known = places.get(id(factors))
    if known is None:
        known = places[id(factors)] = factors, len(tables.factors)
        tables.factors.extend(factors)
    return known[1]
