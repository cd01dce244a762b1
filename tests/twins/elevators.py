"""A twin of scheduled disks, naive: written from docs/composition.md, Schedulers, alone.

It keeps what was given to the drive as a log, and finds out anew from that log what batch, queue
or tag there is whenever it needs it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A request: number, time, direction, file, and bytes [low, high)."""

    number: int
    came: int
    writes: bool
    file: int
    low: int
    high: int

    @property
    def queue(self) -> str:
        """The queue of bfq."""
        return "writes" if self.writes else f"file {self.file}"


@dataclass
class Given:
    """A command: what it is of, and when it was given, began and ended."""

    of: list[Asked]
    given: int
    begun: int = -1
    done: int = -1
    gone: bool = False
    """The drive has it no longer."""
    starts: bool = False
    """It begins a batch, or a queue's turn."""
    tag: int = 0
    """Of its queue when the turn began that it is in."""
    passed: int = 0

    @property
    def low(self) -> int:
        """Its first address."""
        return min(one.low for one in self.of)

    @property
    def high(self) -> int:
        """The address behind its last byte."""
        return max(one.high for one in self.of)


@dataclass
class Elevator:
    """A disk with a scheduler, and all that was asked for."""

    spec: Any
    log: list[Given] = field(default_factory=list)
    waiting: list[Asked] = field(default_factory=list)
    head: int = -1
    tags: dict[str, int] = field(default_factory=dict)
    alarm: int = -1
    starts: bool = False
    """What is chosen begins a batch or turn."""
    tag: int = 0
    starved: int = 0
    given_up: bool = True
    """bfq: no queue is in service."""

    def run(self, asked: list[Asked]) -> list[Given]:
        """Carry out all requests, which came in the order of times and numbers."""
        left = sorted(asked, key=lambda one: (one.came, one.number))
        while left or self.alarm >= 0:
            if left and (self.alarm < 0 or left[0].came <= self.alarm):
                self.come(left.pop(0))
            else:
                self.look(self.alarm)
        return self.log

    def come(self, one: Asked) -> None:
        """Take a request in."""
        serving = self.in_turn(one.came, strict=False)
        if one.queue not in {serving, *(other.queue for other in self.waiting)}:
            last = self.log[-1].tag if self.log else 0
            self.tags[one.queue] = max(self.tags.get(one.queue, 0), last)
        self.waiting.append(one)
        self.look(one.came, came=True)

    def look(self, now: int, *, came: bool = False) -> None:
        """End, give and begin what can be."""
        if not came:
            self.alarm = -1
            for one in self.log:
                one.gone |= one.begun >= 0 and one.done == now
        while len(self.drive) < self.spec.ncq:
            one = self.choose(now)
            if one is None:
                break
            self.give(one, now)
        if any(one.begun >= 0 for one in self.drive):
            return
        if self.drive:
            self.begin(now)
        elif self.waiting:
            self.alarm = self.last_done() + self.spec.slice_idle_ns

    @property
    def drive(self) -> list[Given]:
        """What the drive has."""
        return [one for one in self.log if not one.gone]

    def begin(self, now: int) -> None:
        """Begin what is nearest, or what has been passed over often."""
        old = [one for one in self.drive if one.passed >= self.spec.ncq]
        near = sorted(self.drive, key=lambda one: abs(one.low - max(0, self.head)))
        one = (old or near)[0]
        for other in self.drive:
            other.passed += other is not one
        took = self.spec.transfer().service_ns(sum(x.high - x.low for x in one.of))
        if one.low != self.head:
            took += self.spec.positioning_ns(abs(one.low - max(0, self.head)))
        self.head = one.high
        one.begun, one.done = now, now + took
        self.alarm = one.done

    def give(self, one: Asked, now: int) -> None:
        """Give the drive a request, and what is merged with it."""
        made = Given([one], now, starts=self.starts, tag=self.tag)
        self.waiting.remove(one)
        while True:
            for other in self.waiting:
                size = sum(x.high - x.low for x in [*made.of, other])
                touches = other.low == made.high or other.high == made.low
                alike = (other.writes, other.file) == (one.writes, one.file)
                if touches and alike and size <= self.spec.merge:
                    made.of.append(other)
                    self.waiting.remove(other)
                    break
            else:
                break
        self.log.append(made)
        moved = sum(x.high - x.low for x in made.of)
        self.tags[one.queue] = self.tags.get(one.queue, 0) + moved

    # -- which one ---------------------------------------------------------------------------------

    def choose(self, now: int) -> Asked | None:
        """Choose by the policy."""
        return (self.first, self.by_deadline, self.by_budget)[self.spec.policy](now)

    def first(self, now: int) -> Asked | None:
        """The one that came first."""
        return self.waiting[0] if self.waiting else None

    def by_deadline(self, now: int) -> Asked | None:
        """The batch goes on, or another begins."""
        batches = [i for i, one in enumerate(self.log) if one.starts]
        self.starts = False
        if batches and len(self.log) - batches[-1] < self.spec.fifo_batch:
            found = self.on(self.log[-1].of[0].writes)
            if found:
                return found
        if not self.waiting:
            return None
        self.starts = True
        writes = all(one.writes for one in self.waiting)
        if not writes and any(one.writes for one in self.waiting):
            writes = self.starved >= self.spec.writes_starved
        if writes:
            self.starved = 0
        elif any(one.writes for one in self.waiting):
            self.starved += 1
        oldest = next(one for one in self.waiting if one.writes == writes)
        late = self.spec.write_expire_ns if writes else self.spec.read_expire_ns
        if now - oldest.came >= late:
            return oldest
        return self.on(writes) or oldest

    def on(self, writes: bool) -> Asked | None:
        """The lowest of a direction from its last one on."""
        lasts = [one.low for one in self.log if one.of[0].writes == writes]
        return self.lowest([one for one in self.waiting if one.writes == writes], ([0, *lasts])[-1])

    @staticmethod
    def lowest(some: list[Asked], place: int) -> Asked | None:
        """The lowest that is not below a place."""
        return min((one for one in some if one.low >= place), key=lambda x: x.low, default=None)

    def turn(self) -> list[Given]:
        """What the queue that began last was given in its turn."""
        begins = [i for i, one in enumerate(self.log) if one.starts]
        return self.log[begins[-1] :] if begins else []

    def in_turn(self, now: int, *, strict: bool = True) -> str | None:
        """The queue in service; ``strict``: with budget and time left."""
        turn = self.turn()
        if self.given_up or not turn:
            return None
        moved = sum(x.high - x.low for one in turn for x in one.of)
        if strict and (moved >= self.spec.budget or now >= turn[0].given + self.spec.slice_ns):
            return None
        return turn[0].of[0].queue

    def last_done(self) -> int:
        """When the last command ended of the queue in service, or when its turn began."""
        return max(one.done for one in self.log if one.of[0].queue == self.turn()[0].of[0].queue)

    def by_budget(self, now: int) -> Asked | None:
        """The queue in service goes on, or another begins."""
        self.starts = False
        queue = self.in_turn(now)
        if queue is not None:
            mine = [one for one in self.waiting if one.queue == queue]
            if mine:
                return self.lowest(mine, self.log[-1].high) or self.lowest(mine, 0)
            flying = [one for one in self.drive if one.of[0].queue == queue]
            idles = queue != "writes" and self.spec.slice_idle_ns > 0
            if idles and (flying or now < self.last_done() + self.spec.slice_idle_ns):
                return None
        self.given_up = True
        if not self.waiting:
            return None
        self.given_up, self.starts = False, True
        first = min(self.waiting, key=lambda one: self.tags[one.queue])
        self.tag = self.tags[first.queue]
        mine = [one for one in self.waiting if one.queue == first.queue]
        place = self.log[-1].high if self.log else 0
        return self.lowest(mine, place) or self.lowest(mine, 0)
