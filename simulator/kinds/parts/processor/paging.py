"""Memory with paging: how many pages a sweep over too much data brings in from the disk.

Modelled: a table of page frames with LRU replacement; each fault waits for a disk that writes
the page that goes (it was changed) and reads the one that comes.
Not modelled: other replacement rules, reading ahead, a page that is given up unchanged, the
competition of several programs for the frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.kinds.parts.disk.spec import DiskSpec


@dataclass(frozen=True, slots=True)
class PagingSpec:
    """Memory for the pages of an application, in bytes, and the disk behind it."""

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
