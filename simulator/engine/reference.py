"""The reference engine: the model as SimPy processes, readable and easy to extend.

One process for each job's master PE, one for each write-back worker, and one for each
remote copy after a job. The PEs that a master shares its data with have no process of
their own: sending is synchronous, so that the master's steps are theirs as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import simpy

from simulator.engine.identities import check_identities
from simulator.engine.parts import Parts
from simulator.engine.result import ClientResult, Result, SimulationError, Span, Transfer
from simulator.machine.actor import Actor, Steps
from simulator.machine.crossbar import cross
from simulator.runtime.fortran import READ, SEEK, record_stream
from simulator.runtime.records import MARK

if TYPE_CHECKING:
    from simulator.engine.plan import JobPlan, PhasePlan, Plan
    from simulator.runtime.fortran import RecordStream


class Client:
    """One job: the master PE's process, and the accounts of the others."""

    def __init__(self, parts: Parts, actor: Actor, job: JobPlan, copier: Actor) -> None:
        self.parts = parts
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

    def run(self) -> Steps:
        """The life of the job."""
        actor, job = self.actor, self.job
        yield actor.until(job.start_ns)
        actor.started_ns = job.start_ns
        for _ in range(job.repeat):
            for phase in job.phases:
                if phase.work == "compute":
                    actor.compute_ns += phase.compute_ns
                    yield actor.until(actor.now + phase.compute_ns)
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
                self.pending_ns += self.pe.call(self.actor, turn=turn)
                if moves:
                    yield self._catch_up()
                    yield from self._issue(phase, stream)
        if self.pending_ns:
            yield self._catch_up()
        if write:
            yield from self._close(phase)
        done = self.write if write else self.read
        done.bytes += moved
        done.elapsed_ns += self.actor.now - began

    def _catch_up(self) -> simpy.Event:
        """Let the time pass that the job's PEs have spent by themselves, in one event."""
        pending, self.pending_ns = self.pending_ns, 0
        if self.parts.log is not None:
            self.parts.log.append(Span(self.pe.name, self.actor.now, pending, 0))
        return self.actor.until(self.actor.now + pending)

    def _issue(self, phase: PhasePlan, stream: RecordStream) -> Steps:
        """Carry out one call of the runtime along the phase's path."""
        offset, size = stream.offset, stream.size
        parts, actor, port = self.parts, self.actor, self.port
        if phase.path == "scfs":
            assert parts.scfs is not None
            file = parts.cached[phase.file]
            move = parts.scfs.read if stream.op == READ else parts.scfs.write
            yield from move(actor, port, file, offset, size)
        elif phase.path == "nfs":
            assert parts.nfs is not None
            reach = parts.nfs.read if stream.op == READ else parts.nfs.write
            yield from reach(actor, port, phase.file, offset, size)
        else:
            assert parts.svio is not None
            yield from parts.svio.write(actor, port, size)
            end = max(self.printed.get(phase.file, 0), offset + size)
            self.printed[phase.file] = end

    def _close(self, phase: PhasePlan) -> Steps:
        if phase.path == "scfs":
            assert self.parts.scfs is not None
            yield from self.parts.scfs.close(self.actor, self.parts.cached[phase.file])

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
            before = pe.busy_ns
            self.pending_ns += sender.copy(actor, share, records)
            yield self._catch_up()
            yield actor.until(cross(actor, *way, share))
            self.pending_ns += receiver.copy(actor, share, records)
            other.charge(pe.name, 0, pe.busy_ns - before)

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


def run_reference(plan: Plan, *, timeline: bool = False, debug: bool = False) -> Result:
    """Carry out a plan with SimPy.

    ``timeline`` keeps every service; ``debug`` checks the sample-path identities.
    Raises :class:`SimulationError` naming the clients that are blocked at the end.
    """
    env = simpy.Environment()
    count = len(plan.jobs)
    workers = plan.machine.ssu.workers if plan.machine.ssu else 0
    parts = Parts(env, plan, lan_number=2 * count + workers, log=timeline)
    clients = []
    for number, job in enumerate(plan.jobs):
        copier = Actor(env, count + workers + number, f"{job.name}.rcp")
        clients.append(Client(parts, Actor(env, number, job.name), job, copier))
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
    )
