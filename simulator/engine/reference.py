"""The reference engine: the model as SimPy processes, readable and easy to extend.

One process for each job's master PE, one for each write-back worker, and one for each
remote copy after a job. The PEs that a master shares its data with have no process of
their own: sending is synchronous, so that the master's steps are theirs as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import simpy

from simulator.engine.identities import check_identities
from simulator.engine.marks import OTHERS_PART, Marks
from simulator.engine.parts import Parts
from simulator.engine.result import ClientResult, Result, Span, Transfer
from simulator.machine.actor import Actor, Steps
from simulator.machine.crossbar import cross
from simulator.result.calls import CallLog
from simulator.result.errors import SimulationError
from simulator.runtime.fortran import READ, SEEK, record_stream
from simulator.runtime.listed import CALLS, CLOSE, OPEN, PASS, WAIT
from simulator.runtime.records import MARK

if TYPE_CHECKING:
    from simulator.engine.plan import JobPlan, PathName, PhasePlan, Plan


Row: TypeAlias = tuple[int, int, int, int, int, int]
"""Kind, file, offset, size, begin, end of a call."""


class Client:
    """One job: the master PE's process, and the accounts of the others."""

    def __init__(
        self, parts: Parts, actor: Actor, job: JobPlan, copier: Actor, marks: Marks
    ) -> None:
        self.parts = parts
        self.marks = marks
        self.actor = actor
        self.job = job
        self.copier = copier
        self.pe = parts.pes[job.first_pe]
        self.port = parts.ports[job.first_pe]
        self.read = Transfer()
        self.write = Transfer()
        self.others = [Actor(parts.env, -1, f"{actor.name}/{rank}") for rank in range(1, job.pes)]
        self.printed: dict[int, int] = {}
        self.pending_ns = 0
        """Time that the job's PEs have spent and the clock has not yet seen."""
        self.calls: list[Row] = []
        """The calls that the job made."""

    def run(self) -> Steps:
        """The life of the job."""
        actor, job = self.actor, self.job
        if job.born < 0:
            yield actor.until(job.start_ns)
        else:
            yield self.marks.wait(actor, job.born)
        actor.started_ns = actor.now
        for _ in range(job.repeat):
            for phase in job.phases:
                if phase.work == "compute":
                    actor.compute_ns += phase.compute_ns
                    yield actor.until(actor.now + phase.compute_ns)
                elif phase.work == "calls":
                    yield from self._listed(phase)
                else:
                    yield from self._transfer(phase)
        actor.ended_ns = actor.now
        if self.printed:
            actor.env.process(self._copy_out())

    def _copy_out(self) -> Steps:
        """The remote copy after the job: one file after the other, in the order of printing."""
        assert self.parts.svio is not None
        self.copier.now = self.actor.ended_ns
        yield self.copier.until(self.copier.now)
        for file in dict.fromkeys(phase.file for phase in self.job.phases):
            if file in self.printed:
                yield from self.parts.svio.copy_out(self.copier, file, self.printed[file])

    # -- a phase ------------------------------------------------------------------------

    def _transfer(self, phase: PhasePlan) -> Steps:
        assert phase.lengths is not None
        began = self.actor.now
        write = phase.work == "write"
        stream = record_stream(
            phase.policy, write=write, buffer=phase.buffer, lengths=phase.lengths
        )
        buffered = phase.policy != "posix"
        self._note(OPEN, phase.file, began)
        moved = 0
        more = True
        while more:
            more = stream.step()
            moved += stream.copied
            if stream.copied or stream.records:
                yield from self._copy(stream.copied, stream.records, write=write)
            if more:
                moves = stream.op != SEEK and stream.size > 0
                turn = buffered and moves and stream.size > MARK
                service = self.pe.call(self.actor, turn=turn)
                self.pending_ns += service
                called = self._spent_ns() - self.pe.own_ns(service, turn=turn)
                offset, size = stream.offset, stream.size
                if moves:
                    yield self._catch_up()
                    yield from self._move(phase.path, phase.file, stream.op, offset, size)
                self._note(stream.op, phase.file, called, offset, size)
        if self.pending_ns:
            yield self._catch_up()
        self._note(CLOSE, phase.file, self.actor.now, 0, int(write))
        if write and phase.path == "scfs":
            yield from self._close(phase.file)
        done = self.write if write else self.read
        done.bytes += moved
        done.elapsed_ns += self.actor.now - began

    def _catch_up(self) -> simpy.Event:
        """Let the time pass that the job's PEs have spent by themselves, in one event."""
        if self.parts.log is not None:
            self.parts.log.append(Span(self.pe.name, self.actor.now, self.pending_ns, 0))
        return self._pass_time()

    def _pass_time(self) -> simpy.Event:
        pending, self.pending_ns = self.pending_ns, 0
        return self.actor.until(self.actor.now + pending)

    def _move(self, path: PathName, file: int, op: int, offset: int, size: int) -> Steps:
        """Carry out one call that moves data, along a path."""
        parts, actor, port = self.parts, self.actor, self.port
        if path == "scfs":
            assert parts.scfs is not None
            move = parts.scfs.read if op == READ else parts.scfs.write
            yield from move(actor, port, parts.cached[file], offset, size)
        elif path == "nfs":
            assert parts.nfs is not None
            reach = parts.nfs.read if op == READ else parts.nfs.write
            yield from reach(actor, port, file, offset, size)
        else:
            assert parts.svio is not None
            yield from parts.svio.write(actor, port, size)
            self.printed[file] = max(self.printed.get(file, 0), offset + size)

    def _close(self, file: int) -> Steps:
        assert self.parts.scfs is not None
        yield from self.parts.scfs.close(self.actor, self.parts.cached[file])

    # -- listed calls -----------------------------------------------------------------------

    def _listed(self, phase: PhasePlan) -> Steps:
        """A phase whose calls are listed: see ``runtime/listed.py``."""
        table = self.parts.plan.calls
        assert table is not None
        for i in range(phase.first_call, phase.first_call + phase.calls):
            self.actor.compute_ns += table.gap[i]
            self.pending_ns += table.gap[i]
            kind, file, offset, size = table.kind[i], table.file[i], table.offset[i], table.size[i]
            if kind in (CLOSE, PASS, WAIT) and self.pending_ns:
                yield self._pass_time()
            began = self._spent_ns()
            if kind in CALLS:
                yield from self._call(kind, file, offset, size)
            elif kind == PASS:
                self.marks.pass_by(offset)
            elif kind == WAIT and not self.marks.passed[offset]:
                yield self.marks.wait(self.actor, offset)
                self.actor.charge(OTHERS_PART, self.actor.now - began, 0)
            elif kind == CLOSE and size and self.parts.plan.files[file].path == "scfs":
                yield from self._close(file)
            self._note(kind, file, began, offset, size)
        if self.pending_ns:
            yield self._pass_time()

    def _call(self, kind: int, file: int, offset: int, size: int) -> Steps:
        """One listed call: its overhead, and the bytes it moves."""
        began = self._spent_ns()
        service = self.pe.call(self.actor, turn=False)
        self.pending_ns += service
        if self.parts.log is not None:
            self.parts.log.append(Span(self.pe.name, began, service, 0))
        if kind == SEEK:
            return
        if size:
            yield self._pass_time()
            path = self.parts.plan.files[file].path
            yield from self._move(path, file, kind, offset, size)
        done = self.read if kind == READ else self.write
        done.bytes += size
        done.elapsed_ns += self._spent_ns() - began

    def _spent_ns(self) -> int:
        """The time it is for the job's PEs, which may be ahead of the clock."""
        return self.actor.now + self.pending_ns

    def _note(self, kind: int, file: int, began: int, offset: int = 0, size: int = 0) -> None:
        """Write down a call that has ended."""
        if self.parts.recorded:
            self.calls.append((kind, file, offset, size, began, self._spent_ns()))

    # -- data inside the job --------------------------------------------------------------

    def _copy(self, size: int, records: int, *, write: bool) -> Steps:
        """Move user data between the PEs' programs and the master's buffer."""
        if write:
            yield from self._exchange(size, records, write=True)
        self.pending_ns += self.pe.copy(self.actor, size, records)
        if not write:
            yield from self._exchange(size, records, write=False)

    def _exchange(self, size: int, records: int, *, write: bool) -> Steps:
        """Gather each other PE's share of ``size`` bytes, or send it its share.

        A share is packed record by record, crosses the crossbar, and is unpacked before the
        next PE's turn.
        """
        actor, pes = self.actor, self.job.pes
        for rank, other in enumerate(self.others, start=1):
            share = size * (rank + 1) // pes - size * rank // pes
            if not share:
                continue
            number = self.job.first_pe + rank
            pe, port = self.parts.pes[number], self.parts.ports[number]
            sender, receiver = (pe, self.pe) if write else (self.pe, pe)
            way = (port, self.port) if write else (self.port, port)
            packing = sender.copy(actor, share, records)
            self.pending_ns += packing
            yield self._catch_up()
            yield actor.until(cross(actor, *way, share))
            unpacking = receiver.copy(actor, share, records)
            self.pending_ns += unpacking
            other.charge(pe.name, 0, packing if write else unpacking)

    # -- the outcome ----------------------------------------------------------------------

    def results(self) -> list[ClientResult]:
        """The master's result, then those of the PEs that it shares data with."""
        master = _client_result(self.actor, self.actor, self.read, self.write)
        return [
            master,
            *(_client_result(self.actor, o, Transfer(), Transfer()) for o in self.others),
        ]


