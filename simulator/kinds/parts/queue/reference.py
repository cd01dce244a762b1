"""Equal servers with one queue, first come first served."""

from __future__ import annotations

from typing import Any

from simulator.reference.part import Load, Station


class Queue(Station):
    """Requests begin when the first server is free; the lowest of several."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._free_ns = [0] * self.plan.servers

    def free_ns(self) -> int:
        """Return when the first server is free."""
        return min(self._free_ns)

    def serve(self, load: Load, start_ns: int) -> int:
        """Serve a request at the server that is free first."""
        return self.occupy(load, start_ns, self.service_ns(load))

    def occupy(self, load: Load, start_ns: int, service_ns: int) -> int:
        """Serve a request that takes a given time; return when it ends."""
        end = self.book(load, start_ns, self.stretched(service_ns))
        self._free_ns[self._free_ns.index(min(self._free_ns))] = end
        return end
