"""A question that clients ask before metadata operations, such as a lookup before an open."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Annotated, Literal

from simulator.config.errors import Fault, Path
from simulator.config.lowering.walk import Walk
from simulator.config.quantities import words
from simulator.config.section import Called
from simulator.config.tier import Tier
from simulator.plan.codes import BEFORE, METADATA, OPERATIONS

_NAMES = tuple(OPERATIONS[kind] for kind in METADATA)
Operation = Annotated[Literal[_NAMES], Called("operation")]  # type: ignore[valid-type]
Operations = Annotated[tuple[str, ...], words("operations", *_NAMES)]


class Before(Tier):
    """A request of another kind that is answered before one of a metadata operation is made."""

    rank = 13

    before: Operations
    """The operations, like [open, create]."""
    ask: Operation
    """The kind of the request that is answered first, with the cost of that kind: lookup or stat,
    or open again if an open is two requests alike."""

    def lower(self, walk: Walk, at: Path) -> None:
        """Add the question."""
        del at
        asked = _NAMES.index(self.ask)
        walk.add(BEFORE, kinds=tuple(asked if name in self.before else -1 for name in _NAMES))

    def misplaced(self, role: str, stores: Collection[str]) -> Iterator[Fault]:
        """Find questions where there are no metadata operations."""
        del stores
        if role != "metadata":
            yield ("before",), "only metadata operations ask before; write it under 'metadata'"
