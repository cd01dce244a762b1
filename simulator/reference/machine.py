"""The machine of a plan: instances of resources and stores, and the tiers that lead to them."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from simulator.kinds import kind_class
from simulator.kinds.parts.array.reference import Array
from simulator.kinds.parts.core.reference import Core
from simulator.kinds.parts.cpu.reference import Cpu
from simulator.plan.codes import END
from simulator.plan.cores import cpu_of, crowded_groups
from simulator.plan.errors import within
from simulator.plan.events import calendars_of, disk_calendars_of
from simulator.reference.actor import Actor, Clock
from simulator.reference.buffers import Buffers
from simulator.reference.curves import StoreRecorder
from simulator.reference.part import Part, Station
from simulator.reference.places import Places, places_of
from simulator.reference.stores.store import Store
from simulator.reference.tier import Request, Tier
from simulator.result.result import Stable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from simulator.plan.paths import TierPlan
    from simulator.plan.plan import Plan
    from simulator.result.result import ArrayResult, Span


Shared = TypeVar("Shared")


class StableStorage:
    """Bytes of each file on stable storage, and the jobs that wrote it."""

    def __init__(self, clock: Clock, plan: Plan) -> None:
        self._clock = clock
        self._names = [file.name for file in plan.files]
        self._ends = {id(plan.tiers[row]) for row in plan.stable_ends()}
        self._files: dict[int, Stable] = defaultdict(Stable)
        self._writers: dict[int, set[str]] = defaultdict(set)

    def reach(self, end: TierPlan, request: Request) -> None:
        """Record bytes of a file that have reached the end of a path."""
        size = request.high - request.low
        if request.file >= 0 and size and id(end) in self._ends:
            stable = self._files[request.file]
            within(stable.bytes + size, self._names[request.file], size=True)
            stable.add(size, self._clock.now)

    def written(self, file: int, job: str) -> None:
        """Record that a job has written a file."""
        self._writers[file].add(job)

    def by_job(self, buffers: list[Buffers]) -> dict[str, Stable]:
        """Return bytes by the only job that wrote a file; of files of several jobs by no job."""
        found: dict[str, Stable] = defaultdict(Stable)
        for file, one in self._files.items():
            jobs = self._writers[file]
            found[next(iter(jobs)) if len(jobs) == 1 else ""].add(one.bytes, one.last_ns)
        for cache in buffers:
            if size := cache.result().counts["disk_written_bytes"]:
                found[""].add(size, cache.safe_ns)
        return dict(sorted(found.items()))


class Instances(dict[int, Part]):
    """The instances of a resource by member, each created on first use."""

    def __init__(self, machine: Machine, row: int) -> None:
        super().__init__()
        self._machine = machine
        self._row = row

    def __missing__(self, member: int) -> Part:
        made = self[member] = self._machine.make(self._row, member)
        return made


class Machine:
    """All resources, stores and tiers of a run."""

    def __init__(self, plan: Plan, *, timeline: bool = False, samples: int = 0) -> None:
        self.plan = plan
        self.samples = samples
        """Maximum number of bins of curves; 0 for none."""
        self.clock = Clock()
        self.spans: list[Span] | None = [] if timeline else None
        self.width = plan.width
        self._crowded = crowded_groups(plan)
        self._calendars = calendars_of(plan)
        self._disks = disk_calendars_of(plan)
        self._parts = [Instances(self, row) for row in range(len(plan.parts))]
        self._exists: dict[str, dict[int, int]] = {store.name: {} for store in plan.stores}
        """Bytes of each file in a store or below, by its name: in all groups that have one."""
        self._stores = [self._store_instances(row) for row in range(len(plan.stores))]
        self._buffers = [self._buffer_instances(row) for row in range(len(plan.buffers))]
        self._shared: dict[Hashable, Any] = {}
        self.tiers: list[Tier] = [Tier(self, tier, None) for tier in plan.tiers]
        for row in reversed(range(len(plan.tiers))):
            self.tiers[row] = self._tier(row)
        self._places = lru_cache(maxsize=4096)(self._first_places)
        self._later = [self._decides(row) for row in range(len(plan.tiers))]
        self._row_of = {id(tier): row for row, tier in enumerate(self.tiers)}
        self.stable = StableStorage(self.clock, plan)
        self.ends = [file.length for file in plan.files]
        """The end of each file, as an erasure code knows it."""

    # -- building -----------------------------------------------------------------------------

    def make(self, row: int, member: int) -> Part:
        """Create an instance of a resource; :meth:`instance` does so on first use."""
        plan, part = self.plan, self.plan.parts[row]
        made = kind_class("parts", part.kind, "reference", Part)(
            self.clock,
            part,
            plan.instance_name(part, member),
            plan.noise(part, member),
            plan.first_timer + part.first + member,
            self.spans,
        )
        made.calendar = self._calendars.get(part.first + member)
        if isinstance(made, Array):
            made.attach(self._disks.get(part.first + member, {}))
        if part.group in self._crowded:
            self._crowd(made, member)
        return made

    def _crowd(self, made: Part, member: int) -> None:
        """Share a cpu, or a resource that uses its cores, among tasks."""
        if isinstance(made, Cpu):
            made.crowd()
        elif isinstance(made, Core):
            cpu = self.instance(cpu_of(self.plan, made.plan.group), member)
            assert isinstance(cpu, Cpu)
            made.cpu = cpu

    def _store_instances(self, row: int) -> list[Store]:
        plan, store = self.plan, self.plan.stores[row]
        made = [
            Store(self.clock, store, i, plan.store_name(store, i), self._exists[store.name])
            for i in range(store.count)
        ]
        for one in made if self.samples else ():
            one.blocks.recorder = StoreRecorder(self.clock, self.samples)
        return made

    def _buffer_instances(self, row: int) -> list[Buffers]:
        plan, one = self.plan, self.plan.buffers[row]
        count = plan.groups[one.group].count
        return [Buffers(plan, one, i, self.instance(one.raid, i)) for i in range(count)]

    def _tier(self, row: int) -> Tier:
        """Build a tier; those below it exist already."""
        plan = self.plan.tiers[row]
        if plan.kind == END:
            return Tier(self, plan, None)
        return kind_class("tiers", plan.kind, "reference", Tier)(self, plan, self.tiers[row + 1])

    def _decides(self, row: int) -> frozenset[int]:
        """Return the places decided by a tier and those below it."""
        decided = set()
        while self.plan.tiers[row].kind != END:
            if self.tiers[row].decides:
                decided.add(self.plan.tiers[row].slot)
            row += 1
        return frozenset(decided)

    # -- looking up ---------------------------------------------------------------------------

    def instance(self, part: int, member: int) -> Part:
        """Return the instance of a resource (a row of the plan) on a member of its group."""
        return self._parts[part][member]

    def stations(self, part: int) -> Mapping[int, Station]:
        """Return the instances of a resource that requests use, by member."""
        return cast("Mapping[int, Station]", self._parts[part])

    def is_down(self, part: int, member: int) -> bool:
        """Return whether an instance of a resource has failed."""
        calendar = self._calendars.get(self.plan.parts[part].first + member)
        return calendar is not None and not calendar.at(self.clock.now)[0]

    def parts(self) -> list[Part]:
        """Return the instances of resources that were created: all that can have been used."""
        return [part for instances in self._parts for part in instances.values()]

    def by_number(self) -> dict[int, Part]:
        """Return the created instances by their numbers."""
        rows = zip(self.plan.parts, self._parts, strict=True)
        return {part.first + one: made for part, found in rows for one, made in found.items()}

    def arrays(self, end_ns: int) -> dict[str, ArrayResult]:
        """Return failures and counters of disk arrays that were used, or had events."""
        found = {}
        for row, part in enumerate(self.plan.parts):
            for number in part.instances if part.kind == "array" else ():
                member = number - part.first
                if number in self._disks or member in self._parts[row]:
                    array = cast("Array", self.instance(row, member))
                    if number in self._disks or array.requests:
                        found[array.name] = array.finish(end_ns)
        return dict(sorted(found.items()))

    def store(self, row: int, member: int) -> Store:
        """Return the instance of a store on a member of its group."""
        return self._stores[row][member]

    def stores(self) -> list[Store]:
        """Return all instances of stores."""
        return [store for instances in self._stores for store in instances]

    def buffers(self, row: int, member: int) -> Buffers:
        """Return the instance of a buffer cache on a member of its group."""
        return self._buffers[row][member]

    def all_buffers(self) -> list[Buffers]:
        """Return all buffer caches."""
        return [buffers for instances in self._buffers for buffers in instances]

    def shared(self, key: Hashable, make: Callable[[], Shared]) -> Shared:
        """Return state that tiers share per resource or file, created on first use."""
        if key not in self._shared:
            self._shared[key] = make()
        found: Shared = self._shared[key]
        return found

    def above(self, tier: Tier) -> list[Tier]:
        """Return the tiers above one, from the top down."""
        first = last = self._row_of[id(tier)]
        while first and self.plan.tiers[first - 1].kind != END:
            first -= 1
        return self.tiers[first:last]

    def tier_after(self, tier: Tier, further: int) -> Tier:
        """Return the tier at a distance below, in the order of the plan."""
        return self.tiers[self._row_of[id(tier)] + further]

    def reader(self, store: Store, file: int) -> Actor:
        """Return the actor that reads a file ahead for an instance of a store."""
        place = store.plan.first + store.member
        number = self.plan.first_reader + place * len(self.plan.files) + file
        return Actor(self.clock, number, f"{store.name}.reader{file}")

    def needless(self) -> dict[int, int]:
        """Return the number of calls that each tier cut and that one request could serve."""
        return {row: tier.needless for row, tier in enumerate(self.tiers) if tier.needless}

    # -- requests -----------------------------------------------------------------------------

    def deciding(self, places: Places, top: Tier) -> Places:
        """Return places with those marked that the tiers from ``top`` on will decide."""
        return places.deciding(self._later[self._row_of[id(top)]])

    def request(
        self,
        actor: Actor,
        top: int,
        groups: Sequence[int],
        nodes: Sequence[int],
        file: int = -1,
        span: tuple[int, int] = (0, 0),
        *,
        sequential: bool = False,
        direct: bool = False,
    ) -> tuple[Tier, Request]:
        """Return a new request and its first tier; ``nodes`` are its first places."""
        numbers = (self.plan.files[file].lead, self.plan.files[file].inner) if file >= 0 else (0, 0)
        places = self._places(top, tuple(groups), tuple(nodes), *numbers)
        made = Request(actor, file, *span, places, sequential, direct=direct)
        return self.tiers[top], made

    def _first_places(
        self, top: int, groups: tuple[int, ...], nodes: tuple[int, ...], lead: int, within: int
    ) -> Places:
        """Return the places of a request at its top."""
        places = places_of(self.plan.groups, groups, lead, within)
        for place, node in enumerate(nodes):
            places = places.having(place, node)
        return self.deciding(places, self.tiers[top])

    def prestage(self) -> int:
        """Load the files to be prestaged; return the time that this would take."""
        total = 0
        loader = Actor(self.clock, -1, "prestaging")
        for number, file in enumerate(self.plan.files):
            path = self.plan.paths[file.path]
            if file.prestaged and path.first_store >= 0:
                span = (0, file.length)
                tier, request = self.request(loader, path.top, path.places, (0,), number, span)
                total = within(total + tier.prestage(request), file.name)
        return total
