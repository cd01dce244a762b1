"""A striped file: which byte lies where in which sub-file, and back.

A file consists of regions; each is dealt out, a stripe at a time, to its sub-files in their order
(SR8000 paper, sections 2.1 and 2.2.5). A sub-file is named by the number of the I/O node it lies
on. No clock: this is arithmetic, on single offsets and on whole tables of extents.

Not modelled: the master file that holds these values (it is read when the file is opened).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Whole: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a file with striping of its own."""

    size: int
    """Bytes of the file."""
    stripe: int
    """Bytes in one piece."""
    order: tuple[int, ...]
    """The sub-files, in the order in which they get stripes."""

    def __post_init__(self) -> None:
        if self.size < 1 or self.stripe < 1 or not self.order:
            raise ValueError(f"need bytes, a stripe and a sub-file, got {self}")
        if len(set(self.order)) != len(self.order):
            raise ValueError(f"a sub-file is in the order twice: {self.order}")

    def share(self, place: int) -> int:
        """Bytes of the sub-file at some place of the order."""
        whole, rest = divmod(self.size, self.stripe)
        turns, more = divmod(whole, len(self.order))
        if place < more:
            return (turns + 1) * self.stripe
        return turns * self.stripe + (rest if place == more else 0)


class Extents(NamedTuple):
    """Pieces of sub-files, each within a stripe and a block; ``source`` is the row it came from."""

    node: Whole
    block: Whole
    low: Whole
    high: Whole
    source: Whole


@dataclass(frozen=True)
class SubFiles:
    """Where the bytes of a file are; sub-files consist of blocks of ``block`` bytes.

    A region begins on a new block of every sub-file.

    >>> files = SubFiles((Region(size=1024, stripe=64, order=(0, 1)),), block=64)
    >>> files.place(130), files.origin(0, 66)
    ((0, 66), 130)
    """

    regions: tuple[Region, ...]
    block: int
    before: Mapping[int, int] = field(default_factory=dict)
    """Bytes of other files before it, on each node: whole blocks."""
    starts: tuple[int, ...] = field(init=False)
    """Where each region begins in the file."""
    bases: tuple[dict[int, int], ...] = field(init=False)
    """And in each of its sub-files."""
    lengths: dict[int, int] = field(init=False)
    """Where each sub-file ends, in whole blocks."""

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

    def place(self, offset: int) -> tuple[int, int]:
        """The sub-file of a byte of the file, and its offset there."""
        if not 0 <= offset < self.size:
            raise ValueError(f"offset {offset} is not in a file of {self.size} bytes")
        number = max(i for i, start in enumerate(self.starts) if start <= offset)
        region = self.regions[number]
        stripe, within = divmod(offset - self.starts[number], region.stripe)
        turn, place = divmod(stripe, len(region.order))
        node = region.order[place]
        return node, self.bases[number][node] + turn * region.stripe + within

    def origin(self, node: int, offset: int) -> int | None:
        """The byte of the file that lies at an offset of a sub-file; None for padding."""
        for start, region, base in zip(self.starts, self.regions, self.bases, strict=True):
            place = region.order.index(node) if node in base else 0
            if node in base and 0 <= offset - base[node] < region.share(place):
                turn, within = divmod(offset - base[node], region.stripe)
                return start + (turn * len(region.order) + place) * region.stripe + within
        return None

    def extents(self, offset: Whole, size: Whole) -> Extents:
        """Cut pieces of the file at regions, stripes and blocks; the order is kept.

        >>> files = SubFiles((Region(size=1024, stripe=64, order=(0, 1)),), block=128)
        >>> cut = files.extents(np.array([100]), np.array([100]))
        >>> [tuple(int(x) for x in row) for row in zip(*cut)]
        [(1, 0, 36, 64, 0), (0, 0, 64, 128, 0), (1, 0, 64, 72, 0)]
        """
        limits = np.array([*self.starts[1:], self.size], dtype=np.int64)
        offset, size, source = _cut(offset, size, np.arange(len(offset)), limits)
        number = np.searchsorted(limits, offset, side="right")
        stripe = np.array([one.stripe for one in self.regions], dtype=np.int64)[number]
        start = np.array(self.starts, dtype=np.int64)[number]
        rows, offset, size = cut_evenly(offset - start, size, stripe)
        source, number, stripe = source[rows], number[rows], stripe[rows]
        node, at = self._placed(offset, number, stripe)
        rows, at, size = cut_evenly(at, size, np.full(len(at), self.block))
        low = at % self.block
        return Extents(node[rows], at // self.block, low, low + size, source[rows])

    def _placed(self, offset: Whole, number: Whole, stripe: Whole) -> tuple[Whole, Whole]:
        """Sub-files and their offsets of offsets within regions."""
        most = max(len(one.order) for one in self.regions)
        order = np.zeros((len(self.regions), most), dtype=np.int64)
        base = np.zeros((len(self.regions), most), dtype=np.int64)
        for i, region in enumerate(self.regions):
            order[i, : len(region.order)] = region.order
            base[i, : len(region.order)] = [self.bases[i][node] for node in region.order]
        count = np.array([len(one.order) for one in self.regions], dtype=np.int64)[number]
        which = offset // stripe
        place = which % count
        at = base[number, place] + which // count * stripe + offset % stripe
        return order[number, place], at


def cut_evenly(offset: Whole, size: Whole, step: Whole) -> tuple[Whole, Whole, Whole]:
    """Cut each range at multiples of its step; gives the rows they came from, offsets, sizes."""
    first = offset // step
    count = (offset + size - 1) // step - first + 1
    rows = np.repeat(np.arange(len(offset)), count)
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
    low = np.maximum(offset[rows], (first[rows] + nth) * step[rows])
    high = np.minimum((offset + size)[rows], (first[rows] + nth + 1) * step[rows])
    return rows, low, high - low


def _cut(
    offset: Whole, size: Whole, source: Whole, limits: Sequence[int] | Whole
) -> tuple[Whole, Whole, Whole]:
    """Cut ranges at the ends of regions."""
    for limit in limits:
        across = np.flatnonzero((offset < limit) & (offset + size > limit))
        if not len(across):
            continue
        before = limit - offset[across]
        offset = np.insert(offset, across + 1, limit)
        rest = size[across] - before
        size = size.copy()
        size[across] = before
        size = np.insert(size, across + 1, rest)
        source = np.insert(source, across + 1, source[across])
    return offset, size, source
