"""The paths of a machine as tiers of a plan: those of its file systems, and those of messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simulator.config.errors import Path
from simulator.config.filesystems import CLOSES, AccessPath, FileSystem, Tiers
from simulator.config.lowering.tables import Tables
from simulator.config.lowering.walk import Place, Walk, WalkError
from simulator.config.tiers.stage import Stage, StageItem
from simulator.plan.codes import CLOSE_FREE, CLOSE_QUEUE, END, STAGE, STRIPE
from simulator.plan.paths import PathPlan, TierPlan


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

    def moved(self, by: int) -> PathPlan:
        """Return the path with its tiers from number ``by`` on."""
        plan = self.plan
        return PathPlan(
            name=plan.name,
            top=by,
            metadata=plan.metadata + by if plan.metadata >= 0 else -1,
            drain=plan.drain + by if plan.drain >= 0 else -1,
            close=plan.close,
            places=plan.places,
            first_store=plan.first_store + by if plan.first_store >= 0 else -1,
        )


class Paths:
    """The paths of a machine, each made when it is first asked for."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._blocks: dict[tuple[str, str, int], Block] = {}
        self._between: dict[tuple[int, int], tuple[TierPlan, ...]] = {}

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
                walk.add(END)
            self._between[key] = tuple(walk.tiers)
        return self._between[key]

    def faults(self) -> Iterator[tuple[Path, str]]:
        """Try each path for programs on the first group, and messages; yield what is wrong."""
        for name, system in self.tables.machine.filesystems.items():
            for path in system.ways():
                try:
                    self.block(name, path, 0)
                except WalkError as error:
                    yield error.at, str(error)
        try:
            self.between(0, 0)
        except WalkError as error:
            yield error.at, str(error)

    def _make(self, name: str, path: str, group: int) -> Block:
        system = self.tables.machine.filesystems[name]
        where, way = system.ways()[path]
        at: Path = ("filesystems", name)
        places = [Place(group)]
        walk = Walk(self.tables, places)
        walk.go(way.tiers, (*at, *where, "tiers"))
        self._devices_keep_data(walk.tiers, (*at, *where, "tiers"), len(way.tiers))
        walk.add(END)
        tiers = list(walk.tiers)
        close = self._close(system, walk)
        starts = {}
        for key, others, here, free in (
            ("metadata", system.metadata, 0, False),
            ("drain", way.drain, walk.here, walk.free),
        ):
            if others is not None:
                starts[key] = len(tiers)
                tiers += self._further(places, here, others, self._at(at, where, key), free=free)
        plan = PathPlan(
            name=f"{name}.{path}" if path else name,
            top=0,
            metadata=starts.get("metadata", -1),
            drain=starts.get("drain", -1),
            close=close,
            places=tuple(place.group for place in places),
            first_store=walk.first_store,
        )
        return _block(self.tables, tuple(tiers), plan, way)

    @staticmethod
    def _at(at: Path, where: Path, key: str) -> Path:
        return (*at, key) if key == "metadata" else (*at, *where, key)

    def _further(
        self, places: list[Place], here: int, tiers: Tiers, at: Path, *, free: bool
    ) -> list[TierPlan]:
        """Return the tiers of metadata, or of the copy after a process, on the same places."""
        walk = Walk(self.tables, places, here)
        walk.free = free
        walk.go(tiers, at)
        walk.add(END)
        return walk.tiers

    def _devices_keep_data(self, tiers: list[TierPlan], at: Path, count: int) -> None:
        """Refuse a path that ends with something that cannot keep data."""
        parts = self.tables.machine.parts
        last = [self.tables.parts[hold.part].name for tier in tiers[-1:] for hold in tier.down]
        if tiers[-1].kind != STAGE or all(parts[name].network for name in last):
            about = "ends without a device; write the part that keeps the data last, like 'disk'"
            raise WalkError((*at, count - 1), about)

    def _close(self, system: FileSystem, walk: Walk) -> int:
        close = CLOSES[system.close]
        if close == CLOSE_QUEUE:
            store = walk.tiers[walk.first_store].row if walk.first_store >= 0 else -1
            if store < 0 or "close" not in self.tables.stores[store].triggers:
                return CLOSE_FREE
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


def _block(tables: Tables, tiers: tuple[TierPlan, ...], plan: PathPlan, way: AccessPath) -> Block:
    device, width, unit = "", 1, 0
    for tier in tiers[: _end(tiers)]:
        if tier.kind == STAGE:
            device = tables.parts[tier.down[-1].part].name
        elif tier.kind == STRIPE:
            width *= tier.width
            unit = max(unit, tier.size)
    if way.drain is not None:  # What is drained lies where the copy ends.
        device = tables.parts[tiers[-2].down[-1].part].name
    return Block(tiers, plan, device, width, unit)


def _end(tiers: tuple[TierPlan, ...]) -> int:
    return next(index for index, tier in enumerate(tiers) if tier.kind == END)
