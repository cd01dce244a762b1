"""How long the work of a workstation's process takes alone: updates, cache misses and paging.

Not modelled: time slices between several processes, the cost of changing between them, input and
output other than paging.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.kinds.traits import PartSpec

if TYPE_CHECKING:
    from simulator.kinds.parts.processor.datacache import CacheSpec
    from simulator.kinds.parts.processor.paging import PagingSpec


@dataclass(frozen=True, slots=True)
class WorkstationSpec(PartSpec):
    """Speed and memory of a workstation."""

    update_ns: int
    """Processor time for one point of a mesh whose data are in the cache."""
    memory: PagingSpec
    cache: CacheSpec | None = None
    """None: a point always takes the same time."""

    def sweep_cpu_ns(self, points: int, size: int) -> int:
        """Processor time to update ``points`` in ``size`` bytes, waiting for memory included.

        points * update + (lines that are missing) * line time
        """
        waiting = self.cache.sweep_ns(size) if self.cache else 0
        return points * self.update_ns + waiting

    def sweep_paging_ns(self, size: int) -> int:
        """Time that one sweep over ``size`` bytes waits for the paging disk."""
        return self.memory.sweep_ns(size)
