"""Phases of calls: listed calls, as of a trace, and records streamed through a runtime library."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.plan.codes import (
    ASK_READ,
    ASK_WRITE,
    BARRIER,
    BUFFERS,
    CLOSE,
    CLOSE_REPLACED,
    DIRECT,
    JOIN,
    LOCK,
    LOOKUP,
    METADATA,
    OPEN,
    PASS,
    PAUSE,
    READ,
    RECEIVE,
    RENAME,
    SEEK,
    SEND,
    START,
    SYNC,
    SYNCED,
    UNLOCK,
    WAIT,
    WRITE,
    plain,
)
from simulator.reference.tier import RpcHeader, fork
from simulator.runtime.fortran import RecordStream, record_stream
from simulator.runtime.records import MARK

if TYPE_CHECKING:
    import simpy

    from simulator.plan.jobs import PhasePlan
    from simulator.reference.actor import Actor, Steps
    from simulator.reference.process import Process


TIMED = frozenset(
    (READ, WRITE, SYNC, LOCK, BARRIER, SEND, RECEIVE, ASK_READ, ASK_WRITE, *METADATA),
)
"""Operations whose latency is recorded."""
ASKED = frozenset(METADATA) - {CLOSE}
"""Metadata operations that only send a request; closing may also flush stores."""


class ListedPhase:
    """The operations of one phase, one after the other."""

    def __init__(self, process: Process, phase: PhasePlan, passes: int) -> None:
        self.row = -1
        """The operation that is carried out."""
        self.process = process
        self.passes = passes
        """Number of earlier passes of the process through it."""
        self.world = process.world
        self.actor = process.actor
        self.phase = phase
        self.rows = range(phase.first, phase.first + phase.count)
        self._cuts = dict(phase.cuts)
        self._verbs: dict[int, Callable[[int, int, int], Steps]] = {
            ASK_READ: lambda _, first, count: ask(process, ASK_READ, self.path, first, count),
            ASK_WRITE: lambda _, first, count: ask(process, ASK_WRITE, self.path, first, count),
            CLOSE: self._close,
            SYNC: self._sync,
            LOCK: lambda _, number, __: self.world.locks[number].take(self.actor),
            BARRIER: lambda _, number, __: self.world.barriers[number].meet(self.actor),
            WAIT: self._wait,
            PAUSE: self._pause,
            SEND: self._send,
            RECEIVE: lambda _, number, __: self.world.channels[number].take(self.actor),
            JOIN: lambda _, number, __: self.world.join(self.actor, number),
        }

    @property
    def path(self) -> int:
        """The path of the operation, which is on a file."""
        return self.world.plan.path_of(self.row)

    def run(self) -> Steps:
        """Run all operations."""
        process, table, phase = self.process, self.world.plan.operations, self.phase
        start = process.actor.now
        for i in self._rows():
            self._begin_named(i)
            made, file = table.kind[i], table.file[i]
            self.row = i
            offset, size = self._range(i)
            kind = plain(made)
            if process.pending_ns and self._is_visible(kind, file, size):
                yield process.pass_time()
            began = process.spent_ns()
            if kind in (SEEK, READ, WRITE):
                yield from self._call(made, file, offset, size)
            elif kind in ASKED:
                yield from self._ask(kind, file, offset, size)
            elif kind in self._verbs:
                yield from self._verbs[kind](file, offset, size)
            elif kind == UNLOCK:
                self.world.locks[offset].release()
            elif kind == PASS:
                self.world.marks[offset].pass_by()
            elif kind == START:
                self.world.start(offset)
            process.note(made, file, began, offset, size, timed=kind in TIMED)
            if not phase.size:
                process.beside(kind, file, size, began)
            if process.is_stopping():
                return
        if process.pending_ns:
            yield process.pass_time()
        if phase.size:
            process.moved(WRITE if phase.write else READ, phase.size, -1, start)

    def _rows(self) -> Iterator[int]:
        """Yield the operations, until the job of the process fails."""
        for row in self.rows:
            if self.process.has_failed():
                return
            yield row

    def _range(self, row: int) -> tuple[int, int]:
        """Return the offset and size of an operation, drawn anew if its offset is random."""
        draw, table = self.phase.draw, self.world.plan.operations
        if draw is None or row not in draw.rows:
            return table.offset[row], table.size[row]
        return draw.range_of(table, row, self.passes)

    def _is_visible(self, kind: int, file: int, size: int) -> bool:
        """Return whether an operation is visible to others, so that the clock must catch up."""
        if kind in ASKED:
            return self.world.plan.paths[self.path].metadata >= 0
        if kind in (READ, WRITE):
            return size > 0 and self.process.crowded
        return size > 0 if kind == PAUSE else kind != SEEK

    def _begin_named(self, row: int) -> None:
        """Begin the named phase that starts with an operation, and spend the time before it."""
        if row in self._cuts:
            self.process.phases.begin(self._cuts[row])
        gap, column = self.world.plan.operations.gap[row], self.world.plan.operations.column[row]
        self.process.pending_ns += gap
        if column < 0:
            self.process.compute_ns += gap
        else:
            self.actor.charge(column, 0, gap)

    def _call(self, kind: int, file: int, offset: int, size: int) -> Steps:
        process = self.process
        began = process.spent_ns()
        process.call_cpu(self.path)
        if kind == SEEK:
            return
        if size:
            yield process.pass_time()
            yield from process.move(self.path, file, kind, offset, size)
        if self.phase.size:
            return
        process.moved(kind, size, file, began)

    def _close(self, file: int, offset: int, size: int) -> Steps:
        yield from self.process.close(self.path, file, size)

    def _ask(self, kind: int, file: int, offset: int, size: int) -> Steps:
        path = self.path
        if kind == RENAME and size and self.world.plan.paths[path].close == CLOSE_REPLACED:
            self.process.offer(path, file)
        name = offset + 1 if kind == LOOKUP else 0
        yield from self.process.ask(path, file, kind, name, other=size > 0)

    def _sync(self, file: int, offset: int, size: int) -> Steps:
        self.process.call_cpu(self.path)
        yield self.process.pass_time()
        yield from self.process.sync(self.path, file)

    def _wait(self, file: int, offset: int, size: int) -> Steps:
        if not self.world.marks[offset].passed:
            yield from self.world.marks[offset].wait(self.actor)

    def _pause(self, file: int, offset: int, size: int) -> Steps:
        if size:
            self.process.idle_ns += size
            yield self.actor.until(self.actor.now + size)

    def _send(self, file: int, offset: int, size: int) -> Steps:
        channel = self.world.plan.channels[offset]
        if channel.service >= 0:
            yield from self.world.services.send(self.process, offset, size)
            return
        ends = [self.world.processes[number] for number in (channel.source, channel.target)]
        groups = channel.places or tuple(end.plan.group for end in ends)
        nodes = [end.node for end in ends]
        yield from self.world.send(self.actor, channel.top, groups, nodes, size)
        self.world.channels[offset].put()


def ask(process: Process, kind: int, path: int, first: int, count: int) -> Steps:
    """Send requests for fragments of a file along a path to I/O nodes; wait for the last reply."""
    asked = process.world.plan.asked
    assert asked is not None
    if not count:
        return
    nodes = asked.requests.node
    rows = range(first, first + count)
    branches = [(nodes[row], _branch(process, kind, path, row)) for row in rows]
    yield from fork(process.machine, process.actor, branches)


def _branch(process: Process, kind: int, number: int, row: int) -> Callable[[Actor], Steps]:
    """Return the steps of one request to its node and back."""
    plan, asked = process.world.plan, process.world.plan.asked
    assert asked is not None
    path = plan.paths[number]
    top = last = plan.asked_top(path)
    while plan.tiers[last].kind != BUFFERS:
        last += 1
    nodes = (process.node, asked.requests.node[row])[: plan.tiers[last].slot + 1]
    size, message = asked.requests.size[row], asked.requests.message[row]

    def work(actor: Actor) -> Steps:
        tier, request = process.machine.request(actor, top, path.places, nodes, span=(0, size))
        request = replace(request, asked=RpcHeader(row, process.number, message))
        yield from (tier.read if kind == ASK_READ else tier.write)(request)

    return work


def stream(process: Process, phase: PhasePlan) -> Steps:
    """Run a phase."""
    assert phase.lengths is not None
    began = process.actor.now
    file, write = phase.file, phase.write
    yield from process.ask(phase.path, file, OPEN)
    process.note(OPEN, file, began, timed=True)
    records = record_stream(phase.policy, write=write, buffer=phase.buffer, lengths=phase.lengths)
    copied = yield from _calls(process, phase, records)
    if not process.is_over():
        if process.pending_ns:
            yield process.catch_up()
        ended = process.actor.now
        yield from process.close(phase.path, file, int(write))
        process.note(CLOSE, file, ended, 0, int(write), timed=True)
    process.moved(WRITE if write else READ, copied, file, began)


def _calls(
    process: Process, phase: PhasePlan, records: RecordStream
) -> Generator[simpy.Event, None, int]:
    """Make the calls of a stream; return the number of the program's bytes moved."""
    file, write = phase.file, phase.write
    buffered = phase.policy != "posix"
    copies = buffered or not process.world.plan.paths[phase.path].copied
    bits = (SYNCED if phase.synchronous else 0) | (DIRECT if phase.direct else 0)
    copied = 0
    while not process.is_over():
        more = records.step()
        if records.copied or records.records:
            copied += records.copied
            counts = records.copied, records.records
            if process.plan.nodes > 1 and write:
                yield from _exchange(process, *counts, write=True)
            if copies:
                process.copy(*counts, fortran=buffered)
            if process.plan.nodes > 1 and not write:
                yield from _exchange(process, *counts, write=False)
        if not more:
            break
        offset, size = records.offset, records.size
        moves = records.op != SEEK and size > 0
        turn = range(offset, offset + size) if buffered and moves and size > MARK else None
        own = _call(process, phase.path, turn)
        if moves and process.crowded:
            yield from _begin_call(process, own)
        called = process.spent_ns() - own
        if moves:
            yield process.catch_up()
            yield from process.move(phase.path, file, records.op | bits, offset, size)
        made = records.op | (bits if moves else 0)
        process.note(made, file, called, offset, size, timed=moves)
        if (
            process.is_stopping() and not write
        ):  # Its requested bytes; they have been counted as failed.
            copied += size
    return copied


