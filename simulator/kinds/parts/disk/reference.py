"""A volume with an arm, or a tape drive; ``DiskSpec`` says how long a request takes."""

from __future__ import annotations

from typing import Any

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.mixing import mix
from simulator.plan.noise import NO_NOISE
from simulator.reference.part import Depth, Load, Station


class Disk(Station):
    """One server. Requests are served as they come, so that the arm's place is known beforehand."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.spec: DiskSpec = self.plan.spec
        reads = self.plan.service
        if not reads.is_table:
            reads = self.spec.transfer()
        writes = reads if self.plan.writes is None else self.plan.writes
        self._transfer_ns = reads.service_ns, writes.service_ns
        self._depth = Depth(reads, writes)
        self._overhead_ns = reads.overhead_ns, writes.overhead_ns
        self._varies = self.spec.full_seek_ns > 0 or self.spec.rotation_drawn
        """Positioning depends on the distance or on a draw;"""
        self._mean_ns = self.spec.positioning_ns(0)
        """if not, it takes this."""
        self._free_ns = 0
        self._head = -1
        """The address after the last byte served; -1 before the first request."""
        self._file = -1

    def free_ns(self) -> int:
        """Return when the request before has ended."""
        return self._free_ns

    def serve(self, load: Load, start_ns: int) -> int:
        """Serve a member's bytes of a transfer; what has a cost of its own moves no arm."""
        service = self.unstretched_ns(load)
        if self.noise is not NO_NOISE:
            service = self.stretched(service)
        self._free_ns = self.book(load, start_ns, service)
        self._depth.add(self._free_ns)
        return self._free_ns

    def unstretched_ns(self, load: Load) -> int:
        """Move the arm with a request; return its service without noise."""
        service = self.service_ns(load)
        if load.cost_ns >= 0:
            return service
        if self._depth.matters:
            asked = self._depth.service(self.clock.now, writes=load.writes)
            service = asked.service_ns(load.size)
        if self.spec.inner_rate:
            transfer_ns = service - self._overhead_ns[load.writes]
            service += self.spec.inner_ns(load.span[0], transfer_ns)
        return service + self._move_ns(load)

    def _move_ns(self, load: Load) -> int:
        """Move the arm with a transfer; return the time until it is at its first byte."""
        moving = 0
        if load.span[0] != self._head:
            moving = self._positioning_ns(load) if self._varies else self._mean_ns
        if load.file != self._file:
            moving += self.spec.mount_ns
        self._file = load.file
        self._head = load.span[1]
        return moving

    def _positioning_ns(self, load: Load) -> int:
        distance = abs(load.span[0] - max(0, self._head)) // load.spread
        return self.spec.positioning_ns(distance, self._draw())

    def _draw(self) -> float:
        """Return where in its rotation the disk is, from 0 to 1."""
        if not self.spec.rotation_drawn:
            return 0.5
        return (mix(self.noise.key, -self.requests - 1) >> 11) / 2**53

    def alone_ns(self, load: Load, *, first: bool) -> int:
        """Return overhead and transfer, and for the first request mount and positioning."""
        service = super().alone_ns(load, first=first)
        return service + (self.spec.mount_ns + self.spec.positioning_ns(0) if first else 0)
