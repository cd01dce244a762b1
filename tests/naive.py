"""A second model of a simple plan, written for its plainness: the twin of both engines.

It shares nothing with them but the specifications and the record streams: queues are
``simpy.Resource``, the cache is an ``OrderedDict`` and sets, and every wait is an event.

It knows stripes over the volumes of several groups, stations of several servers, all triggers
of write-back, the path through the SSU, and jobs of one PE; no noise, no mounts, no seeks
that depend on the distance, and no limit of a file's share. Where two actors come to one
queue in the same nanosecond in another order than that of their numbers, or change the cache
in the same nanosecond, it gives up with :class:`Tie`: their order is the engine's rule.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import simpy
from simpy.core import EventPriority

from simulator.engine.plan import JobPlan, PhasePlan, Plan
from simulator.runtime.fortran import READ, SEEK, record_stream
from tests.naive_queues import Queue, Steps, Tie, Volume, hold, serve


@dataclass
class Unit:
    """A unit that is in the SSU."""

    file: int
    index: int
    coming: bool = False
    writing: bool = False
    users: int = 0
    dirty: list[tuple[int, int]] = field(default_factory=list)
    waiters: list[tuple[int, simpy.Event]] = field(default_factory=list)


class NaiveRun:
    """One run of a plan; :meth:`run` gives when each client ended."""

    def __init__(self, plan: Plan, *, strict: bool = True) -> None:
        """``strict``: give up at a tie, else leave the order to SimPy."""
        self.strict = strict
        machine = plan.machine
        assert machine.ssu is not None
        assert machine.channels is not None
        self.plan = plan
        self.machine = machine
        self.spec = machine.ssu
        self.env = simpy.Environment()
        self.ends = [-1] * len(plan.jobs)
        self.hits = self.misses = self.evicted = 0
        self.fetches = self.written_back = 0
        self.length = [file.length for file in plan.files]
        self.units: dict[tuple[int, int], Unit] = {}
        self.clean: OrderedDict[tuple[int, int], None] = OrderedDict()
        self.dirty: OrderedDict[tuple[int, int], None] = OrderedDict()
        self.queued: deque[tuple[int, int]] = deque()
        self.want_room: deque[tuple[int, simpy.Event]] = deque()
        self.idle: dict[int, simpy.Event] = {}
        count = machine.channels.count
        ports = machine.channels.ports
        self.ssu_in, self.ssu_out = self.queue(ports), self.queue(ports)
        self.reading, self.writing = self.queue(count), self.queue(count)
        self.paths = self.queue(machine.paths)
        self.last = (-1, -1)
        self.volumes = [
            [Volume(self.queue(), group.spec) for _ in range(group.count)]
            for group in machine.volumes
        ]
        for number, file in enumerate(plan.files):
            if file.prestaged:
                self.prestage(number)

    def queue(self, servers: int = 1) -> Queue:
        return Queue(self.env, self.strict, servers)

    def run(self) -> Sequence[int]:
        for number, job in enumerate(self.plan.jobs):
            self.env.process(self.client(number, job))
        for worker in range(self.spec.workers):
            self.env.process(self.worker(len(self.plan.jobs) + worker))
        self.env.run()
        return self.ends

    # -- disks --------------------------------------------------------------------------

    def dealt(self, file: int, size: int) -> dict[int, int]:
        """How much of a transfer goes to which volume: its stripes, dealt out one by one."""
        where = self.plan.files[file].where
        shares: dict[int, int] = {}
        for stripe in range(where.stripes):
            volume = (where.first + stripe) % len(self.volumes[where.volumes])
            piece = size * (stripe + 1) // where.stripes - size * stripe // where.stripes
            shares[volume] = shares.get(volume, 0) + piece
        return {volume: share for volume, share in shares.items() if share}

    def on_disk(self, number: int, file: int, offset: int, size: int) -> Steps:
        where = self.plan.files[file].where
        start = where.base + offset
        requests = []
        for index, share in self.dealt(file, size).items():
            volume = self.volumes[where.volumes][index]
            time = volume.spec.transfer().service_ns(share)
            if volume.head != start:
                time += volume.spec.seek_ns + volume.spec.turn_ns // 2
            volume.head = start + size
            volume.requests += 1
            volume.bytes += share
            volume.busy_ns += time
            requests.append((volume.queue, time))
        yield from serve(self.env, number, requests)

    def on_path(self, number: int, file: int, size: int) -> Steps:
        path = self.machine.path
        shares = self.dealt(file, size).values()
        yield from serve(
            self.env, number, [(self.paths, path.service_ns(share)) for share in shares]
        )

    # -- the cache ----------------------------------------------------------------------

    def size_of(self, file: int, index: int) -> int:
        return max(0, min(self.spec.unit, self.length[file] - index * self.spec.unit))

    def prestage(self, file: int) -> None:
        for index in range(-(-self.length[file] // self.spec.unit)):
            if len(self.units) < self.spec.slots:
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
        return len(self.units) < self.spec.slots or bool(self.clean)

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
        if len(self.units) == self.spec.slots:
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
            yield from self.on_disk(number, key[0], key[1] * self.spec.unit, size)
            yield from self.on_path(number, key[0], size)
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
            elif "rewrite" in self.spec.triggers and self.goes_back(unit, low, high):
                others = [other for other in self.dirty if other[0] == key[0] and other != key]
                forced = others[0] if others else key
                self.ask(forced, first=True)
                yield self.wait_for(number, self.units[forced])
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
            yield from self.on_path(number, key[0], size)
            yield from self.on_disk(number, key[0], key[1] * self.spec.unit + first, size)
            self.now_is_the_time_of(number)
            unit.writing = False
            self.settle(key)
            self.wake(unit)
            if unit.dirty:
                self.when_dirty(key)
            else:
                self.offer_room()

    def when_dirty(self, key: tuple[int, int]) -> None:
        if key in self.dirty and ("eager" in self.spec.triggers or self.want_room):
            self.ask(key)
        slots = self.spec.slots
        if "mark" in self.spec.triggers and len(self.dirty) > self.spec.high_mark * slots:
            while len(self.dirty) > self.spec.low_mark * slots:
                self.ask(next(iter(self.dirty)))

    # -- clients ------------------------------------------------------------------------

    def client(self, number: int, job: JobPlan) -> Steps:
        yield self.env.timeout(job.start_ns)
        port = self.queue(), self.queue()
        for _ in range(job.repeat):
            for phase in job.phases:
                if phase.work == "compute":
                    yield self.env.timeout(phase.compute_ns)
                else:
                    yield from self.transfer(number, port, phase)
        self.ends[number] = int(self.env.now)

    def transfer(self, number: int, port: tuple[Queue, Queue], phase: PhasePlan) -> Steps:
        assert phase.lengths is not None
        pe, write = self.machine.pe, phase.work == "write"
        stream = record_stream(
            phase.policy, write=write, buffer=phase.buffer, lengths=phase.lengths
        )
        more = True
        while more:
            more = stream.step()
            if stream.copied or stream.records:
                copying = pe.copy_ns(stream.copied)
                yield self.env.timeout(stream.records * pe.record_overhead_ns + copying)
            if more:
                moves = stream.op != SEEK and stream.size > 0
                turn = pe.turn_overhead_ns if moves and stream.size > 4 else 0
                yield self.env.timeout(pe.call_overhead_ns + turn)
                if moves:
                    span = stream.offset, stream.offset + stream.size
                    yield from self.move(number, port, phase.file, span, stream.op == READ)
        if write and "close" in self.spec.triggers:
            for key in [key for key in self.dirty if key[0] == phase.file]:
                self.ask(key)

    def move(
        self,
        number: int,
        port: tuple[Queue, Queue],
        file: int,
        span: tuple[int, int],
        read: bool,
    ) -> Steps:
        unit, (offset, end) = self.spec.unit, span
        channels = self.machine.channels
        assert channels is not None
        while offset < end:
            index = offset // unit
            key, low = (file, index), offset % unit
            high = min(unit, end - index * unit)
            crossing = self.machine.port.service_ns(high - low)
            self.now_is_the_time_of(number)
            if read:
                yield from self.for_read(number, key)
                way = [self.ssu_out, port[0], self.reading]
                last = channels.read.service_ns(high - low)
            else:
                yield from self.for_write(number, key, low, high)
                way = [port[1], self.ssu_in, self.writing]
                last = channels.write.service_ns(high - low)
            yield from hold(self.env, number, way, [crossing, crossing, last])
            if not read:
                self.now_is_the_time_of(number)
                self.written(key, low, high)
            offset = index * unit + high

    def written(self, key: tuple[int, int], low: int, high: int) -> None:
        unit = self.units[key]
        unit.users -= 1
        unit.dirty.append((low, high))
        self.length[key[0]] = max(self.length[key[0]], key[1] * self.spec.unit + high)
        self.settle(key)
        if not unit.writing:
            self.when_dirty(key)
