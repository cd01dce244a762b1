"""What numerical libraries and remote calls cost on a machine, as closed formulas.

Not modelled: caches (a library's speed depends on the length of its vectors alone).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LibrarySpec:
    """One numerical library on one machine, by Hockney's law of vector lengths.

    R(n) = rate * n / (n + half): half of the full rate at n = half (Hockney, 1983).
    """

    rate: float
    """Operations per second with endless vectors, of all its threads together."""
    half: int = 0
    threads: int = 1
    """PEs that it uses."""

    def compute_ns(self, operations: int, length: int) -> int:
        """Time with as many free PEs as it has threads.

        >>> LibrarySpec(rate=200e6, half=100).compute_ns(1_000_000, 100)
        10000000
        """
        return round(operations * (length + self.half) * 1e9 / (self.rate * length))


@dataclass(frozen=True, slots=True)
class HostSpec:
    """What a remote call costs on one side beside computing: PE time of one PE."""

    conversion: float
    """Bytes per second between the machine's numbers and those on the network (XDR)."""
    accept_ns: int = 0
    """To take a call in; on a server."""
    start_ns: int = 0
    """To start the program of a call; on a server."""

    def convert_ns(self, size: int) -> int:
        """PE time of the conversion of ``size`` bytes, the copies of the protocol included."""
        return round(size * 1e9 / self.conversion)
