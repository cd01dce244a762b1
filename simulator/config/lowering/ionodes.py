"""Ways to I/O nodes: what stands before and behind a buffer cache, and where files lie there.

Requests are made where the program is, for each I/O node that has a part of what a call wants; so
the layout stands before all other tiers, and nothing on the way may divide or keep what comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simulator.config.errors import Path
from simulator.config.lowering.places import WalkError
from simulator.kinds.parts.io_server.section import IoServer
from simulator.kinds.parts.raid.section import Raid
from simulator.plan.parts import BuffersPlan

if TYPE_CHECKING:
    from simulator.config.lowering.paths import Paths
    from simulator.config.machine_file import Machine
    from simulator.config.part import Part
    from simulator.plan.paths import Hold


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
        units = [name for name, part in parts if isinstance(part, Raid)]
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


def buffers_plan(machine: Machine, name: str) -> BuffersPlan:
    """Return a buffer cache as an engine takes it, without the files on it.

    The paths may be those of another machine with the same structure; the numbers are its own.
    """
    tables = machine.tables
    cache = machine.buffer_caches[name]
    _, way = io_ways(machine.ways)[name]
    server = machine.parts[way.server]
    assert isinstance(server, IoServer)
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
