"""Checksums of blocks: what is written is summed before it goes on, what is read when it comes."""

from dataclasses import dataclass

from simulator.config.errors import Path
from simulator.config.lowering.walk import Walk
from simulator.config.quantities import Name, Size
from simulator.config.tier import Tier
from simulator.units import Bytes


@dataclass(frozen=True)
class ChecksumSpec:
    """``block``: bytes that have one checksum."""

    block: int

    def summed(self, low: int, high: int) -> int:
        """Return the bytes of all blocks that bytes ``low`` to ``high`` lie in."""
        blocks = -(-high // self.block) - low // self.block
        return blocks * self.block if high > low else 0


class Checksum(Tier):
    """Checksums of what is read and written, which a part works on."""

    naming = {"checksum": "work"}

    checksum: Name
    """The part, like a ``core``: the time of a byte is that of its rate."""
    block: Size = Bytes(4096)
    """Bytes that have one checksum: all of them are summed, however few are read or written."""

    def lower(self, walk: Walk, at: Path) -> None:
        hold = walk.use(self.checksum, (*at, "checksum"))
        walk.add("checksum", down=(hold,), spec=ChecksumSpec(self.block))
