"""Locks of files, which nodes hold while they read and write them, as in Lustre."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from simulator.config.errors import Path
from simulator.config.quantities import Size
from simulator.config.section import FULL, ByKey, Earlier, check
from simulator.config.tiers.base import Step, Tier
from simulator.config.tiers.layout import Stripe
from simulator.config.tiers.stage import Keep, Route, Stage, Work
from simulator.config.tiers.use import Use
from simulator.units import Bytes, format_size

if TYPE_CHECKING:
    from simulator.config.lowering.walk import Walk

LockTiers = Annotated[
    tuple[Annotated[Use | Stage | Route | Work | Keep | Stripe, ByKey()], ...], FULL
]


class Locks(Tier):
    """Locks of a file's units: a node has them before it reads (shared) or writes (alone)."""

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

    @property
    def names(self) -> Sequence[str]:
        """Nothing: its server is not on the way of data."""
        return []

    def lower(self, walk: Walk, at: Path, ahead: Sequence[str]) -> None:
        """Add a ``locks`` tier."""
        from simulator.config.lowering.locks import add_locks

        add_locks(walk, self, at)

    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return itself."""
        yield (), self

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return the names in the way to its server."""
        for index, tier in enumerate(self.locks):
            for inner, name, wanted in tier.mentions():
                yield ("locks", index, *inner), name, wanted