def _client_result(master: Actor, actor: Actor, read: Transfer, write: Transfer) -> ClientResult:
    elapsed = master.ended_ns - master.started_ns
    spent = actor.compute_ns + sum(wait + service for wait, service in actor.spent.values())
    return ClientResult(
        name=actor.name,
        started_ns=master.started_ns,
        ended_ns=master.ended_ns,
        read=read,
        write=write,
        compute_ns=actor.compute_ns,
        idle_ns=0 if actor is master else elapsed - spent,
        parts={part: (w, s) for part, (w, s) in sorted(actor.spent.items()) if w or s},
    )


def run_reference(
    plan: Plan, *, timeline: bool = False, debug: bool = False, record: bool = False
) -> Result:
    """Carry out a plan with SimPy.

    ``timeline`` keeps every service, ``record`` every call of the clients; ``debug`` checks the
    sample-path identities.
    Raises :class:`SimulationError` naming the clients that are blocked at the end.
    """
    env = simpy.Environment()
    count = len(plan.jobs)
    workers = plan.machine.ssu.workers if plan.machine.ssu else 0
    parts = Parts(env, plan, lan_number=2 * count + workers, log=timeline, recorded=record)
    marks = Marks(plan.calls.marks if plan.calls else 0)
    clients = []
    for number, job in enumerate(plan.jobs):
        copier = Actor(env, count + workers + number, f"{job.name}.rcp")
        clients.append(Client(parts, Actor(env, number, job.name), job, copier, marks))
    staff = [Actor(env, count + i, f"writeback{i}") for i in range(workers)]
    prestage_ns = _prestage(plan, parts)
    for client in clients:
        env.process(client.run())
    for worker in staff:
        assert parts.ssu is not None
        env.process(parts.ssu.work(worker))
    env.run()
    result = _collect(plan, parts, clients, staff, prestage_ns)
    if debug:
        check_identities(plan, parts.books(), result)
    return result


