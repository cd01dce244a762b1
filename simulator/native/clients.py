# cython: infer_types=True
"""The processes at work: phase after phase, call after call; ``docs/composition.md``.

``step`` lets a process act that has no request under way. Like the tiers it gives a time, BLOCKED,
or GO if it has begun a request. Where a process goes on is its *place*.
"""

from __future__ import annotations

from simulator.native.processes import Processes
from simulator.runtime.records import NO_LIMIT

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # interpreted, and Cython is not there: as in a browser
    from simulator.native.interpreted import cython

if not cython.compiled:
    from simulator.native.codes import (
        A_CLOSE,
        A_META,
        A_TOP,
        ACTOR,
        AT_ARRIVED,
        AT_AWAITED,
        AT_CALLED,
        AT_CLOSED,
        AT_COMPUTED,
        AT_CROSSED,
        AT_FLUSHED,
        AT_FLUSHED_LISTED,
        AT_LISTED,
        AT_LISTED_CALLED,
        AT_LISTED_ENDED,
        AT_LOCKED,
        AT_MET,
        AT_META,
        AT_MOVED,
        AT_OPENED,
        AT_PACKED,
        AT_PUMP,
        AT_RECEIVING,
        AT_SENT,
        AT_START,
        AT_SYNC,
        AT_SYNCED,
        AT_SYNCED_LISTED,
        BLOCKED,
        BY_FLUSH,
        BY_QUEUE,
        GO,
        H_BUFFER,
        H_COMPUTE,
        H_COUNT,
        H_DRAIN,
        H_FILE,
        H_FIRST,
        H_KIND,
        H_LENGTHS,
        H_PATH,
        H_POLICY,
        H_ROWS,
        H_WRITE,
        INDEX,
        MARK,
        N_COUNT,
        N_FROM,
        N_ROWS,
        N_TO,
        N_TOP,
        N_WAITING,
        O_BARRIER,
        O_CLOSE,
        O_JOB,
        O_JOIN,
        O_LOCK,
        O_OPEN,
        O_PASS,
        O_PAUSE,
        O_READ,
        O_RECEIVE,
        O_SEEK,
        O_SEND,
        O_START,
        O_STAT,
        O_SYNC,
        O_UNLOCK,
        O_WAIT,
        O_WRITE,
        P_BITS,
        P_CALL,
        P_RECORD,
        P_TURN,
        POSIX,
        R_META,
        R_READ,
        R_SYNC,
        R_WRITE,
        READY,
        W_COMPUTE,
        W_LISTED,
        X_AFTER,
        X_ARRIVALS,
        X_ARRIVED,
        X_ASLEEP,
        X_BEGAN,
        X_CALLED,
        X_COMPUTED,
        X_COUNTED,
        X_CPU,
        X_DRAIN_COUNT,
        X_DRAINS,
        X_ENDED,
        X_EXCHANGE,
        X_FILE,
        X_FIRST_PHASE,
        X_INSTANCE,
        X_JOINERS,
        X_MORE,
        X_MOVED,
        X_NODE,
        X_NODES,
        X_PATH,
        X_PENDING,
        X_PHASE,
        X_PHASES,
        X_PLACE,
        X_RANK,
        X_READ_BYTES,
        X_READ_NS,
        X_REPEAT,
        X_ROUND,
        X_ROW,
        X_ROW_END,
        X_SHARE,
        X_SHARES,
        X_STARTED,
        X_WRITE_BYTES,
        X_WRITE_NS,
        Z_BYTES,
        Z_FILE,
        Z_PATH,
        Z_ROWS,
    )


