"""Schedulers of a disk, named after Linux's: which of the requests that wait is next.

They have no clock and know no service times: a request is its direction, file and addresses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simulator.kinds.parts.scheduled.spec import SCHEDULERS, ScheduledSpec

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
