"""A processor's data cache under a program that sweeps over its data again and again.

Modelled: a direct-mapped cache with physical addresses under an operating system that gives out
page frames at random. A page stays in the cache from one sweep to the next if no other page of
the program has the same place there: with room for ``C`` pages and ``N`` pages of data the share
of such pages is (1 - 1/C)^(N - 1) in the mean (Kessler and Hill, 1992, compute the like).
Not modelled: associativity, the caching of instructions, a run of luck in the page frames.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CacheSpec:
    """Size and line of a cache in bytes, and what a missing line costs."""

    size: int
    line: int
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
