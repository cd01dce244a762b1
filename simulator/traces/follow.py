"""From tokens to rows: processes, calls in two parts, forks, and the clock.

Blocks come in order; what of them lasts is here, in arrays with a row for each process that lives.
The class is cut by what it knows of: ``processes``, ``joining`` (calls in two parts, and ends) and,
here, lines. Compiled it is one.
"""

from __future__ import annotations

from simulator.traces.calls import Calls
from simulator.traces.codes import *
from simulator.traces.joining import EBADF, Joining
from simulator.traces.names import Names
from simulator.traces.rows import Rows

SECOND = 1_000_000_000
HALF_DAY = 12 * 3600 * SECOND
SLACK = 10_000
"""How far times and durations may contradict each other: both are rounded; ns."""


class Follower(Joining):
    """Follows the processes of a log."""

    def __init__(
        self, calls: Calls, rows: Rows, call_words: Names, error_words: Names, lenient: int
    ) -> None:
        super().__init__(calls, rows, call_words, error_words)
        self.lenient = lenient
        self.left: list[int] | None = None
        self.late_slot = self.late_node = -1
        self.exit_call = call_words.word(b"_exit")
        self._have_counts()

    def _have_counts(self) -> None:
        """Begin the clock, and what the driver should know."""
        self._restart()
        self.stamped_at_end = 0
        self.damage = self.damaged_row = self.skipped = 0
        self.table_lines = self.unfinished = 0

    def _restart(self) -> None:
        """Begin the clock of a log."""
        self.clock = -1
        self.day = 0
        self.last_time = NULL
        self.steps = 0
        self.torn_calls = self.torn_ns = self.within = 0
        """Calls that begin before the last one of their process has ended, by how much in all, and
        the time of all calls."""
        self.torn = -1
        """The token of the first of them, in the block that is read."""
        self.table_state = 0
        """Of the table that strace -C writes: 1 after its headings, 2 in its rows, 3 after."""

    def follow(self, count: int, first: int) -> int:
        """Read tokens from ``first`` on; gives the first one that is not read yet.

        That is ``count``, or less if the rows are full or ``asks`` is a pid whose parent the
        driver should look for ahead. -1: ``damaged_row`` is damaged.
        """
        n = first
        while n < count:
            if self.rows.count >= self.rows.last:
                return n
            if self.one(n * WIDTH) < 0:
                if self.asks >= 0:
                    return n
                self.damaged_row = n
                if not self.lenient:
                    return -1
                self.skipped += 1
            n += 1
        return n

    def one(self, row: int) -> int:
        """Read one token; -1 if it is damaged (``damage``), or if ``asks``."""
        kind = self.tokens[row + KIND]
        self.root = 0
        if kind == DAMAGED:
            self.damage = self.tokens[row + VALUE]
            return -1
        if kind == SUMMARY:
            return self.table_line(self.tokens[row + VALUE], self.tokens[row + OTHER])
        if kind == ATTACHED:
            self.attached.add(self.tokens[row + OTHER])
            return 0
        if self.tokens[row + PID] != self.last_pid or self.tokens[row + LWP]:
            if kind == CHILD:
                self.truss_child(row)
            self.last_slot = self.find_process(row, kind)
            if self.last_slot < 0:
                self.last_pid = -2
                return -1
            self.last_pid = self.tokens[row + PID]
            if self.tokens[row + LWP]:
                self.last_pid = -2
        slot = self.last_slot
        if kind == LATE:
            if self.late_slot == slot and self.late_node >= 0:
                self.calls.files.learn(self.late_node, self.tokens[row + VALUE])
            return 0
        time = self.time(self.tokens[row + TIME], self.tokens[row + CLOCK])
        if self.damage:
            return -1
        if time != NULL:
            time += self.shift[slot]
        if kind in {CALL, UNFINISHED}:
            if self.busy[slot] >= 0:
                if self.stamped_at_end:
                    self.wake(slot)
                elif self.not_resumed(slot) < 0:
                    return -1
            self.count_process(slot)
            if self.until[slot] != NULL and not self.stamped_at_end:
                time = self.after_the_last(row, slot, time)
            if kind == CALL:
                return self.whole(row, slot, time)
            return self.first_part(row, slot, time)
        if kind == RESUMED:
            return self.second_part(row, slot, time)
        if kind == ENDED:
            if self.tokens[row + LWP]:
                self.finish_others(slot)
            self.finish(slot)
        elif kind == SUPERSEDED:
            self.supersede(self.tokens[row + OTHER], self.tokens[row + PID])
        return 0

    def after_the_last(self, row: int, slot: int, time: int) -> int:
        """Return when a call begins; if times count from other processes' lines, not too early."""
        by = self.until[slot] - time
        if time == NULL or by <= SLACK or (self.clock != STEPS and time % SECOND == 0):
            return time
        if not self.torn_calls:
            self.torn = row // WIDTH
        self.torn_calls += 1
        self.torn_ns += by
        if self.clock != STEPS:
            return time
        self.shift[slot] += by
        return time + by

    def table_line(self, what: int, damage: int) -> int:
        """Pass over a line of the table that strace -C writes; -1 if it stands in none."""
        state = self.table_state
        self.table_state = 0
        if what == TABLE_HEAD:
            self.table_state = 1
        elif what == TABLE_RULE and 0 < state < 3:
            self.table_state = state + 1
        elif what == TABLE_ROW and state == 2:
            self.table_state = 2
        elif what != TABLE_TITLE and not (what == TABLE_ROW and state == 3):
            self.damage = damage
            return -1
        self.table_lines += 1
        return 0

    def time(self, time: int, clock: int) -> int:
        """Return the time of a line in the log's terms; sets ``damage`` if it cannot be."""
        self.damage = 0
        if clock != self.clock:
            if self.clock >= 0:
                self.damage = NO_TIME
                return NULL
            self.clock = clock
        if clock == NO_CLOCK:
            return NULL
        last = self.last_time
        if clock == STEPS:
            time += self.steps
        elif clock == WALL:
            time += self.day
            if last != NULL and last - time > HALF_DAY:
                self.day += 2 * HALF_DAY
                time += 2 * HALF_DAY
            elif self.day and time - last > HALF_DAY and time - 2 * HALF_DAY >= last - SECOND:
                time -= 2 * HALF_DAY  # a moment before midnight, written after it
        self.last_time = time
        if last != NULL and last - time > SECOND and not self.root:
            self.damage = BACKWARDS
        return time

    def not_resumed(self, slot: int) -> int:
        """A process begins a call while another is under way."""
        self.damage = NOT_RESUMED
        if not self.lenient:
            return -1
        self.skipped += 1
        self.break_off(slot)
        return 0

    def error(self, row: int) -> int:
        """Return the number of the error's name, or -1."""
        if self.tokens[row + RESULT] != AN_ERROR:
            return -1
        return self.error_words.add_valid(
            self.text, self.tokens[row + ERROR], self.tokens[row + ERROR_END]
        )

    def whole(self, row: int, slot: int, time: int) -> int:
        """Read a call in one line."""
        call = self.which(row)
        error = self.error(row)
        self.calls.clear(call, slot)
        if not self.calls.specs[call * SPECS + SIMPLE]:
            self.arguments.row = row
            self.calls.begin(error == EBADF)
            self.calls.end()
            if self.text.overflow:
                return self.too_large()
            act = self.calls.specs[call * SPECS + ACT]
            if act in {FORK, CLONE} and self.tokens[row + RESULT] == A_NUMBER:
                self.prepare_birth(slot, act)
                self.returned_child(slot, self.tokens[row + VALUE], self.tokens[row + LWP])
        duration = self.tokens[row + DURATION]
        if self.stamped_at_end and time != NULL and duration != NULL:
            time -= duration
        self.emit(slot, call, time, duration, error, self.returned(row))
        if self.tokens[row + LWP]:
            self.after_truss(row, slot, call)
        self.calls.release()
        return 0

    def too_large(self) -> int:
        """An argument has more than 64 bits."""
        self.text.overflow = 0
        self.calls.release()
        self.damage = TOO_LARGE
        return -1

    def after_truss(self, row: int, slot: int, call: int) -> None:
        """Remember which file the lines that follow a call are about; notice a process's end."""
        self.late_slot = slot
        self.late_node = -1
        if self.calls.specs[call * SPECS + ACT] == STAT:
            if self.calls.file >= 0:
                self.late_node = self.calls.files.node[self.calls.file]
            elif self.calls.name >= 0:
                self.late_node = self.calls.node()
        elif self.calls.specs[call * SPECS + ACT] == EXEC:
            if self.tokens[row + RESULT] == A_NUMBER:
                self.finish_others(slot)
                self.be_first(slot)
        elif call == self.exit_call and self.tokens[row + RESULT] == NOTHING:
            self.finish_others(slot)
            self.finish(slot)

    def first_part(self, row: int, slot: int, time: int) -> int:
        """Read a call that other lines interrupt."""
        call = self.which(row)
        self.calls.clear(call, slot)
        self.head[slot] = -1
        self.child[slot] = -1
        if not self.calls.specs[call * SPECS + SIMPLE]:
            self.arguments.row = row
            self.calls.begin(0)
            self.head[slot] = self.heads.keep(self.text, self.tokens, row)
            self.text.overflow = 0
            act = self.calls.specs[call * SPECS + ACT]
            if act in {FORK, CLONE} and not self.stamped_at_end:
                self.prepare_birth(slot, act)
        self.busy[slot] = call
        self.began[slot] = time
        self.orders += 1
        self.order[slot] = self.orders
        self.of_fd[slot] = self.calls.fd
        self.of_file[slot] = self.calls.file
        self.of_file2[slot] = self.calls.file2
        self.of_name[slot] = self.calls.name
        self.of_name2[slot] = self.calls.name2
        self.of_kind[slot] = self.calls.kind
        if self.tokens[row + OTHER] > 0:
            self.supersede(self.pid[slot], self.tokens[row + OTHER])
        return 0

    def second_part(self, row: int, slot: int, time: int) -> int:
        """Read the end of a call that was interrupted."""
        call = self.which(row)
        error = self.error(row)
        duration = self.tokens[row + DURATION]
        if self.busy[slot] != call:
            if self.number[slot] >= 0:
                self.damage = NOTHING_RESUMED
                return -1
            self.count_process(slot)
            return self.only_end(row, slot, call, time, error)
        began = self.began[slot]
        if duration == NULL and began != NULL and time != NULL and time >= began:
            duration = time - began
        self.take_up(slot)
        if not self.calls.specs[call * SPECS + SIMPLE]:
            self.join_parts(row, slot)
            if self.text.overflow:
                return self.too_large()
            act = self.calls.specs[call * SPECS + ACT]
            if act in {FORK, CLONE}:
                value = self.tokens[row + VALUE] if self.tokens[row + RESULT] == A_NUMBER else -1
                self.returned_child(slot, value, self.tokens[row + LWP])
        self.emit(slot, call, began, duration, error, self.returned(row))
        self.calls.release()
        return 0

    def only_end(self, row: int, slot: int, call: int, time: int, error: int) -> int:
        """Read the end of a call that began before the log."""
        duration = self.tokens[row + DURATION]
        self.calls.clear(call, slot)
        if time != NULL:
            time = time - duration if duration != NULL else NULL
        self.calls.change_anything(self.calls.specs[call * SPECS + ACT])
        self.emit(slot, call, time, duration, error, self.returned(row))
        return 0

    def end_log(self) -> int:
        """Write calls that have not ended, the earliest first; 1 if that was all of them."""
        if self.left is None:
            self.left = self.latest_first()
        while self.left and self.rows.count < self.rows.last:
            self.unfinished += 1
            self.break_off(self.left.pop())
        return not self.left

    def latest_first(self) -> list[int]:
        """Return the processes with a call under way, by when it began."""
        busy = [k for k in range(self.slots) if self.pid[k] >= 0 and self.busy[k] >= 0]
        return sorted(busy, key=lambda k: -self.order[k])

    def forget(self) -> None:
        """Another log begins, of another world."""
        for slot in range(self.slots):
            if self.pid[slot] >= 0:
                self.finish(slot)
        self.calls.forget()
        self.left = None
        self.attached = set()
        self.early = set()
        self._restart()
