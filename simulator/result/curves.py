"""Curves over time of one run: contents of store instances, and bytes of processes' calls.

A curve has bins of equal width, of which the last may be cut by the end of the run. What it has in
a bin is an integral (a value times the nanoseconds that it lasted), so that both engines give the
same integers, and curves of several instances can be added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

FIRST_NS = 1 << 20
"""Width of a bin, as long as the run is short."""
SAMPLES = 512
"""Maximum number of bins of a curve, if not many instances have one."""
LEAST_SAMPLES = 32
MOST_CELLS = 1 << 17
"""Maximum number of bins of all instances together, beyond which curves have fewer bins."""


def samples_for(instances: int) -> int:
    """Return the maximum number of bins of each curve, for a number of store instances.

    >>> samples_for(160), samples_for(1_000), samples_for(1_000_000)
    (512, 128, 32)
    """
    bins = SAMPLES
    while bins > LEAST_SAMPLES and bins * instances > MOST_CELLS:
        bins //= 2
    return bins


@dataclass(slots=True)
class Level:
    """A value over time, and its maximum."""

    sums: list[int] = field(default_factory=list)
    """Its integral over each bin; byte nanoseconds."""
    last: int = 0
    """Value at the end of the run."""
    most: int = 0
    """Largest value that lasted a nanosecond or longer."""
    most_ns: int = 0
    """Time at which that was first reached."""
    moment: int = 0
    """Sum of all changes of the value, each times its time; a check of the sums."""


@dataclass(slots=True)
class StoreCurve:
    """Contents of one instance of a store over time; bytes."""

    store: str
    """The store's name in the machine file."""
    capacity: int
    """Bytes of all of its blocks."""
    width_ns: int
    end_ns: int
    """End of the run, and of the last bin."""
    used: Level
    """Blocks in use, as bytes."""
    dirty: Level
    """Bytes that were written into it and are not below it yet, also while they are written back.
    Bytes that were overwritten before count once."""
    left: int = 0
    """Bytes that were to be written back at the end, as counted from its blocks."""

    def begins_s(self) -> list[float]:
        """Return the begin of each bin; seconds."""
        return [begin / 1e9 for begin in range(0, self.end_ns, self.width_ns)]

    def used_bytes(self) -> list[int]:
        """Return the mean of the bytes in use in each bin, rounded down."""
        return means(self.used.sums, self.width_ns, self.end_ns)

    def dirty_bytes(self) -> list[int]:
        """Return the mean of the dirty bytes in each bin, rounded down."""
        return means(self.dirty.sums, self.width_ns, self.end_ns)


@dataclass(slots=True)
class CallCurve:
    """Bytes of the reads and writes that ended in each bin, of all processes.

    A bin has the calls that ended after its begin and until its end, also failed ones. Runtime
    libraries make the calls of their programs. Requests for I/O nodes are not included.
    """

    width_ns: int
    end_ns: int
    read: list[int]
    written: list[int]

    def begins_s(self) -> list[float]:
        """Return the begin of each bin; seconds."""
        return [begin / 1e9 for begin in range(0, self.end_ns, self.width_ns)]


def widths(width_ns: int, end_ns: int) -> list[int]:
    """Return the length of each bin up to the end of the run.

    >>> widths(1000, 2500)
    [1000, 1000, 500]
    """
    return [min(width_ns, end_ns - begin) for begin in range(0, end_ns, width_ns)]


def means(sums: Sequence[int], width_ns: int, end_ns: int) -> list[int]:
    """Return the mean in each bin, rounded down.

    >>> means([5000, 1000, 1000], 1000, 2500)
    [5, 1, 2]
    """
    return [one // width for one, width in zip(sums, widths(width_ns, end_ns), strict=True)]


def together(levels: Iterable[Sequence[int]]) -> list[int]:
    """Add up curves of equal bins."""
    return [sum(bins) for bins in zip(*levels, strict=True)]
