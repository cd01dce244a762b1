"""The paths of a machine as tiers of a plan: those of its file systems, and those of messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.config.errors import Fault, Path
from simulator.config.filesystems import (
    CLOSES,
    METADATA_MESSAGE,
    OPENINGS,
    FileSystem,
    Tiers,
)
from simulator.config.lowering.block import Block, block_of, end_of
from simulator.config.lowering.locks import unit_faults, way_faults, with_locks
from simulator.config.lowering.tables import Structure, Tables, column_of_locks
from simulator.config.lowering.walk import Place, Walk
from simulator.config.tier import Tier, WalkError
from simulator.kinds import kind_class
from simulator.plan import codes
from simulator.plan.paths import PathPlan, TierPlan

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.part import Part


LOCK = "a lock"
"""What requests of files with locks keep."""


class Paths:
    """The paths of a machine, each made when it is first asked for."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._blocks: dict[tuple[str, str, int], Block] = {}
        self._between: dict[tuple[int, int], tuple[TierPlan, ...]] = {}
        self._places: dict[tuple[int, int], tuple[int, ...]] = {}
        self._faults: list[Fault] | None = None

    def block(self, filesystem: str, path: str, group: int) -> Block:
        """Return a path of a file system for programs on a group of nodes; raises ``WalkError``."""
        key = (filesystem, path, group)
        if key not in self._blocks:
            self._blocks[key] = self._make(*key)
        return self._blocks[key]

    def between(self, source: int, target: int) -> tuple[TierPlan, ...]:
        """Return the tiers of messages between two groups; empty if these cost no time."""
        key = (source, target)
        if key not in self._between:
            tiers = self._messages(source, target)
            walk = Walk(self.tables, [Place(source), Place(target)])
            if tiers:
                walk.arrive(1)
                walk.go(tiers, ("messages",))
                walk.add(codes.END)
            self._between[key] = tuple(walk.tiers)
            self._places[key] = tuple(place.group for place in walk.places)
        return self._between[key]

    def places_between(self, source: int, target: int) -> tuple[int, ...]:
        """Return the groups of all places of messages: those of both nodes, then others."""
        self.between(source, target)
        return self._places[source, target]

    def faults(self) -> list[Fault]:
        """Try each path for programs on the first group, and messages; return what is wrong."""
        if self._faults is None:
            found = list(self._find_faults())
            self._faults = found or list(self._caches())
        return self._faults

    def _find_faults(self) -> Iterator[Fault]:
        for name, system in self.tables.machine.filesystems.items():
            blocks = []
            for path in system.ways():
                try:
                    blocks.append((f"{name}.{path}", self.block(name, path, 0)))
                except WalkError as error:
                    yield error.at, str(error)
            yield from way_faults(blocks) if blocks else ()
        try:
            self.between(0, 0)
        except WalkError as error:
            yield error.at, str(error)
        yield from self._circles()

    def _caches(self) -> Iterator[Fault]:
        """Find buffer caches and RAID units of two ways, and caches of none."""
        users: dict[str, str] = {}
        for (name, path, _), block in self._blocks.items():
            for used in (block.io.cache, block.io.raid) if block.io else ():
                if used in users:
                    at = ("filesystems", name, *self._where(name, path))
                    about = f"{used} is that of {users[used]} already; write another for each path"
                    yield at, about
                users[used] = name
        for name in self.tables.machine.buffer_caches:
            if name not in users:
                yield ("buffer_caches", name), "no file system leads to it; leave it out"

    def unit_faults(self, machine: Machine) -> Iterator[Fault]:
        """Find units that are no whole blocks of a cache, in a machine of this structure."""
        for one in self._blocks.values():
            yield from unit_faults(machine, one)
        for way in (block.io for block in self._blocks.values() if block.io is not None):
            block = machine.buffer_caches[way.cache].block
            for path, about in machine.parts[way.raid].faults_behind(block):
                yield ("parts", way.raid, *path), about

    def _circles(self) -> Iterator[Fault]:
        """Find pools and stores that requests on different paths could wait for in a circle."""
        below: dict[str, set[str]] = {}
        for (name, path, _), kept in self._all_kept():
            above: list[str] = []
            for one in kept:
                if any(_reaches(below, one, other) for other in above):
                    at = ("filesystems", name, *self._where(name, path))
                    other = next(other for other in above if _reaches(below, one, other))
                    about = f"keeps {other} before {one}, and another path {one} before {other}"
                    yield at, f"{about}: requests could wait for each other; use the same order"
                    return
                for other in above:
                    below.setdefault(other, set()).add(one)
                above.append(one)

    def _where(self, name: str, path: str) -> Path:
        return self.tables.machine.filesystems[name].ways()[path][0]

    def _all_kept(self) -> Iterator[tuple[tuple[str, str, int], list[str]]]:
        """Yield what requests keep on the way of each path's data, and of those for its locks."""
        for key, block in self._blocks.items():
            yield key, list(self._kept_in(block.tiers))
            if block.locked is not None:
                row = block.locked.row
                ask = self._kept_in(block.tiers[row + block.tiers[row].ask :])
                yield key, [LOCK, *ask]

    def _kept_in(self, tiers: Sequence[TierPlan]) -> Iterator[str]:
        """Yield the names of pools and stores on a way, and its locks, down to its end."""
        for tier in tiers[: end_of(tiers)]:
            if tier.kind == codes.HOLD:
                yield self.tables.parts[tier.down[0].part].name
            elif tier.kind == codes.STORE:
                yield self.tables.stores[tier.row].name
            elif tier.kind == codes.LOCKS:
                yield LOCK

    def _make(self, name: str, path: str, group: int) -> Block:
        system = self.tables.machine.filesystems[name]
        where, way = system.ways()[path]
        at: Path = ("filesystems", name)
        places = [Place(group)]
        walk = Walk(self.tables, places)
        walk.go(way.tiers, (*at, *where, "tiers"))
        self._check_end(system, walk, (at, where), path)
        io = walk.io.way
        if io is not None and io.stripe and io.slot:
            cut = TierPlan(kind=codes.STRIPE, size=io.stripe, width=io.width, slot=io.slot)
            walk.tiers.insert(0, cut)
        device = walk.last_parts()
        walk.add(codes.END)
        tiers = list(walk.tiers)
        times = system.attributes.times_ns if system.attributes is not None else (0, 0)
        if walk.locked is not None:
            tiers = with_locks(
                self.tables,
                tiers,
                walk.locked,
                column_of_locks(name),
                lambda asked, at: self._further(
                    Walk(self.tables, places), asked, at, METADATA_MESSAGE
                ),
            )
        starts = {}
        for key, others, further in (
            ("metadata", system.metadata, Walk(self.tables, places)),
            ("drain", way.drain, Walk(self.tables, places, walk.here)),
        ):
            if others is not None:
                if key == "drain":  # The copy reads the device.
                    further.free, further.kept_on = walk.free, device
                starts[key] = len(tiers)
                header = METADATA_MESSAGE if key == "metadata" else 0
                there = self._at(at, where, key)
                added = self._further(further, others, there, header)
                if key == "drain":
                    self._devices_keep_data(added[:-1], there, len(others))
                tiers += added
        plan = PathPlan(
            name=f"{name}.{path}" if path else name,
            top=0,
            metadata=starts.get("metadata", -1),
            drain=starts.get("drain", -1),
            close=self._close(system, walk, at),
            attributes_min_ns=times[0],
            attributes_max_ns=times[1],
            opening=OPENINGS[system.close_to_open],
            places=tuple(place.group for place in places),
            first_store=walk.first_store,
            copied=self._copied(tiers, walk),
            give_up_ns=-1 if system.timeout is None else system.timeout,
        )
        return block_of(self.tables, tuple(tiers), plan, way, walk)

    def _check_end(
        self, system: FileSystem, walk: Walk, at_where: tuple[Path, Path], path: str
    ) -> None:
        """Refuse an end that keeps no data, and what does not go with it."""
        (at, where), way = at_where, system.ways()[path][1]
        if walk.io.way is None:
            self._devices_keep_data(walk.tiers, (*at, *where, "tiers"), len(way.tiers))
        elif way.drain is not None:
            about = "nothing is copied from a buffer cache of I/O nodes; leave it out"
            raise WalkError((*at, *where, "drain"), about)
        elif system.timeout is not None:
            about = "requests to I/O nodes wait until what has failed is back; leave it out"
            raise WalkError((*at, "timeout"), about)
        if way.drain is not None and system.timeout is not None:
            about = "what has not been written cannot be copied; leave it out, or timeout"
            raise WalkError((*at, *where, "drain"), about)

    def _copied(self, tiers: Sequence[TierPlan], walk: Walk) -> bool:
        """Return whether a memory of the program's node copies what passes, before any store."""
        return any(core.copies for _, core in self._cores(tiers, walk.first_store))

    def cores(self, filesystem: str, path: str) -> dict[str, Part]:
        """Return what may copy data of programs on the first group on their nodes, by name.

        Of a path: those before any store. Raises ``WalkError`` for a path that leads nowhere.
        """
        block = self.block(filesystem, path, 0)
        return dict(self._cores(block.tiers, block.plan.first_store))

    def _cores(self, tiers: Sequence[TierPlan], first_store: int) -> Iterator[tuple[str, Part]]:
        """Yield what may be the memory of the program's node that passes before any store."""
        rows, parts = self.tables.parts, self.tables.machine.parts
        for tier in tiers[: first_store if first_store >= 0 else end_of(tiers)]:
            for name in (rows[hold.part].name for hold in tier.down if hold.slot == 0):
                if parts[name].copies is not False:
                    yield name, parts[name]

    @staticmethod
    def _at(at: Path, where: Path, key: str) -> Path:
        return (*at, key) if key == "metadata" else (*at, *where, key)

    @staticmethod
    def _further(walk: Walk, tiers: Sequence[Tier], at: Path, header: int) -> list[TierPlan]:
        """Return the tiers of metadata, locks, or the copy after a process, on the same places."""
        walk.header = header
        walk.go(tiers, at)
        walk.add(codes.END)
        return walk.tiers

    def _devices_keep_data(self, tiers: list[TierPlan], at: Path, count: int) -> None:
        """Refuse a path that ends with something that cannot keep data."""
        parts = self.tables.machine.parts
        last = [self.tables.parts[hold.part].name for tier in tiers[-1:] for hold in tier.down]
        if not tiers or tiers[-1].kind != codes.STAGE or all(parts[name].network for name in last):
            media = [name for name, part in parts.items() if part.medium]
            like = f", like {media[0]!r}" if media else ""
            about = f"ends without a device; write the part that keeps the data last{like}"
            raise WalkError((*at, count - 1), about)

    def _close(self, system: FileSystem, walk: Walk, at: Path) -> int:
        close = CLOSES[system.close]
        if close in (codes.CLOSE_QUEUE, codes.CLOSE_REPLACED):
            store = walk.tiers[walk.first_store].row if walk.first_store >= 0 else -1
            if store < 0 or "close" not in self.tables.stores[store].triggers:
                if close == codes.CLOSE_REPLACED:
                    about = "starts no write-back; write 'close' in the start of the first store"
                    raise WalkError((*at, "close"), about)
                return codes.CLOSE_FREE
        return close

    def _messages(self, source: int, target: int) -> Tiers:
        machine, stage = self.tables.machine, kind_class("tiers", "stage", "section", Tier)
        if machine.messages is not None:
            return machine.messages
        ends = {group for one in (source, target) for group in self.tables.ancestors(one)}
        for name, part in machine.parts.items():
            homes = set(self.tables.homes[name])
            if part.network and homes & ends:
                sides = [homes & set(self.tables.ancestors(one)) for one in (source, target)]
                if all(sides):
                    return (stage.of_values({"stage": [{"part": name}]}),)
        return ()


def _reaches(below: dict[str, set[str]], begin: str, end: str) -> bool:
    """Return whether one thing that is waited for stands above another on some path."""
    seen, left = set(), [begin]
    while left:
        one = left.pop()
        for other in below.get(one, ()):
            if other == end:
                return True
            if other not in seen:
                seen.add(other)
                left.append(other)
    return False


# -- paths that are kept ---------------------------------------------------------------------------

_MOST = 64
_kept: dict[Structure, Paths] = {}
"""Paths by the structure of their machine: variants that differ in rates have the same."""


def known_paths(machine: Machine) -> Paths | None:
    """Return the paths of a machine if one of the same structure has been lowered."""
    return _kept.get(machine.structure)


def paths_of(tables: Tables) -> Paths:
    """Return the paths of a machine."""
    structure = tables.machine.structure
    if structure not in _kept:
        if len(_kept) >= _MOST:
            _kept.clear()
        _kept[structure] = Paths(tables)
    return _kept[structure]
