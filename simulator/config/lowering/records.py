"""The records of a phase that reads or writes: how long they are, and where in the file."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from simulator.config.record import LognormalRecord, Record, UniformRecord
from simulator.mixing import mix
from simulator.plan.jobs import DrawPlan
from simulator.runtime.lengths import CycledLengths, Lengths, UniformLengths, fixed, lognormal
from simulator.runtime.policies import runtime_of
from simulator.runtime.records import MARK

_SUBRECORD = 2**31
"""Longer records are divided, with two more lengths each time."""


def record_lengths(record: Record, size: int, key_of: Callable[[str], int], stream: str) -> Lengths:
    """Return the records of ``size`` bytes; ``stream`` names the random stream of drawn ones.

    ``key_of``: its key.
    """
    if isinstance(record, int):
        return fixed(record, size)
    if isinstance(record, tuple):
        return CycledLengths(record, size)
    key = key_of(stream)
    if isinstance(record, UniformRecord):
        return UniformLengths(key, size, record.from_, record.to)
    assert isinstance(record, LognormalRecord)
    return lognormal(key, size, record.median, record.spread, record.largest)


def interleaved_records(
    record: int, rank: int, ranks: int, *, size: int, own: int | None
) -> tuple[array[int], array[int]]:
    """Return the offsets and sizes (bytes) of the records of one of ``ranks`` processes in turn.

    Together they are the whole file of ``size`` bytes, whose last record may be shorter; or of
    each process its ``own`` bytes, so that in the last turn all records are equally shorter.

    >>> [list(interleaved_records(4, rank, 2, size=14, own=None)[1]) for rank in (0, 1)]
    [[4, 4], [4, 2]]
    >>> [list(interleaved_records(4, rank, 2, size=14, own=7)[0]) for rank in (0, 1)]
    [[0, 8], [4, 11]]
    """
    turn = record * ranks
    turns, left = divmod(size if own is None else own * ranks, turn)
    offsets = array("q", range(rank * record, turns * turn, turn))
    sizes = array("q", [record]) * turns
    each = record if own is None else left // ranks
    last = min(left - rank * each, each)
    if last > 0:
        offsets.append(turns * turn + rank * each)
        sizes.append(last)
    return offsets, sizes


def extent_of(policy: str, lengths: Lengths, size: int) -> int:
    """Return the bytes that records of ``size`` bytes take in a file, their lengths included."""
    marks = lengths.count + size // _SUBRECORD if runtime_of(policy).marked else 0
    return size + 2 * MARK * marks


def placed_records(record: Record, lengths: Lengths, low: int) -> tuple[array[int], array[int]]:
    """Return the offsets and sizes of records that follow each other."""
    count = lengths.count
    if isinstance(record, int):
        sizes = array("q", [record]) * count
        if count:
            sizes[-1] = lengths.length(count - 1)
        return array("q", range(low, low + count * record, record)), sizes
    sizes = array("q", map(lengths.length, range(count)))
    return array("q", accumulate(sizes[:-1], initial=low)) if count else array("q"), sizes


@dataclass(frozen=True)
class Calls:
    """The reads or writes of a phase."""

    offsets: array[int]
    sizes: array[int]
    places: array[int] | range | None = None
    """Where they can be, if that is drawn."""
    key: int = 0
    again: bool = False
    """It is drawn each time that the process comes to the phase."""
    end: int = 0
    """Not 0: places are taken in turn, not drawn, and no call goes beyond this byte."""

    def drawn(self) -> list[int]:
        """Return the places of the first time."""
        assert self.places is not None
        return [mix(self.key, i) % len(self.places) for i in range(len(self.offsets))]

    def listed(self) -> tuple[array[int], array[int]]:
        """Return the offsets and sizes of listed operations."""
        own = self.places is self.offsets
        if self.places is None or (own and self.again):
            return self.offsets, self.sizes
        drawn, sizes = self.drawn(), self.sizes
        if own:  # The last record may be a shorter one.
            sizes = array("q", [sizes[i] for i in drawn])
        return array("q", [self.places[i] for i in drawn]), sizes

    def draw(self, first: int) -> DrawPlan:
        """Return how they are drawn each time; ``first`` is the row of the first one."""
        assert self.places is not None
        base, step = first, 0
        if isinstance(self.places, range):
            base, step = self.places.start, self.places.step
        return DrawPlan(
            key=self.key,
            first=first,
            count=len(self.offsets),
            places=len(self.places),
            base=base,
            step=step,
            end=self.end,
        )
