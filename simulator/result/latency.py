"""Histograms of latencies: mergeable, with quantiles within 1 %; mean and both ends are exact.

A value below 128 ns has a bin of its own; from there on an octave has 64 bins of equal width, so
that the middle of a bin is at most 1/128 off any value in it (the layout of HdrHistogram).

Of a run of 2 to 64 jobs each call is counted by job, without being asked: that costs the kernel no
more (it adds jobs up at the end), but a histogram of 29 kB for each operation of each job.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

BINS = 56 * 64 + 64
"""Number of bins, sufficient for values below 2**62."""
QUANTILES = {
    "p50_ns": ("p50", 0.5),
    "p95_ns": ("p95", 0.95),
    "p99_ns": ("p99", 0.99),
    "p999_ns": ("p99.9", 0.999),
}
"""Key -> display name and fraction of all values: the quantiles of every report."""


def bin_of(value_ns: int) -> int:
    """Return the bin of a value.

    >>> [bin_of(value) for value in (0, 127, 128, 129, 130, 256)]
    [0, 127, 128, 128, 129, 192]
    """
    if value_ns < 128:
        return value_ns
    shift = value_ns.bit_length() - 7
    return (shift << 6) + (value_ns >> shift)


def middle_of(place: int) -> int:
    """Return the value in the middle of a bin.

    >>> [middle_of(bin_of(value)) for value in (5, 1000, 10**9)]
    [5, 1004, 1002438656]
    """
    if place < 128:
        return place
    shift = (place >> 6) - 1
    low = (place - (shift << 6)) << shift
    return low + (1 << shift >> 1)


@dataclass(slots=True)
class Latency:
    """The latencies of one operation."""

    count: int = 0
    sum_ns: int = 0
    max_ns: int = 0
    min_ns: int = 0
    bins: dict[int, int] = field(default_factory=dict)
    """Bin -> number of values in it; only non-empty bins."""

    def add(self, value_ns: int) -> None:
        """Count one value."""
        self.min_ns = min(self.min_ns, value_ns) if self.count else value_ns
        self.count += 1
        self.sum_ns += value_ns
        self.max_ns = max(self.max_ns, value_ns)
        place = bin_of(value_ns)
        self.bins[place] = self.bins.get(place, 0) + 1

    def merge(self, other: Latency) -> None:
        """Add the values of another histogram."""
        if other.count:
            self.min_ns = min(self.min_ns, other.min_ns) if self.count else other.min_ns
        self.count += other.count
        self.sum_ns += other.sum_ns
        self.max_ns = max(self.max_ns, other.max_ns)
        for place, count in other.bins.items():
            self.bins[place] = self.bins.get(place, 0) + count

    @property
    def mean_ns(self) -> float:
        """Mean; 0 without values."""
        return self.sum_ns / self.count if self.count else 0.0

    def quantile_ns(self, part: float) -> int:
        """Return the least value that a fraction ``part`` of all do not exceed, within 1 %.

        >>> one = Latency()
        >>> for value in range(1, 101): one.add(value)
        >>> one.quantile_ns(0.5), one.quantile_ns(0.99), one.quantile_ns(1.0)
        (50, 99, 100)

        Where all values are equal it is that value.

        >>> one = Latency()
        >>> one.add(11_010_000), one.add(11_010_000), one.quantile_ns(0.5)
        (None, None, 11010000)
        """
        wanted = max(1, -int(-part * self.count // 1))
        seen = 0
        for place in sorted(self.bins):
            seen += self.bins[place]
            if seen >= wanted:
                return max(self.min_ns, min(middle_of(place), self.max_ns))
        return self.max_ns

    def longest_ns(self, number: int) -> int:
        """Return an upper bound on the sum of the longest ``number`` of them.

        >>> one = Latency()
        >>> for value in (10, 20, 30): one.add(value)
        >>> one.longest_ns(2), one.longest_ns(9)
        (50, 60)
        """
        if number >= self.count:
            return self.sum_ns
        total = 0
        for place in sorted(self.bins, reverse=True):
            taken = min(number, self.bins[place])
            # A bin ends at most 1/128 above its middle.
            total += taken * min(self.max_ns, middle_of(place) + middle_of(place) // 128)
            number -= taken
        return min(total, self.sum_ns)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON record; times in ns."""
        return {
            "count": self.count,
            "mean_ns": round(self.mean_ns, 3),
            **{key: self.quantile_ns(part) for key, (_, part) in QUANTILES.items()},
            "min_ns": self.min_ns,
            "max_ns": self.max_ns,
        }


@dataclass(frozen=True, slots=True)
class Steady:
    """The mean response time of arrivals without the warm-up, and how well it is known."""

    warm_up: int
    """The number of first arrivals that are left out as warm-up."""
    warm_up_ns: float
    """Their mean."""
    mean_ns: float
    """The mean of the others."""
    half_ns: float | None
    """Half of the 95 % interval of that; None if the run is too short, or the load is unknown."""
    needed: int | None
    """The number of arrivals for +-10 %; None if it is reached, or unknown."""

    def to_record(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "warm_up": self.warm_up,
            "mean_ns": round(self.mean_ns),
            "half_ns": None if self.half_ns is None else round(self.half_ns),
            "needed": self.needed,
        }
