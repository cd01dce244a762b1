"""Where files lie on the members of buffer caches: one behind the other, in whole blocks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from simulator.config.layouts import regions_of
from simulator.config.lowering.ionodes import IoWay, buffers_plan
from simulator.plan.stripe import member_in_turn
from simulator.runtime.subfiles import Region, SubFiles
from simulator.units import format_size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import File
    from simulator.plan.parts import BuffersPlan
    from simulator.plan.paths import FilePlan

LEAST_BETWEEN = 1
"""Blocks between two files, that none goes on where another ends."""


@dataclass
class IoFiles:
    """The files behind one buffer cache; each begins at the same block of all members."""

    way: IoWay
    plan: BuffersPlan
    nodes: tuple[int, ...] = ()
    """The members that a file is striped over, in their order."""
    end: int = 0
    """Where the last file ends; bytes."""
    files: dict[int, SubFiles] = field(default_factory=dict)
    """By their numbers in the plan."""
    placed: dict[int, tuple[int, int]] = field(default_factory=dict)
    """First byte on each member, and how many bytes from there on are its own."""
    stored: list[tuple[int, int, int]] = field(default_factory=list)

    def finished(self) -> BuffersPlan:
        """Return the cache with its files."""
        block = self.plan.block
        blocks = (self.end // block,) * len(self.plan.blocks)
        return replace(self.plan, blocks=blocks, stored=tuple(self.stored))

    @property
    def next_base(self) -> int:
        """Where the next file can begin: what is read ahead of one ends between them."""
        between = max(LEAST_BETWEEN, self.plan.ahead) * self.plan.block
        return self.end + between if self.placed else 0

    def lay(self, number: int, file: File) -> SubFiles:
        """Lay out a file of a workload, of which requests ask for pieces."""
        if number not in self.files:
            regions = self._striped(file.size)
            if file.layout is not None:
                count = len(self.plan.blocks)
                regions = tuple(Region(*one) for one in regions_of(file.layout, file.size, count))
            made = self._place(number, regions, self.next_base)
            if file.exists:
                self._store(made)
        return self.files[number]

    def add(self, number: int, file: FilePlan, *, keep: bool) -> FilePlan:
        """Lay out a file that is reached by calls, as it is at the end; return it with its place.

        ``keep``: where its first byte is, is known, and is to stay if that is possible. ValueError
        if it has been laid out before and is longer now.
        """
        if number not in self.files:
            regions = self._striped(max(file.size, 1))
            base = file.base if keep and self._is_free(file.base) else self.next_base
            made = self._place(number, regions, base)
            if file.length:
                self._store(replace(made, regions=self._striped(file.length)))
        elif file.size > (there := self.files[number].size):
            raise ValueError(f"{format_size(file.size)} in {format_size(there)}")
        base, room = self.placed[number]
        return replace(file, base=base, room=room, lead=0)

    def _is_free(self, base: int) -> bool:
        return base % self.plan.block == 0 and (base >= self.next_base or not self.placed)

    def _striped(self, size: int) -> tuple[Region, ...]:
        return (Region(size, self.way.stripe or size, self.nodes),)

    def _place(self, number: int, regions: tuple[Region, ...], base: int) -> SubFiles:
        before = dict.fromkeys(range(len(self.plan.blocks)), base)
        made = self.files[number] = SubFiles(regions, self.plan.block, before)
        self.end = max(made.lengths.values())
        self.placed[number] = base, self.end - base
        return made

    def _store(self, files: SubFiles) -> None:
        """Let a file be on the disks before the run."""
        block = self.plan.block
        for node in sorted(files.nodes):
            begin, end = files.before[node] // block, files.lengths[node] // block
            if end > begin:
                self.stored.append((node, begin, end - begin))


class Behind:
    """The files behind all buffer caches of a machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._caches: dict[str, IoFiles] = {}

    def cache(self, way: IoWay) -> IoFiles:
        """Return the files behind the cache that a way leads to."""
        if way.cache not in self._caches:
            plan, groups = buffers_plan(self.machine, way.cache), self.machine.tables.groups
            nodes = (member_in_turn(groups, plan.group, number) for number in range(way.width))
            self._caches[way.cache] = IoFiles(way, plan, tuple(nodes))
        return self._caches[way.cache]

    def plans(self) -> tuple[BuffersPlan, ...]:
        """Return the machine's buffer caches with the files of the workload."""
        made = self._caches
        return tuple(
            made[name].finished() if name in made else buffers_plan(self.machine, name)
            for name in self.machine.buffer_caches
        )

    def placed(
        self, files: list[FilePlan], ways: Iterable[IoWay | None], known: set[int]
    ) -> tuple[FilePlan, ...]:
        """Return the files of a plan, those behind caches with their places.

        ``ways``: of each file, where its path leads; ``known``: files that have a place. ValueError
        names a file that is longer than what has been laid out.
        """
        all_ways, made = [*ways], [*files]
        order = sorted(
            range(len(files)), key=lambda n: (n not in known, n in known and files[n].base)
        )
        for number in order:
            way = all_ways[number]
            if way is not None:
                try:
                    keep = number in known
                    made[number] = self.cache(way).add(number, files[number], keep=keep)
                except ValueError as error:
                    raise ValueError(f"{files[number].name}: {error}") from None
        return tuple(made)
