"""A processing element, as far as I/O sees it: it copies data and makes calls.

Not modelled: the vector unit (computing is a given time), memory as a contended part.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PeSpec:
    """Copying and overheads of a PE: bytes per second and ns."""

    copy_rate: float
    record_overhead_ns: int = 0
    """One READ or WRITE statement of a record; also packing or unpacking a message of one."""
    call_overhead_ns: int = 0
    """One system call."""
    turn_overhead_ns: int = 0
    """One turn of the Fortran buffer: a transfer of data between the buffer and a file."""

    def copy_ns(self, size: int, records: int = 0) -> int:
        """Time to move ``size`` bytes of ``records`` records between program and buffer."""
        return records * self.record_overhead_ns + int(size * (1e9 / self.copy_rate) + 0.5)

    def call_ns(self, *, turn: bool) -> int:
        """Time of a call before anything leaves the PE; ``turn`` if it moves a buffer."""
        return self.call_overhead_ns + (self.turn_overhead_ns if turn else 0)
