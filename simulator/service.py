"""Service time of one request at a resource: an overhead, and a rate for its bytes.

The rate may be a table of measured points: by the size of a request, and by how many requests are
under way at a device.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class SizePoint:
    """What requests of a size take beside the overhead."""

    size: int
    time_ns: int


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """Rate and overhead."""

    rate: float
    """Bytes per second; infinity for a resource with an overhead only; with points unused."""
    overhead_ns: int = 0
    """Overhead of every request, whatever its size."""
    points: tuple[SizePoint, ...] = ()
    """Times by size, which rises; none: those of the rate."""
    deeper: tuple[ServiceSpec, ...] = ()
    """Services while 2, 3, .. requests are under way at the device; the last also with more."""
    ns_per_byte: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ns_per_byte", 1e9 / self.rate)

    def service_ns(self, size: int) -> int:
        """Return the time to serve ``size`` bytes: overhead + size / rate, to the nearest ns.

        With points: linear between the two around the size, at the rate of the nearest outside of
        them; rounded up.

        >>> ServiceSpec(36e6, 1000).service_ns(36_000_000)
        1000001000
        >>> table = ServiceSpec(1e9, 5, points=(SizePoint(10, 100), SizePoint(20, 131)))
        >>> [table.service_ns(size) for size in (0, 1, 10, 11, 20, 40)]
        [5, 15, 105, 109, 136, 267]
        """
        if self.points:
            return self.overhead_ns + self._between(size)
        return self.overhead_ns + int(size * self.ns_per_byte + 0.5)

    def _between(self, size: int) -> int:
        first, last = self.points[0], self.points[-1]
        if not first.size < size < last.size:
            near = first if size <= first.size else last
            return -(-size * near.time_ns // near.size)
        low, high = next(two for two in pairwise(self.points) if size <= two[1].size)
        more = (size - low.size) * (high.time_ns - low.time_ns)
        return low.time_ns - (-more // (high.size - low.size))

    @property
    def is_table(self) -> bool:
        """Whether it has more than an overhead and one rate."""
        return bool(self.points or self.deeper)

    @property
    def depths(self) -> tuple[ServiceSpec, ...]:
        """The services while 1, 2, 3, .. requests are under way."""
        return (self, *self.deeper)

    @property
    def fastest(self) -> float:
        """The highest rate of any size and depth, in bytes per second, without the overhead."""
        rates = [
            max(1e9 * p.size / p.time_ns for p in one.points) if one.points else one.rate
            for one in self.depths
        ]
        return max(rates)
