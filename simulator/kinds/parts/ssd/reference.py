"""A flash device: one server, whose writes go to a cache while it has room; ``SsdSpec``."""

from __future__ import annotations

from typing import Any

from simulator.reference.part import Load, Station


class Ssd(Station):
    """Requests are served as they come, so that it is known beforehand how full the cache is."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.spec = self.plan.spec  # SsdSpec of section.py
        self._free_ns = 0
        self._held = 0
        """Bytes in the cache."""
        self._written = 0
        """Bytes written since the last stall."""

    def free_ns(self) -> int:
        """Return when the request before has ended."""
        return self._free_ns

    def serve(self, load: Load, start_ns: int) -> int:
        """Serve a request; the cache has drained since the one before."""
        self._held = max(0, self._held - self.spec.drained(start_ns - self._free_ns))
        service = self.service_ns(load)
        if load.cost_ns < 0 and load.writes:
            service = self._write(load)
        self._free_ns = self.book(load, start_ns, self.stretched(service))
        return self._free_ns

    def _write(self, load: Load) -> int:
        """Write to the cache what fits, and the rest past it; return the time, with stalls."""
        fast = min(load.size, max(0, self.spec.cache - self._held))
        self._held += fast
        stalls = self.spec.stalls(self._written, load.size)
        self._written += load.size - stalls * self.spec.erase
        service = self.plan.service_of(writes=True).service_ns(fast)
        slow: int = self.spec.slow_ns(load.size - fast)
        return service + slow + int(stalls * self.spec.stall_ns)
