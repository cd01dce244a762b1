# cython: infer_types=True
"""The processes at work: phase after phase, round after round; ``docs/composition.md``.

``step`` lets a process act that has no request under way. Like the tiers it gives a time, BLOCKED,
or GO if it has begun a request. Where a process goes on is its *place*.
"""

from __future__ import annotations

from simulator.native.clock import NEVER
from simulator.native.codes import *
from simulator.native.streaming import Streaming
from simulator.runtime.records import MAX_TRANSFER


class Clients(Streaming):
    """All processes at work."""

    def step(self, slot: int) -> int:
        """Let a process act."""
        x = self.actor[slot * ACTOR + INDEX]
        place = self.process[x + X_PLACE]
        if place == AT_MOVED and self.process[x + X_PLAIN]:
            time = self.next_plain(slot, x)
            if time >= 0:
                return time
            time = self.pump(slot, x)
        elif place == AT_START:
            self.process[x + X_STARTED] = self.clock.now
            self.process[x + X_ROUND_BEGAN] = self.clock.now
            self.hold(x, 1)
            return self.next_phase(slot, x)
        elif place == AT_COMPUTED:
            return self.next_phase(slot, x)
        elif place >= AT_LISTED:
            time = self.step_listed(slot, x, place)
        else:
            time = self.step_stream(slot, x, place)
        return self.next_phase(slot, x) if time == PHASE_OVER else time

    def begin(self, slot: int, x: int) -> int:
        """A process that serves arrivals begins; returns the time of its first alarm, or -1."""
        return self.begin_arrivals(slot, x)

    def next_phase(self, slot: int, x: int) -> int:
        """Begin the next phase of a process, or end it."""
        while True:
            phase = self.process[x + X_PHASE] + 1
            if phase >= self.process[x + X_PHASES]:
                phase = 0
                self.process[x + X_ROUND] += 1
                last = self.process[x + X_ROUND] >= self.process[x + X_REPEAT]
                last = last and not self.goes_on(x)
                if last or not self.process[x + X_PHASES]:
                    return self.end_round(slot, x)
                self.turn(self.process[x + X_WATCH], A_ROUND)
                if self.process[x + X_UNTIL] >= 0 and self.takes_no_time(x):
                    return self.block(x, AT_ENDLESS)
            self.process[x + X_PHASE] = phase
            row = (self.process[x + X_FIRST_PHASE] + phase) * H_ROWS
            if self.phase[row + H_KIND] == W_LOOP:
                self.go_back(x, row)
                continue
            if self.phase[row + H_NAMED] >= 0:
                self.begin_named(x, self.phase[row + H_NAMED])
            if self.phase[row + H_KIND] == W_COMPUTE:
                return self.compute(slot, x, self.phase[row + H_COMPUTE], AT_COMPUTED)
            if self.phase[row + H_KIND] == W_LISTED:
                time = self.begin_listed(slot, x, row)
            else:
                self.process[x + X_PLAIN] = self.is_plain(x, row)
                time = self.begin_stream(slot, x, row)
            if time != PHASE_OVER:
                return time

    def begin_listed(self, slot: int, x: int, row: int) -> int:
        """Begin the calls of a list."""
        self.process[x + X_ROW] = self.phase[row + H_FIRST]
        self.process[x + X_CUT] = self.phase[row + H_CUT]
        self.process[x + X_ROW_END] = self.cut[self.phase[row + H_CUT] + CUT_AT]
        self.process[x + X_COUNTED] = 0
        self.process[x + X_MOVED] = self.phase[row + H_SIZE]  # if it is one transfer
        self.process[x + X_BEGAN] = self.clock.now
        self.process[x + X_PASSES] = self.phase[row + H_PASSES]
        self.phase[row + H_PASSES] += 1
        return self.take_listed(slot, x)

    def go_back(self, x: int, row: int) -> None:
        """At the end of a loop: go on before its first phase, unless it was the last time."""
        self.phase[row + H_PASSES] += 1
        if self.phase[row + H_PASSES] < self.phase[row + H_COUNT]:
            self.process[x + X_PHASE] = self.phase[row + H_FIRST] - 1
            self.turn(self.phase[row + H_WATCH], row)
        else:
            self.phase[row + H_PASSES] = 0

    def takes_no_time(self, x: int) -> bool:
        """Whether no time has passed since the last round began; the next one begins now."""
        began = self.process[x + X_ROUND_BEGAN]
        self.process[x + X_ROUND_BEGAN] = self.clock.now
        return began == self.clock.now

    # -- plain streams ----------------------------------------------------------------------------

    def is_plain(self, x: int, row: int) -> bool:
        """Whether calls of a stream are those of a program without a library, and no more."""
        if self.phase[row + H_POLICY] != POSIX or self.process[x + X_NODES] != 1:
            return False
        if self.process[x + X_CROWDED]:
            return False
        if self.phase[row + H_WRITE] and self.phase[row + H_DRAIN] >= 0:
            return False
        if self.phase[row + H_BITS] or self.path[self.phase[row + H_PATH] + A_CALL]:
            return False
        if self.parts.spec[self.process[x + X_CPU] + P_COLUMN] < 0:
            return False
        return not self.recording and not self.parts.timing

    def next_plain(self, slot: int, x: int) -> int:
        """A call of a plain stream has moved its bytes: its next call, all that it uses at once.

        Returns when that has passed; or GO, with nothing done but that the last call is counted:
        ``pump`` goes on with the first call of a record of several, at the end, beyond all bounds.
        """
        at = slot * STREAM
        write = self.streams.cells[at + ST_WRITE]
        now = self.clock.now
        self.count_call(x, write, now)
        record = self.streams.cells[at + ST_RECORD] + 1
        if record >= self.streams.cells[at + ST_COUNT] or self.streams.cells[at + ST_LEFT]:
            return GO
        size = self.streams.lengths.length(self.streams.cells[at + ST_LENGTHS], record)
        if not 0 < size <= MAX_TRANSFER:
            return GO
        copied = size if write else self.streams.cells[at + ST_ARRIVED]
        cpu, instance = self.process[x + X_CPU], self.process[x + X_INSTANCE]
        row = 4 * instance
        noisy = self.parts.spec[cpu + P_NOISE] >= 0
        service = self.parts.spec[cpu + P_CALL]
        requests = self.parts.state[row + REQUESTS] + 1
        busy, moved = 0, self.parts.state[row + BYTES]
        if not self.path[self.process[x + X_PATH] + A_COPIED]:
            busy = self.copy_ns(cpu, copied, 0)
            moved += copied
            if noisy:
                busy = self.parts.stretch_nth(cpu, instance, busy, requests)
            requests += 1
        if noisy:
            service = self.parts.stretch_nth(cpu, instance, service, requests)
        used = busy + service
        if used >= NEVER:
            return GO
        time = now + used
        busy = self.parts.state[row + BUSY] + used
        place = 2 * (slot * self.parts.columns + self.parts.spec[cpu + P_COLUMN]) + 1
        used += self.parts.spent[place]
        if (time | busy | used | moved) >= NEVER:
            return GO
        self.parts.spent[place] = used
        self.parts.state[row + REQUESTS] = requests
        self.parts.state[row + BYTES] = moved
        self.parts.state[row + BUSY] = busy
        low = self.streams.cells[at + ST_AT]
        self.take_record(at, record, low, size, copied)
        self.process[x + X_MOVED] += copied
        self.process[x + X_CALLED] = time - service
        self.move(slot, x, R_WRITE if write else R_READ, low, low + size, 0)
        return time

    def count_call(self, x: int, write: int, now: int) -> None:
        """A call of a plain stream has ended now."""
        self.count_latency(O_WRITE if write else O_READ, now - self.process[x + X_CALLED])
        if write:
            self.note_change(x)

    def take_record(self, at: int, record: int, low: int, size: int, copied: int) -> None:
        """Let a stream's call be that of a record, as a whole, from ``low`` on in its file."""
        self.streams.cells[at + ST_OFFSET] = low
        self.streams.cells[at + ST_SIZE] = size
        self.streams.cells[at + ST_COPIED] = copied
        self.streams.cells[at + ST_RECORDS] = 1
        self.streams.cells[at + ST_RECORD] = record
        self.streams.cells[at + ST_LENGTH] = size
        self.streams.cells[at + ST_AT] = low + size
        if not self.streams.cells[at + ST_WRITE]:
            self.streams.cells[at + ST_ARRIVED] = size
