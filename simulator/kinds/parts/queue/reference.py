"""Equal servers with one queue, first come first served."""

from __future__ import annotations

from heapq import heapreplace
from typing import Any

from simulator.plan.noise import NO_NOISE
from simulator.reference.part import Load, Station


class Queue(Station):
    """Requests begin when the first server is free."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._free_ns = [0] * self.plan.servers
        """When each server is free, as a heap."""

    def free_ns(self) -> int:
        """Return when the first server is free."""
        return self._free_ns[0]

    def serve(self, load: Load, start_ns: int) -> int:
        """Serve a request at the server that is free first."""
        service = self.service_ns(load)
        if self.noise is not NO_NOISE:
            service = self.stretched(service)
        end = self.book(load, start_ns, service)
        heapreplace(self._free_ns, end)
        return end
