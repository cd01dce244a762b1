"""What the stores of a machine did: hits, and bytes to and from the tiers below."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.report.page import Column, Table

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result


@dataclass(slots=True)
class Kept:
    """All instances of one store together."""

    store: str
    instances: int
    counts: Counter[str] = field(default_factory=Counter)


def kept_by(result: Result, plan: Plan) -> list[Kept]:
    """Add up the counters of the stores that were used, in the order of the plan."""
    rows = {store.name: Kept(store.name, store.count) for store in plan.stores}
    rows |= {one.name: Kept(one.name, len(one.blocks)) for one in plan.buffers}
    used = set()
    for one in result.stores.values():
        rows[one.store].counts.update(one.counts)
        used.add(one.store)
    return [row for row in rows.values() if row.store in used]


def stores_table(result: Result, plan: Plan) -> Table:
    """Return a row for each store that was used."""
    rows = [
        [row.store, row.instances, *(_value(row.counts, column.key) for column in _COLUMNS)]
        for row in kept_by(result, plan)
    ]
    if not any(value is not None for row in rows for value in row[2:]):
        rows = []
    head = (Column("store", "store"), Column("instances", "number", "count"))
    return Table("stores", "Stores", [*head, *_COLUMNS], rows, noun="store")


def _value(counts: Counter[str], key: str) -> float | None:
    """Return a counter, or the quotient of some; None if there is none."""
    if key == "hit_ratio":
        return _share(counts["hits"], counts["hits"] + counts["misses"])
    if key == "used_ahead_ratio":
        return _share(counts["used_ahead"], counts["read_ahead"])
    return counts[key] or None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


_COLUMNS = (
    Column("hit_ratio", "hits", "share"),
    Column("prestaged_bytes", "prestaged", "size"),
    Column("fetched_bytes", "fetched", "size"),
    Column("read_back_bytes", "read back", "size"),
    Column("written_back_bytes", "written back", "size"),
    Column("used_ahead_ratio", "read ahead, used", "share"),
    Column("disk_read_bytes", "from disks", "size"),
    Column("disk_written_bytes", "to disks", "size"),
    Column("evicted", "evicted", "count"),
    Column("released", "released", "count"),
    Column("invalidated", "invalidated", "count"),
    Column("rewrites_waited", "rewrites that waited", "count"),
    Column("limit_waits", "waits at dirty limit", "count"),
    Column("dirty_bytes", "still dirty", "size"),
)