def _begin_call(process: Process, own_ns: int) -> Steps:
    """Advance the clock to the begin of a call that takes ``own_ns`` of the pending time."""
    if process.pending_ns > own_ns:
        process.pending_ns -= own_ns
        yield process.catch_up()
        process.pending_ns = own_ns


def _call(process: Process, path: int, turn: range | None) -> int:
    """Spend the time of a call; return it without the preceding flush of the buffer.

    ``turn``: the byte range of the file that a flush or refill moves, or None.
    """
    own = service = 0
    if process.cpu is not None:
        turns = process.cpu.spec.turns(turn.start, turn.stop) if turn else 0
        own = service = process.cpu.call(process.actor, turns=turns)
        if turns:
            own = process.cpu.own_ns(service, turns=turns)
    more = process.call_of(path)
    process.pending_ns += service + more
    return own + more


def _exchange(process: Process, size: int, records: int, *, write: bool) -> Steps:
    """Gather each member's share of ``size`` bytes, or scatter it.

    A share is packed record by record, moves, and is unpacked before the next member's turn.
    """
    plan, actor = process.plan, process.actor
    for rank in range(1, plan.nodes):
        share = size * (rank + 1) // plan.nodes - size * rank // plan.nodes
        if not share:
            continue
        ends = [process.cpus[0], process.cpus[rank]]
        nodes = (process.node, process.nodes[rank])
        sender, receiver = reversed(ends) if write else ends
        packing = sender.copy(actor, share, records) if sender else 0
        process.pending_ns += packing
        yield process.catch_up()
        way = nodes[::-1] if write else nodes
        groups = plan.exchange_places or (plan.group, plan.group)
        yield from process.world.send(actor, plan.exchange, groups, way, share)
        unpacking = receiver.copy(actor, share, records) if receiver else 0
        process.pending_ns += unpacking
        if ends[1] is not None and process.others:
            share_ns = packing if write else unpacking
            process.others[rank - 1].charge(ends[1].column, 0, share_ns)
