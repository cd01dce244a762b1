"""The front end's disks as the SSU and the NFS server see them: paths, stripes, volumes.

A transfer takes an I/O path of the front-end processor and a volume one after the other
(store and forward): first the path and then the disk when it writes, the other way when
it reads. A striped transfer is divided over its volumes, each piece on a path of its own;
the whole transfer moves on when its last piece has.

Not modelled: the front end's processors and memory, file-system metadata.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.machine.station import Station, take_all
from simulator.machine.stripe import pieces

if TYPE_CHECKING:
    from simulator.machine.actor import Actor, Steps
    from simulator.machine.disk import Disk, DiskSpec
    from simulator.machine.station import ServiceSpec


@dataclass(frozen=True, slots=True)
class VolumeFile:
    """Where a file lies."""

    volumes: int
    """Index of the group of volumes that its file system uses."""
    stripes: int
    base: int
    """Address of its first byte on its file system."""
    first: int
    """The volume of the group that the first piece of a transfer goes to."""


class Backing:
    """Everything behind the SSU: I/O paths and groups of volumes."""

    def __init__(self, paths: Station, groups: list[list[Disk]], files: list[VolumeFile]) -> None:
        self.paths = paths
        self.groups = groups
        self.files = files

    def write(self, actor: Actor, file: int, offset: int, size: int) -> Steps:
        """Bring bytes from the SSU (or a server) to disk."""
        parts = self._parts(file, size)
        yield actor.until(take_all(actor, [(self.paths, share) for _, share in parts]))
        yield actor.until(self._disks(actor, file, offset, size, parts))

    def read(self, actor: Actor, file: int, offset: int, size: int) -> Steps:
        """Bring bytes from disk."""
        parts = self._parts(file, size)
        yield actor.until(self._disks(actor, file, offset, size, parts))
        yield actor.until(take_all(actor, [(self.paths, share) for _, share in parts]))

    def _parts(self, file: int, size: int) -> list[tuple[int, int]]:
        where = self.files[file]
        group = self.groups[where.volumes]
        return pieces(size, stripes=where.stripes, volumes=len(group), first=where.first)

    def _disks(
        self, actor: Actor, file: int, offset: int, size: int, parts: list[tuple[int, int]]
    ) -> int:
        """Queue each piece at its volume; returns the time the last one is done."""
        where = self.files[file]
        group = self.groups[where.volumes]
        start = where.base + offset
        span = (start, start + size)
        now = end = actor.now
        last, wait = group[parts[0][0]], 0
        for volume, share in parts:
            disk = group[volume]
            waited, done = disk.request(actor, file, span, share, len(parts))
            if done > end:
                end, last, wait = done, disk, waited
        actor.charge(last.name, wait, end - now - wait)
        return end

    def unloaded_read_ns(self, file: int, size: int, piece: int) -> int:
        """How long it takes to read ``size`` bytes in pieces, one by one, alone, in order."""
        where = self.files[file]
        group = self.groups[where.volumes]
        return unloaded_read_ns(group[0].disk, self.paths.spec, where, len(group), size, piece)


def unloaded_read_ns(
    disk: DiskSpec, path: ServiceSpec, where: VolumeFile, volumes: int, size: int, piece: int
) -> int:
    """Read ``size`` bytes of a file in pieces, one by one, alone: what prestaging costs."""
    transfer = disk.transfer()
    total = disk.mount_ns + disk.positioning_ns(0) if size else 0
    for start in range(0, size, piece):
        one = min(piece, size - start)
        shares = pieces(one, stripes=where.stripes, volumes=volumes, first=where.first)
        most = max(share for _, share in shares)
        total += transfer.service_ns(most) + path.service_ns(most)
    return total
