"""Naive twins of arrays and RAID units: queues first come, first served, joined on arrival.

Written from docs/composition.md alone, on SimPy: each request is a process that stands in a queue
when it gets there. They know where units lie from ``ArraySpec``, and nothing else of the engines.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Sequence
from typing import Any

import simpy

from simulator.kinds.parts.array.spec import ArraySpec
from simulator.kinds.parts.raid.spec import RaidSpec
from tests.twins.queues import Queue

Steps = Generator[simpy.Event, Any, None]
Call = tuple[bool, int, int, int]
"""It writes; first byte; bytes; how long its process waits before it."""


# -- arrays ---------------------------------------------------------------------------------------


class Disk:
    """One disk: a queue, a head, and for whom it has read last."""

    def __init__(self, env: simpy.Environment, spec: ArraySpec) -> None:
        self.env, self.spec = env, spec
        self.queue = Queue(env, strict=True)
        self.head = -1
        self.reader: object = None
        self.busy_ns = 0
        self.promised_ns = 0
        """When it will have done all that stands in its queue."""

    def access(self, number: int, low: int, high: int, request: object, *, write: bool) -> Steps:
        turn = self.queue.come(number)
        idle = max(0, int(self.env.now) - self.promised_ns)
        service = self._service(low, high, request if write else None, idle)
        self.head, self.reader = high, None if write else request
        self.promised_ns = promised = max(int(self.env.now), self.promised_ns) + service
        yield turn
        yield self.env.timeout(service)
        assert self.env.now == promised
        self.busy_ns += service
        self.queue.resource.release(turn)

    def _service(self, low: int, high: int, writer: object, idle: int) -> int:
        spec, move = self.spec, round((high - low) * 1e9 / self.spec.rate)
        if writer is not None and self.reader is writer:
            return spec.overhead_ns + spec.turn_ns + move
        take = spec.seek_ns + spec.turn_ns // 2 + move
        gap = low - self.head
        if self.head >= 0 and 0 <= gap <= spec.parities * spec.unit:
            passing = round((gap + high - low) * 1e9 / spec.rate) - idle
            take = min(take, max(move, passing))
        return spec.overhead_ns + take


Spans = dict[int, tuple[int, int]]


class Array:
    """An array some of whose disks fail at a time, and do not come back."""

    def __init__(
        self, env: simpy.Environment, spec: ArraySpec, fails_ns: dict[int, int] | None = None
    ) -> None:
        self.env, self.spec = env, spec
        self.disks = [Disk(env, spec) for _ in range(spec.disks)]
        self.fails_ns = fails_ns or {}

    def has(self, disk: int) -> bool:
        return self.env.now < self.fails_ns.get(disk, 1 << 62)

    def request(self, number: int, low: int, size: int, *, write: bool) -> Steps:
        """Read or write; the request ends with its last access."""
        this = object()
        high = low + size
        rows = range(low // self.row, (high - 1) // self.row + 1)
        if not write:
            yield self._all(number, [self._reads(low, high, rows)], this, write=False)
            return
        before = [one for row in rows if (one := self._needed(row, low, high))]
        if before:
            yield self._all(number, before, this, write=False)
        yield self._all(number, [self._writes(low, high, rows)], this, write=True)

    @property
    def row(self) -> int:
        return self.spec.columns * self.spec.unit

    def _all(self, number: int, groups: list[Spans], this: object, *, write: bool) -> simpy.Event:
        """Have all accesses join the queues now, disk after disk."""
        joined = []
        for disk in range(self.spec.disks):
            for spans in groups:
                if disk in spans:
                    steps = self.disks[disk].access(number, *spans[disk], this, write=write)
                    first = next(steps)
                    joined.append(self.env.process(_rest(first, steps)))
        return simpy.AllOf(self.env, joined)

    def _pieces(self, row: int, low: int, high: int) -> list[tuple[int, int, int]]:
        """Of each unit of data that bytes lie in: its column, and the bytes in the unit."""
        unit, found = self.spec.unit, []
        for column in range(self.spec.columns):
            start = row * self.row + column * unit
            first, last = max(low, start), min(high, start + unit)
            if first < last:
                found.append((column, first - start, last - start))
        return found

    def _add(self, spans: Spans, disk: int, row: int, first: int, last: int) -> None:
        at = row * self.spec.unit
        old = spans.get(disk, (at + first, at + last))
        spans[disk] = min(old[0], at + first), max(old[1], at + last)

    def _sources(self, spans: Spans, row: int, first: int, last: int) -> None:
        there = [disk for disk in range(self.spec.disks) if self.has(disk)]
        for disk in there[: self.spec.columns]:
            self._add(spans, disk, row, first, last)

    def _reads(self, low: int, high: int, rows: Sequence[int]) -> Spans:
        spans: Spans = {}
        for row in rows:
            for column, first, last in self._pieces(row, low, high):
                disk = self.spec.disk_of(row, column)
                if not self.spec.parities:
                    if self.has(disk) and self.has(disk + 1):
                        disk += self._earlier(disk, column, low)
                    elif not self.has(disk):
                        disk += 1
                    self._add(spans, disk, row, first, last)
                elif self.has(disk):
                    self._add(spans, disk, row, first, last)
                else:
                    self._sources(spans, row, first, last)
        return spans

    def _earlier(self, disk: int, column: int, low: int) -> int:
        """Which of two mirrors is free earlier; of two idle ones, which is at the first byte.

        That is the first byte of the request in this column, or of the next row if it has none in
        its own.
        """
        unit, row = self.spec.unit, low // self.row
        start = row * self.row + column * unit
        at = (row + 1) * unit if low >= start + unit else row * unit + max(0, low - start)
        one, two = self.disks[disk : disk + 2]
        free = [max(int(self.env.now), each.promised_ns) for each in (one, two)]
        if free[0] == free[1]:
            return int(two.head == at and one.head != at)
        return int(free[1] < free[0])

    def _needed(self, row: int, low: int, high: int) -> Spans:
        """What is read before a row is written, that is not written whole."""
        spec, spans = self.spec, dict[int, tuple[int, int]]()
        pieces = self._pieces(row, low, high)
        parities = [spec.parity_of(row, i) for i in range(spec.parities)]
        parities = [disk for disk in parities if self.has(disk)]
        moved = sum(last - first for _, first, last in pieces)
        if not parities or moved == self.row:
            return {}
        first, last = (pieces[0][1], pieces[0][2]) if len(pieces) == 1 else (0, spec.unit)
        if all(self.has(spec.disk_of(row, column)) for column, _, _ in pieces):
            for column, begin, end in pieces:
                self._add(spans, spec.disk_of(row, column), row, begin, end)
            for disk in parities:
                self._add(spans, disk, row, first, last)
            return spans
        written = {column for column, _, _ in pieces}
        others = [spec.disk_of(row, c) for c in range(spec.columns) if c not in written]
        if all(self.has(disk) for disk in others):
            for disk in others:
                self._add(spans, disk, row, first, last)
        else:
            self._sources(spans, row, first, last)
        return spans

    def _writes(self, low: int, high: int, rows: Sequence[int]) -> Spans:
        spec, spans = self.spec, dict[int, tuple[int, int]]()
        for row in rows:
            pieces = self._pieces(row, low, high)
            first, last = (pieces[0][1], pieces[0][2]) if len(pieces) == 1 else (0, spec.unit)
            for column, begin, end in pieces:
                disk = spec.disk_of(row, column)
                for one in (disk,) if spec.parities else (disk, disk + 1):
                    if self.has(one):
                        self._add(spans, one, row, begin, end)
            for parity in range(spec.parities):
                disk = spec.parity_of(row, parity)
                if self.has(disk):
                    self._add(spans, disk, row, first, last)
        return spans


def _rest(first: simpy.Event, steps: Steps) -> Steps:
    """Go on with steps whose first event is known already."""
    yield first
    yield from steps


def array_ends(
    spec: ArraySpec, jobs: Sequence[Sequence[Call]], fails_ns: dict[int, int] | None = None
) -> tuple[list[list[int]], int]:
    """Return when each call of each process ends, and how long all disks were busy."""
    env = simpy.Environment()
    array = Array(env, spec, fails_ns)
    ends: list[list[int]] = [[] for _ in jobs]

    def process(number: int) -> Steps:
        for write, low, size, wait in jobs[number]:
            yield env.timeout(wait)
            yield from array.request(number, low, size, write=write)
            ends[number].append(int(env.now))

    for number in range(len(jobs)):
        env.process(process(number))
    env.run()
    return ends, sum(disk.busy_ns for disk in array.disks)


# -- RAID units -----------------------------------------------------------------------------------


class Slot:
    """A slot of either cache: its block, when that is there, and when its last write has ended."""

    def __init__(self, env: simpy.Environment) -> None:
        self.block = -1
        self.ready = self.clean = env.event().succeed()
        self.dirty = 0


class Slots:
    """Slots of an LRU cache."""

    def __init__(self, env: simpy.Environment, most: int) -> None:
        self.env, self.most = env, max(1, most)
        self.by_use: OrderedDict[int, Slot] = OrderedDict()
        self.all: list[Slot] = []

    def use(self, block: int) -> Slot | None:
        if block in self.by_use:
            self.by_use.move_to_end(block)
        return self.by_use.get(block)

    def take(self, block: int) -> Slot:
        if len(self.all) < self.most:
            slot = Slot(self.env)
            self.all.append(slot)
        else:
            slot = self.by_use.popitem(last=False)[1]
        self.by_use[block] = slot
        return slot


class Unit:
    """A RAID unit behind the buffer cache of an I/O node; whole blocks are on the disks."""

    def __init__(
        self, env: simpy.Environment, spec: RaidSpec, block: int, slots: int, blocks: int
    ) -> None:
        self.env, self.spec, self.block = env, spec, block
        self.buffers = Slots(env, min(slots, blocks))
        self.cached = Slots(env, min(spec.cache // block, blocks))
        self.disks, self.bus = Queue(env, strict=True), Queue(env, strict=True)
        self.head = 0
        self.ended_ns = 0
        self.asked = 0

    def access(self, block: int, size: int, *, write: bool) -> simpy.Event:
        """Ask for a block in the buffer cache; return when it is there."""
        slot = self.buffers.use(block)
        if slot is None:
            slot = self.buffers.take(block)
            if slot.block >= 0:
                self.write_back(slot)
            slot.block = block
            after = [slot.ready, slot.clean]
            if not (write and size == self.block):
                after.append(self._read(block))
            slot.ready = simpy.AllOf(self.env, after)
        if write:
            slot.dirty = min(self.block, slot.dirty + size)
        return slot.ready

    def written(self, block: int) -> None:
        """The data of a write have come."""
        slot = self.buffers.by_use.get(block)
        if slot is not None and slot.dirty == self.block:
            self.write_back(slot)

    def write_back(self, slot: Slot) -> None:
        """Write a slot's dirty bytes, from when its block is there."""
        if slot.dirty:
            slot.clean = self._write(slot.block, slot.ready, slot.dirty)
            slot.dirty = 0

    def _read(self, block: int) -> simpy.Event:
        slot = self.cached.use(block)
        number = self._number()
        if slot is None:
            slot = self.cached.take(block)
            slot.ready = self.env.process(self._media(number, block, self.block, slot.clean))
            slot.clean = slot.ready
        return self.env.process(self._cross(number, self.block, [slot.ready]))

    def _write(self, block: int, ready: simpy.Event, size: int) -> simpy.Event:
        after = [ready]
        slot = self.cached.use(block)
        if slot is None:
            slot = self.cached.take(block)
            after.append(slot.clean)
        number = self._number()
        slot.ready = self.env.process(self._cross(number, size, after))
        slot.clean = self.env.process(self._media(number, block, size, slot.ready))
        return slot.ready

    def _number(self) -> int:
        self.asked += 1
        return self.asked

    def _cross(self, number: int, size: int, after: Sequence[simpy.Event]) -> Steps:
        yield simpy.AllOf(self.env, after)
        turn = self.bus.come(number)
        yield turn
        yield self.env.timeout(self.spec.bus_overhead_ns + round(size * 1e9 / self.spec.bus_rate))
        self.bus.resource.release(turn)

    def _media(self, number: int, block: int, size: int, after: simpy.Event) -> Steps:
        yield after
        turn = self.disks.come(number)
        yield turn
        service = round(size * 1e9 / self.spec.rate)
        paused = self.env.now > self.ended_ns
        if block != self.head:
            service += self.spec.overhead_ns + self.spec.seek_ns + self.spec.turn_ns // 2
        elif paused:
            service += self.spec.overhead_ns + self.spec.turn_ns // 2
        self.head = block + 1
        yield self.env.timeout(service)
        self.ended_ns = int(self.env.now)
        self.disks.resource.release(turn)


Ask = tuple[bool, Sequence[int], int, int]
"""It writes; its blocks; how many bytes of each; how long its process waits before it."""


def unit_ends(
    spec: RaidSpec, jobs: Sequence[Sequence[Ask]], *, block: int, slots: int, blocks: int
) -> list[list[int]]:
    """Return when each request of each process ends, at a node whose processor takes no time."""
    env = simpy.Environment()
    unit = Unit(env, spec, block, slots, blocks)
    ends: list[list[int]] = [[] for _ in jobs]
    acting = Queue(env, strict=True)

    def process(number: int) -> Steps:
        for write, wanted, size, wait in jobs[number]:
            yield env.timeout(wait)
            acting.act(number)
            yield simpy.AllOf(env, [unit.access(one, size, write=write) for one in wanted])
            acting.act(number)
            if write:
                for one in wanted:
                    unit.written(one)
            ends[number].append(int(env.now))

    for number in range(len(jobs)):
        env.process(process(number))
    env.run()
    return ends
