# cython: infer_types=True
"""What the processes are, where they are, and how they meet: locks, barriers, messages, marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.mixing import pick
from simulator.native.clock import NEVER, zeros
from simulator.native.codes import *
from simulator.native.tiers import Tiers
from simulator.native.wide import stretched, times
from simulator.native.writeback import WriteBack
from simulator.runtime.streams import RecordStreams

if TYPE_CHECKING:
    from simulator.native.tables import ProcessTables


def bin_of(value: int) -> int:
    """The bin of a latency; as ``bin_of`` of ``simulator/result/latency.py``."""
    if value < 128:
        return value
    shift = 0
    high = value >> 7
    step = 32
    while step:
        if high >> step:
            shift += step
            high >>= step
        step >>= 1
    shift += 1
    return (shift << 6) + (value >> shift)


class Processes:
    """All processes: their table, and what they have in common."""

    def __init__(
        self, tiers: Tiers, back: WriteBack, streams: RecordStreams, tables: ProcessTables
    ) -> None:
        self.tiers = tiers
        self.back = back
        self.frames = tiers.frames
        self.clock = tiers.clock
        self.parts = tiers.parts
        self.frame = tiers.frame
        self.actor = tiers.actor
        self.streams = streams
        self.process = tables.process
        self.phase = tables.phase
        self.path = tables.path
        self.drain = tables.drain
        self.first_copier = tables.first_copier
        # Listed operations.
        self.kind = tables.kind
        self.file = tables.file
        self.offset = tables.offset
        self.size = tables.size
        self.gap = tables.gap
        self.column = tables.column
        self.file_path = tables.file_path
        # Cpus: for each part, in the order of its specifications.
        self.copy_ns_per_byte = tables.copy_ns_per_byte
        # For each member that shares a process's data, what it has spent; and of each process what
        # of its requests came back unserved.
        self.shared = tables.shared
        self.failed = tables.failed
        # Where processes meet.
        self.passed = tables.passed
        self.mark_waiters = tables.mark_waiters
        self.lock = tables.lock
        self.barrier = tables.barrier
        self.channel = tables.channel
        self.others_column = tables.others_column
        self.lock_column = tables.lock_column
        self.barrier_column = tables.barrier_column
        self.arrivals = tables.arrivals
        self.arrival_times = tables.arrival_times
        self.arrival_keys = tables.arrival_keys
        self.factors = tables.factors
        # Latencies: for each operation where its row begins, or -1; then for each job that of its
        # responses to arrivals.
        self.latency_row = tables.latency_row
        self.latency = tables.latency
        # The log of calls.
        self.recording = 0
        self.log = zeros(1)
        self.log_count = 0

    # -- requests -------------------------------------------------------------------------------

    def request(self, slot: int, x: int, tier: int, op: int, low: int, high: int) -> int:
        """Begin a request of a process for its file, along a path; returns its frame."""
        file, path = self.process[x + X_FILE], self.process[x + X_PATH]
        q = self.frames.call(slot, tier, op, file, low, high)
        self.frame[q + SEQUENTIAL] = 0
        if self.tiers.tier[tier + T_ENTRY] >= 0:  # a store takes its entry itself
            self.frame[q + TIER] = self.tiers.tier[tier + T_ENTRY]
        if self.process[x + X_PLACED_FILE] == file and self.process[x + X_PLACED_PATH] == path:
            for place in range(self.frames.places):
                self.frame[q + PLACES + place] = self.process[x + X_PLACES + place]
        else:
            self.find_places(q, x, file, path)
        return q

    def find_places(self, q: int, x: int, file: int, path: int) -> None:
        """Let the places of a process's request be as they are at its beginning; keep them."""
        self.tiers.place(q, path, self.process[x + X_NODE])
        self.process[x + X_PLACED_FILE] = file
        self.process[x + X_PLACED_PATH] = path
        for place in range(self.frames.places):
            self.process[x + X_PLACES + place] = self.frame[q + PLACES + place]

    def move(self, slot: int, x: int, op: int, low: int, high: int, bits: int) -> None:
        """Begin a request of a process that moves data; ``bits`` are those of its kind."""
        file = self.process[x + X_FILE]
        expected = 0
        if self.process[x + X_LAST_FILE] == file:
            expected = self.process[x + X_LAST_END]
        how = OF_CALL + PAST if bits & DIRECT else OF_CALL
        if low == expected:
            how += IN_ORDER
        self.process[x + X_LAST_FILE] = file
        self.process[x + X_LAST_END] = high
        q = self.request(slot, x, self.path[self.process[x + X_PATH] + A_TOP], op, low, high)
        self.frame[q + SEQUENTIAL] = how

    def message(
        self, slot: int, tier: int, where: int, places: int, source: int, target: int, size: int
    ) -> None:
        """Begin to send bytes from a node to another; ``places`` rows of places from ``where``."""
        q = self.frames.call(slot, tier, R_WRITE, -1, 0, size)
        self.frame[q + SEQUENTIAL] = WAITS
        self.tiers.place_two(q, where, places, source, target)

    def ask(self, slot: int, x: int, op: int, first: int, count: int) -> None:
        """Begin to ask for pieces of a process's file: rows of the asked requests."""
        file = self.process[x + X_FILE]
        q = self.frames.call(slot, self.tiers.ask_tier, op, file, first, first + count)
        self.frame[q + SEQUENTIAL] = WAITS
        self.frame[q + PLACES] = self.process[x + X_NODE]

    def fail(self, slot: int, q: int) -> int:
        """A process's request, whose frame was ``q``, has come back unserved: its call ends."""
        x = self.actor[slot * ACTOR + INDEX]
        row = self.process[x + X_NUMBER] * FL_ROWS
        if not self.failed[row + FL_COUNT]:
            self.failed[row + FL_FIRST] = self.clock.now
        self.failed[row + FL_COUNT] += 1
        self.failed[row + FL_LAST] = self.clock.now
        op = self.frame[q + OP]
        if op <= R_WRITE:
            size = self.frame[q + HIGH] - self.frame[q + LOW]
            self.failed[row + (FL_READ if op == R_READ else FL_WRITE)] += size
        place = self.process[x + X_PLACE]
        if place in (AT_SYNC, AT_ANSWERED):  # There is nothing to sync, or to learn.
            place = self.process[x + X_AFTER]
        if self.failed[row + FL_STOPS]:
            self.process[x + X_AFTER] = place
            place = AT_STOPPED
        self.process[x + X_PLACE] = place
        return GO

    # -- what is kept ---------------------------------------------------------------------------

    def note(self, x: int, kind: int, offset: int, size: int) -> None:
        """A call that began at ``X_CALLED`` has ended: its latency, and its row of the log."""
        begin = self.process[x + X_CALLED]
        end = self.clock.now + self.process[x + X_PENDING]
        self.count_latency(kind, end - begin)
        if self.recording:
            self.write_log(x, kind, self.process[x + X_FILE], offset, size)

    def write_log(self, x: int, kind: int, file: int, offset: int, size: int) -> None:
        """Write a row of the log."""
        at = self.log_count * Y_ROWS
        self.log[at + Y_PROCESS] = self.process[x + X_NUMBER]
        self.log[at + Y_KIND] = kind
        self.log[at + Y_FILE] = file
        self.log[at + Y_OFFSET] = offset
        self.log[at + Y_SIZE] = size
        self.log[at + Y_BEGIN] = self.process[x + X_CALLED]
        self.log[at + Y_END] = self.clock.now + self.process[x + X_PENDING]
        self.log_count += 1
        if at + 64 * Y_ROWS > len(self.log):
            self.clock.short = 1

    def count_latency(self, kind: int, value: int) -> None:
        """Count the latency of an operation, if it is one of those that have any."""
        row = self.latency_row[kind & KIND_BITS]
        if row >= 0:
            self.count_in(row, value)

    def count_in(self, row: int, value: int) -> None:
        """Count a latency in a histogram; one that is none comes from a run that ends here."""
        if not 0 <= value < NEVER:
            return
        count = self.latency[row + Q_COUNT]
        if count == 0 or value < self.latency[row + Q_LEAST]:
            self.latency[row + Q_LEAST] = value
        self.latency[row + Q_COUNT] = count + 1
        total = self.latency[row + Q_SUM] + value
        if total >= NEVER:
            total -= NEVER
            self.latency[row + Q_CARRY] += 1
        self.latency[row + Q_SUM] = total
        self.latency[row + Q_MOST] = max(value, self.latency[row + Q_MOST])
        self.latency[row + Q_BINS + bin_of(value)] += 1

    def more_bytes(self, slot: int, row: int, size: int) -> None:
        """Add to the bytes that a process has moved."""
        size += self.process[row]
        self.process[row] = self.clock.within(size, OF_ACTOR + OF_BYTES, slot)

    def pend(self, slot: int, x: int, more: int) -> None:
        """Let a process spend time by itself, which passes later."""
        more += self.process[x + X_PENDING]
        self.process[x + X_PENDING] = self.clock.within(more, OF_ACTOR, slot)

    def widen(self, x: int, first: int, begin: int, end: int) -> None:
        """Let the window of a process's reads or writes, at ``first``, reach from begin to end.

        It begins with the open or create of the file, if that is the one opened last.
        """
        if self.process[x + X_OPENED_FILE] == self.process[x + X_FILE]:
            begin = self.process[x + X_OPENED]
        self.reach_to(x, first, begin, end)

    def reach_to(self, x: int, first: int, begin: int, end: int) -> None:
        """Let a window reach from a begin, if it has none yet, to an end."""
        if self.process[x + first] < 0:
            self.process[x + first] = begin
        self.process[x + first + 1] = end

    def count_response(self, x: int, value: int) -> None:
        """Count the latency of a job that has arrived."""
        self.count_in(self.latency_row[KIND_BITS + 1 + self.process[x + X_JOB]], value)

    # -- marks, locks, barriers, ends -----------------------------------------------------------

    def wake_all(self, first: int) -> None:
        """Wake the actors of a chain."""
        slot = first
        while slot >= 0:
            after = self.actor[slot * ACTOR + AFTER]
            self.clock.wake(slot)
            slot = after

    def pass_by(self, mark: int) -> None:
        """Pass a mark: all that wait for it go on."""
        self.passed[mark] = 1
        first = self.mark_waiters[mark]
        self.mark_waiters[mark] = -1
        self.wake_all(first)

    def wait_for_mark(self, slot: int, mark: int) -> None:
        """Stand with those that wait for a mark."""
        self.actor[slot * ACTOR + AFTER] = self.mark_waiters[mark]
        self.mark_waiters[mark] = slot

    def take_lock(self, slot: int, lock: int) -> bool:
        """Take a lock, or stand in its queue; returns whether it was free."""
        row = 4 * lock
        if self.lock[row + K_HOLDER] < 0:
            self.lock[row + K_HOLDER] = slot
            return True
        self.actor[slot * ACTOR + AFTER] = -1
        if self.lock[row + K_FIRST] < 0:
            self.lock[row + K_FIRST] = slot
        else:
            self.actor[self.lock[row + K_LAST] * ACTOR + AFTER] = slot
        self.lock[row + K_LAST] = slot
        return False

    def leave_lock(self, lock: int) -> None:
        """Hand a lock to the first that waits for it."""
        row = 4 * lock
        first = self.lock[row + K_FIRST]
        self.lock[row + K_HOLDER] = first
        if first >= 0:
            self.lock[row + K_FIRST] = self.actor[first * ACTOR + AFTER]
            self.clock.wake(first)

    def meet(self, slot: int, barrier: int) -> bool:
        """Come to a barrier; returns whether all others are there."""
        row = 4 * barrier
        self.barrier[row + K_COME] += 1
        if self.barrier[row + K_COME] < self.barrier[row + K_MEMBERS]:
            self.actor[slot * ACTOR + AFTER] = self.barrier[row + K_WAITERS]
            self.barrier[row + K_WAITERS] = slot
            return False
        self.barrier[row + K_COME] = 0
        first = self.barrier[row + K_WAITERS]
        self.barrier[row + K_WAITERS] = -1
        self.wake_all(first)
        return True

    def deliver(self, channel: int) -> None:
        """A message has arrived."""
        row = channel * N_ROWS
        self.channel[row + N_COUNT] += 1
        if self.channel[row + N_WAITING]:
            self.channel[row + N_WAITING] = 0
            self.clock.wake(self.channel[row + N_TARGET])

    def wait_for_end(self, slot: int, other: int) -> None:
        """Stand with those that wait for a process to end."""
        self.actor[slot * ACTOR + AFTER] = self.process[other + X_JOINERS]
        self.process[other + X_JOINERS] = slot

    # -- arrivals, copies -----------------------------------------------------------------------

    def next_arrival(self, slot: int, x: int) -> int:
        """Take the next job of a row of arrivals; returns when it begins, or -1 for no more."""
        number = self.process[x + X_ARRIVALS]
        row = number * G_ROWS
        taken = self.arrivals[row + G_TAKEN]
        if taken == self.arrivals[row + G_COUNT]:
            return -1
        self.arrivals[row + G_TAKEN] = taken + 1
        kind = self.arrivals[row + G_KIND]
        if kind == 2:
            time = self.arrival_times[self.arrivals[row + G_TIMES] + taken]
        elif kind == 0:
            gap = times(taken, self.arrivals[row + G_GAP])
            time = self.arrivals[row + G_FIRST] + gap
        else:
            factor = self.factors[pick(self.arrival_keys[number], taken + 1)]
            gap = stretched(self.arrivals[row + G_GAP], factor)
            time = self.clock.within(self.arrivals[row + G_LAST] + gap, OF_ACTOR, slot)
            self.arrivals[row + G_LAST] = time
        time = self.clock.within(time, OF_ACTOR, slot)
        self.process[x + X_ARRIVED] = time
        begin = max(self.clock.now, time)
        self.process[x + X_IDLE] += begin - self.clock.now
        return begin

    def start_copier(self, x: int) -> None:
        """After a process that has written what is to be drained, its copier begins."""
        for row in range(self.process[x + X_DRAIN_COUNT]):
            if self.drain[(self.process[x + X_DRAINS] + row) * Z_ROWS + Z_BYTES]:
                number = self.first_copier + self.process[x + X_NUMBER]
                copier = self.frames.take(COPIER, x, number)
                self.actor[copier * ACTOR + PARENT] = 0
                self.clock.wake(copier)
                return

    def copy_next(self, slot: int) -> bool:
        """Let a copier begin with the next file; returns whether there is one."""
        x = self.actor[slot * ACTOR + INDEX]
        while self.actor[slot * ACTOR + PARENT] < self.process[x + X_DRAIN_COUNT]:
            row = (self.process[x + X_DRAINS] + self.actor[slot * ACTOR + PARENT]) * Z_ROWS
            self.actor[slot * ACTOR + PARENT] += 1
            if self.drain[row + Z_BYTES]:
                file = self.drain[row + Z_FILE]
                tier = self.drain[row + Z_TIER]
                q = self.frames.call(slot, tier, R_WRITE, file, 0, self.drain[row + Z_BYTES])
                self.frame[q + SEQUENTIAL] = WAITS
                self.tiers.place(q, self.drain[row + Z_PATH], self.process[x + X_NODE])
                return True
        self.frames.give(slot)
        return False
