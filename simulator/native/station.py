# cython: infer_types=True
"""What a kind of part is to the engine: what a request takes there, beside noise and queueing.

The engine knows queues of equal servers, and when each server is free. A kind whose requests take
more than an overhead and their bytes at a rate has a method for it; docs/extending.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.native.parts import Parts

if TYPE_CHECKING:
    from simulator.native.flatparts import PartRow
    from simulator.plan.parts import PartPlan
    from simulator.service import ServiceSpec


class Station:
    """A kind for all instances of all parts of it; as it stands, one server at a rate.

    ``part`` is a row of ``parts.spec``, ``instance`` one of its instances. The numbers of a part's
    specification are in ``parts.own`` from ``parts.spec[part + P_OWN]`` on; what an instance
    remembers is in ``parts.kept`` from ``parts.kept_at(part, instance, width)`` on.
    """

    def flatten(self, row: PartRow) -> None:
        """Write a part's numbers into its row of the tables."""

    def transfer(self, part: PartPlan, *, writes: bool) -> ServiceSpec:
        """Return the overhead and rate of a request in a direction."""
        return part.service_of(writes=writes)

    def first_ns(self, part: PartPlan) -> int:
        """Return what the first request of a file takes besides, where nothing was before."""
        return 0

    def serve(self, parts: Parts, part: int, instance: int, service: int) -> int:
        """Serve a request; return its service time without noise, in ns.

        ``service`` is that by overhead and rate. Of the request ``parts`` has ``begin`` (when its
        service begins), ``size`` (bytes that this part moves), ``file`` (-1: none), ``address`` and
        ``span`` (the first byte of the whole transfer and its length), and ``spread`` (over how
        many members that is dealt out). Called for parts whose ``row.hooked`` is set.
        """
        return service

    def spend(self, parts: Parts, part: int, instance: int, service: int) -> int:
        """Serve a request of a given service time, which moves no bytes; return its time."""
        return service


class Stations:
    """The kinds of a machine, by number: the first, and the others behind it.

    A chain, since a list cannot be used without Python's lock.
    """

    def __init__(self, stations: Sequence[Station]) -> None:
        """``stations``: one or more."""
        self.station = stations[0]
        self.others = Stations(stations[1:]) if len(stations) > 1 else self

    def serve(self, number: int, parts: Parts, part: int, instance: int, service: int) -> int:
        """Do as ``Station.serve`` of a kind."""
        if number:
            return self.others.serve(number - 1, parts, part, instance, service)
        return self.station.serve(parts, part, instance, service)

    def spend(self, number: int, parts: Parts, part: int, instance: int, service: int) -> int:
        """Do as ``Station.spend`` of a kind."""
        if number:
            return self.others.spend(number - 1, parts, part, instance, service)
        return self.station.spend(parts, part, instance, service)
