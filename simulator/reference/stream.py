"""A phase that reads or writes records of a file through a runtime library's buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.plan.codes import CLOSE, DIRECT, OPEN, READ, SEEK, SYNCED, WRITE
from simulator.runtime.fortran import record_stream
from simulator.runtime.records import MARK

if TYPE_CHECKING:
    from simulator.plan.jobs import PhasePlan
    from simulator.reference.actor import Steps
    from simulator.reference.process import Process


def stream(process: Process, phase: PhasePlan) -> Steps:
    """Carry out a phase."""
    assert phase.lengths is not None
    began = process.actor.now
    file, write = phase.file, phase.write
    yield from process.ask(phase.path, file, OPEN)
    process.note(OPEN, file, began, timed=True)
    records = record_stream(phase.policy, write=write, buffer=phase.buffer, lengths=phase.lengths)
    buffered = phase.policy != "posix"
    bits = (SYNCED if phase.synchronous else 0) | (DIRECT if phase.direct else 0)
    copied = 0
    more = True
    while more:
        more = records.step()
        copied += records.copied
        if records.copied or records.records:
            counts = records.copied, records.records
            yield from _copy(process, *counts, write=write, fortran=buffered)
        if not more:
            break
        offset, size = records.offset, records.size
        moves = records.op != SEEK and size > 0
        turn = range(offset, offset + size) if buffered and moves and size > MARK else None
        own = _call(process, phase.path, turn)
        if moves and process.crowded and process.pending_ns > own:
            process.pending_ns -= own
            yield process.catch_up()
            process.pending_ns = own
        called = process.spent_ns() - own
        if moves:
            yield process.catch_up()
            yield from process.move(phase.path, file, records.op | bits, offset, size)
        made = records.op | bits if moves else records.op
        process.note(made, file, called, offset, size, timed=moves)
    if process.pending_ns:
        yield process.catch_up()
    ended = process.actor.now
    yield from process.close(phase.path, file, written=write)
    process.note(CLOSE, file, ended, 0, int(write), timed=True)
    process.moved(WRITE if write else READ, copied, file, began)


def _call(process: Process, path: int, turn: range | None) -> int:
    """Spend the time of a call; return how much of it is not the turn of the buffer before it.

    ``turn``: the bytes of the file that a turn moves, or None.
    """
    cpu = process.cpus[0]
    own = service = 0
    if cpu is not None:
        turns = cpu.spec.turns(turn.start, turn.stop) if turn else 0
        service = cpu.call(process.actor, turns=turns)
        own = cpu.own_ns(service, turns=turns)
    more = process.call_of(path)
    process.pending_ns += service + more
    return own + more


def _copy(process: Process, size: int, records: int, *, write: bool, fortran: bool) -> Steps:
    """Move data between the programs and the buffer of the process.

    Only a Fortran runtime spends time on each record; a share is packed record by record anyway.
    """
    cpu = process.cpus[0]
    if write:
        yield from _exchange(process, size, records, write=True)
    if cpu is not None:
        process.pending_ns += cpu.copy(process.actor, size, records if fortran else 0)
    if not write:
        yield from _exchange(process, size, records, write=False)


def _exchange(process: Process, size: int, records: int, *, write: bool) -> Steps:
    """Gather each member's share of ``size`` bytes, or send it its share.

    A share is packed record by record, moves, and is unpacked before the next member's turn.
    """
    plan, actor = process.plan, process.actor
    for rank, other in enumerate(process.others, start=1):
        share = size * (rank + 1) // plan.nodes - size * rank // plan.nodes
        if not share:
            continue
        ends = [process.cpus[0], process.cpus[rank]]
        nodes = (plan.node, plan.node + rank)
        sender, receiver = reversed(ends) if write else ends
        packing = sender.copy(actor, share, records) if sender else 0
        process.pending_ns += packing
        yield process.catch_up()
        way = nodes[::-1] if write else nodes
        groups = plan.exchange_places or (plan.group, plan.group)
        yield from process.world.send(actor, plan.exchange, groups, way, share)
        unpacking = receiver.copy(actor, share, records) if receiver else 0
        process.pending_ns += unpacking
        if ends[1] is not None:
            other.charge(ends[1].column, 0, packing if write else unpacking)
