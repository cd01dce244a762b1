# cython: infer_types=True
"""Disks: an arm that is somewhere, and a medium that turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.codes import *
from simulator.native.parts import Parts
from simulator.native.station import Station

if TYPE_CHECKING:
    from simulator.native.flatparts import PartRow
    from simulator.plan.parts import PartPlan
    from simulator.service import ServiceSpec


class DiskStation(Station):
    """What does not follow the last request positions.

    Numbers: seek, rotation, mount, capacity, seek to the next track and over the disk, whether the
    rotational delay is drawn. An instance remembers the address after the last byte, and its file.
    """

    def flatten(self, row: PartRow) -> None:
        """Write the times of positioning, if there are any."""
        spec = row.part.spec
        row.service = spec.transfer()
        if spec.seek_ns or spec.turn_ns or spec.mount_ns or spec.full_seek_ns:
            row.hooked = True
            row.draws = spec.rotation_drawn
            row.own(spec.seek_ns, spec.turn_ns, spec.mount_ns, spec.capacity, spec.track_seek_ns)
            row.tables.own.extend((spec.full_seek_ns, spec.rotation_drawn))
            row.keep(-1, -1)

    def transfer(self, part: PartPlan, *, writes: bool) -> ServiceSpec:
        """Return the overhead and rate of a request in a direction."""
        transfer: ServiceSpec = part.spec.transfer()
        return part.writes if writes and part.writes is not None else transfer

    def first_ns(self, part: PartPlan) -> int:
        """Return the time of mounting and positioning."""
        return int(part.spec.mount_ns + part.spec.positioning_ns(0))

    def serve(self, parts: Parts, part: int, instance: int, service: int) -> int:
        """Move the arm to a request."""
        own = parts.spec[part + P_OWN]
        head = parts.kept_at(part, instance, 2)
        more = 0
        if parts.address != parts.kept[head]:
            distance = parts.address - max(0, parts.kept[head])
            if distance < 0:
                distance = -distance
            distance = distance // parts.spread
            # The seek: as DiskSpec.seek_time_ns.
            full = parts.own[own + 5]
            if full:
                fraction: float = 1.0
                if distance < parts.own[own + 3]:
                    fraction = 1.0 * distance / parts.own[own + 3]
                more = int((full - parts.own[own + 4]) * fraction + 0.5)
                more += parts.own[own + 4]
            else:
                more = parts.own[own]
            # The rotational delay: as DiskSpec.rotation_ns.
            turn = parts.own[own + 1]
            delay = turn // 2
            if parts.own[own + 6]:
                draw: float = parts.draw(part, instance)
                delay = int(turn * draw)
            more = parts.sum_of(part, more, delay)
        if parts.file != parts.kept[head + 1]:
            more = parts.sum_of(part, more, parts.own[own + 2])
        parts.kept[head] = parts.address + parts.span
        parts.kept[head + 1] = parts.file
        return service + more
