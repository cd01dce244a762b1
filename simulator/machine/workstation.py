"""A workstation: a processor that its servers and one application share, and memory.

``WorkstationSpec`` says how long the application's work takes alone; ``Processor`` says what is
left for it. Servers (message server, process server) are short and come first: what they do
stops the application for as long. Servers among themselves queue. For the application that is the
rule of the time-shared processor with urgent tasks (``timeshare.py``; tests compare the two),
without an event for each of the many polls.

Not modelled: time slices between several applications, the cost of changing between processes
(part of what a server's work costs), input and output other than paging.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.machine.actor import Actor, Steps
    from simulator.machine.datacache import CacheSpec
    from simulator.machine.paging import PagingSpec


@dataclass(frozen=True, slots=True)
class WorkstationSpec:
    """Speed and memory of a workstation."""

    update_ns: int
    """Processor time for one point of a mesh whose data are in the cache."""
    memory: PagingSpec
    cache: CacheSpec | None = None
    """None: a point always takes the same time."""

    def sweep_cpu_ns(self, points: int, size: int) -> int:
        """Processor time to update ``points`` in ``size`` bytes, waiting for memory included.

        points * update + (lines that are missing) * line time
        """
        waiting = self.cache.sweep_ns(size) if self.cache else 0
        return points * self.update_ns + waiting

    def sweep_paging_ns(self, size: int) -> int:
        """Time that one sweep over ``size`` bytes waits for the paging disk."""
        return self.memory.sweep_ns(size)


class Processor:
    """One processor: servers first, the application with what is left."""

    __slots__ = ("_application_until", "_free_at", "application_ns", "name", "server_ns")

    def __init__(self, name: str) -> None:
        self.name = name
        self.application_ns = 0
        self.server_ns = 0
        self._free_at = 0
        self._application_until = -1

    def serve(self, now_ns: int, work_ns: int) -> int:
        """Do a server's work from now on, or after other servers' work; returns its end.

        The application goes on that much later if it was computing.
        """
        start = max(now_ns, self._free_at)
        self._free_at = start + work_ns
        self.server_ns += work_ns
        if self._application_until > start:
            self._application_until += work_ns
        return self._free_at

    def compute(self, actor: Actor, work_ns: int, what: str) -> Steps:
        """Do the application's work; the time that servers took is charged as waiting."""
        began = actor.now
        self._application_until = max(began, self._free_at) + work_ns
        while actor.now < self._application_until:
            yield actor.until(self._application_until)
        self._application_until = -1
        self.application_ns += work_ns
        actor.charge(what, actor.now - began - work_ns, work_ns)
