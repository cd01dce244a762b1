"""Ways to I/O nodes: what stands before and behind a buffer cache, and where files lie there.

Requests are made where the program is, for each I/O node that has a part of what a call wants; so
the layout stands before all other tiers, and nothing on the way may divide or keep what comes.
Files lie one behind the other on the members of a cache, in whole blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, cast

from simulator.config.errors import Path
from simulator.config.tier import WalkError
from simulator.config.workload_file import regions_of
from simulator.plan.parts import BuffersPlan
from simulator.plan.stripe import member_in_turn
from simulator.runtime.subfiles import Region, SubFiles
from simulator.service import ServiceSpec
from simulator.units import Nanoseconds, format_size

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.config.lowering.paths import Paths
    from simulator.config.machine_file import Machine
    from simulator.config.part import Part
    from simulator.config.workload_file import File
    from simulator.plan.paths import FilePlan, Hold


@dataclass(frozen=True)
class IoWay:
    """Where a path leads: the names of the cache, the server before it and the unit behind it."""

    cache: str
    server: str
    raid: str
    stripe: int
    """Bytes of a stripe of a file that does not say otherwise; 0 on a single node."""
    width: int
    """Nodes that it is striped over, from node 0 on."""
    slot: int
    """The place of the cache."""


@dataclass
class IoNodes:
    """What a walk has met of a way to I/O nodes."""

    ahead: str = ""
    """The buffer cache that the path comes to, if it does."""
    way: IoWay | None = None
    _server: tuple[str, Hold] | None = None
    _stripe: tuple[int, int] = (0, 0)

    def refuse(self, what: str, at: Path) -> None:
        """Refuse something on the way to a buffer cache."""
        if self.ahead:
            about = f"{what}, but what comes to {self.ahead} are requests for pieces of files"
            raise WalkError(at, f"{about}; leave it out")

    def stripe(self, size: int, width: int, at: Path) -> None:
        """Lay files out over I/O nodes."""
        if self._stripe[0]:
            raise WalkError(at, f"files are striped on the way to {self.ahead}; write it once")
        self._stripe = size, width

    def serve(self, name: str, hold: Hold, at: Path) -> None:
        """Come to the server program."""
        if not self.ahead or self._server is not None or self.way is not None:
            about = f"{name} is an I/O server; write it once, directly before a buffer cache"
            raise WalkError(at, about)
        self._server = name, hold

    def enter(self, name: str, nodes: int, slot: int, at: Path) -> Hold:
        """Come to the buffer cache; return the processor of its server."""
        if self.way is not None:
            raise WalkError(at, f"{name} comes after {self.way.cache}; leave one of them out")
        if self._server is None:
            about = f"nothing serves {name}; write an I/O server before it, like 'server: io'"
            raise WalkError(at, about)
        size, width = self._stripe
        if not size and nodes > 1:
            about = f"{name} is on {nodes} nodes; write how files are striped over them, like"
            raise WalkError(at, f"{about} '{{stripe: 64 KiB, of: ...}}'")
        self.way = IoWay(name, self._server[0], "", size, width or 1, slot)
        return self._server[1]

    def is_device(self, parts: Sequence[tuple[str, Part]], at: Path) -> bool:
        """Return whether a stage is the RAID unit behind the cache, and remember it."""
        units = [name for name, part in parts if part.kind == "raid"]
        if self.way is None and not units:
            return False
        name = units[0] if units else parts[0][0]
        if self.way is None:
            about = f"{name} is a RAID unit; write a buffer cache of its node before it"
            raise WalkError(at, about)
        if not units or len(parts) > 1 or self.way.raid:
            about = f"behind {self.way.cache} is one RAID unit; leave {name} out"
            raise WalkError(at, about)
        self.way = replace(self.way, raid=name)
        return True

    def finish(self, at: Path) -> None:
        """Refuse a path that comes to no device."""
        if self.way is not None and not self.way.raid:
            about = f"nothing is behind {self.way.cache}; write a part of 'kind: raid' after it"
            raise WalkError(at, about)


def io_ways(paths: Paths) -> dict[str, tuple[str, IoWay]]:
    """Return the file system and the way to each buffer cache."""
    found = {}
    for name, system in paths.tables.machine.filesystems.items():
        for path in system.ways():
            way = paths.block(name, path, 0).io
            if way is not None:
                found[way.cache] = name, way
    return found


class Server(Protocol):
    """What serves requests to a buffer cache."""

    overhead: Nanoseconds
    """Time of one request,"""
    piece: Nanoseconds
    """and of each piece of it."""

    @property
    def copying(self) -> ServiceSpec:
        """Copying between buffer cache and messages."""
        ...


def server_of(machine: Machine, way: IoWay) -> Server:
    """Return the I/O server before a buffer cache; a walk has checked that it is one."""
    return cast("Server", machine.parts[way.server])


def buffers_plan(machine: Machine, name: str) -> BuffersPlan:
    """Return a buffer cache as an engine takes it, without the files on it.

    The paths may be those of another machine with the same structure; the numbers are its own.
    """
    tables = machine.tables
    cache = machine.buffer_caches[name]
    _, way = io_ways(machine.ways)[name]
    server = server_of(machine, way)
    group = tables.group_of[cache.at]
    raid = tables.rows[way.raid, group][""]
    return BuffersPlan(
        name=name,
        group=group,
        slots=cache.capacity // cache.block,
        block=cache.block,
        ahead=cache.prefetch,
        raid=raid,
        column=tables.parts[raid].column,
        blocks=(0,) * tables.groups[group].count,
        request_ns=server.overhead,
        piece_ns=server.piece,
        copy=server.copying,
    )


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
        """Return where the next file can begin: what is read ahead of one ends between them."""
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
        """Put a file on the disks before the run."""
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
