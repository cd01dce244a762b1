"""A disk behind a scheduler: requests wait until they are chosen, by it and then by the drive.

Schedulers are named after Linux's. They have no clock and know no service times: a request is its
direction, file and addresses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import simpy
from simpy.events import EventPriority

from simulator.kinds.parts.disk.reference import Disk
from simulator.kinds.parts.scheduled.spec import SCHEDULERS, ScheduledSpec
from simulator.reference.actor import Actor, Timer
from simulator.reference.part import Load, StageError, Station

WRITES = -2
"""bfq: the queue of all writes; those of reads are the files."""


@dataclass(slots=True, eq=False)
class Waiting:
    """A request that waits (``number``: in the order of coming)."""

    number: int
    came_ns: int
    writes: bool
    file: int
    low: int
    high: int
    size: int
    caller: Any = None


class Scheduler:
    """Linux's ``none``: first come, first served."""

    def __init__(self, spec: ScheduledSpec) -> None:
        self.spec = spec
        self.waiting: list[Waiting] = []
        """In the order of coming."""

    def add(self, one: Waiting) -> None:
        """Take a request in."""
        self.waiting.append(one)

    def next_command(self, now_ns: int) -> list[Waiting]:
        """Choose a request, and take it out with those that are merged; empty: none now."""
        first = self._choose(now_ns)
        if first is None:
            return []
        command: list[Waiting] = []
        one: Waiting | None = first
        while one is not None:
            command.append(one)
            self.waiting.remove(one)
            one = self._neighbour(command)
        self._hand_over(command)
        return command

    def ended(self, command: Sequence[Waiting], now_ns: int) -> None:
        """Note that the drive has carried out a command."""

    def idle_until_ns(self) -> int:
        """Return when to ask again, if requests wait and none was chosen for an idle drive."""
        raise NotImplementedError

    def _choose(self, now_ns: int) -> Waiting | None:
        return self.waiting[0] if self.waiting else None

    def _hand_over(self, command: Sequence[Waiting]) -> None:
        """Note what the drive was given."""

    def _neighbour(self, command: Sequence[Waiting]) -> Waiting | None:
        """Return the first request that continues a command, or that it continues; None: none."""
        first, most = command[0], self.spec.merge - sum(one.size for one in command)
        low, high = min(one.low for one in command), max(one.high for one in command)
        for one in self.waiting if low < high else ():
            touches = one.low < one.high and (one.low == high or one.high == low)
            alike = (one.writes, one.file) == (first.writes, first.file)
            if touches and alike and one.size <= most:
                return one
        return None


def _ahead(requests: Sequence[Waiting], position: int) -> Waiting | None:
    """Return the lowest request from a position on; None if all are below it."""
    above = (one for one in requests if one.low >= position)
    return min(above, key=lambda one: (one.low, one.number), default=None)


class Deadline(Scheduler):
    """Linux's ``mq-deadline``: batches in ascending order, reads first, until they expire."""

    def __init__(self, spec: ScheduledSpec) -> None:
        super().__init__(spec)
        self._positions = [0, 0]
        """Where the last command of reads, and of writes, began."""
        self._writes = False
        self._batched = spec.fifo_batch
        self._starved = 0

    def _choose(self, now_ns: int) -> Waiting | None:
        found = self._next() if self._batched < self.spec.fifo_batch else None
        if found is not None:
            self._batched += 1
            return found
        if not self.waiting:
            return None
        writes = any(one.writes for one in self.waiting)
        reads = not all(one.writes for one in self.waiting)
        self._writes = not reads or (writes and self._starved >= self.spec.writes_starved)
        self._starved = 0 if self._writes else self._starved + writes
        self._batched = 1
        oldest = self._mine()[0]
        expire = self.spec.write_expire_ns if self._writes else self.spec.read_expire_ns
        if now_ns >= oldest.came_ns + expire:
            return oldest
        return self._next() or oldest

    def _mine(self) -> list[Waiting]:
        return [one for one in self.waiting if one.writes == self._writes]

    def _next(self) -> Waiting | None:
        return _ahead(self._mine(), self._positions[self._writes])

    def _hand_over(self, command: Sequence[Waiting]) -> None:
        self._positions[self._writes] = min(one.low for one in command)


