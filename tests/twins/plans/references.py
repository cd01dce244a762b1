"""Which field of a plan names a row of which table: what looks for rows, or moves them, asks here.

Not here: what names rows of services, which no drawn plan has; ``TierPlan.ask``, a distance.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from itertools import accumulate
from typing import Any

from simulator.plan.codes import (
    BARRIER,
    BUFFERS,
    JOIN,
    LISTED,
    LOCK,
    LOCKS,
    PASS,
    RECEIVE,
    SEND,
    START,
    STORE,
    UNLOCK,
    WAIT,
    plain,
)
from simulator.plan.events import EventPlan
from simulator.plan.jobs import ChannelPlan, DrawPlan, Operations, PhasePlan, ProcessPlan
from simulator.plan.parts import BuffersPlan, GroupPlan, PartPlan, StorePlan
from simulator.plan.paths import FilePlan, Hold, PathPlan, TierPlan
from simulator.plan.plan import Plan


def _row_of(tier: TierPlan) -> str:
    table = {STORE: "stores", LOCKS: "stores", BUFFERS: "buffers"}.get(tier.kind, "")
    return "" if tier.kind == LOCKS and tier.row < 0 else table


REFERENCES: dict[type, dict[str, str | Callable[[Any], str]]] = {
    Plan: {f"{name}_column": "columns" for name in ("others", "barrier", "lock", "merging")},
    GroupPlan: {"parent": "groups"},
    PartPlan: {"group": "groups", "column": "columns"},
    StorePlan: {"group": "groups", "cache_column": "columns", "writeback_column": "columns"},
    BuffersPlan: {"group": "groups", "raid": "parts", "column": "columns"},
    Hold: {"part": "parts"},
    EventPlan: {"part": "parts"},
    TierPlan: {"row": _row_of, "column": lambda tier: "columns" if tier.kind == LOCKS else ""},
    PathPlan: {
        **dict.fromkeys(("top", "metadata", "drain", "first_store"), "tiers"),
        "places": "groups",
        "call_column": "columns",
    },
    FilePlan: {"path": "paths"},
    ProcessPlan: {
        "group": "groups",
        "cpu": "parts",
        "exchange": "tiers",
        "exchange_places": "groups",
        "born": "marks",
        "arrivals": "arrivals",
    },
    PhasePlan: {
        "file": "files",
        "path": "paths",
        "first": lambda phase: "operations" if phase.kind == LISTED else "",
    },
    DrawPlan: {
        "first": "operations",
        "base": lambda draw: "" if draw.step else "operations",
    },
    ChannelPlan: {"source": "processes", "target": "processes", "top": "tiers", "places": "groups"},
}
OFFSETS = {
    **dict.fromkeys((PASS, WAIT), "marks"),
    **dict.fromkeys((LOCK, UNLOCK), "locks"),
    **dict.fromkeys((SEND, RECEIVE), "channels"),
    **dict.fromkeys((START, JOIN), "processes"),
    BARRIER: "barriers",
}
"""What the offset of an operation names."""


def turned(plan: Plan, turns: dict[str, Callable[[int], int]]) -> Plan:
    """Return a plan whose references to rows of tables go through functions; -1 names no row."""

    def one(table: str, row: int) -> int:
        return turns[table](row) if table in turns and row >= 0 else row

    def all_of(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(all_of, value))
        if type(value) not in REFERENCES:
            return value
        changed = {}
        for name in (field.name for field in fields(value)):
            old, table = getattr(value, name), _table_of(value, name)
            if isinstance(old, tuple) and table:
                changed[name] = tuple(one(table, row) for row in old)
            else:
                changed[name] = one(table, old) if table else all_of(old)
        return replace(value, **changed)

    table = plan.operations
    offsets = zip(table.kind, table.offset, strict=True)
    operations = with_columns(
        table,
        file=(one("files", row) for row in table.file),
        offset=(one(OFFSETS.get(plain(kind), ""), row) for kind, row in offsets),
        column=(one("columns", row) for row in table.column),
        path=(one("paths", row) for row in table.path),
    )
    return replace(all_of(plan), operations=operations)


def _table_of(value: Any, name: str) -> str:
    found = REFERENCES[type(value)].get(name, "")
    return found if isinstance(found, str) else found(value)


def with_columns(table: Operations, **columns: Iterable[int]) -> Operations:
    """Return operations with other columns; those that are not named are copied."""
    old = {one.name: getattr(table, one.name) for one in fields(table)}
    return Operations(
        **{name: array(one.typecode, columns.get(name, one)) for name, one in old.items()}
    )


def named(plan: Plan, table: str) -> set[int]:
    """Return the rows of a table that something names."""
    found = set[int]()

    def note(row: int) -> int:
        found.add(row)
        return row

    turned(plan, {table: note})
    return found


def without(plan: Plan, table: str, gone: int) -> Plan:
    """Leave out a row of a table that nothing names, or in whose place the next one will do."""
    rows = getattr(plan, table)
    left = replace(plan, **{table: rows[:gone] + rows[gone + 1 :]})
    return numbered(turned(left, {table: lambda row: row - (row > gone)}))


def numbered(plan: Plan) -> Plan:
    """Number instances of parts and stores, and workers, as they follow each other."""
    worker, stores = len(plan.processes), []
    for store in _following(plan.stores):
        stores.append(replace(store, first_worker=worker if store.actors else -1))
        worker += store.actors
    return replace(plan, parts=tuple(_following(plan.parts)), stores=tuple(stores))


def _following(rows: Sequence[Any]) -> list[Any]:
    firsts = accumulate((row.count for row in rows), initial=0)
    return [replace(row, first=first) for row, first in zip(rows, firsts, strict=False)]
