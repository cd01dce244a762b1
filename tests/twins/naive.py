"""A second model of a simple plan, written for its plainness: the twin of both engines.

It shares nothing with them but the specifications and the record streams: queues are
``simpy.Resource``, the cache is an ``OrderedDict`` and sets, and every wait is an event.

It knows paths of one stage, a store of single blocks, and stages below it: stripes over the
devices of several groups, queues of several servers, all triggers of write-back, and streams; no
noise, no mounts, no seeks that depend on the distance, and no quota. Where two actors come to one
queue in the same nanosecond in another order than that of their numbers, or change the cache
in the same nanosecond, it gives up with :class:`Tie`: their order is the engine's rule.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import simpy
from simpy.core import EventPriority

from simulator.plan.codes import CLOSE_QUEUE, COMPUTE, END, STAGE, STORE, STREAM
from simulator.plan.jobs import PhasePlan, ProcessPlan
from simulator.plan.paths import Hold, PathPlan, TierPlan
from simulator.plan.plan import Plan
from simulator.runtime.fortran import record_stream
from simulator.runtime.operations import READ, SEEK
from tests.twins.caches import Unit
from tests.twins.queues import Queue, Steps, Tie, Volume, hold, serve


class NaiveRun:
    """One run of a plan; :meth:`run` gives when each process ended."""

    def __init__(self, plan: Plan, *, strict: bool = True) -> None:
        """``strict``: give up at a tie, else leave the order to SimPy."""
        self.strict = strict
        self.plan = plan
        (self.store,) = plan.stores
        assert self.store.back
        assert (self.store.extent, self.store.quota, self.store.policy) == (1, -1, "lru")
        self.env = simpy.Environment()
        self.ends = [-1] * len(plan.processes)
        self.hits = self.misses = self.evicted = 0
        self.fetches = self.written_back = 0
        self.length = [file.length for file in plan.files]
        self.units: dict[tuple[int, int], Unit] = {}
        self.clean: OrderedDict[tuple[int, int], None] = OrderedDict()
        self.dirty: OrderedDict[tuple[int, int], None] = OrderedDict()
        self.queued: deque[tuple[int, int]] = deque()
        self.want_room: deque[tuple[int, simpy.Event]] = deque()
        self.idle: dict[int, simpy.Event] = {}
        self.last = (-1, -1)
        self.queues: dict[tuple[int, int], Queue] = {}
        """By the row of a part and its member."""
        self.volumes: dict[tuple[int, int], Volume] = {}
        """Of disks, by the same."""
        self.ways = [list(self.tiers(path)) for path in plan.paths]
        for number, file in enumerate(plan.files):
            if file.prestaged:
                self.prestage(number)

    def tiers(self, path: PathPlan) -> Iterator[TierPlan]:
        """Give the tiers of a path: the stage before the store, and those behind it."""
        row = path.top
        assert [tier.kind for tier in self.plan.tiers[row : row + 2]] == [STAGE, STORE]
        while self.plan.tiers[row].kind != END:
            if self.plan.tiers[row].kind == STAGE:
                yield self.plan.tiers[row]
            row += 1

    def run(self) -> Sequence[int]:
        for number, process in enumerate(self.plan.processes):
            self.env.process(self.client(number, process))
        for worker in range(self.store.workers):
            self.env.process(self.worker(len(self.plan.processes) + worker))
        self.env.run()
        return self.ends

    # -- parts --------------------------------------------------------------------------

    def queue(self, row: int, member: int) -> Queue:
        """Give the queue of an instance of a part."""
        if (row, member) not in self.queues:
            servers = self.plan.parts[row].servers
            self.queues[row, member] = Queue(self.env, self.strict, servers)
        return self.queues[row, member]

    def volume(self, row: int, member: int) -> Volume:
        """Give a disk."""
        if (row, member) not in self.volumes:
            spec = self.plan.parts[row].spec
            assert spec is not None
            self.volumes[row, member] = Volume(self.queue(row, member), spec)
        return self.volumes[row, member]

    def members(self, file: int, tier: TierPlan, one: Hold, size: int) -> list[tuple[int, int]]:
        """Give the members of a part that serve a transfer, with the bytes of each.

        A transfer is dealt out over stripes, one by one; a part that is not striped itself has a
        request for each of its shares.
        """
        where, group = self.plan.files[file], self.plan.parts[one.part].group
        count = self.plan.groups[group].count
        if not tier.pieces:
            return [(where.lead % count, size)]
        shares: dict[int, int] = {}
        for stripe in range(tier.pieces):
            member = (where.lead + stripe) % tier.width
            piece = size * (stripe + 1) // tier.pieces - size * stripe // tier.pieces
            shares[member] = shares.get(member, 0) + piece
        striped = one.slot == tier.slot
        return [(member if striped else 0, share) for member, share in shares.items() if share]

    def pass_stage(self, number: int, file: int, tier: TierPlan, offset: int, size: int) -> Steps:
        """Have one stage below the store move some bytes."""
        (one,) = tier.down
        part = self.plan.parts[one.part]
        requests = []
        for member, share in self.members(file, tier, one, size):
            if part.kind == "disk":
                time = self.on_disk(one.part, member, file, (offset, size), share)
            else:
                time = part.service.service_ns(share)
            requests.append((self.queue(one.part, member), time))
        yield from serve(self.env, number, requests)

    def on_disk(self, row: int, member: int, file: int, span: tuple[int, int], share: int) -> int:
        """Give the time of a disk for its share of a transfer."""
        volume, start = self.volume(row, member), self.plan.files[file].base + span[0]
        time = volume.spec.transfer().service_ns(share)
        if volume.head != start:
            time += volume.spec.seek_ns + volume.spec.turn_ns // 2
        volume.head = start + span[1]
        volume.requests += 1
        volume.bytes += share
        volume.busy_ns += time
        return time

    def behind(self, file: int) -> list[TierPlan]:
        """Give the stages between the store and the device."""
        return self.ways[self.plan.files[file].path][1:]

    # -- the cache ----------------------------------------------------------------------

    def size_of(self, file: int, index: int) -> int:
        return max(0, min(self.store.block, self.length[file] - index * self.store.block))

    def prestage(self, file: int) -> None:
        for index in range(-(-self.length[file] // self.store.block)):
            if len(self.units) < self.store.slots:
                self.units[file, index] = Unit(file, index)
                self.clean[file, index] = None

    def now_is_the_time_of(self, number: int) -> None:
        """Notice when two actors come to the cache at one time, each by itself."""
        time, other = self.last
        if self.strict and time == self.env.now and other != number:
            raise Tie
        self.last = (int(self.env.now), number)

    def settle(self, key: tuple[int, int]) -> None:
        unit = self.units[key]
        if unit.coming or unit.writing or key in self.dirty or key in self.queued:
            return
        if unit.dirty:
            self.dirty[key] = None
        elif not unit.users:
            self.clean[key] = None

    def room(self) -> bool:
        return len(self.units) < self.store.slots or bool(self.clean)

    def offer_room(self) -> None:
        if self.want_room and self.room():
            self.ring(*self.want_room.popleft())

    def admit(self, number: int, key: tuple[int, int]) -> Generator[simpy.Event, Any, bool]:
        """Make room for a unit and take it; False if somebody else has brought it meanwhile."""
        waited = False
        while not self.room():
            if self.dirty:
                self.ask(next(iter(self.dirty)))
            turn = (number, self.env.event())
            if waited:
                self.want_room.appendleft(turn)
            else:
                self.want_room.append(turn)
            yield turn[1]
            waited = True
            if key in self.units:
                self.offer_room()
                return False
        if len(self.units) == self.store.slots:
            victim, _ = self.clean.popitem(last=False)
            del self.units[victim]
            self.evicted += 1
        self.units[key] = Unit(*key)
        if waited:
            self.offer_room()
        return True

    def wait_for(self, number: int, unit: Unit) -> simpy.Event:
        event = self.env.event()
        unit.waiters.append((number, event))
        return event

    def wake(self, unit: Unit) -> None:
        for waiter in unit.waiters:
            self.ring(*waiter)
        unit.waiters.clear()

    def ring(self, number: int, event: simpy.Event) -> None:
        """Let those who are woken at one time go on in the order of their numbers."""
        event._ok, event._value = True, None
        self.env.schedule(event, EventPriority(2 + number))

    def fetch(self, number: int, key: tuple[int, int]) -> Steps:
        unit = self.units[key]
        size = self.size_of(*key)
        unit.coming = True
        self.fetches += 1
        if size:
            for tier in reversed(self.behind(key[0])):
                yield from self.pass_stage(number, key[0], tier, key[1] * self.store.block, size)
            self.now_is_the_time_of(number)
        unit.coming = False
        self.settle(key)
        self.wake(unit)
        self.offer_room()

    def for_read(self, number: int, key: tuple[int, int]) -> Steps:
        self.count(key)
        while key not in self.units or self.units[key].coming:
            if key in self.units:
                yield self.wait_for(number, self.units[key])
            elif (yield from self.admit(number, key)):
                yield from self.fetch(number, key)
        if key in self.clean:
            self.clean.move_to_end(key)

    def for_write(self, number: int, key: tuple[int, int], low: int, high: int) -> Steps:
        self.count(key)
        while True:
            unit = self.units.get(key)
            if unit is None:
                if (yield from self.admit(number, key)):
                    size = self.size_of(*key)
                    if size and (low > 0 or high < size):
                        yield from self.fetch(number, key)
            elif unit.coming or unit.writing:
                yield self.wait_for(number, unit)
            elif "rewrite" in self.store.triggers and self.goes_back(unit, low, high):
                others = [one for one in sorted(self.units) if one[0] == key[0] and one != key]
                under_way = [one for one in others if one in self.queued or self.units[one].writing]
                dirty = [one for one in self.dirty if one in others]
                awaited = [*under_way, *dirty, key][0]
                if not under_way:
                    self.ask(awaited, first=True)
                yield self.wait_for(number, self.units[awaited])
            else:
                break
        self.clean.pop(key, None)
        self.units[key].users += 1

    def goes_back(self, unit: Unit, low: int, high: int) -> bool:
        if not unit.dirty:
            return False
        first, last = min(one for one, _ in unit.dirty), max(one for _, one in unit.dirty)
        return low < last and high > first

    def count(self, key: tuple[int, int]) -> None:
        self.hits += key in self.units
        self.misses += key not in self.units

    # -- write-back ---------------------------------------------------------------------

    def ask(self, key: tuple[int, int], *, first: bool = False) -> None:
        self.dirty.pop(key, None)
        if key in self.queued:
            self.queued.remove(key)
        if first:
            self.queued.appendleft(key)
        else:
            self.queued.append(key)
        if self.idle:
            number = min(self.idle)
            self.ring(number, self.idle.pop(number))

    def worker(self, number: int) -> Steps:
        while True:
            if not self.queued:
                self.idle[number] = self.env.event()
                yield self.idle[number]
                continue
            key = self.queued.popleft()
            unit = self.units[key]
            first, last = min(low for low, _ in unit.dirty), max(high for _, high in unit.dirty)
            size = min(last - first, sum(high - low for low, high in unit.dirty))
            unit.writing, unit.dirty = True, []
            self.written_back += 1
            for tier in self.behind(key[0]):
                offset = key[1] * self.store.block + first
                yield from self.pass_stage(number, key[0], tier, offset, size)
            self.now_is_the_time_of(number)
            unit.writing = False
            self.settle(key)
            self.wake(unit)
            if unit.dirty:
                self.when_dirty(key)
            else:
                self.offer_room()

    def when_dirty(self, key: tuple[int, int]) -> None:
        wanted = "eager" in self.store.triggers or bool(self.want_room)
        if "full" in self.store.triggers:
            spans = self.units[key].dirty
            wide = max(high for _, high in spans) - min(low for low, _ in spans)
            wanted |= min(wide, sum(high - low for low, high in spans)) >= self.store.block
        if key in self.dirty and wanted:
            self.ask(key)
        if "mark" in self.store.triggers and len(self.dirty) > self.store.high:
            while len(self.dirty) > self.store.low:
                self.ask(next(iter(self.dirty)))

    # -- clients ------------------------------------------------------------------------

    def client(self, number: int, process: ProcessPlan) -> Steps:
        yield self.env.timeout(process.start_ns)
        for _ in range(process.repeat):
            for phase in process.phases:
                if phase.kind == COMPUTE:
                    yield self.env.timeout(phase.compute_ns)
                else:
                    yield from self.transfer(number, process, phase)
        self.ends[number] = int(self.env.now)

    def transfer(self, number: int, process: ProcessPlan, phase: PhasePlan) -> Steps:
        assert phase.kind == STREAM
        assert phase.lengths is not None
        pe, write = self.plan.parts[process.cpu].spec, phase.write
        assert pe is not None
        stream = record_stream(
            phase.policy, write=write, buffer=phase.buffer, lengths=phase.lengths
        )
        more = True
        while more:
            more = stream.step()
            if stream.copied or stream.records:
                records = 0 if phase.policy == "posix" else stream.records
                copying = pe.copy_ns(stream.copied)
                yield self.env.timeout(records * pe.record_overhead_ns + copying)
            if more:
                moves = stream.op != SEEK and stream.size > 0
                turns = int(moves and stream.size > 4 and phase.policy != "posix")
                if turns and pe.turn_unit:
                    ends = stream.offset, stream.offset + stream.size - 1
                    turns += ends[1] // pe.turn_unit - ends[0] // pe.turn_unit
                yield self.env.timeout(pe.call_overhead_ns + turns * pe.turn_overhead_ns)
                if moves:
                    span = stream.offset, stream.offset + stream.size
                    yield from self.move(number, process.node, phase, span, stream.op == READ)
        closes = self.plan.paths[phase.path].close == CLOSE_QUEUE
        if write and closes and "close" in self.store.triggers:
            for key in [key for key in self.dirty if key[0] == phase.file]:
                self.ask(key)

    def move(
        self, number: int, node: int, phase: PhasePlan, span: tuple[int, int], read: bool
    ) -> Steps:
        unit, (offset, end) = self.store.block, span
        stage = self.ways[phase.path][0]
        while offset < end:
            index = offset // unit
            key, low = (phase.file, index), offset % unit
            high = min(unit, end - index * unit)
            self.now_is_the_time_of(number)
            if read:
                yield from self.for_read(number, key)
            else:
                yield from self.for_write(number, key, low, high)
            way = [
                (one.part, node if one.slot == 0 else 0)
                for one in (stage.up if read else stage.down)
            ]
            times = [self.plan.parts[row].service.service_ns(high - low) for row, _ in way]
            yield from hold(self.env, number, [self.queue(*one) for one in way], times)
            if not read:
                self.now_is_the_time_of(number)
                self.written(key, low, high)
            offset = index * unit + high

    def written(self, key: tuple[int, int], low: int, high: int) -> None:
        unit = self.units[key]
        unit.users -= 1
        unit.dirty.append((low, high))
        self.length[key[0]] = max(self.length[key[0]], key[1] * self.store.block + high)
        self.settle(key)
        if not unit.writing:
            self.when_dirty(key)
