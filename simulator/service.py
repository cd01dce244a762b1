"""Service time of one request at a resource: an overhead, and a rate for its bytes."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """Rate and overhead."""

    rate: float
    """Bytes per second; infinity for a resource with an overhead only."""
    overhead_ns: int = 0
    """Overhead of every request, whatever its size."""
    ns_per_byte: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ns_per_byte", 1e9 / self.rate)

    def service_ns(self, size: int) -> int:
        """Return the time to serve ``size`` bytes: overhead + size / rate, to the nearest ns.

        >>> ServiceSpec(36e6, 1000).service_ns(36_000_000)
        1000001000
        """
        return self.overhead_ns + int(size * self.ns_per_byte + 0.5)
