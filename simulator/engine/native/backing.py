"""The front end's I/O paths and volumes, as ``machine/volumes.py`` and ``machine/disk.py``.

A transfer has two steps, the paths and the disks; whoever asks for it goes through both,
in the order of its direction.
"""

from __future__ import annotations

from array import array

from simulator.engine.native.stations import Stations

DRAW_BITS = 11
"""A drawn rotation uses 53 bits of the 64."""


class Backing:
    """Paths, groups of volumes, and where each file lies."""

    def __init__(self, stations: Stations, paths: int, files: int, groups: int, disks: int) -> None:
        self.stations = stations
        self.paths = paths
        """The part of the I/O paths."""
        # Files.
        self.group = array("q", [0]) * max(1, files)
        self.stripes = array("q", [1]) * max(1, files)
        self.base = array("q", [0]) * max(1, files)
        self.lead = array("q", [0]) * max(1, files)
        # Groups of volumes.
        self.first_disk = array("q", [0]) * groups
        self.volumes = array("q", [1]) * groups
        self.seek = array("q", [0]) * groups
        self.turn = array("q", [0]) * groups
        self.mount = array("q", [0]) * groups
        self.capacity = array("q", [0]) * groups
        self.track_seek = array("q", [0]) * groups
        self.full_seek = array("q", [0]) * groups
        self.rotation_drawn = array("q", [0]) * groups
        # Disks: the part of the first is ``first_part``.
        self.first_part = 0
        self.shares = array("q", [0]) * max(1, disks)
        self.head = array("q", [-1]) * max(1, disks)
        self.last_file = array("q", [-1]) * max(1, disks)

    def divide(self, size: int, stripes: int, used: int) -> None:
        """Divide a transfer over ``used`` volumes, into ``shares``; as ``pieces`` does.

        Stripe i gets size*(i+1)//stripes - size*i//stripes bytes: the whole quotient, and one
        more whenever the remainders have added up to another whole.
        """
        quotient = size // stripes
        remainder = size - quotient * stripes
        for volume in range(used):
            self.shares[volume] = 0
        carried = 0
        volume = 0
        for _ in range(stripes):
            carried += remainder
            piece = quotient
            if carried >= stripes:
                carried -= stripes
                piece += 1
            self.shares[volume] += piece
            volume += 1
            if volume == used:
                volume = 0

    def on_paths(self, actor: int, file: int, size: int) -> int:
        """Queue each piece of a transfer for a path; returns the time the last is done."""
        paths = self.paths
        stripes = self.stripes[file]
        used = min(stripes, self.volumes[self.group[file]])
        if used == 1:
            return self.stations.take(actor, paths, size)
        self.divide(size, stripes, used)
        now = self.stations.clock.now
        end = now
        wait = 0
        for volume in range(used):
            piece = self.shares[volume]
            if piece:
                done = self.stations.queue(paths, piece, 0)
                if done > end:
                    end = done
                    wait = self.stations.started - now
        self.stations.accounts.charge(actor, paths, wait, end - now - wait)
        return end

    def on_disks(self, actor: int, file: int, offset: int, size: int) -> int:
        """Queue each piece of a transfer at its volume; returns the time the last is done."""
        group = self.group[file]
        volumes = self.volumes[group]
        used = min(self.stripes[file], volumes)
        address = self.base[file] + offset
        disk = self.first_disk[group] + self.lead[file]
        beyond = self.first_disk[group] + volumes
        now = self.stations.clock.now
        end = now
        wait = 0
        last = disk
        count = 1
        if used == 1:
            self.shares[0] = size
        else:
            self.divide(size, self.stripes[file], used)
            count = 0
            for volume in range(used):
                count += self.shares[volume] > 0
        for volume in range(used):
            piece = self.shares[volume]
            if piece:
                done = self.request(disk, group, file, address, size, piece, count)
                if done > end:
                    end = done
                    wait = self.stations.started - now
                    last = disk
            disk += 1
            if disk == beyond:
                disk -= volumes
        self.stations.accounts.charge(actor, self.first_part + last, wait, end - now - wait)
        return end

    def request(
        self, disk: int, group: int, file: int, address: int, size: int, piece: int, spread: int
    ) -> int:
        """One volume's piece of a transfer; returns the time it is done."""
        part = self.first_part + disk
        more = 0
        if address != self.head[disk]:
            distance = address - max(0, self.head[disk])
            if distance < 0:
                distance = -distance
            distance = distance // spread
            more = self.seek_ns(group, distance) + self.rotation_ns(group, part)
        if file != self.last_file[disk]:
            more += self.mount[group]
        self.last_file[disk] = file
        self.head[disk] = address + size
        return self.stations.queue(part, piece, more)

    def seek_ns(self, group: int, distance: int) -> int:
        """As ``DiskSpec.seek_time_ns``."""
        full = self.full_seek[group]
        if not full:
            return self.seek[group]
        part = 1.0
        if distance < self.capacity[group]:
            part = 1.0 * distance / self.capacity[group]
        track = self.track_seek[group]
        more = int((full - track) * part + 0.5)
        return track + more

    def rotation_ns(self, group: int, part: int) -> int:
        """As ``DiskSpec.rotation_ns`` with a draw of the disk's own."""
        if not self.rotation_drawn[group]:
            return self.turn[group] // 2
        bits = self.stations.mix(
            self.stations.key[self.stations.row(part)], -self.stations.requests[part] - 1
        )
        draw = (bits >> DRAW_BITS) / 9007199254740992.0
        turn = int(self.turn[group] * draw)
        return turn
