"""Times of the work of a workstation's process alone: updates, cache misses and paging.

Not modelled: time slices between several processes, the cost of changing between them, input and
output other than paging.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.kinds.traits import PartSpec

if TYPE_CHECKING:
    from simulator.kinds.parts.disk.spec import DiskSpec


@dataclass(frozen=True, slots=True)
class CacheSpec:
    """A processor's data cache under a program that sweeps over its data again and again.

    Modelled: a direct-mapped cache with physical addresses under an operating system that gives out
    page frames at random. A page stays in the cache from one sweep to the next if no other page of
    the program has the same place there: with room for ``C`` pages and ``N`` pages of data the
    share of such pages is (1 - 1/C)^(N - 1) in the mean (Kessler and Hill, 1992, compute the like).
    Not modelled: associativity, the caching of instructions, a run of luck in the page frames.
    """

    size: int
    """Bytes of the cache."""
    line: int
    """Bytes of a line."""
    line_ns: int
    """Time to write an old line back and to bring a new one in."""
    page: int
    """Bytes of a page of memory."""

    @property
    def pages(self) -> int:
        """Pages that the cache has places for."""
        return self.size // self.page

    def hit_share(self, size: int) -> float:
        """The share of ``size`` bytes that is still in the cache when a sweep comes back.

        >>> cache = CacheSpec(size=8192, line=16, line_ns=100, page=4096)
        >>> cache.hit_share(4096), cache.hit_share(3 * 4096)
        (1.0, 0.25)
        """
        pages = -(-size // self.page)
        return (1 - 1 / self.pages) ** (pages - 1) if pages > 1 else 1.0

    def sweep_ns(self, size: int) -> int:
        """Time that one sweep over ``size`` bytes waits for missing lines."""
        missing = -(-size // self.line) * (1 - self.hit_share(size))
        return int(missing * self.line_ns + 0.5)


@dataclass(frozen=True, slots=True)
class PagingSpec:
    """Memory for the pages of an application, in bytes, and the disk behind it.

    Modelled: a table of page frames with LRU replacement; each fault waits for a disk that writes
    the page that goes (it was changed) and reads the one that comes.
    Not modelled: other replacement rules, reading ahead, a page that is given up unchanged, the
    competition of several programs for the frames.
    """

    resident: int
    """Bytes that the application can keep in memory."""
    page: int
    """Bytes of one page."""
    disk: DiskSpec

    @property
    def frames(self) -> int:
        """Whole pages that fit."""
        return self.resident // self.page

    def pages(self, size: int) -> int:
        """Pages of ``size`` bytes that begin at the start of a page."""
        return -(-size // self.page)

    def sweep_faults(self, size: int) -> int:
        """Faults of one more sweep over ``size`` bytes, from the first page to the last.

        LRU has given up each page just before it is needed again, as soon as there is one page
        too many: 0 faults if all pages fit, else all of them.
        """
        pages = self.pages(size)
        return pages if pages > self.frames else 0

    def fault_ns(self) -> int:
        """Time of one fault: the old page out, the new one in, each with a seek of its own."""
        one = self.disk.transfer().service_ns(self.page) + self.disk.positioning_ns(0)
        return 2 * one

    def sweep_ns(self, size: int) -> int:
        """Time that one sweep over ``size`` bytes waits for the disk."""
        return self.sweep_faults(size) * self.fault_ns()


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
