"""Curves over time, from a run of the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.result.curves import CallCurve, Level, StoreCurve

if TYPE_CHECKING:
    from collections.abc import Container

    from simulator.native.outcome import Table, Tables
    from simulator.plan.plan import Plan


def sampled(plan: Plan, tables: Tables, end_ns: int, used: Container[str]) -> dict[str, Any]:
    """Return the fields of a result that it has if it was sampled."""
    return {
        "curves": _store_curves(plan, tables["curve"], end_ns, used),
        "call_curve": _call_curve(tables["moved"], end_ns),
    }


def _store_curves(
    plan: Plan, table: Table, end_ns: int, used: Container[str]
) -> dict[str, StoreCurve]:
    """Return the curves of the store instances that were used, by name."""
    rows = dict(zip(table.instance, range(len(table.instance)), strict=True))
    ends = [0]
    for bins in table.bins:
        ends.append(ends[-1] + bins)
    found = {}
    for store in plan.stores:
        for member in range(store.count):
            row, name = rows.get(store.first + member), plan.store_name(store, member)
            if row is None or name not in used:
                continue
            cells = slice(ends[row], ends[row + 1])
            found[name] = StoreCurve(
                store.name,
                store.slots * store.block,
                1 << table.shift[row],
                end_ns,
                _level(table, "used", row, cells, store.block),
                _level(table, "dirty", row, cells, 1),
                table.left[row],
            )
    return dict(sorted(found.items()))


def _call_curve(table: Table, end_ns: int) -> CallCurve:
    """Return the bytes of calls that ended in each bin."""
    sides = (_wide(table, name, slice(None)) for name in ("read", "written"))
    return CallCurve(1 << table.shift[0], end_ns, *sides)


def _level(table: Table, name: str, row: int, bins: slice, size: int) -> Level:
    """Return a level, of which each unit has ``size`` bytes."""
    (moment,) = _wide(table, f"{name}_moment", slice(row, row + 1))
    return Level(
        [one * size for one in _wide(table, f"{name}_sum", bins)],
        getattr(table, name)[row] * size,
        getattr(table, f"{name}_most")[row] * size,
        getattr(table, f"{name}_most_at")[row],
        moment * size,
    )


def _wide(table: Table, name: str, rows: slice) -> list[int]:
    """Return sums that the kernel writes as their lower 62 bits and the rest."""
    low, above = getattr(table, name)[rows], getattr(table, f"{name}_above")[rows]
    return [one + (more << 62) for one, more in zip(low, above, strict=True)]
