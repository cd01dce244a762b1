"""Links that transfers share fairly: how fast, and how long the first byte is under way."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.kinds.traits import PartSpec

RATE_BITS = 10
"""Bits behind the point of a rate in bytes per second."""
BYTE = 10**9 << RATE_BITS
"""A byte, in what a transfer of rate 1 moves in a nanosecond."""


@dataclass(frozen=True, slots=True)
class LinkSpec(PartSpec):
    """A link: how fast, and how long the first byte is under way."""

    rate: float
    """Bytes per second."""
    latency_ns: int = 0

    @property
    def capacity(self) -> int:
        """The rate as a whole number of 2**-10 bytes per second."""
        return max(1, round(self.rate * (1 << RATE_BITS)))
