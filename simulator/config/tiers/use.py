"""A name alone: a store, a buffer cache, or a stage of a single part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.config.errors import Path
from simulator.config.quantities import Name
from simulator.config.tiers.base import Step, Tier

if TYPE_CHECKING:
    from simulator.config.lowering.walk import Walk


class Use(Tier):
    """A store, a buffer cache, or a part that is a stage; a plain name is short for it."""

    shorthand = {"text": "use"}

    use: Name
    """Its name."""

    @property
    def names(self) -> Sequence[str]:
        """Its name."""
        return [self.use]

    def lower(self, walk: Walk, at: Path, ahead: Sequence[str]) -> None:
        """Add a ``store`` or ``buffers`` tier, or a stage."""
        machine = walk.tables.machine
        if self.use in machine.stores:
            walk.store(self.use, at)
        elif self.use in machine.buffer_caches:
            walk.buffer_cache(self.use, at)
        else:
            walk.stage([(self.use, None)], 0, at, ahead)

    def steps(self) -> Iterator[tuple[Path, Step]]:
        """Return itself."""
        yield ("use",), self

    def mentions(self) -> Iterator[tuple[Path, str, str]]:
        """Return its name."""
        yield ("use",), self.use, "tier"
