"""The files of a plan: each gets a path, an address, and a number among those of its devices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.config.lowering.tables import MPI_CALLS
from simulator.config.lowering.targets import Targets
from simulator.plan.codes import REQUEST
from simulator.plan.paths import FilePlan, PathPlan, TierPlan

if TYPE_CHECKING:
    from simulator.config.lowering.ionodes import IoWay
    from simulator.config.lowering.paths import Block
    from simulator.config.machine_file import Machine


class Files:
    """The paths and files that a workload uses, numbered as they are first met."""

    def __init__(self, machine: Machine, seed: int = 0) -> None:
        self._machine = machine
        self._paths = machine.ways
        self.tiers: list[TierPlan] = []
        self.paths: list[PathPlan] = []
        self.files: list[FilePlan] = []
        self.used: dict[str, int] = {}
        """Bytes of files that are placed on each kind of device."""
        self.known: set[int] = set()
        """Files of which it is known where they lie."""
        self._targets = Targets(seed)
        self._ways: list[IoWay | None] = []
        """For each path where it leads, if that is a buffer cache."""
        self._path_of: dict[tuple[str, str, int], int] = {}
        self._file_of: dict[str, int] = {}
        self._between: dict[tuple[int, int], int] = {}

    def path(self, filesystem: str, path: str, group: int) -> int:
        """Return the number of a path for programs on a group; raises ``WalkError``."""
        key = (filesystem, path, group)
        number = self._path_of.get(key)
        if number is None:
            block = self._paths.block(*key)
            number = self._path_of[key] = len(self.paths)
            if block.io is None:
                self.paths.append(block.moved(len(self.tiers)))
            else:
                self._add_cut(block)
            self.tiers += block.tiers
            self._ways.append(block.io)
        return number

    def _add_cut(self, block: Block) -> None:
        """Add a path to I/O nodes: the system carries out a call a transfer buffer at a time."""
        machine = self._machine
        top, library = len(self.tiers), machine.mpi_io
        self.tiers.append(TierPlan(kind=REQUEST, size=library.transfer_buffer, aligned=False))
        path = replace(
            block.moved(len(self.tiers)),
            top=top,
            call_ns=library.call_overhead,
            call_column=machine.tables.column(MPI_CALLS),
        )
        self.paths.append(path)

    def io_of(self, file: FilePlan) -> IoWay | None:
        """Return where a file's path leads if that is a buffer cache of I/O nodes."""
        return self._ways[file.path]

    def between(self, source: int, target: int) -> int:
        """Return the first tier of messages between two groups; -1 if they cost no time."""
        key = (source, target)
        if key not in self._between:
            tiers = self._paths.between(source, target)
            self._between[key] = len(self.tiers) if tiers else -1
            self.tiers += tiers
        return self._between[key]

    def place(
        self,
        name: str,
        where: tuple[str, str, int],
        *,
        length: int,
        size: int,
        most: int,
        prestaged: bool = False,
    ) -> int:
        """Return the number of a file; one that is met again grows.

        ``where`` is its file system, path and the group of its programs; ``length`` are the bytes
        that exist, ``size`` those of one transfer, ``most`` those that it takes on its devices.
        """
        number = self._file_of.get(name)
        if number is not None:
            old = self.files[number]
            if length > old.length or size > old.size:
                self.files[number] = replace(
                    old, length=max(length, old.length), size=max(size, old.size)
                )
            return number
        path = self.path(*where)
        block = self._paths.block(*where)
        room = _share(max(size, most), block)
        base = self.used.get(block.device, 0)
        self.used[block.device] = base + room
        lead, within = self._targets.of(block, max(size, most))
        self._file_of[name] = len(self.files)
        self.files.append(
            FilePlan(
                name=name,
                path=path,
                length=length,
                size=size,
                base=base,
                lead=lead,
                within=within,
                prestaged=prestaged,
            )
        )
        return len(self.files) - 1


def _share(size: int, block: Block) -> int:
    """Return the bytes of a file on each of the members that it is divided among."""
    if not block.unit:
        return size
    stripes = -(-size // block.unit)
    return -(-stripes // block.width) * block.unit
