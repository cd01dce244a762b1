"""Locks of files on a path: what they protect, where they stand, the way of their requests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Annotated

from simulator.config.errors import Fault, Path
from simulator.config.lowering.locks import Locked
from simulator.config.lowering.walk import Walk
from simulator.config.quantities import Size
from simulator.config.section import FULL, UnionOf, check
from simulator.config.tier import Step, Tier, WalkError
from simulator.kinds.tiers.hold.section import Keep
from simulator.kinds.tiers.route.section import Route
from simulator.kinds.tiers.stage.section import Stage
from simulator.kinds.tiers.stripe.section import Stripe
from simulator.kinds.tiers.use.section import Use
from simulator.kinds.tiers.work.section import Work
from simulator.plan.codes import LOCKS, STORE, STRIPE
from simulator.units import Bytes, format_size

LockTiers = Annotated[
    tuple[Annotated[Use | Stage | Route | Work | Keep | Stripe, UnionOf()], ...], FULL
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
    @staticmethod
    def _whole_units(grant: Bytes, unit: Bytes) -> None:
        if grant % unit:
            least = format_size(max(grant // unit, 1) * unit)
            about = f"{format_size(grant)} is not a whole number of units of {format_size(unit)}"
            raise ValueError(f"{about}; write {least}")

    @property
    def asks(self) -> Sequence[Tier]:
        """The way of requests for locks."""
        return self.locks

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
