"""Locks of files on a path: what they protect, where they stand, the way of their requests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from simulator.config.errors import Fault, Path
from simulator.config.lowering.walk import Walk
from simulator.config.quantities import Size
from simulator.config.section import FULL, Earlier, ToldBy, check
from simulator.config.tier import Step, Tier, WalkError
from simulator.kinds.tiers.hold.section import Keep
from simulator.kinds.tiers.route.section import Route
from simulator.kinds.tiers.stage.section import Stage
from simulator.kinds.tiers.stripe.section import Stripe
from simulator.kinds.tiers.use.section import Use
from simulator.kinds.tiers.work.section import Work
from simulator.plan.codes import LOCKS, STORE, STRIPE
from simulator.units import Bytes, format_size

if TYPE_CHECKING:
    from simulator.config.lowering.block import Block
    from simulator.config.lowering.tables import Tables
    from simulator.config.machine_file import Machine
    from simulator.plan.paths import TierPlan

LockTiers = Annotated[
    tuple[Annotated[Use | Stage | Route | Work | Keep | Stripe, ToldBy()], ...], FULL
]


class Locks(Tier):
    """Locks of a file's units: a node has them before it reads (shared) or writes (alone)."""

    rank = 12
    synonyms = {"size": "unit", "grow": "grant"}

    locks: LockTiers
    """The way of a request for locks to the server that grants them, as of ``metadata``."""
    unit: Size
    """Bytes of a file that one lock is for, once two nodes use the file."""
    grant: Size | None = None
    """Bytes that one request is granted at most, as far as no other node has or wants them; one
    unit if left out."""

    @check("grant")
    @classmethod
    def _whole_units(cls, grant: Bytes | None, earlier: Earlier) -> Bytes | None:
        unit = earlier.get("unit")
        if grant is not None and unit is not None and grant % unit:
            least = format_size(max(grant // unit, 1) * unit)
            about = f"{format_size(grant)} is not a whole number of units of {format_size(unit)}"
            raise ValueError(f"{about}; write {least}")
        return grant

    def steps(self, at: Path) -> Iterator[Step]:
        """Return the locks; their server is not on the way of data."""
        yield Step([], lambda walk: self.lower(walk, at))

    def lower(self, walk: Walk, at: Path) -> None:
        """Add locks of files."""
        walk.io.refuse("nodes lock files", at)
        if walk.locked is not None:
            raise WalkError(at, "this path has locks already; leave one out")
        if walk.here:
            about = "locks are those of the program's node, which the request has left"
            raise WalkError(at, f"{about}; write them before the first network")
        if any(one.kind in (STORE, STRIPE) for one in walk.tiers):
            about = "locks are for units of files, before these are divided or kept"
            raise WalkError(at, f"{about}; write them before stripes and stores")
        walk.locked = Locked(len(walk.tiers), self.locks, at)
        grow = 1 if self.grant is None else self.grant // self.unit
        walk.add(LOCKS, size=self.unit, grow=grow, row=-1)

    def misplaced(self, role: str, stores: Collection[str]) -> Iterator[Fault]:
        """Find locks of what no program reads or writes."""
        del stores
        if role != "data":
            about = "locks are for reads and writes of a program; write them under 'tiers'"
            yield ("locks",), about


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
    name = list(machine.stores)[tier.row]
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
