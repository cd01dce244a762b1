"""What the stores of a machine did, for people: hits, and bytes to and from the tiers below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.report.lined import table
from simulator.report.quantity import size_cell
from simulator.wording import percent

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


def caches_text(result: Result, plan: Plan) -> str:
    """Write what the stores did as a table, without the columns in which nothing stands."""
    kept = kept_by(result, plan)
    columns = [
        (head, [cell(row.counts) for row in kept])
        for head, cell in _COLUMNS.items()
        if any(cell(row.counts) for row in kept)
    ]
    if not kept or not columns:
        return ""
    rows = [
        [row.store, f"{row.instances:,}", *(cells[place] or "-" for _, cells in columns)]
        for place, row in enumerate(kept)
    ]
    head = ["store", "number", *(name for name, _ in columns)]
    return table(head, rows, "l" + "r" * (len(head) - 1))


def _number(key: str) -> Callable[[Counter[str]], str]:
    return lambda counts: f"{counts[key]:,}" if counts[key] else ""


def _size(key: str) -> Callable[[Counter[str]], str]:
    return lambda counts: size_cell(counts[key]) if counts[key] else ""


def _hits(counts: Counter[str]) -> str:
    looks = counts["hits"] + counts["misses"]
    return percent(counts["hits"], looks) if looks else ""


def _ahead(counts: Counter[str]) -> str:
    return percent(counts["used_ahead"], counts["read_ahead"]) if counts["read_ahead"] else ""


_COLUMNS: dict[str, Callable[[Counter[str]], str]] = {
    "hits": _hits,
    "prestaged": _size("prestaged_bytes"),
    "fetched": _size("fetched_bytes"),
    "read back": _size("read_back_bytes"),
    "written back": _size("written_back_bytes"),
    "read ahead, used": _ahead,
    "from disks": _size("disk_read_bytes"),
    "to disks": _size("disk_written_bytes"),
    "evicted": _number("evicted"),
    "released": _number("released"),
    "invalidated": _number("invalidated"),
    "rewrites that waited": _number("rewrites_waited"),
    "waits at dirty limit": _number("limit_waits"),
    "still dirty": _size("dirty_bytes"),
}
"""Head of a column -> what stands in it."""
