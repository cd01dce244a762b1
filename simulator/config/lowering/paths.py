"""The paths of a machine as tiers of a plan: those of its file systems, and those of messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simulator.config.errors import Fault, Path
from simulator.config.filesystems import (
    CLOSES,
    METADATA_MESSAGE,
    OPENINGS,
    AccessPath,
    FileSystem,
    Tiers,
)
from simulator.config.lowering.ionodes import IoWay
from simulator.config.lowering.tables import Structure, Tables, column_of_locks
from simulator.config.lowering.walk import Place, Walk
from simulator.config.tier import WalkError
from simulator.kinds.parts.raid.section import Raid
from simulator.kinds.tiers.locks.section import Locked, unit_faults, way_faults, with_locks
from simulator.kinds.tiers.stage.section import Stage, StageItem
from simulator.plan import codes
from simulator.plan.paths import PathPlan, TierPlan
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.tier import Tier
    from simulator.kinds.tiers.stripe.section import Placed


LOCK = "a lock"
"""What requests of files with locks keep."""


@dataclass(frozen=True)
class Block:
    """The tiers of one path; its numbers count from its first tier."""

    tiers: tuple[TierPlan, ...]
    plan: PathPlan
    device: str
    """The part that keeps the files: the last that data pass."""
    width: int
    """Among how many members a file is divided."""
    unit: int
    """Bytes of a stripe; 0 if a file is not divided."""
    placed: Placed | None = None
    """How files are placed if not in turn."""
    around: tuple[int, int] = (1, 1)
    """Over how many of how many nodes a stripe divides a file, if it is placed within nodes."""
    io: IoWay | None = None
    """Where it leads if that is a buffer cache of I/O nodes."""
    locked: Locked | None = None
    """Its locks of files."""

    def stores(self) -> dict[int, tuple[object, ...]]:
        """Return the rows of its stores, each with what decides where its blocks are and go."""
        found: dict[int, tuple[object, ...]] = {}
        tiers = self.tiers[: _end(self.tiers)]
        for number, tier in enumerate(tiers):
            if tier.kind == codes.STORE:
                stripes = [
                    (t.size, t.width, t.slot) for t in tiers[:number] if t.kind == codes.STRIPE
                ]
                found[tier.row] = (tuple(stripes), tiers[number:], self.plan.places)
        return found

    def moved(self, by: int) -> PathPlan:
        """Return the path with its tiers from number ``by`` on."""
        plan = self.plan
        return replace(
            plan,
            top=by,
            metadata=plan.metadata + by if plan.metadata >= 0 else -1,
            drain=plan.drain + by if plan.drain >= 0 else -1,
            first_store=plan.first_store + by if plan.first_store >= 0 else -1,
        )


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
            unit, block = machine.parts[way.raid], machine.buffer_caches[way.cache].block
            if isinstance(unit, Raid) and unit.cache < block:
                about = f"{format_size(unit.cache)} does not hold a block of {format_size(block)}"
                yield ("parts", way.raid, "cache"), f"{about}; write {format_size(block)} or more"

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
        for tier in tiers[: _end(tiers)]:
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
        io = walk.io.way
        if io is None:
            self._devices_keep_data(walk.tiers, (*at, *where, "tiers"), len(way.tiers))
        elif way.drain is not None:
            about = "nothing is copied from a buffer cache of I/O nodes; leave it out"
            raise WalkError((*at, *where, "drain"), about)
        elif system.give_up is not None:
            about = "requests to I/O nodes wait until what has failed is back; leave it out"
            raise WalkError((*at, "give_up"), about)
        elif io.stripe and io.slot:
            cut = TierPlan(kind=codes.STRIPE, size=io.stripe, width=io.width, slot=io.slot)
            walk.tiers.insert(0, cut)
        if way.drain is not None and system.give_up is not None:
            about = "what has not been written cannot be copied; leave it out, or give_up"
            raise WalkError((*at, *where, "drain"), about)
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
            close=self._close(system, walk),
            attributes_min_ns=times[0],
            attributes_max_ns=times[1],
            opening=OPENINGS[system.close_to_open],
            places=tuple(place.group for place in places),
            first_store=walk.first_store,
            give_up_ns=-1 if system.give_up is None else system.give_up,
        )
        return _block(self.tables, tuple(tiers), plan, way, walk)

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
            about = "ends without a device; write the part that keeps the data last, like 'disk'"
            raise WalkError((*at, count - 1), about)

    def _close(self, system: FileSystem, walk: Walk) -> int:
        close = CLOSES[system.close]
        if close == codes.CLOSE_QUEUE:
            store = walk.tiers[walk.first_store].row if walk.first_store >= 0 else -1
            if store < 0 or "close" not in self.tables.stores[store].triggers:
                return codes.CLOSE_FREE
        return close

    def _messages(self, source: int, target: int) -> Tiers:
        machine = self.tables.machine
        if machine.messages is not None:
            return machine.messages
        ends = {group for one in (source, target) for group in self.tables.ancestors(one)}
        for name, part in machine.parts.items():
            homes = set(self.tables.homes[name])
            if part.network and homes & ends:
                sides = [homes & set(self.tables.ancestors(one)) for one in (source, target)]
                if all(sides):
                    return (Stage(stage=(StageItem(part=name),)),)
        return ()


def _reaches(below: dict[str, set[str]], begin: str, end: str) -> bool:
    """Whether one thing that is waited for stands above another on some path."""
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


def _block(
    tables: Tables,
    tiers: tuple[TierPlan, ...],
    plan: PathPlan,
    way: AccessPath,
    walk: Walk,
) -> Block:
    device, width, unit = "", 1, 0
    for tier in tiers[: _end(tiers)]:
        if tier.kind == codes.STAGE:
            device = tables.parts[tier.down[-1].part].name
        elif tier.kind == codes.STRIPE:
            width *= tier.width
            unit = max(unit, tier.size)
    if way.drain is not None:  # What is drained lies where the copy ends.
        device = tables.parts[tiers[-2].down[-1].part].name
    io = walk.io.way
    return Block(
        tiers,
        plan,
        io.raid if io else device,
        width,
        unit,
        walk.placed,
        _around(tables, tiers, plan),
        io,
        walk.locked,
    )


def _around(tables: Tables, tiers: Sequence[TierPlan], plan: PathPlan) -> tuple[int, int]:
    """Return over how many of how many nodes a file is divided whose devices are within nodes.

    That of the last such nodes; (1, 1) where files are not dealt out to these: those of programs.
    """
    found, groups = (1, 1), tables.groups
    decided = {
        tier.slot: tier
        for tier in tiers[: _end(tiers)]
        if tier.kind in (codes.STRIPE, codes.FORWARD)
    }
    for slot, group in enumerate(plan.places):
        if groups[group].parent not in plan.places[:slot]:
            continue
        node = slot - 1 - plan.places[:slot][::-1].index(groups[group].parent)
        tier = decided.get(node)
        if tier is not None and tier.kind == codes.STRIPE:
            found = tier.width, groups[plan.places[node]].count
        elif tier is None and node > 0:
            found = 1, groups[plan.places[node]].count
    return found


def _end(tiers: Sequence[TierPlan]) -> int:
    return next(index for index, tier in enumerate(tiers) if tier.kind == codes.END)


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
