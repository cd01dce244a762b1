"""A disk with zones: one server, whose requests take a time that depends on their address."""

from typing import Any

from simulator.reference.part import Load, Station


class ZonedDisk(Station):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._free_ns = 0
        self._head = -1

    def free_ns(self) -> int:
        return self._free_ns

    def serve(self, load: Load, start_ns: int) -> int:
        service = self.service_ns(load)
        if load.cost_ns < 0:  # It has no cost of its own, as a metadata request may have.
            low, high = load.span
            service = self.plan.spec.service_ns(low, load.size, moved=low != self._head)
            self._head = high
        self._free_ns = self.book(load, start_ns, self.stretched(service))
        return self._free_ns
