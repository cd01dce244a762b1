# cython: infer_types=True
"""The processes at work: phase after phase, round after round; ``docs/composition.md``.

``step`` lets a process act that has no request under way. Like the tiers it gives a time, BLOCKED,
or GO if it has begun a request. Where a process goes on is its *place*.
"""

from __future__ import annotations

from simulator.native.codes import *
from simulator.native.streaming import Streaming


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