class Fair(Scheduler):
    """Linux's ``bfq``: a queue for the reads of each file and one for writes, budgets in turn.

    Start-time fair queueing (P. Goyal, H. Vin and H. Cheng, SIGCOMM 1996) of equal weights instead
    of B-WF2Q+ (P. Valente and F. Checconi, IEEE Trans. Computers 59 (2010), 9): the queue with the
    least tag, which is what it was given, gets a budget.
    """

    def __init__(self, spec: ScheduledSpec) -> None:
        super().__init__(spec)
        self._tags: defaultdict[int, int] = defaultdict(int)
        self._flying: defaultdict[int, int] = defaultdict(int)
        """Commands of a queue that the drive has."""
        self._virtual = 0
        self._serving: int | None = None
        self._left = self._slice_end_ns = self._idle_end_ns = self._position = 0

    def add(self, one: Waiting) -> None:
        """Take a request in; a queue that was empty does not get what it did not use."""
        queue = _queue_of(one)
        if queue != self._serving and not self._of(queue):
            self._tags[queue] = max(self._virtual, self._tags[queue])
        super().add(one)

    def ended(self, command: Sequence[Waiting], now_ns: int) -> None:
        """Note that the drive has carried out a command; its file's next read may be near."""
        queue = _queue_of(command[0])
        self._flying[queue] -= 1
        if queue == self._serving:
            self._idle_end_ns = now_ns + self.spec.slice_idle_ns

    def idle_until_ns(self) -> int:
        """Return the end of idling."""
        return self._idle_end_ns

    def _choose(self, now_ns: int) -> Waiting | None:
        if self._serving is not None and self._left > 0 and now_ns < self._slice_end_ns:
            if self._of(self._serving):
                return self._nearest()
            flying = self._flying[self._serving] > 0 and self.spec.slice_idle_ns > 0
            if self._serving != WRITES and (flying or now_ns < self._idle_end_ns):
                return None
        self._serving = None
        if not self.waiting:
            return None
        first = min(self.waiting, key=lambda one: (self._tags[_queue_of(one)], one.number))
        self._serving = _queue_of(first)
        self._virtual = self._tags[self._serving]
        self._left = self.spec.budget
        self._slice_end_ns = now_ns + self.spec.slice_ns
        self._idle_end_ns = now_ns
        return self._nearest()

    def _of(self, queue: int | None) -> list[Waiting]:
        return [one for one in self.waiting if _queue_of(one) == queue]

    def _nearest(self) -> Waiting | None:
        mine = self._of(self._serving)
        return _ahead(mine, self._position) or _ahead(mine, 0)

    def _hand_over(self, command: Sequence[Waiting]) -> None:
        queue, size = _queue_of(command[0]), sum(one.size for one in command)
        self._position = max(one.high for one in command)
        self._left -= size
        self._tags[queue] += size
        self._flying[queue] += 1


def _queue_of(one: Waiting) -> int:
    return WRITES if one.writes else one.file


def scheduler_of(spec: ScheduledSpec) -> Scheduler:
    """Return a new scheduler."""
    classes = {"none": Scheduler, "mq-deadline": Deadline, "bfq": Fair}
    return classes[SCHEDULERS[spec.policy]](spec)


@dataclass(slots=True, eq=False)
class _Command:
    """What the drive carries out: a request, or several that were merged."""

    requests: list[Waiting] = field(default_factory=list)
    load: Load = field(default_factory=lambda: Load(0))
    passed: int = 0
    """How many others the drive has preferred to it."""


class Scheduled(Disk):
    """One medium, the drive's queue before it, and the scheduler before that."""

    joins = True
    spec: ScheduledSpec

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._scheduler = scheduler_of(self.spec)
        self._urgent: list[_Command] = []
        """Requests with a cost of their own, which no scheduler orders."""
        self._drive: list[_Command] = []
        """Commands that the drive has, in the order of coming."""
        self._under_way: _Command | None = None
        self._begin_ns = 0
        self._came = 0
        self._timer = Timer(self.clock, EventPriority(self.timer + 1), self._ring)

    def free_ns(self) -> int:
        """Raise StageError: it is not known when a request begins."""
        return Station.free_ns(self)

    def serve(self, load: Load, start_ns: int) -> int:
        """Raise StageError: it is not known when a request ends."""
        raise StageError(self.name)

    def join(self, actor: Actor, load: Load) -> Iterable[simpy.Event]:
        """Queue a request; ``yield from`` the result."""
        self._came += 1
        low, high = load.span
        one = Waiting(
            self._came, actor.now, load.writes, load.file, low, high, load.size, caller=actor
        )
        if load.cost_ns >= 0:
            alone = Load(load.size, load.file, load.span, 1, load.cost_ns, load.writes)
            self._urgent.append(_Command([one], alone))
        else:
            self._scheduler.add(one)
        self._go_on()
        return (actor.blocked(lambda: f"a request at {self.name}"),)

    def _go_on(self) -> None:
        """Fill the drive's queue; begin a command, unless one is under way."""
        now = self.clock.now
        while len(self._drive) < self.spec.ncq:
            if self._urgent:
                self._drive.append(self._urgent.pop(0))
            elif requests := self._scheduler.next_command(now):
                self._drive.append(_command_of(requests))
            else:
                break
        if self._under_way is not None:
            return
        if self._drive:
            self._begin(self._chosen())
        elif self._scheduler.waiting:
            self._timer.set(self._scheduler.idle_until_ns())

    def _chosen(self) -> _Command:
        """Return the command nearest to the head, or one that others were preferred to often."""
        head = max(0, self._head)
        for one in self._drive:
            if one.passed >= self.spec.ncq:
                return one
        return min(
            self._drive,
            key=lambda one: 0 if one.load.cost_ns >= 0 else abs(one.load.span[0] - head),
        )

    def _begin(self, command: _Command) -> None:
        for one in self._drive:
            one.passed += one is not command
        load, now = command.load, self.clock.now
        service = self.stretched(self.unstretched_ns(load))
        end_ns = self.book(load, now, service)
        self.requests += len(command.requests) - 1
        self._under_way, self._begin_ns = command, now
        self._timer.set(end_ns)

    def _ring(self) -> None:
        """End the command under way, or idling."""
        now = self.clock.now
        self.clock.count(now)
        command = self._under_way
        if command is not None:
            self._under_way = None
            self._drive.remove(command)
            if command.load.cost_ns < 0:
                self._scheduler.ended(command.requests, now)
            lost = self.last_lost_ns
            for one in command.requests:
                waited = self._begin_ns - one.came_ns + lost
                one.caller.charge(self.column, waited, now - self._begin_ns - lost)
                one.caller.wake()
        self._go_on()


def _command_of(requests: list[Waiting]) -> _Command:
    """Return the command for requests that were merged."""
    low, high = min(one.low for one in requests), max(one.high for one in requests)
    first, size = requests[0], sum(one.size for one in requests)
    return _Command(requests, Load(size, first.file, (low, high), 1, -1, first.writes))