class Clients(Processes):
    """All processes at work."""

    def step(self, slot: int) -> int:
        """Let a process act."""
        x = self.actor[slot * ACTOR + INDEX]
        place = self.process[x + X_PLACE]
        if place == AT_CALLED:
            self.process[x + X_PLACE] = AT_MOVED
            low = self.streams.offset[slot]
            op = R_READ if self.streams.op[slot] == O_READ else R_WRITE
            self.move(slot, x, op, low, low + self.streams.size[slot])
            return GO
        if place == AT_MOVED:
            self.end_call(slot, x)
            return self.pump(slot, x)
        if place == AT_PACKED:
            return self.packed(slot, x)
        if place == AT_CROSSED:
            return self.crossed(slot, x)
        if place >= AT_LISTED:
            return self.step_listed(slot, x, place)
        if place == AT_OPENED:
            self.note(x, O_OPEN, 0, 0)
            return self.pump(slot, x)
        if place == AT_FLUSHED:
            return self.close_stream(slot, x)
        if place == AT_SYNCED:
            return self.close_meta(slot, x)
        if place == AT_CLOSED:
            return self.closed(slot, x)
        if place == AT_START:
            self.process[x + X_STARTED] = self.clock.now
        return self.next_phase(slot, x)  # at the start, or computed

    def step_listed(self, slot: int, x: int, place: int) -> int:
        """Let a process act that is at a listed operation, or at what others have as well."""
        if place == AT_LISTED:
            return self.take_listed(slot, x)
        if place == AT_PUMP:
            return self.pump(slot, x)
        if place == AT_LISTED_CALLED:
            row = self.process[x + X_ROW]
            self.process[x + X_PLACE] = AT_LISTED_ENDED
            op = R_READ if self.kind[row] == O_READ else R_WRITE
            self.move(slot, x, op, self.offset[row], self.offset[row] + self.size[row])
            if op == R_WRITE and self.process[x + X_DRAIN_COUNT]:
                end = self.offset[row] + self.size[row]
                self.note_written(x, end)
            return GO
        if place == AT_META:
            self.process[x + X_PLACE] = self.process[x + X_AFTER]
            self.request(slot, x, self.path[self.process[x + X_PATH] + A_META], R_META, 0, 0)
            return GO
        if place == AT_SYNC:
            self.process[x + X_PLACE] = self.process[x + X_AFTER]
            self.request(slot, x, self.path[self.process[x + X_PATH] + A_TOP], R_SYNC, 0, 0)
            return GO
        if place == AT_ARRIVED:
            self.process[x + X_PHASE] = -1
            self.process[x + X_ROUND] = 0
            return self.next_phase(slot, x)
        if place == AT_FLUSHED_LISTED:
            return self.next_phase(slot, x)
        if place == AT_SYNCED_LISTED:
            if self.path[self.process[x + X_PATH] + A_META] >= 0:
                return self.call_meta(slot, x, AT_LISTED_ENDED)
        waited = self.clock.now - self.process[x + X_CALLED]
        row = self.process[x + X_ROW]
        if place == AT_AWAITED:
            self.parts.charge(slot, self.others_column, waited, 0)
        elif place == AT_RECEIVING:
            self.parts.charge(slot, self.others_column, waited, 0)
            self.channel[self.offset[row] * N_ROWS + N_COUNT] -= 1
        elif place == AT_LOCKED:
            self.parts.charge(slot, self.lock_column, waited, 0)
        elif place == AT_MET:
            self.parts.charge(slot, self.barrier_column, waited, 0)
        elif place == AT_SENT:
            self.deliver(self.offset[row])
        self.end_listed(x)
        return self.take_listed(slot, x)

    # -- phases ---------------------------------------------------------------------------------

    def begin(self, slot: int, x: int) -> int:
        """A process that serves arrivals begins; returns the time of its first alarm, or -1."""
        time = self.next_arrival(x)
        self.process[x + X_PLACE] = AT_ARRIVED
        if time < 0:
            self.end(slot, x)
        return time

    def next_phase(self, slot: int, x: int) -> int:
        """Begin the next phase of a process, or end it."""
        phase = self.process[x + X_PHASE] + 1
        if phase >= self.process[x + X_PHASES]:
            phase = 0
            self.process[x + X_ROUND] += 1
            if (
                self.process[x + X_ROUND] >= self.process[x + X_REPEAT]
                or not self.process[x + X_PHASES]
            ):
                return self.end_round(slot, x)
        self.process[x + X_PHASE] = phase
        row = (self.process[x + X_FIRST_PHASE] + phase) * H_ROWS
        if self.phase[row + H_KIND] == W_COMPUTE:
            self.process[x + X_COMPUTED] += self.phase[row + H_COMPUTE]
            self.process[x + X_PLACE] = AT_COMPUTED
            return self.clock.now + self.phase[row + H_COMPUTE]
        if self.phase[row + H_KIND] == W_LISTED:
            self.process[x + X_ROW] = self.phase[row + H_FIRST]
            self.process[x + X_ROW_END] = self.phase[row + H_FIRST] + self.phase[row + H_COUNT]
            self.process[x + X_COUNTED] = 0
            return self.take_listed(slot, x)
        self.streams.restart(
            slot,
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
        if self.path[self.process[x + X_PATH] + A_META] >= 0:
            return self.call_meta(slot, x, AT_OPENED)
        self.note(x, O_OPEN, 0, 0)
        return self.pump(slot, x)

    def end_round(self, slot: int, x: int) -> int:
        """All phases are done: the next job, or the end."""
        if self.process[x + X_ARRIVALS] >= 0:
            self.count_latency(O_JOB, self.clock.now - self.process[x + X_ARRIVED])
            time = self.next_arrival(x)
            if time >= 0:
                self.process[x + X_PLACE] = AT_ARRIVED
                return time
        self.end(slot, x)
        return BLOCKED

    def end(self, slot: int, x: int) -> None:
        """A process ends: those that wait for it go on, and its copier begins."""
        self.process[x + X_ENDED] = self.clock.now
        first = self.process[x + X_JOINERS]
        self.process[x + X_JOINERS] = -1
        self.wake_all(first)
        if self.process[x + X_DRAIN_COUNT]:
            self.start_copier(x)

    # -- the cpu --------------------------------------------------------------------------------

    def catch_up(self, x: int, place: int) -> int:
        """Let the time pass that a process has spent by itself, in one event."""
        time = self.clock.now + self.process[x + X_PENDING]
        self.process[x + X_PENDING] = 0
        self.process[x + X_PLACE] = place
        return time

    def catch_up_stream(self, x: int, place: int) -> int:
        """Do so in a stream, of which the timeline shows it as one service."""
        if self.parts.timing:
            instance = self.process[x + X_INSTANCE]
            self.parts.note(instance, self.clock.now, self.process[x + X_PENDING], 0)
        return self.catch_up(x, place)

    def call(self, slot: int, x: int) -> None:
        """Make a call of the operating system, of which the timeline shows the overhead."""
        instance = self.process[x + X_INSTANCE]
        cpu = self.process[x + X_CPU]
        service = self.parts.spend(slot, cpu, instance, self.parts.spec[cpu + P_CALL], 0)
        if self.parts.timing:
            began = self.clock.now + self.process[x + X_PENDING]
            self.parts.note(instance, began, service, 0)
        self.process[x + X_PENDING] += service

    def call_meta(self, slot: int, x: int, after: int) -> int:
        """Make a call that is answered by the metadata server."""
        self.call(slot, x)
        self.process[x + X_AFTER] = after
        return self.catch_up(x, AT_META)

    def copy_ns(self, cpu: int, size: int, records: int) -> int:
        """As ``PeSpec.copy_ns``."""
        transfer = int(size * self.copy_ns_per_byte[cpu >> P_BITS] + 0.5)
        return records * self.parts.spec[cpu + P_RECORD] + transfer

    def copy(self, slot: int, x: int, member: int, size: int) -> int:
        """Copy data at one of the members of a process; returns how long it takes, in ns."""
        cpu = self.process[x + X_CPU]
        service = self.copy_ns(cpu, size, self.streams.records[slot])
        service = self.parts.spend(slot, cpu, self.process[x + X_INSTANCE] + member, service, size)
        self.process[x + X_PENDING] += service
        return service

    # -- streams --------------------------------------------------------------------------------

    def pump(self, slot: int, x: int) -> int:
        """Take the runtime's calls one after the other, until one moves data."""
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        write = self.phase[row + H_WRITE]
        while True:
            if self.clock.short:
                self.process[x + X_PLACE] = AT_PUMP
                return GO
            more = self.streams.step(slot)
            self.process[x + X_MORE] = more
            copied = self.streams.copied[slot]
            self.process[x + X_MOVED] += copied
            if copied or self.streams.records[slot]:
                if self.process[x + X_NODES] > 1:
                    self.process[x + X_RANK] = 0
                    if not write:
                        self.copy(slot, x, 0, copied)
                    if self.exchange(slot, x):
                        return self.catch_up_stream(x, AT_PACKED)
                    if write:
                        self.copy(slot, x, 0, copied)
                else:
                    self.copy(slot, x, 0, copied)
            if not more:
                return self.flush(slot, x)
            if self.call_stream(slot, x):
                return self.catch_up_stream(x, AT_CALLED)

    def call_stream(self, slot: int, x: int) -> bool:
        """Make the runtime's call; returns whether it moves data."""
        size = self.streams.size[slot]
        moves = self.streams.op[slot] != O_SEEK and size > 0
        cpu = self.process[x + X_CPU]
        own = self.parts.spec[cpu + P_CALL]
        whole = own
        if moves and size > MARK and self.streams.policy[slot] != POSIX:
            whole += self.parts.spec[cpu + P_TURN]
        service = self.parts.spend(slot, cpu, self.process[x + X_INSTANCE], whole, 0)
        self.process[x + X_PENDING] += service
        if whole != own:
            service = service * own // whole
        self.process[x + X_CALLED] = self.clock.now + self.process[x + X_PENDING] - service
        if not moves and self.recording:
            self.write_log(
                x,
                self.streams.op[slot],
                self.process[x + X_FILE],
                self.streams.offset[slot],
                size,
            )
        return moves

    def end_call(self, slot: int, x: int) -> None:
        """A call of the runtime has moved its bytes."""
        low, size = self.streams.offset[slot], self.streams.size[slot]
        self.note(x, self.streams.op[slot], low, size)
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        if self.phase[row + H_DRAIN] >= 0 and self.phase[row + H_WRITE]:
            drain = self.phase[row + H_DRAIN] * Z_ROWS + Z_BYTES
            self.drain[drain] = max(self.drain[drain], low + size)

    def note_written(self, x: int, end: int) -> None:
        """A listed write to a file that may be drained has been made."""
        file, path = self.process[x + X_FILE], self.process[x + X_PATH]
        for number in range(self.process[x + X_DRAIN_COUNT]):
            row = (self.process[x + X_DRAINS] + number) * Z_ROWS
            if self.drain[row + Z_FILE] == file and self.drain[row + Z_PATH] == path:
                self.drain[row + Z_BYTES] = max(self.drain[row + Z_BYTES], end)
                return

    def flush(self, slot: int, x: int) -> int:
        """The runtime makes no more calls: let the rest of the time pass."""
        if self.process[x + X_PENDING]:
            return self.catch_up_stream(x, AT_FLUSHED)
        return self.close_stream(slot, x)

    def close_stream(self, slot: int, x: int) -> int:
        """Close the file of a stream."""
        self.process[x + X_CALLED] = self.clock.now
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        if self.phase[row + H_WRITE] and self.close_written(slot, x, AT_SYNCED):
            return GO
        return self.close_meta(slot, x)

    def close_written(self, slot: int, x: int, after: int) -> bool:
        """Do what closing a file means that was written; returns whether that is a request."""
        path = self.process[x + X_PATH]
        close = self.path[path + A_CLOSE]
        if close == BY_QUEUE:
            self.close_store(slot, x)
        if close != BY_FLUSH:
            return False
        self.process[x + X_PLACE] = after
        self.request(slot, x, self.path[path + A_TOP], R_SYNC, 0, 0)
        return True

    def close_meta(self, slot: int, x: int) -> int:
        """Tell the metadata server that the file of a stream is closed."""
        if self.path[self.process[x + X_PATH] + A_META] >= 0:
            return self.call_meta(slot, x, AT_CLOSED)
        return self.closed(slot, x)

    def closed(self, slot: int, x: int) -> int:
        """The file of a stream is closed: go on to the next phase."""
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        write = self.phase[row + H_WRITE]
        self.note(x, O_CLOSE, 0, write)
        passed = self.clock.now - self.process[x + X_BEGAN]
        if write:
            self.process[x + X_WRITE_BYTES] += self.process[x + X_MOVED]
            self.process[x + X_WRITE_NS] += passed
        else:
            self.process[x + X_READ_BYTES] += self.process[x + X_MOVED]
            self.process[x + X_READ_NS] += passed
        return self.next_phase(slot, x)

    # -- members that share the data --------------------------------------------------------------

    def exchange(self, slot: int, x: int) -> bool:
        """Pack the next member's share; returns whether there is one."""
        size = self.streams.copied[slot]
        members = self.process[x + X_NODES]
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        rank = self.process[x + X_RANK] + 1
        while rank < members:
            share = size * (rank + 1) // members - size * rank // members
            if share:
                self.process[x + X_RANK] = rank
                self.process[x + X_SHARE] = share
                write = self.phase[row + H_WRITE]
                service = self.copy(slot, x, rank if write else 0, share)
                if write:
                    self.shared[self.process[x + X_SHARES] + rank] += service
                return True
            rank += 1
        return False

    def packed(self, slot: int, x: int) -> int:
        """A share has been packed: send it."""
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        master = self.process[x + X_NODE]
        other = master + self.process[x + X_RANK]
        self.process[x + X_PLACE] = AT_CROSSED
        tier = self.process[x + X_EXCHANGE]
        if tier < 0:
            return self.crossed(slot, x)
        if self.phase[row + H_WRITE]:
            self.message(slot, tier, other, master, self.process[x + X_SHARE])
        else:
            self.message(slot, tier, master, other, self.process[x + X_SHARE])
        return GO

    def crossed(self, slot: int, x: int) -> int:
        """A share has come: it is unpacked, and the next has its turn."""
        row = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        write = self.phase[row + H_WRITE]
        rank = self.process[x + X_RANK]
        service = self.copy(slot, x, 0 if write else rank, self.process[x + X_SHARE])
        if not write:
            self.shared[self.process[x + X_SHARES] + rank] += service
        if self.exchange(slot, x):
            return self.catch_up_stream(x, AT_PACKED)
        if write:
            self.copy(slot, x, 0, self.streams.copied[slot])
        if not self.process[x + X_MORE]:
            return self.flush(slot, x)
        if self.call_stream(slot, x):
            return self.catch_up_stream(x, AT_CALLED)
        return self.pump(slot, x)

    # -- listed operations ----------------------------------------------------------------------

    def take_listed(self, slot: int, x: int) -> int:
        """Take listed operations one after the other, until one takes time."""
        while self.process[x + X_ROW] < self.process[x + X_ROW_END]:
            if self.clock.short:
                self.process[x + X_PLACE] = AT_LISTED
                return GO
            row = self.process[x + X_ROW]
            if not self.process[x + X_COUNTED]:
                self.process[x + X_COUNTED] = 1
                self.process[x + X_PENDING] += self.gap[row]
                if self.column[row] < 0:
                    self.process[x + X_COMPUTED] += self.gap[row]
                else:
                    self.parts.charge(slot, self.column[row], 0, self.gap[row])
            kind = self.kind[row]
            if self.file[row] >= 0:
                self.process[x + X_FILE] = self.file[row]
                self.process[x + X_PATH] = self.file_path[self.file[row]]
            if kind > O_WRITE and self.process[x + X_PENDING] and not self.is_free(x, kind):
                return self.catch_up(x, AT_LISTED)
            self.process[x + X_CALLED] = self.clock.now + self.process[x + X_PENDING]
            if kind <= O_WRITE:
                self.call(slot, x)
                if kind != O_SEEK and self.size[row]:
                    return self.catch_up(x, AT_LISTED_CALLED)
            else:
                time = self.do_listed(slot, x, row, kind)
                if time != READY:
                    return time
            self.end_listed(x)
        if self.process[x + X_PENDING]:
            return self.catch_up(x, AT_FLUSHED_LISTED)
        return self.next_phase(slot, x)

    def is_free(self, x: int, kind: int) -> bool:
        """Whether an operation takes no time, and others cannot see it."""
        if kind == O_PAUSE:
            return True
        if kind != O_OPEN and kind != O_STAT:  # noqa: PLR1714 - compiled
            return False
        return self.path[self.process[x + X_PATH] + A_META] < 0

    def do_listed(self, slot: int, x: int, row: int, kind: int) -> int:
        """Carry out an operation that moves no data; READY if it has ended, else as ``step``."""
        target = self.offset[row]
        if kind == O_OPEN or kind == O_STAT or kind == O_CLOSE:  # noqa: PLR1714 - compiled
            return self.do_meta(slot, x, row, kind)
        if kind == O_SYNC:
            self.call(slot, x)
            self.process[x + X_AFTER] = AT_LISTED_ENDED
            return self.catch_up(x, AT_SYNC)
        if kind == O_PASS:
            self.pass_by(target)
        elif kind == O_WAIT and not self.passed[target]:
            self.wait_for_mark(slot, target)
            return self.block(x, AT_AWAITED)
        elif kind == O_LOCK and not self.take_lock(slot, target):
            return self.block(x, AT_LOCKED)
        elif kind == O_UNLOCK:
            self.leave_lock(target)
        elif kind == O_BARRIER and not self.meet(slot, target):
            return self.block(x, AT_MET)
        elif kind == O_SEND:
            channel = target * N_ROWS
            if self.channel[channel + N_TOP] < 0:
                self.deliver(target)
                return READY
            self.process[x + X_PLACE] = AT_SENT
            self.message(
                slot,
                self.channel[channel + N_TOP],
                self.channel[channel + N_FROM],
                self.channel[channel + N_TO],
                self.size[row],
            )
            return GO
        elif kind == O_RECEIVE:
            channel = target * N_ROWS
            if self.channel[channel + N_COUNT]:
                self.channel[channel + N_COUNT] -= 1
                return READY
            self.channel[channel + N_WAITING] = 1
            return self.block(x, AT_RECEIVING)
        elif kind == O_START or kind == O_JOIN:  # noqa: PLR1714 - compiled
            return self.do_start(slot, x, target, kind)
        return READY

    def do_start(self, slot: int, x: int, target: int, kind: int) -> int:
        """Start another process, or wait for its end."""
        other = self.actor[target * ACTOR + INDEX]
        if kind == O_START:
            if self.process[other + X_ASLEEP]:
                self.process[other + X_ASLEEP] = 0
                self.clock.wake(target)
        elif self.process[other + X_ENDED] < 0:
            self.wait_for_end(slot, other)
            return self.block(x, AT_AWAITED)
        return READY

    def do_meta(self, slot: int, x: int, row: int, kind: int) -> int:
        """Open, close or look up a file."""
        if kind == O_CLOSE and self.size[row] > 0 and self.close_written(slot, x, AT_SYNCED_LISTED):
            return GO
        if self.path[self.process[x + X_PATH] + A_META] >= 0:
            return self.call_meta(slot, x, AT_LISTED_ENDED)
        return READY

    def block(self, x: int, place: int) -> int:
        """Wait for another process."""
        self.process[x + X_PLACE] = place
        return BLOCKED

    def end_listed(self, x: int) -> None:
        """A listed operation has ended."""
        row = self.process[x + X_ROW]
        kind = self.kind[row]
        size = self.size[row]
        begin = self.process[x + X_CALLED]
        end = self.clock.now + self.process[x + X_PENDING]
        if kind == O_READ:
            self.process[x + X_READ_BYTES] += size
            self.process[x + X_READ_NS] += end - begin
        elif kind == O_WRITE:
            self.process[x + X_WRITE_BYTES] += size
            self.process[x + X_WRITE_NS] += end - begin
        self.count_latency(kind, end - begin)
        if self.recording:
            self.write_log(x, kind, self.file[row], self.offset[row], size)
        self.process[x + X_ROW] = row + 1
        self.process[x + X_COUNTED] = 0