def _prestage(plan: Plan, parts: Parts) -> int:
    """Load what is to be prestaged; returns the time it would take one after the other."""
    if parts.ssu is None:
        return 0
    total = 0
    for number, file in enumerate(plan.files):
        if file.prestaged and number in parts.cached:
            loaded = parts.ssu.prestage(parts.cached[number])
            total += parts.backing.unloaded_read_ns(number, loaded, parts.ssu.spec.unit)
    return total


def _collect(
    plan: Plan, parts: Parts, clients: list[Client], staff: list[Actor], prestage_ns: int
) -> Result:
    blocked = [client.actor.name for client in clients if client.actor.ended_ns < 0]
    if blocked:
        raise SimulationError(f"clients wait for ever: {', '.join(blocked)}")
    actors = [*staff, *(c.actor for c in clients), *(c.copier for c in clients)]
    rings = parts.nfs.lan.rings if parts.nfs else 0
    return Result(
        machine=plan.machine.name,
        workload=plan.workload,
        engine="reference",
        seed=plan.seed,
        run=plan.run,
        digest=plan.digest,
        elapsed_ns=max((c.actor.ended_ns for c in clients), default=0),
        end_ns=int(parts.env.now),
        clients=[result for client in clients for result in client.results()],
        parts=parts.results(),
        cache=parts.cache_counts(),
        prestage_ns=prestage_ns,
        events=sum(actor.alarms for actor in actors) + rings,
        spans=parts.log or [],
        calls=_call_log(clients) if parts.recorded else None,
    )


def _call_log(clients: list[Client]) -> CallLog:
    log = CallLog([], [])
    for client in clients:
        log.first.append(len(log.kind))
        log.count.append(len(client.calls))
        for row in client.calls:
            for column, value in zip(log.columns(), row, strict=True):
                column.append(value)
    return log
