# cython: infer_types=True
"""Listed operations, and what all processes do at their beginning and end; docs/composition.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.mixing import mix
from simulator.native.codes import *
from simulator.native.metadata import Metadata

if TYPE_CHECKING:
    from simulator.native.tables import ProcessTables
    from simulator.native.tiers import Tiers
    from simulator.native.writeback import WriteBack
    from simulator.runtime.streams import RecordStreams


class Listed(Metadata):
    """Processes at listed operations."""

    def __init__(
        self, tiers: Tiers, back: WriteBack, streams: RecordStreams, tables: ProcessTables
    ) -> None:
        super().__init__(tiers, back, streams, tables)
        self.draw = tables.draw
        """Operations whose places are drawn each time,"""
        self.draw_key = tables.draw_key
        """and the keys of their draws."""
        self.rounds = tables.rounds
        """For each row of processes that go on as long as others, rounds that are certain."""
        self.awaited = tables.awaited
        """Processes that have not ended, and that others go on for."""
        self.turned = NOT_TURNED
        """What has just begun again, if that is watched: the row of a loop, or A_ROUND."""

    def step_listed(self, slot: int, x: int, place: int) -> int:  # noqa: PLR0911, PLR0912
        """Let a process act that is at a listed operation, or at what others have as well."""
        if place == AT_LISTED:
            return self.take_listed(slot, x)
        if place == AT_LISTED_CALLED:
            row = self.process[x + X_ROW]
            self.process[x + X_PLACE] = AT_LISTED_ENDED
            kind = self.kind[row]
            op = R_READ if kind & KIND_BITS == O_READ else R_WRITE
            low = self.process[x + X_OFFSET]
            end = low + self.process[x + X_SIZE]
            self.move(slot, x, op, low, end, kind)
            if kind & SYNCED:
                self.process[x + X_AFTER] = AT_LISTED_ENDED
                self.process[x + X_PLACE] = AT_SYNC
            if op == R_WRITE and self.process[x + X_DRAIN_COUNT]:
                self.note_written(x, end)
            return GO
        if place == AT_META:
            return self.ask_meta(slot, x)
        if place == AT_ANSWERED:
            return self.answered(slot, x)
        if place == AT_SYNC:
            self.process[x + X_PLACE] = self.process[x + X_AFTER]
            self.request(slot, x, self.path[self.process[x + X_PATH] + A_TOP], R_SYNC, 0, 0)
            return GO
        if place == AT_ARRIVED:
            self.process[x + X_PHASE] = -1
            self.process[x + X_ROUND] = 0
            return PHASE_OVER
        if place == AT_FLUSHED_LISTED:
            return self.end_list(slot, x)
        if place == AT_SYNCED_LISTED and self.has_metadata(x):
            return self.call_meta(slot, x, O_CLOSE, AT_LISTED_ENDED)
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
        self.end_listed(slot, x)
        return self.take_listed(slot, x)

    # -- what is watched --------------------------------------------------------------------------

    def turn(self, watch: int, what: int) -> None:
        """Something begins again; if it is watched, the run is left as soon as that may be."""
        if watch and self.clock.alarms >= watch:
            self.turned = what
            self.clock.short = 1

    # -- phases ---------------------------------------------------------------------------------

    def begin_arrivals(self, slot: int, x: int) -> int:
        """A process that serves arrivals begins; returns the time of its first alarm, or -1."""
        self.hold(x, 1)
        time = self.next_arrival(slot, x)
        self.process[x + X_PLACE] = AT_ARRIVED
        if time < 0:
            self.end(slot, x)
        return time

    def end_round(self, slot: int, x: int) -> int:
        """All phases are done: the next job, or the end."""
        if self.process[x + X_ARRIVALS] >= 0:
            self.end_named(x, self.clock.now)
            took = self.clock.now - self.process[x + X_ARRIVED]
            self.count_latency(O_JOB, took)
            self.count_response(x, took)
            time = self.next_arrival(slot, x)
            if time >= 0:
                self.process[x + X_PLACE] = AT_ARRIVED
                self.turn(self.process[x + X_WATCH], A_ROUND)
                return time
        self.end(slot, x)
        return BLOCKED

    def end(self, slot: int, x: int) -> None:
        """A process ends: those that wait for it go on, and its copier begins."""
        self.process[x + X_ENDED] = self.clock.now
        self.end_named(x, self.clock.now)
        if self.process[x + X_UNTIL] < 0:
            self.awaited -= 1
        first = self.process[x + X_JOINERS]
        self.process[x + X_JOINERS] = -1
        self.wake_all(first)
        self.hold(x, -1)
        if self.process[x + X_DRAIN_COUNT]:
            self.start_copier(x)

    def goes_on(self, x: int) -> bool:
        """Whether a process that goes on as long as others goes through its phases again."""
        row, done = self.process[x + X_UNTIL], self.process[x + X_ROUND]
        if row < 0:
            return False
        if self.awaited and self.rounds[row] <= done:
            self.rounds[row] = done + 1
        return done < self.rounds[row]

    # -- the cpu --------------------------------------------------------------------------------

    def call_file(self, slot: int, x: int) -> None:
        """Make a call along a path, which may cost more than any other."""
        self.call(slot, x)
        path = self.process[x + X_PATH]
        more = self.path[path + A_CALL]
        if more:
            self.parts.charge(slot, self.path[path + A_CALL_COLUMN], 0, more)
            self.pend(slot, x, more)

    def note_written(self, x: int, end: int) -> None:
        """A listed write to a file that may be drained has been made."""
        file, path = self.process[x + X_FILE], self.process[x + X_PATH]
        for number in range(self.process[x + X_DRAIN_COUNT]):
            row = (self.process[x + X_DRAINS] + number) * Z_ROWS
            if self.drain[row + Z_FILE] == file and self.drain[row + Z_PATH] == path:
                self.drain[row + Z_BYTES] = max(self.drain[row + Z_BYTES], end)
                return

    # -- listed operations ----------------------------------------------------------------------

    def take_listed(self, slot: int, x: int) -> int:
        """Take listed operations one after the other, until one takes time."""
        while self.process[x + X_ROW] < self.process[x + X_ROW_END] or self.pass_cut(x):
            if self.clock.short:
                self.process[x + X_PLACE] = AT_LISTED
                return GO
            row = self.process[x + X_ROW]
            if not self.process[x + X_COUNTED]:
                self.process[x + X_COUNTED] = 1
                self.pend(slot, x, self.gap[row])
                if self.column[row] < 0:
                    self.process[x + X_COMPUTED] += self.gap[row]
                else:
                    self.parts.charge(slot, self.column[row], 0, self.gap[row])
            kind = self.kind[row] & KIND_BITS
            self.find_place(x, row)
            if self.file[row] >= 0:
                self.process[x + X_FILE] = self.file[row]
                self.process[x + X_PATH] = self.file_path[self.file[row]]
            if self.process[x + X_PENDING] and self.is_seen(x, kind):
                return self.catch_up(slot, x, AT_LISTED)
            self.process[x + X_CALLED] = self.clock.now + self.process[x + X_PENDING]
            if kind <= O_WRITE:
                self.call_file(slot, x)
                if kind != O_SEEK and self.process[x + X_SIZE]:
                    return self.catch_up(slot, x, AT_LISTED_CALLED)
            else:
                time = self.do_listed(slot, x, row, kind)
                if time != READY:
                    return time
            self.end_listed(slot, x)
        if self.process[x + X_PENDING]:
            return self.catch_up(slot, x, AT_FLUSHED_LISTED)
        return self.end_list(slot, x)

    def is_seen(self, x: int, kind: int) -> bool:
        """Whether the time before an operation has to have passed when it begins."""
        if kind == O_PAUSE:
            return self.process[x + X_SIZE] != 0
        if kind > O_WRITE:
            return not self.is_free(x, kind)
        if kind == O_SEEK or not self.process[x + X_SIZE]:
            return False
        return self.process[x + X_CROWDED] != 0

    def find_place(self, x: int, row: int) -> None:
        """Have the offset and size of an operation, drawn anew if it is one of those."""
        self.process[x + X_OFFSET] = self.offset[row]
        self.process[x + X_SIZE] = self.size[row]
        phase = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        number = self.phase[phase + H_DRAW]
        draw = number * D_ROWS
        if number < 0 or row < self.draw[draw + D_FIRST] or row >= self.draw[draw + D_END]:
            return
        each = self.draw[draw + D_EACH]
        call = (row - self.draw[draw + D_FIRST]) // each
        part = row - self.draw[draw + D_FIRST] - call * each
        places = self.draw[draw + D_PLACES]
        drawn = self.process[x + X_PASSES] * self.draw[draw + D_COUNT] + call
        stop = self.draw[draw + D_STOP]
        place = (drawn if stop else mix(self.draw_key[number], drawn)) % places
        step = self.draw[draw + D_STEP]
        if step:
            low = self.draw[draw + D_BASE] + place * step
            self.process[x + X_OFFSET] = low
            if stop and self.process[x + X_SIZE] > stop - low:
                self.process[x + X_SIZE] = stop - low
            return
        other = self.draw[draw + D_BASE] + place * each + part
        self.process[x + X_OFFSET] = self.offset[other]
        self.process[x + X_SIZE] = self.size[other]

    def end_list(self, slot: int, x: int) -> int:
        """All operations of a phase have ended; the phase may be one transfer."""
        phase = (self.process[x + X_FIRST_PHASE] + self.process[x + X_PHASE]) * H_ROWS
        size = self.process[x + X_MOVED]
        if size:
            began, now = self.process[x + X_BEGAN], self.clock.now
            if self.phase[phase + H_WRITE]:
                self.more_bytes(slot, x + X_WRITE_BYTES, size)
                self.process[x + X_WRITE_NS] += now - began
                self.reach_to(x, X_WRITE_FIRST, began, now)
            else:
                self.more_bytes(slot, x + X_READ_BYTES, size)
                self.process[x + X_READ_NS] += now - began
                self.process[x + X_READ_FILE] = -1
                self.reach_to(x, X_READ_FIRST, began, now)
        return PHASE_OVER

    def do_listed(self, slot: int, x: int, row: int, kind: int) -> int:  # noqa: PLR0911, PLR0912
        """Carry out an operation that moves no data; READY if it has ended, else as ``step``."""
        target = self.process[x + X_OFFSET]
        if self.meta_place[kind] >= 0:
            return self.do_meta(slot, x, row, kind)
        if kind == O_SYNC:
            self.call_file(slot, x)
            self.process[x + X_AFTER] = AT_LISTED_ENDED
            return self.catch_up(slot, x, AT_SYNC)
        if kind == O_PAUSE and self.process[x + X_SIZE]:
            self.process[x + X_IDLE] += self.process[x + X_SIZE]
            self.process[x + X_PLACE] = AT_LISTED_ENDED
            return self.clock.within(self.clock.now + self.process[x + X_SIZE], OF_ACTOR, slot)
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
                self.channel[channel + N_WHERE],
                self.channel[channel + N_PLACES],
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
        elif kind in (O_ASK_READ, O_ASK_WRITE) and self.process[x + X_SIZE]:
            op = R_READ if kind == O_ASK_READ else R_WRITE
            self.ask(slot, x, op, target, self.process[x + X_SIZE])
            self.process[x + X_PLACE] = AT_LISTED_ENDED
            return GO
        elif kind in (O_START, O_JOIN):
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

    def block(self, x: int, place: int) -> int:
        """Wait for another process."""
        self.process[x + X_PLACE] = place
        return BLOCKED

    def end_listed(self, slot: int, x: int) -> None:
        """A listed operation has ended."""
        row = self.process[x + X_ROW]
        kind = self.kind[row] & KIND_BITS
        size = self.process[x + X_SIZE]
        begin = self.process[x + X_CALLED]
        end = self.clock.now + self.process[x + X_PENDING]
        whole = self.process[x + X_MOVED] != 0
        if kind == O_READ and not whole:
            self.more_bytes(slot, x + X_READ_BYTES, size)
            self.process[x + X_READ_NS] += end - begin
            self.process[x + X_READ_FILE] = self.process[x + X_FILE]
            self.widen(x, X_READ_FIRST, begin, end)
        elif kind == O_WRITE and not whole:
            self.more_bytes(slot, x + X_WRITE_BYTES, size)
            self.process[x + X_WRITE_NS] += end - begin
            self.widen(x, X_WRITE_FIRST, begin, end)
        elif kind > O_WRITE and not whole:
            self.end_beside(x, kind, size, begin, end)
        if kind == O_WRITE and size:
            self.note_change(x)
        self.count_latency(kind, end - begin)
        if self.recording:
            low = self.process[x + X_OFFSET]
            self.write_log(x, self.kind[row], self.file[row], low, size)
        self.process[x + X_ROW] = row + 1
        self.process[x + X_COUNTED] = 0

    def end_beside(self, x: int, kind: int, size: int, begin: int, end: int) -> None:
        """An operation beside reads and writes has ended: those of a file widen their windows."""
        file = self.process[x + X_FILE]
        if kind in (O_OPEN, O_CREATE):
            self.process[x + X_OPENED] = begin
            self.process[x + X_OPENED_FILE] = file
        elif kind == O_SYNC or (kind == O_CLOSE and size):
            if self.process[x + X_WRITE_FIRST] >= 0:
                self.process[x + X_WRITE_LAST] = end
                self.process[x + X_WRITE_BESIDE] += end - begin
        elif kind == O_CLOSE and self.process[x + X_READ_FILE] == file:
            self.process[x + X_READ_LAST] = end
            self.process[x + X_READ_BESIDE] += end - begin
        if kind == O_CLOSE and self.process[x + X_OPENED_FILE] == file:
            self.process[x + X_OPENED_FILE] = -1
