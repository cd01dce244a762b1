"""A process: its phases, its time ahead of the clock, and its requests to files."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import simpy

from simulator.plan.codes import (
    CALLS,
    CLOSE,
    CLOSE_FLUSH,
    CLOSE_QUEUE,
    CLOSE_REPLACED,
    COMPUTE,
    CREATE,
    DIRECT,
    JOB,
    LISTED,
    LOOP,
    MESH,
    OPEN,
    OPERATIONS,
    READ,
    REPLACED,
    STREAM,
    SYNC,
    SYNCED,
    WRITE,
    plain,
)
from simulator.plan.errors import within
from simulator.reference.actor import Actor, Steps
from simulator.reference.copies import copy_out
from simulator.reference.part import RequestTimeoutError
from simulator.reference.phases import ListedPhase, stream
from simulator.reference.phasetimes import PhaseTimes
from simulator.reference.timed import TimedProcess
from simulator.result.result import FailedCalls, Transfer

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from simulator.plan.jobs import PhasePlan
    from simulator.plan.paths import PathPlan
    from simulator.reference.queue import Team
    from simulator.reference.restarts import RestartTeam
    from simulator.reference.tier import Request, Tier
    from simulator.reference.world import World


NONE = -2
"""No file."""


class Process(TimedProcess):
    """One process. Members that share its data have an account each, but do not act."""

    def __init__(self, world: World, number: int) -> None:
        super().__init__(world, number)
        ranks = range(1, 1 if self.plan.queued else self.plan.nodes)
        names = [f"{self.plan.name}/{rank}" for rank in ranks]
        self.others = [Actor(self.machine.clock, -1, name) for name in names]
        self.team: Team | None = None
        """The processes with which a queue starts it."""
        self.read, self.write = Transfer(), Transfer()
        self.phases = PhaseTimes(self)
        self.failures = FailedCalls()
        self.idle_ns = 0
        self.rounds = 0
        """Number of rounds, if it repeats its phases until others end."""
        self.started_ns = -1
        self.ended_ns = -1
        self.written: dict[tuple[int, int], int] = {}
        """(Path, file) -> end of the written range, where a copy follows the process."""
        self.calls: list[tuple[int, int, int, int, int, int]] = []
        """Kind, file, offset, size, begin and end of each call, if calls are recorded."""
        self._opened = (NONE, 0)
        """The file that it opened or created last and has not closed, and the time of that."""
        self._read_file = -1
        self._last = (-1, 0)
        """File and end of its last read or write."""
        self.restarts = world.restarts[self.plan.restart] if self.plan.restart >= 0 else None
        self._passes: Counter[int] = Counter()
        """Number of passes through each of its phases."""

    # -- its phases ---------------------------------------------------------------------------

    def run(self) -> Steps:
        """Run all phases."""
        if self.plan.arrivals >= 0:
            self.started_ns = 0
            self.phases.hold(self.plan.memory)
            yield from self._serve()
        else:
            yield from self._begin()
            self.phases.hold(self.plan.memory)
            yield from self._phases()
        self.ended_ns = self.actor.now
        self.phases.end(self.ended_ns)
        self.world.ended(self)
        self.phases.hold(0)
        if self.team is not None:
            self.team.end_one()
        if self.written:
            number = self.machine.plan.first_copier + self.number
            copier = Actor(self.machine.clock, number, f"{self.plan.name}.copy")
            copier.begin(copy_out(self, copier))

    def _begin(self) -> Steps:
        actor, plan = self.actor, self.plan
        if plan.born >= 0:
            yield from self.world.marks[plan.born].wait(actor)
        elif plan.launched:
            yield from self.world.services.await_start(self)
        elif self.team is not None:
            yield from self.team.begin(self)
        elif plan.sleeps:
            yield actor.blocked(lambda: "another process to start it")
        else:
            yield actor.until(plan.start_ns)
        actor.spent.clear()
        self.started_ns = actor.now

    def _serve(self) -> Steps:
        """Run the phases for each arrival that it takes."""
        arrivals, times = (
            self.world.arrivals[self.plan.arrivals],
            self.world.took[self.plan.arrivals],
        )
        for number, time in arrivals:
            begin = max(self.actor.now, time)
            self.idle_ns += begin - self.actor.now
            yield self.actor.until(begin)
            yield from self._phases()
            self.phases.end(self.actor.now)
            took = self.actor.now - time
            self.world.count(self.plan.job, OPERATIONS[JOB], took)
            self.world.responses[self.plan.job].add(took)
            if times:
                times[number] = took

    def _phases(self) -> Steps:
        """Run the phases ``repeat`` times, or until others end."""
        if self.restarts is not None:
            yield from self._with_restarts(self.restarts)
            return
        if self.plan.until < 0:
            for _ in range(self.plan.repeat):
                for number in self._in_order():
                    yield from self._phase(number)
                    if self.is_stopping():
                        return
            return
        while True:
            began = self.actor.now
            for number in self._in_order():
                yield from self._phase(number)
            self.rounds += 1
            if not self.world.goes_on(self.plan.until, self.rounds):
                return
            if self.actor.now == began:  # It would never reach the end of the others.
                yield self.actor.blocked(lambda: "time to pass: its phases take none")

    def _with_restarts(self, team: RestartTeam) -> Steps:
        """Run rounds until all processes of the job have completed all of them."""
        own = len(self.plan.phases) - self.plan.reading
        while team.rounds < self.plan.repeat:
            yield from self._until_failure(range(own))
            if not self.is_over():
                yield from team.complete(self)
            while self.has_failed() and not self.is_stopping():
                yield from team.restart(self)
                if team.rounds:
                    self._forget(self.plan.phases[own:])
                    yield from self._until_failure(range(own, len(self.plan.phases)))
            if self.is_stopping():
                return

    def _forget(self, phases: Sequence[PhasePlan]) -> None:
        """Drop the clean blocks that the store of its node has of the files of phases."""
        plan = self.world.plan
        for phase in phases:
            path, file = phase.path, phase.file
            if phase.kind == LISTED and plan.operations.file[phase.first] >= 0:
                path, file = plan.path_of(phase.first), plan.operations.file[phase.first]
            store = plan.paths[path].first_store if file >= 0 else -1
            if store >= 0 and plan.tiers[store].slot == 0:
                tier, request = self.request(plan.paths[path], plan.paths[path].top, file)
                tier.forget(request)

    def _until_failure(self, phases: range) -> Steps:
        """Run some of the phases, until the job fails."""
        for number in self._in_order(phases):
            if self.is_over():
                return
            yield from self._phase(number)

    def has_failed(self) -> bool:
        """Return whether its job has failed, and not gone on since."""
        return self.restarts is not None and self.actor.now >= self.restarts.next_ns

    def _in_order(self, part: range | None = None) -> Iterator[int]:
        """Yield the numbers of the phases of a round, or of a part of all; loops lead back."""
        phases = self.plan.phases
        part = part if part is not None else range(len(phases))
        number, rounds = part.start, [0] * len(phases)
        while number < part.stop:
            phase = phases[number]
            if phase.kind != LOOP:
                yield number
            else:
                rounds[number] = (rounds[number] + 1) % phase.loops
                if rounds[number]:
                    number = phase.first
                    continue
            number += 1

    def _phase(self, number: int) -> Steps:
        """Return the steps of one phase."""
        phase = self.plan.phases[number]
        if phase.named >= 0:
            self.phases.begin(phase.named)
        if phase.kind == COMPUTE:
            time = phase.compute_ns
            if self.restarts is not None:
                time = min(time, self.restarts.next_ns - self.actor.now)
            return self.compute(time)
        if phase.kind in (MESH, CALLS):
            return self.world.services.phase(self, phase)
        if phase.kind == STREAM:
            return stream(self, phase)
        passes = self._passes[number]
        self._passes[number] += 1
        return ListedPhase(self, phase, passes).run()

    # -- files --------------------------------------------------------------------------------

    def request(
        self,
        path: PathPlan,
        top: int,
        file: int,
        span: tuple[int, int] = (0, 0),
        *,
        direct: bool = False,
    ) -> tuple[Tier, Request]:
        """Return a request along a path, and its first tier."""
        expected = self._last[1] if self._last[0] == file else 0
        tier, request = self.machine.request(
            self.actor,
            top,
            path.places,
            (self.node,),
            file,
            span,
            sequential=span[0] == expected,
            direct=direct,
        )
        request.give_up_ns = path.give_up_ns
        return tier, request

    def move(self, path: int, file: int, kind: int, offset: int, size: int) -> Steps:
        """Read or write bytes of a file along a path; a synchronous write also syncs the file."""
        plan, span = self.world.plan.paths[path], (offset, offset + size)
        direct = kind & DIRECT != 0
        tier, request = self.request(plan, plan.top, file, span, direct=direct)
        request.of_call = True
        self._last = (file, offset + size)
        if plain(kind) == READ:
            return self._read(tier.read(request), size)
        return self._written(path, kind, request, tier.write(request))

    def _issue(
        self, below: Steps, transfer: Transfer | None = None, size: int = 0
    ) -> Generator[simpy.Event, None, bool]:
        """Issue a request, of ``size`` bytes of a transfer; return whether it was served."""
        try:
            yield from below
        except RequestTimeoutError:
            self.failures.add(self.actor.now)
            if transfer is not None:
                transfer.failed_bytes += size
            return False
        return True

    def _read(self, below: Steps, size: int) -> Steps:
        """Read, and record it."""
        yield from self._issue(below, self.read, size)

    def _written(self, path: int, kind: int, request: Request, below: Steps) -> Steps:
        """Write, and record it; a failed write may also have changed the file."""
        plan, file = self.world.plan.paths[path], request.file
        served = yield from self._issue(below, self.write, request.size)
        self.machine.stable.written(file, self.plan.job)
        if plan.drain >= 0:
            self.written[path, file] = max(self.written.get((path, file), 0), request.high)
        if kind & SYNCED and served:
            yield from self.sync(path, file)
        if plan.remembers:
            self.world.attributes.changed(self.client, file)

    def ask(self, path: int, file: int, kind: int, name: int = 0, *, other: bool = False) -> Steps:
        """Perform a metadata operation on a file, where it has a cost.

        ``name``: 0, or the number, from 1, of the absent name to look up in the file. ``other``:
        the operation is in its other state.
        """
        plan = self.world.plan.paths[path]
        if plan.metadata < 0:
            return
        self.call_cpu()
        yield self.pass_time()
        asked, known = (plan, self.client, file, kind, name), self.world.attributes
        if plan.remembers and known.answer(*asked, self.actor.now):
            return
        tier, request = self.request(plan, plan.metadata, file)
        served = yield from self._issue(
            tier.metadata(replace(request, operation=kind, other=other))
        )
        if not served:
            return
        if plan.remembers and known.answered(*asked, self.actor.now) and plan.first_store >= 0:
            tier, request = self.request(plan, plan.top, file)
            tier.forget(request)

    def is_stopping(self) -> bool:
        """Return whether it ends with the current call, which has failed."""
        return self.plan.stops and self.failures.count > 0

    def is_over(self) -> bool:
        """Return whether it makes no further call: its last one, or its job, has failed."""
        return self.is_stopping() or self.has_failed()

    def sync(self, path: int, file: int) -> Steps:
        """Wait until the written data of a file are on the device."""
        plan = self.world.plan.paths[path]
        tier, request = self.request(plan, plan.top, file)
        yield from self._issue(tier.sync(request))

    def close(self, path: int, file: int, written: int) -> Steps:
        """Close a file that was not written (0), written (1), or truncated and written (2)."""
        plan = self.world.plan.paths[path]
        starts = CLOSE_QUEUE, CLOSE_REPLACED if written == REPLACED else CLOSE_QUEUE
        if written and plan.close in starts:
            self.offer(path, file)
        if written and plan.close == CLOSE_FLUSH:
            yield from self.sync(path, file)
        if not self.is_stopping():
            yield from self.ask(path, file, CLOSE)

    def offer(self, path: int, file: int) -> None:
        """Notify the first store of a path, if any, that a file is closed."""
        plan = self.world.plan.paths[path]
        if plan.first_store >= 0:
            tier, request = self.request(plan, plan.top, file)
            tier.close(request)

    # -- accounts -----------------------------------------------------------------------------

    def note(
        self, kind: int, file: int, began: int, offset: int = 0, size: int = 0, *, timed: bool
    ) -> None:
        """Record a call that ends now; ``timed`` if its latency is recorded."""
        end = self.spent_ns()
        if timed:
            self.world.count(self.plan.job, OPERATIONS[plain(kind)], end - began)
        if self.world.call_curve and plain(kind) in (READ, WRITE):
            self.world.call_curve.ended(end, size, write=plain(kind) == WRITE)
        if self.world.recorded:
            self.calls.append((kind, file, offset, size, began, end))

    def moved(self, kind: int, size: int, file: int, began: int) -> None:
        """Add a read or write of a file that ends now, or a phase of them (file -1)."""
        transfer = self.read if plain(kind) == READ else self.write
        transfer.bytes = within(transfer.bytes + size, self.plan.name, size=True)
        transfer.calls_ns += self.spent_ns() - began
        if transfer is self.read:
            self._read_file = file
        opened, when = self._opened
        transfer.widen(when if opened == file else began, self.spent_ns())

    def beside(self, kind: int, file: int, size: int, began: int) -> None:
        """Record an operation other than read or write: some extend transfer windows."""
        if kind in (OPEN, CREATE):
            self._opened = (file, began)
        if kind == SYNC or (kind == CLOSE and size):
            if self.write.begin_ns >= 0:
                self.write.close(began, self.spent_ns())
        elif kind == CLOSE and self._read_file == file:
            self.read.close(began, self.spent_ns())
        if kind == CLOSE and self._opened[0] == file:
            self._opened = (NONE, 0)
