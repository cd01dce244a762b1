# cython: infer_types=True
"""A flash device: what is in its write cache, and how much was written since it stalled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.codes import *
from simulator.native.parts import Parts
from simulator.native.station import Station
from simulator.native.wide import divided, times

if TYPE_CHECKING:
    from simulator.native.flatparts import PartRow


class SsdStation(Station):
    """Numbers: cache, sustained rate, bytes between stalls (0: none), time of one.

    An instance remembers the bytes in its cache, and those written since its last stall.
    """

    def flatten(self, row: PartRow) -> None:
        """Write the numbers of a device, whose cache is empty."""
        spec = row.part.spec
        row.hooked = True
        row.own(spec.cache, spec.sustained, spec.erase, spec.stall_ns)
        row.keep(0, 0)

    def serve(self, parts: Parts, part: int, instance: int, service: int) -> int:
        """Let the cache drain since the request before; write to it what fits."""
        self.spend(parts, part, instance, service)
        if parts.spec[part + P_WRITES] >= 0:  # it is read
            return service
        own = parts.spec[part + P_OWN]
        kept = parts.kept_at(part, instance, 2)
        fast = min(parts.size, max(0, parts.own[own] - parts.kept[kept]))
        parts.kept[kept] += fast
        slow = divided(parts.size - fast, 1_000_000_000, parts.own[own + 1])
        time = parts.sum_of(part, parts.plain_ns(part, fast), slow)
        if parts.own[own + 2]:
            written = parts.kept[kept + 1] + parts.size
            stalls = written // parts.own[own + 2]
            parts.kept[kept + 1] = written - stalls * parts.own[own + 2]
            time = parts.sum_of(part, time, times(stalls, parts.own[own + 3]))
        return time

    def spend(self, parts: Parts, part: int, instance: int, service: int) -> int:
        """Let the cache drain; a request without bytes writes nothing."""
        idle = parts.begin - parts.free_at(instance)
        kept = parts.kept_at(part, instance, 2)
        drained = divided(idle, parts.own[parts.spec[part + P_OWN] + 1], 1_000_000_000)
        parts.kept[kept] = max(0, parts.kept[kept] - drained)
        return service
