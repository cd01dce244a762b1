"""Buffer caches of I/O nodes: blocks of files in memory, in front of RAID units.

Their times are known when a request comes (docs/composition.md): a block goes to
the disks when it has been written from end to end, when its place is needed, or at the end.
"""

from __future__ import annotations

from simulator.config.quantities import CountOrNone, Name, Size
from simulator.config.section import Earlier, Section, check
from simulator.units import Bytes, format_size

MOST_BLOCKS = 1 << 24
"""Blocks of all files of one file system: a mistake in a size is to be found at once."""


class BufferCache(Section):
    """Memory of an I/O node for blocks of files: LRU, write-behind, prefetch."""

    synonyms = {"size": "capacity", "read_ahead": "prefetch", "ahead": "prefetch"}

    at: Name
    """The group of nodes that have one each: the I/O nodes."""
    capacity: Size
    """Its memory."""
    block: Size = Bytes(65536)
    """What is kept, read and replaced."""
    prefetch: CountOrNone = 0
    """Blocks that are read ahead of a sequential reader."""

    @check("block")
    @classmethod
    def _fits(cls, block: Bytes, earlier: Earlier) -> Bytes:
        capacity = earlier.get("capacity")
        if capacity is not None and capacity < block:
            about = f"{format_size(block)} is more than the capacity"
            raise ValueError(f"{about}; write {format_size(capacity)} or less")
        return block
