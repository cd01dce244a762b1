"""A volume with an arm, or a tape drive; ``DiskSpec`` says how long a request takes."""

from __future__ import annotations

from typing import Any

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.mixing import mix
from simulator.reference.part import Load, Station
from simulator.service import ServiceSpec


class Disk(Station):
    """One server. Requests are served as they come, so that the arm's place is known beforehand."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.spec: DiskSpec = self.plan.spec
        self._transfer = self.spec.transfer()
        self._free_ns = 0
        self._head = -1
        """The address after the last byte served; -1 before the first request."""
        self._file = -1

    def free_ns(self) -> int:
        """Return when the request before has ended."""
        return self._free_ns

    def serve(self, load: Load, start_ns: int) -> int:
        """Serve a member's bytes of a transfer; what has a cost of its own moves no arm."""
        if load.cost_ns >= 0:
            self._free_ns = self.book(load, start_ns, self.stretched(load.cost_ns))
            return self._free_ns
        service = self._transfer_of(load).service_ns(load.size)
        if load.span[0] != self._head:
            distance = abs(load.span[0] - max(0, self._head)) // load.spread
            service += self.spec.positioning_ns(distance, self._draw())
        if load.file != self._file:
            service += self.spec.mount_ns
        self._file = load.file
        self._head = load.span[1]
        self._free_ns = self.book(load, start_ns, self.stretched(service))
        return self._free_ns

    def _transfer_of(self, load: Load) -> ServiceSpec:
        """Return overhead and rate of a request in its direction."""
        writes = self.plan.writes
        return writes if load.writes and writes is not None else self._transfer

    def _draw(self) -> float:
        """Return where in its rotation the disk is, from 0 to 1."""
        if not self.spec.rotation_drawn:
            return 0.5
        return (mix(self.noise.key, -self.requests - 1) >> 11) / 2**53

    def alone_ns(self, load: Load, *, first: bool) -> int:
        """Return overhead and transfer, and for the first request mount and positioning."""
        service = self._transfer_of(load).service_ns(load.size)
        return service + (self.spec.mount_ns + self.spec.positioning_ns(0) if first else 0)
