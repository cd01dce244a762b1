"""A flash device: one server, whose writes go to a cache while it has room; ``SsdSpec``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simulator.reference.part import Depth, Load, Station


class Ssd(Station):
    """Requests are served as they come, so that it is known beforehand how full the cache is."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.spec = self.plan.spec  # SsdSpec of section.py
        self._depth = Depth(self.plan.service, self.plan.service_of(writes=True))
        self._free_ns = 0
        self._held = 0
        """Bytes in the cache."""
        self._written = 0
        """Bytes written since the last stall."""
        self._spent = 0
        """Bytes written of those that it had erased flash for."""
        self._head = -1
        """The address behind the last write; -1 before the first."""

    def free_ns(self) -> int:
        """Return when the request before has ended."""
        return self._free_ns

    def serve(self, load: Load, start_ns: int) -> int:
        """Serve a request; the cache has drained since the one before."""
        self._held = max(0, self._held - self.spec.drained(start_ns - self._free_ns))
        service = load.cost_ns
        if service < 0:
            asked = self._depth.service(self.clock.now, writes=load.writes).service_ns
            service = self._write_ns(load, asked) if load.writes else asked(load.size)
        self._free_ns = self.book(load, start_ns, self.stretched(service))
        self._depth.add(self._free_ns)
        return self._free_ns

    def _write_ns(self, load: Load, asked: Callable[[int], int]) -> int:
        """Write to the cache what fits, and the rest past it; return the time, with stalls."""
        size = load.size and load.size + self.spec.padding(*load.span)
        fast = min(size, max(0, self.spec.cache - self._held))
        self._held += fast
        stalls = self.spec.stalls(self._written, size)
        self._written += size - stalls * self.spec.erase
        slow = self._past_cache_ns(load, size, size - fast)
        return asked(fast) + slow + int(stalls * self.spec.stall_ns)

    def _past_cache_ns(self, load: Load, size: int, slow: int) -> int:
        """Return the time of ``slow`` bytes of a write, which uses up erased flash."""
        collected = min(slow, max(0, self._spent + size - self.spec.spare))
        self._spent = min(self.spec.spare, self._spent + size)
        time: int = self.spec.slow_ns(slow - collected) + self.spec.collecting_ns(collected)
        if collected and load.span[0] != self._head:
            time += self.spec.collect_ns
        self._head = load.span[1]
        return time
