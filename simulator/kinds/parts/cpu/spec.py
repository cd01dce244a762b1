"""A processing element, as far as I/O sees it: it copies data and makes calls.

Not modelled: the vector unit (computing is a given time), memory as a contended part.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.kinds.traits import PartSpec


@dataclass(frozen=True, slots=True)
class PeSpec(PartSpec):
    """Copying and overheads of a PE: bytes per second and ns."""

    copy_rate: float
    record_overhead_ns: int = 0
    """One READ or WRITE statement of a record; also packing or unpacking a message of one."""
    call_overhead_ns: int = 0
    """One system call."""
    turn_overhead_ns: int = 0
    """One turn of the Fortran buffer: a transfer of data between the buffer and a file."""
    turn_unit: int = 0
    """Bytes of a file; a turn costs that for each such unit that it touches. 0: once."""

    def copy_ns(self, size: int, records: int = 0) -> int:
        """Time to move ``size`` bytes of ``records`` records between program and buffer."""
        return records * self.record_overhead_ns + int(size * (1e9 / self.copy_rate) + 0.5)

    def turns(self, low: int, high: int) -> int:
        """Return how often a turn that moves bytes [low, high) of a file costs its overhead."""
        return -(-high // self.turn_unit) - low // self.turn_unit if self.turn_unit else 1

    def call_ns(self, *, turns: int) -> int:
        """Time of a call before anything leaves the PE; ``turns`` is 0 if it moves no buffer."""
        return self.call_overhead_ns + turns * self.turn_overhead_ns
