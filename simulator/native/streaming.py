# cython: infer_types=True
"""A process that writes or reads a stream of records: its library's calls, one after the other.

A stream ends with PHASE_OVER. Where a process has members that share its data, they exchange it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.codes import *
from simulator.native.listed import Listed
from simulator.native.tiers import Tiers
from simulator.native.wide import divided, times
from simulator.native.writeback import WriteBack
from simulator.runtime.records import NO_LIMIT
from simulator.runtime.streams import RecordStreams

if TYPE_CHECKING:
    from simulator.native.tables import ProcessTables


class Streaming(Listed):
    """Processes with their streams."""

    def __init__(
        self, tiers: Tiers, back: WriteBack, streams: RecordStreams, tables: ProcessTables
    ) -> None:
        super().__init__(tiers, back, streams, tables)
        # What the process whose turn it is has used of its cpu since that was booked.
        self.uses = 0
        self.used = 0
        self.used_bytes = 0

    def step_stream(self, slot: int, x: int, place: int) -> int:  # noqa: PLR0911 - one each
        """Let a process act that is in a stream."""
        if place == AT_CALLED:
            self.move_stream(slot, x)
            return GO
        if place == AT_MOVED:
            self.end_call(slot, x)
            return self.pump(slot, x)
        if place == AT_PACKED:
            return self.packed(slot, x)
        if place == AT_CROSSED:
            return self.crossed(slot, x)
        if place == AT_PUMP:
            return self.pump(slot, x)
        if place == AT_BEGUN:
            self.process[x + X_CALLED] = self.clock.now
            self.process[x + X_PENDING] = self.process[x + X_OWN]
            return self.catch_up_stream(slot, x, AT_CALLED)
        if place == AT_OPENED:
            self.note(x, O_OPEN, 0, 0)
            return self.pump(slot, x)
        if place == AT_FLUSHED:
            return self.close_stream(slot, x)
        if place == AT_SYNCED:
            return self.close_meta(slot, x)
        if place == AT_STOPPED:
            return self.stopped(slot, x)
        return self.closed(slot, x)

    def begin_stream(self, slot: int, x: int, row: int) -> int:
        """Begin to write or read records, with opening the file."""
        self.streams.restart(
            slot * STREAM,
            self.phase[row + H_POLICY],
            self.phase[row + H_WRITE],
            self.phase[row + H_BUFFER],
            NO_LIMIT,
            self.phase[row + H_LENGTHS],
        )
        self.process[x + X_FILE] = self.phase[row + H_FILE]
        self.process[x + X_PATH] = self.phase[row + H_PATH]
        self.process[x + X_BEGAN] = self.clock.now
        self.process[x + X_CALLED] = self.clock.now
        self.process[x + X_MOVED] = 0
        if self.has_metadata(x):
            return self.call_meta(slot, x, O_OPEN, AT_OPENED)
        self.note(x, O_OPEN, 0, 0)
        return self.pump(slot, x)

    def catch_up_stream(self, slot: int, x: int, place: int) -> int:
        """Do so in a stream, of which the timeline shows it as one service."""
        if self.parts.timing:
            instance = self.process[x + X_INSTANCE]
            self.parts.note(instance, self.clock.now, self.process[x + X_PENDING], 0)
        return self.catch_up(slot, x, place)

    def copy_ns(self, cpu: int, size: int, records: int) -> int:
        """As ``PeSpec.copy_ns``."""
        handling = times(records, self.parts.spec[cpu + P_RECORD])
        rate = self.copy_ns_per_byte[cpu >> P_BITS]
        return self.clock.transfer(handling, size, rate, OF_PART, cpu)

    def use(self, slot: int, x: int, service: int, size: int) -> int:
        """Let a process use its cpu; returns how long, in ns. It is booked by ``settle``."""
        cpu, instance = self.process[x + X_CPU], self.process[x + X_INSTANCE]
        self.uses += 1
        number = self.parts.state[4 * instance + REQUESTS] + self.uses
        service = self.parts.stretch_nth(cpu, instance, service, number)
        self.used = self.clock.within(self.used + service, OF_ACTOR, slot)
        self.used_bytes = self.clock.within(self.used_bytes + size, OF_PART + OF_BYTES, cpu)
        return service

    def settle(self, slot: int, x: int) -> None:
        """Book what a process has used of its cpu, all at once."""
        cpu, instance = self.process[x + X_CPU], self.process[x + X_INSTANCE]
        self.parts.state[4 * instance + REQUESTS] += self.uses
        self.parts.book(cpu, instance, self.used_bytes, self.used)
        self.parts.charge(slot, self.parts.spec[cpu + P_COLUMN], 0, self.used)
        self.pend(slot, x, self.used)
        self.uses = self.used = self.used_bytes = 0

    def copy_user(self, slot: int, x: int) -> None:
        """Copy between the program and its buffer; only Fortran spends time on each record.

        What a program moves by itself may be copied by a memory on the way.
        """
        stream = slot * STREAM
        size = self.streams.copied[stream]
        records = self.streams.records[stream]
        if self.streams.policy[stream] == POSIX:
            if self.path[self.process[x + X_PATH] + A_COPIED]:
                return
            records = 0
        self.use(slot, x, self.copy_ns(self.process[x + X_CPU], size, records), size)

    def copy(self, slot: int, x: int, member: int, size: int, records: int) -> int:
        """Copy records at one of the members of a process; returns how long it takes, in ns."""
        cpu = self.process[x + X_CPU]
        service = self.copy_ns(cpu, size, records)
        service = self.parts.spend(slot, cpu, self.process[x + X_INSTANCE] + member, service, size)
        self.pend(slot, x, service)
        return service

    def pump(self, slot: int, x: int) -> int:
        """Take the runtime's calls one after the other, until one moves data."""
        stream = slot * STREAM
        while not self.clock.short:
            more = self.streams.step(stream)
            if self.streams.ended:
                self.clock.exceed(OF_INTERRUPT, 0)
                return GO
            copied = self.streams.copied[stream]
            self.process[x + X_MOVED] += copied
            if copied or self.streams.records[stream]:
                if self.process[x + X_NODES] == 1:
                    self.copy_user(slot, x)
                elif self.begin_exchange(slot, x, more):
                    return self.catch_up_stream(slot, x, AT_PACKED)
            if not more:
                return self.flush(slot, x)
            if self.call_stream(slot, x):
                return self.begin_call(slot, x)
        self.settle(slot, x)
        self.process[x + X_PLACE] = AT_PUMP
        return GO

    def begin_exchange(self, slot: int, x: int, more: int) -> bool:
        """Begin to exchange what members share; returns whether there is anything.

        What is written is copied once it is together, what is read before.
        """
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        write = self.phase[row + H_WRITE]
        self.process[x + X_MORE] = more
        self.process[x + X_RANK] = 0
        if not write:
            self.copy_user(slot, x)
        self.settle(slot, x)
        if self.exchange(slot, x):
            return True
        if write:
            self.copy_user(slot, x)
        return False

    def begin_call(self, slot: int, x: int) -> int:
        """Catch up with a call that moves data; on a crowded node with its begin first.

        On others the request is at its first tier already when that time has passed.
        """
        self.settle(slot, x)
        if not self.process[x + X_CROWDED]:
            time = self.catch_up_stream(slot, x, AT_CALLED)
            self.move_stream(slot, x)
            return time
        own = self.clock.now + self.process[x + X_PENDING] - self.process[x + X_CALLED]
        if self.process[x + X_PENDING] == own:
            return self.catch_up_stream(slot, x, AT_CALLED)
        self.process[x + X_OWN] = own
        self.process[x + X_PENDING] -= own
        return self.catch_up_stream(slot, x, AT_BEGUN)

    def call_stream(self, slot: int, x: int) -> bool:
        """Make the runtime's call; returns whether it moves data."""
        stream = slot * STREAM
        size = self.streams.size[stream]
        moves = self.streams.op[stream] != O_SEEK and size > 0
        cpu = self.process[x + X_CPU]
        own = self.parts.spec[cpu + P_CALL]
        whole = own
        if moves and size > MARK and self.streams.policy[stream] != POSIX:
            turns = self.turns(cpu, self.streams.offset[stream], size)
            whole += times(turns, self.parts.spec[cpu + P_TURN])
            whole = self.clock.within(whole, OF_PART, cpu)
        service = self.use(slot, x, whole, 0)
        if whole != own:
            service = divided(service, own, whole)
        path = self.process[x + X_PATH]
        more = self.path[path + A_CALL]
        if more:
            self.parts.charge(slot, self.path[path + A_CALL_COLUMN], 0, more)
            self.pend(slot, x, more)
            service += more
        pending = self.process[x + X_PENDING] + self.used
        self.process[x + X_CALLED] = self.clock.now + pending - service
        if not moves and self.recording:
            self.settle(slot, x)
            low = self.streams.offset[stream]
            self.write_log(x, self.streams.op[stream], self.process[x + X_FILE], low, size)
        return moves

    def turns(self, cpu: int, low: int, size: int) -> int:
        """As ``PeSpec.turns``."""
        unit = self.parts.spec[cpu + P_UNIT]
        return (low + size - 1) // unit - low // unit + 1 if unit else 1

    def move_stream(self, slot: int, x: int) -> None:
        """Begin the request of a call of the runtime; a synchronous write has two."""
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        bits = self.phase[row + H_BITS]
        stream = slot * STREAM
        low = self.streams.offset[stream]
        op = R_READ if self.streams.op[stream] == O_READ else R_WRITE
        self.process[x + X_PLACE] = AT_MOVED
        self.move(slot, x, op, low, low + self.streams.size[stream], bits)
        if bits & SYNCED and op == R_WRITE:
            self.process[x + X_AFTER] = AT_MOVED
            self.process[x + X_PLACE] = AT_SYNC

    def end_call(self, slot: int, x: int) -> None:
        """A call of the runtime has moved its bytes."""
        stream = slot * STREAM
        op = self.streams.op[stream]
        low, size = self.streams.offset[stream], self.streams.size[stream]
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        self.note(x, op | self.phase[row + H_BITS], low, size)
        if op == O_WRITE:
            self.note_change(x)
        if self.phase[row + H_DRAIN] >= 0 and self.phase[row + H_WRITE]:
            drain = self.phase[row + H_DRAIN] * Z_ROWS + Z_BYTES
            self.drain[drain] = max(self.drain[drain], low + size)

    def flush(self, slot: int, x: int) -> int:
        """The runtime makes no more calls: let the rest of the time pass."""
        self.settle(slot, x)
        if self.process[x + X_PENDING]:
            return self.catch_up_stream(slot, x, AT_FLUSHED)
        return self.close_stream(slot, x)

    def close_stream(self, slot: int, x: int) -> int:
        """Close the file of a stream."""
        self.process[x + X_CALLED] = self.clock.now
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        written = self.phase[row + H_WRITE]
        if written and self.close_written(slot, x, written, AT_SYNCED):
            return GO
        return self.close_meta(slot, x)

    def close_meta(self, slot: int, x: int) -> int:
        """Tell the metadata server that the file of a stream is closed."""
        if self.has_metadata(x):
            return self.call_meta(slot, x, O_CLOSE, AT_CLOSED)
        return self.closed(slot, x)

    def closed(self, slot: int, x: int) -> int:
        """The file of a stream is closed: the phase is over."""
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        self.note(x, O_CLOSE, 0, self.phase[row + H_WRITE])
        self.end_transfer(slot, x, row)
        return PHASE_OVER

    def stopped(self, slot: int, x: int) -> int:
        """A call has failed with which the process ends."""
        after = self.process[x + X_AFTER]
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        if after >= AT_LISTED:
            self.end_listed(slot, x)
        elif after == AT_MOVED:
            self.end_call(slot, x)
            if not self.phase[row + H_WRITE]:  # What it asked for; it has been counted as failed.
                self.process[x + X_MOVED] += self.streams.size[slot * STREAM]
        elif after == AT_OPENED:
            self.note(x, O_OPEN, 0, 0)
        else:
            self.note(x, O_CLOSE, 0, self.phase[row + H_WRITE])
        if after < AT_LISTED:
            self.end_transfer(slot, x, row)
        self.end(slot, x)
        return BLOCKED

    def end_transfer(self, slot: int, x: int, row: int) -> None:
        """A stream has ended: what it moved, and when."""
        write = self.phase[row + H_WRITE]
        began, now = self.process[x + X_BEGAN], self.clock.now
        if write:
            self.more_bytes(slot, x + X_WRITE_BYTES, self.process[x + X_MOVED])
            self.process[x + X_WRITE_NS] += now - began
            self.widen(x, X_WRITE_FIRST, began, now)
        else:
            self.more_bytes(slot, x + X_READ_BYTES, self.process[x + X_MOVED])
            self.process[x + X_READ_NS] += now - began
            self.process[x + X_READ_FILE] = self.process[x + X_FILE]
            self.widen(x, X_READ_FIRST, began, now)

    # -- members that share the data --------------------------------------------------------------

    def exchange(self, slot: int, x: int) -> bool:
        """Pack the next member's share; returns whether there is one."""
        size = self.streams.copied[slot * STREAM]
        members = self.process[x + X_NODES]
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        rank = self.process[x + X_RANK] + 1
        while rank < members:
            before = divided(size, rank, members)
            share = divided(size, rank + 1, members) - before
            if share:
                self.process[x + X_RANK] = rank
                self.process[x + X_SHARE] = share
                write = self.phase[row + H_WRITE]
                records = self.streams.records[slot * STREAM]
                service = self.copy(slot, x, rank if write else 0, share, records)
                if write:
                    self.share_out(slot, x, rank, service)
                return True
            rank += 1
        return False

    def share_out(self, slot: int, x: int, rank: int, service: int) -> None:
        """Write down what a member has spent."""
        row = self.process[x + X_SHARES] + rank
        self.shared[row] = self.clock.within(self.shared[row] + service, OF_ACTOR, slot)

    def packed(self, slot: int, x: int) -> int:
        """A share has been packed: send it."""
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        master = self.process[x + X_NODE]
        other = master + self.process[x + X_RANK]
        self.process[x + X_PLACE] = AT_CROSSED
        tier = self.process[x + X_EXCHANGE]
        if tier < 0:
            return self.crossed(slot, x)
        where, places = self.process[x + X_WHERE], self.process[x + X_WHERE_COUNT]
        share = self.process[x + X_SHARE]
        if self.phase[row + H_WRITE]:
            self.message(slot, tier, where, places, other, master, share)
        else:
            self.message(slot, tier, where, places, master, other, share)
        return GO

    def crossed(self, slot: int, x: int) -> int:
        """A share has come: it is unpacked, and the next has its turn."""
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        write = self.phase[row + H_WRITE]
        rank = self.process[x + X_RANK]
        share, records = self.process[x + X_SHARE], self.streams.records[slot * STREAM]
        service = self.copy(slot, x, 0 if write else rank, share, records)
        if not write:
            self.share_out(slot, x, rank, service)
        if self.exchange(slot, x):
            return self.catch_up_stream(slot, x, AT_PACKED)
        if write:
            self.copy_user(slot, x)
        if not self.process[x + X_MORE]:
            return self.flush(slot, x)
        if self.call_stream(slot, x):
            return self.begin_call(slot, x)
        return self.pump(slot, x)
