"""Where files lie on the volumes of a machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.config.machine import Machine
from simulator.engine.plan import FilePlan
from simulator.machine.volumes import VolumeFile


class Volumes:
    """Where files lie on a machine's volumes: one after the other on each storage."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.used = dict.fromkeys(machine.storage, 0)
        """Bytes on each storage."""
        self._placed = dict.fromkeys(machine.storage, 0)
        self._groups = list(machine.storage)

    def place(self, filesystem: str, size: int) -> VolumeFile:
        """A place for a file of ``size`` bytes on a file system."""
        found = self.machine.filesystems[filesystem]
        name = found.storage
        where = VolumeFile(
            volumes=self._groups.index(name),
            stripes=found.stripes,
            base=self.used[name],
            first=self._placed[name] % self.machine.storage[name].count,
        )
        self.used[name] += size
        self._placed[name] += 1
        return where

    def as_before(self, name: str, there: Mapping[str, Any]) -> FilePlan | None:
        """A file where a run has left it; None if this machine has no such place."""
        storage = there["storage"]
        if storage not in self._groups or there["first"] >= self.machine.storage[storage].count:
            return None
        self.used[storage] = max(self.used[storage], there["base"] + there["size"])
        return FilePlan(
            name=name,
            length=there["length"],
            size=there["size"],
            where=VolumeFile(
                volumes=self._groups.index(storage),
                stripes=there["stripes"],
                base=there["base"],
                first=there["first"],
            ),
            prestaged=there["prestaged"],
            cached=there["cached"],
            path=there["path"],
        )
