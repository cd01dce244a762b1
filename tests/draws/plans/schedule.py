"""Schedules of drawn jobs: operations of several processes, some of which wait for others.

Each event comes after what it needs; every process then has its part of the schedule in that
order, so that nothing can wait in a circle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simulator.plan.codes import (
    ASK_READ,
    ASK_WRITE,
    BARRIER,
    CLOSE,
    DIRECT,
    JOIN,
    LOCK,
    METADATA,
    OPEN,
    PASS,
    PAUSE,
    READ,
    RECEIVE,
    SEEK,
    SEND,
    START,
    STAT,
    SYNC,
    SYNCED,
    UNLOCK,
    WAIT,
    WRITE,
)
from simulator.plan.jobs import ChannelPlan

if TYPE_CHECKING:
    from tests.draws.plans.jobs import Jobs

IO = (READ, READ, READ, WRITE, WRITE, WRITE, WRITE, SEEK, OPEN, CLOSE, STAT, SYNC, PAUSE)
OTHERS = tuple(kind for kind in METADATA if kind not in (OPEN, CLOSE, STAT))


@dataclass
class Row:
    """One operation of a process."""

    kind: int
    file: int = -1
    offset: int = 0
    size: int = 0
    gap: int = 0
    column: int = -1


class Schedule:
    """Events of all processes in an order in which they could happen one after the other."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self.dice = dice = jobs.dice
        alone = [one for one in range(len(jobs.rows)) if jobs.processes[one].nodes == 1]
        self.serving = [one for one in alone if jobs.processes[one].arrivals >= 0]
        """Those that serve arrivals wait for nobody."""
        self.ready = [one for one in alone if one not in self.serving]
        self.asleep: list[int] = []
        self.repeat = dice.some(1, 1, 1, 2)
        for one in self.ready:
            jobs.processes[one] = replace(jobs.processes[one], repeat=self.repeat)
        while len(self.ready) > 1 and dice.maybe(25):
            self.asleep.append(self.ready.pop())

    def draw(self) -> None:
        """Draw the events, and leave out what has no process to do it."""
        kinds = (
            self.io,
            self.io,
            self.io,
            self.io,
            self.lock,
            self.barrier,
            self.message,
            self.mark,
            self.wake,
            self.join,
            *((self.ask, self.io, self.ask_together) if self.jobs.pieces.buffers else ()),
        )
        for _ in range(self.dice.int(1, 14)):
            if self.ready:
                self.dice.some(*kinds)()
            for one in self.serving:
                if self.dice.maybe(30):
                    self.io(one)
                elif self.jobs.pieces.buffers and self.dice.maybe(30):
                    self.ask(one)
        for one in self.asleep:  # nothing has woken them
            self.jobs.processes[one] = replace(self.jobs.processes[one], start_ns=5)

    def add(self, process: int, kind: int, **fields: int) -> None:
        """Add an operation to a process's own, after some time of its own."""
        dice = self.dice
        gap = dice.some(0, 0, 0, 10, 1000)
        column = dice.int(0, len(self.jobs.machine.columns) - 1) if dice.maybe(10) else -1
        self.jobs.rows[process].append(Row(kind, gap=gap, column=column, **fields))

    def someone(self) -> int:
        """Draw a process that is ready."""
        return int(self.dice.some(*self.ready))

    def io(self, process: int = -1) -> None:
        """A few operations on files, often one after the other in one file."""
        dice, jobs = self.dice, self.jobs
        process = self.someone() if process < 0 else process
        if jobs.pieces.buffers and dice.maybe():
            self.io_behind(process)
            return
        file = dice.int(0, jobs.files - 1)
        at = dice.some(0, 0, dice.int(0, 400))
        for _ in range(dice.int(1, 4)):
            kind = dice.some(*IO)
            if kind == STAT:
                kind = dice.some(STAT, *OTHERS)
            # Of operations on names the size says in which of two states they are.
            size = at % 2 if kind in METADATA else 0
            if kind in (READ, WRITE):
                size = dice.some(0, 3, 40, 150, 700)
            if kind == CLOSE:
                size = dice.int(0, 2)
            if kind == PAUSE:
                self.add(process, kind, size=dice.some(0, 0, 30, 500))  # It does nothing so long.
                continue
            self.add(process, kind | self.bits(kind), file=file, offset=at, size=size)
            if kind in (READ, WRITE):
                jobs.reach[file] = max(jobs.reach[file], at + size)
                at = at + size if dice.maybe(80) else dice.int(0, 500)

    def io_behind(self, process: int) -> None:
        """A few operations on a file behind buffers, within what it has room for."""
        dice, jobs = self.dice, self.jobs
        which = dice.int(0, len(jobs.pieces.places) - 1)
        most = jobs.pieces.places[which].size
        at = dice.some(0, 0, dice.int(0, most))
        for _ in range(dice.int(1, 5)):
            kind = dice.some(*IO)
            size = 0
            if kind in (READ, WRITE):
                size = min(most - at, dice.some(0, 3, 40, 150, 700))
            elif kind == CLOSE:
                size = dice.int(0, 2)
            made, file = kind | self.bits(kind), jobs.pieces.first_file + which
            self.add(process, made, file=file, offset=at, size=size)
            if kind in (READ, WRITE):
                at = at + size if dice.maybe(80) else dice.int(0, most)

    def bits(self, kind: int) -> int:
        """Draw whether a read or write is direct, and a write synchronous."""
        dice = self.dice
        if not self.jobs.machine.durable or kind not in (READ, WRITE):
            return 0
        return dice.some(0, 0, DIRECT) | (dice.some(0, SYNCED) if kind == WRITE else 0)

    def ask(self, process: int = -1) -> None:
        """A process asks for pieces of files, a few times, and opens or closes one."""
        dice, pieces = self.dice, self.jobs.pieces
        process = self.someone() if process < 0 else process
        node = self.jobs.processes[process].node
        for _ in range(dice.int(1, 3)):
            file, first, count = pieces.alone(process, node)
            kind = dice.some(ASK_READ, ASK_WRITE)
            self.add(process, kind, file=file, offset=first, size=count)
            if dice.maybe(15):
                kind = dice.some(OPEN, CLOSE, STAT, SEEK)
                self.add(process, kind, file=file, size=dice.int(0, 1))

    def ask_together(self) -> None:
        """Processes ask for pieces, and their requests are merged at the nodes."""
        dice, jobs = self.dice, self.jobs
        some = [one for one in self.ready if dice.maybe(75)] or [self.someone()]
        asks = jobs.pieces.together([(one, jobs.processes[one].node) for one in some])
        kind = dice.some(ASK_READ, ASK_WRITE)
        for one, (file, first, count) in (asks or {}).items():
            self.add(one, kind, file=file, offset=first, size=count)

    def lock(self) -> None:
        """Locks, taken in the order of their numbers, with operations while they are held."""
        dice = self.dice
        process = dice.some(*self.ready, *self.serving)
        held = [one for one in range(self.jobs.locks) if dice.maybe(70)]
        for one in held:
            self.add(process, LOCK, offset=one)
            if dice.maybe(60):
                self.io(process)
        for one in reversed(held):
            self.add(process, UNLOCK, offset=one)

    def barrier(self) -> None:
        """A barrier of some processes."""
        members = [one for one in self.ready if self.dice.maybe(75)] or [self.someone()]
        self.jobs.barriers.append(len(members))
        for one in members:
            self.add(one, BARRIER, offset=len(self.jobs.barriers) - 1)

    def message(self) -> None:
        """Messages along a channel: sent, then received."""
        dice, jobs = self.dice, self.jobs
        source, target = self.someone(), self.someone()
        ends = [(one.source, one.target) for one in jobs.channels]
        if (source, target) in ends:
            channel = ends.index((source, target))
        else:
            channel = len(jobs.channels)
            top = dice.some(-1, *jobs.machine.channel_tops)
            places = jobs.machine.channel_places.get(top, ())
            jobs.channels.append(ChannelPlan(source=source, target=target, top=top, places=places))
        sent = dice.int(1, 3)
        for _ in range(sent):
            self.add(source, SEND, offset=channel, size=dice.some(0, 1, 60, 300))
        for _ in range(sent):
            self.add(target, RECEIVE, offset=channel)

    def mark(self) -> None:
        """A mark that one passes, and others wait for; one may begin with it."""
        jobs = self.jobs
        mark = jobs.marks
        jobs.marks += 1
        self.add(self.someone(), PASS, offset=mark)
        if self.asleep and self.dice.maybe():
            one = self.asleep.pop()
            jobs.processes[one] = replace(jobs.processes[one], born=mark)
            self.ready.append(one)
        for one in self.ready:
            if self.dice.maybe(30):
                self.add(one, WAIT, offset=mark)

    def wake(self) -> None:
        """A process starts another."""
        if not self.asleep:
            return
        jobs = self.jobs
        one = self.asleep.pop()
        jobs.processes[one] = replace(jobs.processes[one], sleeps=True)
        self.add(self.someone(), START, offset=one)
        self.ready.append(one)

    def join(self) -> None:
        """A process waits for another's end; that one has no more to do here."""
        if len(self.ready) < 2 or self.repeat > 1:
            return
        one = self.someone()
        self.ready.remove(one)
        for other in self.ready:
            if self.dice.maybe(40):
                self.add(other, JOIN, offset=one)
