"""A striped file: mapping of its bytes to sub-files, and back.

A file consists of regions; each is distributed, a stripe at a time, over its sub-files in their
order (SR8000 paper, sections 2.1 and 2.2.5). A sub-file is named by the number of its I/O node.

Not modelled: the master file that holds these values (it is read when the file is opened).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Extent: TypeAlias = tuple[int, int, int]
"""A block of a sub-file, and its byte range: from, to."""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a file with striping of its own."""

    size: int
    """Bytes of the file."""
    stripe: int
    """Bytes of one stripe."""
    order: tuple[int, ...]
    """Sub-files, in the order in which they receive stripes."""

    def __post_init__(self) -> None:
        if self.size < 1 or self.stripe < 1 or not self.order:
            raise ValueError(f"need bytes, a stripe and a sub-file, got {self}")
        if len(set(self.order)) != len(self.order):
            raise ValueError(f"a sub-file is in the order twice: {self.order}")

    def share(self, place: int) -> int:
        """Return the bytes of the sub-file at a position of the order."""
        whole, rest = divmod(self.size, self.stripe)
        turns, more = divmod(whole, len(self.order))
        if place < more:
            return (turns + 1) * self.stripe
        return turns * self.stripe + (rest if place == more else 0)


@dataclass(frozen=True)
class SubFiles:
    """Location of the bytes of a file; sub-files consist of blocks of ``block`` bytes.

    A region begins on a new block of every sub-file.

    >>> files = SubFiles((Region(size=1024, stripe=64, order=(0, 1)),), block=64)
    >>> files.location(130), files.origin(0, 66)
    ((0, 66), 130)
    """

    regions: tuple[Region, ...]
    block: int
    before: Mapping[int, int] = field(default_factory=dict)
    """Bytes of other files before it, on each node: whole blocks."""
    starts: tuple[int, ...] = field(init=False)
    """Begin of each region in the file."""
    bases: tuple[dict[int, int], ...] = field(init=False)
    """Begin of each region in each sub-file."""
    lengths: dict[int, int] = field(init=False)
    """End of each sub-file, in whole blocks."""

    def __post_init__(self) -> None:
        starts, bases = [], []
        lengths = dict(self.before)
        start = 0
        for region in self.regions:
            starts.append(start)
            bases.append({node: lengths.get(node, 0) for node in region.order})
            start += region.size
            for place, node in enumerate(region.order):
                blocks = -(-region.share(place) // self.block)
                lengths[node] = lengths.get(node, 0) + blocks * self.block
        object.__setattr__(self, "starts", tuple(starts))
        object.__setattr__(self, "bases", tuple(bases))
        object.__setattr__(self, "lengths", lengths)

    @property
    def nodes(self) -> set[int]:
        """The I/O nodes that have a sub-file."""
        return {node for region in self.regions for node in region.order}

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return sum(region.size for region in self.regions)

    def location(self, offset: int) -> tuple[int, int]:
        """Return the sub-file of a byte of the file, and its offset there."""
        if not 0 <= offset < self.size:
            raise ValueError(f"offset {offset} is not in a file of {self.size} bytes")
        number = max(i for i, start in enumerate(self.starts) if start <= offset)
        region = self.regions[number]
        stripe, within = divmod(offset - self.starts[number], region.stripe)
        turn, place = divmod(stripe, len(region.order))
        node = region.order[place]
        return node, self.bases[number][node] + turn * region.stripe + within

    def origin(self, node: int, offset: int) -> int | None:
        """Return the byte of the file at an offset of a sub-file; None for padding."""
        for start, region, base in zip(self.starts, self.regions, self.bases, strict=True):
            place = region.order.index(node) if node in base else 0
            if node in base and 0 <= offset - base[node] < region.share(place):
                turn, within = divmod(offset - base[node], region.stripe)
                return start + (turn * len(region.order) + place) * region.stripe + within
        return None

    def cut(self, offset: int, size: int, into: dict[int, list[Extent]]) -> None:
        """Cut a byte range at regions, stripes and blocks; add its extents by node.

        An extent that continues the last one of its node is joined with it.

        >>> files = SubFiles((Region(size=1024, stripe=64, order=(0, 1)),), block=128)
        >>> made = {}
        >>> files.cut(100, 100, made)
        >>> made
        {1: [(0, 36, 72)], 0: [(0, 64, 128)]}
        """
        number = bisect_right(self.starts, offset) - 1
        own = self.block
        while size:
            region, start, bases = self.regions[number], self.starts[number], self.bases[number]
            order, end = region.order, start + region.size
            while size and offset < end:
                stripe, within = divmod(offset - start, region.stripe)
                part = min(size, region.stripe - within, end - offset)
                turn, place = divmod(stripe, len(order))
                node = order[place]
                block, low = divmod(bases[node] + turn * region.stripe + within, own)
                offset, size = offset + part, size - part
                extents = into.setdefault(node, [])
                while part:
                    high = min(own, low + part)
                    if extents and extents[-1][0] == block and extents[-1][2] == low:
                        extents[-1] = block, extents[-1][1], high
                    else:
                        extents.append((block, low, high))
                    part -= high - low
                    block, low = block + 1, 0
            number += 1
