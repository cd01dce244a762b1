"""The files of a plan: each gets a path, an address, and a number among those of its devices.

A file has two numbers: that of the member that it begins at, in the order in which nodes take turns
(docs/composition.md), and one for the members within a node that a stripe has decided.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from simulator.config.lowering.tables import MPI_CALLS
from simulator.config.lowering.walk import LUSTRE, RANDOM
from simulator.mixing import mix
from simulator.plan.codes import REQUEST
from simulator.plan.paths import FilePlan, PathPlan, TierPlan

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.config.lowering.block import Block
    from simulator.config.lowering.ionodes import IoWay
    from simulator.config.machine_file import Machine


class Targets:
    """The files that have been placed on each kind of device."""

    def __init__(self, key_of: Callable[[str], int]) -> None:
        self._key_of = key_of
        self._files: dict[str, int] = defaultdict(int)
        self._used: dict[tuple[str, int], Used] = {}
        self._turns: dict[tuple[str, int], Turns] = {}

    def of(self, block: Block, size: int) -> tuple[int, int]:
        """Return the two numbers of the next file, of ``size`` bytes; the second may be -1."""
        number = self._files[block.device]
        self._files[block.device] += 1
        divided, nodes = block.around
        rounds, first = divmod(number, nodes)
        # In each round over the nodes a node gets the stripes of so many files after each other.
        within = rounds * divided + (first if divided > 1 else 0)
        if block.placed is None:
            return number, -1 if within == number else within
        placed = block.placed
        if placed.how == RANDOM:
            return mix(self._key_of("placement"), number) % placed.members, within
        key = block.device, placed.members
        if placed.how == LUSTRE:
            return self._turns.setdefault(key, Turns(placed.members)).place(placed.width), within
        if key not in self._used:
            self._used[key] = Used(placed.members)
        return self._used[key].place(size, placed.unit, placed.width), within


class Turns:
    """Where files begin as Lustre's round robin has it: behind the members of the file before.

    As lod_alloc_rr (lustre/lod/lod_qos.c): once all members have had their turn the next file
    begins one member further, unless the width moves it already. Not modelled: that it begins
    anew at a random member after some thousand files.

    >>> one = Turns(6)
    >>> [one.place(4) for _ in range(5)]
    [0, 4, 3, 1, 0]
    """

    def __init__(self, members: int) -> None:
        self._members = members
        self._next = self._further = 0

    def place(self, width: int) -> int:
        """Return the first member of the next file, of so many members."""
        if self._next > self._members or (self._next and width >= self._members):
            self._next %= self._members
            self._further += width > 1 and self._members % width != 1
        first = (self._next + self._further) % self._members
        self._next += width
        return first


class Used:
    """The bytes that lie on each of some members, by the sizes of their files."""

    def __init__(self, members: int) -> None:
        self.bytes = [0] * members
        self._least = [(0, member) for member in range(members)]
        """A heap of (bytes, member); one whose bytes have changed since does not count."""

    def place(self, size: int, unit: int, width: int) -> int:
        """Place a file that begins where the fewest bytes lie, the first of several."""
        while self._least[0] != (self.bytes[self._least[0][1]], self._least[0][1]):
            heappop(self._least)
        first = self._least[0][1]
        rows, rest = divmod(size, unit * width)
        for index in range(min(width, -(-size // unit))):
            member = (first + index) % len(self.bytes)
            self.bytes[member] += rows * unit + min(max(0, rest - index * unit), unit)
            heappush(self._least, (self.bytes[member], member))
        return first


class Files:
    """The paths and files that a workload uses, numbered as they are first met."""

    def __init__(self, machine: Machine, key_of: Callable[[str], int]) -> None:
        """``key_of``: the key of a random stream, by which files are placed that are drawn."""
        self._machine = machine
        self._paths = machine.ways
        self.tiers: list[TierPlan] = []
        self.paths: list[PathPlan] = []
        self.files: list[FilePlan] = []
        self.used: dict[str, int] = {}
        """Bytes of files that are placed on each kind of device."""
        self.known: set[int] = set()
        """Files of which it is known where they lie."""
        self._targets = Targets(key_of)
        self._ways: list[IoWay | None] = []
        """For each path where it leads, if that is a buffer cache."""
        self._path_of: dict[tuple[str | int, ...], int] = {}
        self._wheres: list[tuple[str, str, int]] = []
        """File system, path and group of each path."""
        self._file_of: dict[str, int] = {}
        self._between: dict[tuple[int, int], int] = {}

    def path(self, filesystem: str, path: str, group: int) -> int:
        """Return the number of a path for programs on a group; raises ``WalkError``."""
        where = (filesystem, path, group)
        return self._number(where, self._paths.block(*where))

    def _number(self, where: tuple[str, str, int], block: Block, *stripes: int) -> int:
        """Return the number of a path, of which there is one for each way to stripe files."""
        key: tuple[str | int, ...] = (*where, *stripes)
        number = self._path_of.get(key)
        if number is None:
            self._wheres.append(where)
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

    def write_lock_ns(self, number: int) -> int:
        """Return how much longer a write behind another process's takes; 0: writes have no lock."""
        filesystem = self._wheres[self.files[number].path][0]
        return self._machine.filesystems[filesystem].write_lock or 0

    def path_to(self, number: int, where: tuple[str, str, int]) -> int:
        """Return the path to a file, as operations have it: -1 if it is that of the file."""
        own = self._wheres[self.files[number].path]
        return -1 if where == own else self.path(*where)

    def place(
        self,
        name: str,
        where: tuple[str, str, int],
        *,
        length: int,
        size: int,
        most: int,
        prestaged: bool = False,
        stripes: tuple[int, int] = (0, 0),
    ) -> int:
        """Return the number of a file; one that is met again grows.

        ``where`` is its file system, path and the group of its programs; ``length`` are the bytes
        that exist, ``size`` those of one transfer, ``most`` those that it takes on its devices.
        ``stripes``: how many, and bytes of one, if the file system's do not count.
        """
        number = self._file_of.get(name)
        if number is not None:
            old = self.files[number]
            if length > old.length or size > old.size:
                self.files[number] = replace(
                    old, length=max(length, old.length), size=max(size, old.size)
                )
            return number
        block = known = self._paths.block(*where)
        if stripes[0]:
            block = known.striped(self._machine.tables, *stripes)
        more = () if block.tiers == known.tiers else (block.width, block.unit)
        path = self._number(where, block, *more)
        room = _share(max(size, most), block)
        base = self._begin(block.device, room)
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

    def _begin(self, device: str, room: int) -> int:
        """Return where the next file on a kind of device begins: behind the last, or aligned."""
        used, part = self.used.get(device, 0), self._machine.parts.get(device)
        unit = 1 if part is None else part.alignment
        return -(-used // unit) * unit if room >= unit else used


def _share(size: int, block: Block) -> int:
    """Return the bytes of a file on each of the members that it is divided among."""
    if not block.unit:
        return size
    stripes = -(-size // block.unit)
    return -(-stripes // block.width) * block.unit
