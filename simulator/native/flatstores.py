"""From a plan's stores to tables: instances, workers, how much there is of each file."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.compiled import native_class
from simulator.native.engine import Policies, Policy
from simulator.plan.codes import END, STORE, STRIPE

if TYPE_CHECKING:
    from simulator.plan.parts import StorePlan
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
