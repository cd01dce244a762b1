"""Locks of files on the paths of a machine: the way of their requests, and what must agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simulator.config.errors import Fault, Path
from simulator.config.tier import WalkError
from simulator.plan.codes import STORE
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.config.lowering.block import Block
    from simulator.config.lowering.tables import Tables
    from simulator.config.machine_file import Machine
    from simulator.config.tier import Tier
    from simulator.plan.paths import TierPlan


@dataclass(frozen=True, slots=True)
class Locked:
    """The locks of a path, as a walk has met them."""

    row: int
    """Their tier, counted from the first of the path."""
    ask: tuple[Tier, ...]
    """The way of their requests."""
    at: Path


def with_locks(
    tables: Tables,
    tiers: list[TierPlan],
    locked: Locked,
    column: str,
    further: Callable[[tuple[Tier, ...], Path], list[TierPlan]],
) -> list[TierPlan]:
    """Return the tiers of a path and, behind them, those of its requests for locks."""
    stores = [one.row for one in tiers[locked.row :] if one.kind == STORE and one.slot == 0]
    if len(stores) > 1:
        first, second, *_ = (tables.stores[row].name for row in stores)
        about = f"locks protect one store of a node, and {first} and {second} follow"
        raise WalkError(locked.at, f"{about}; leave out the locks, or one of the stores")
    asked = further(locked.ask, (*locked.at, "locks"))
    tier = replace(
        tiers[locked.row],
        row=stores[0] if stores else -1,
        ask=len(tiers) - locked.row,
        column=tables.column(column),
    )
    return [*tiers[: locked.row], tier, *tiers[locked.row + 1 :], *asked]


def unit_faults(machine: Machine, block: Block) -> Iterator[Fault]:
    """Find units of locks that are no whole blocks of the store that they protect."""
    if block.locked is None:
        return
    tier = block.tiers[block.locked.row]
    if tier.row < 0:  # They protect no store.
        return
    name = machine.tables.stores[tier.row].name
    size = machine.stores[name].block
    if tier.size % size:
        least = format_size(max(tier.size // size, 1) * size)
        about = f"{format_size(tier.size)} is not a whole number of blocks of {name}"
        about = f"{about} ({format_size(size)}); write {least}, or change the block"
        yield (*block.locked.at, "unit"), about


def way_faults(blocks: Sequence[tuple[str, Block]]) -> Iterator[Fault]:
    """Find ways to the files of one file system that differ in locks."""
    (first, one), *others = blocks
    for name, other in others:
        if _locks_of(one) != _locks_of(other):
            at = (one if one.locked else other).locked
            assert at is not None
            about = f"{first} and {name} lead to the same files with different locks"
            yield at.at, f"{about}; write the same 'locks', 'unit' and 'grant' in both, or in none"


def _locks_of(block: Block) -> tuple[int, int] | None:
    if block.locked is None:
        return None
    tier = block.tiers[block.locked.row]
    return tier.size, tier.grow
