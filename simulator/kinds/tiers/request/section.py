"""Requests of a size, into which calls are cut."""

from __future__ import annotations

from simulator.config.errors import Path
from simulator.config.lowering.walk import Walk
from simulator.config.quantities import Count, Flag, Size
from simulator.config.section import default
from simulator.config.tier import Tier
from simulator.plan.codes import REQUEST


class Request(Tier):
    """Requests of a size at most, into which calls are cut."""

    rank = 9
    of_bytes = True

    request: Size
    """Bytes of one request at most."""
    window: Count = default(1, "neutral: one request after the other")
    """Requests of one call that are out at one time."""
    aligned: Flag = default(True, "what page caches and parallel file systems do")
    """Calls are cut at multiples of it; if not, every so many bytes from their beginning on."""

    def lower(self, walk: Walk, at: Path) -> None:
        """Cut requests."""
        walk.dealt = {}
        walk.io.refuse("requests have a size", (*at, "request"))
        walk.add(REQUEST, size=self.request, window=self.window, aligned=self.aligned)
