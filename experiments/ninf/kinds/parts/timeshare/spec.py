"""A processor of several PEs that an operating system shares among its tasks by time: its shares.

A task has one or more threads. While there are no more threads that can run than PEs, each has
a PE of its own; with more of them all get equal parts of the PEs. Urgent tasks come before the
others. A task of several threads is a gang that waits for its last thread at every barrier: where
threads share PEs it pays for that with a part of its speed.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.kinds.traits import PartSpec

SCALE = 32
ONE = 1 << SCALE
"""A thread's speed on a PE of its own."""


@dataclass(frozen=True, slots=True)
class CpuSpec(PartSpec):
    """How many PEs there are, and what a gang keeps of its speed where it shares them."""

    pes: int
    gang: float = 1.0
    """Speed of a task of several threads while threads outnumber PEs, over that of its shares."""

    def shares(self, urgent: int, others: int) -> tuple[int, int]:
        """Return what each urgent and each other thread gets of a PE, in 2**-32.

        >>> [share / ONE for share in CpuSpec(4).shares(1, 12)]
        [1.0, 0.25]
        """
        first = min(ONE, self.pes * ONE // urgent) if urgent else 0
        left = self.pes * ONE - first * urgent
        return first, min(ONE, left // others) if others else 0

    def speed(self, share: int, threads: int) -> int:
        """Return how fast a task goes whose threads get this share, in 2**-32 of its speed alone.

        >>> round(CpuSpec(4, gang=0.9).speed(ONE // 2, 4) / ONE, 6)
        0.45
        """
        if threads > 1 and share < ONE:
            return share * round(self.gang * ONE) >> SCALE
        return share

    def alone_ns(self, work_ns: int, threads: int = 1) -> int:
        """Time of ``work_ns`` of PE time, dealt out evenly to ``threads``, with nobody else."""
        return -(-(work_ns << SCALE) // self.alone_speed(threads))

    def alone_speed(self, threads: int) -> int:
        """Speed of all threads of a task together, with nobody else, in 2**-32 of a PE."""
        share, _ = self.shares(threads, 0)
        return threads * self.speed(share, threads)
