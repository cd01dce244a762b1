"""From tokens to rows: processes, calls in two parts, forks, and the clock.

Blocks come in order; what of them lasts is here, in arrays with a row for each process that lives.
"""

from __future__ import annotations

from array import array

from simulator.traces.arrays import Bytes, Longs, grown
from simulator.traces.calls import Calls
from simulator.traces.codes import *
from simulator.traces.codes import CLONE_FILES, CLONE_FS
from simulator.traces.heads import Heads
from simulator.traces.intmap import IntMap
from simulator.traces.names import Names
from simulator.traces.rows import Rows
from simulator.traces.syscalls import unknown_spec

SECOND = 1_000_000_000
HALF_DAY = 12 * 3600 * SECOND
LWPS = 1 << 32
FIRST = 64
EBADF = 0
"""The number of this error's name, the first."""


class Follower:
    """Follows the processes of a log."""

    def __init__(
        self, calls: Calls, rows: Rows, call_words: Names, error_words: Names, lenient: int
    ) -> None:
        self.calls = calls
        self.arguments = calls.arguments
        self.text = calls.text
        self.rows = rows
        self.call_words = call_words
        self.error_words = error_words
        error_words.word(b"EBADF")
        self.lenient = lenient
        self.spare = array("q", [0]) * WIDTH
        self.heads = Heads()
        self.left: list[int] | None = None
        self.attached: set[int] = set()
        self.early: set[int] = set()
        self.late_slot = self.late_node = -1
        self.exit_call = call_words.word(b"_exit")
        self.block: Bytes = b"\n"
        self.tokens: Longs = self.spare
        self._have_processes()
        self._have_calls()
        self._have_counts()

    def _have_processes(self) -> None:
        """Begin with room for some processes: one row each."""
        self.pids = IntMap()
        self.groups = IntMap()
        self.pid = array("q", [-1]) * FIRST
        self.lwp = array("q", [0]) * FIRST
        self.number = array("q", [-1]) * FIRST
        self.next_free = array("q", [-1]) * FIRST
        self.free = self.last_slot = -1
        self.slots = self.alive = self.numbers = 0
        self.last_pid = -2
        self.root = 0
        """Whether the line is the first of a process that no other one made."""

    def _have_calls(self) -> None:
        """Begin with room for the call that is under way in each process."""
        self.busy = array("q", [-1]) * FIRST
        self.began = array("q", [NULL]) * FIRST
        self.order = array("q", [0]) * FIRST
        self.of_fd = array("q", [-1]) * FIRST
        self.of_file = array("q", [-1]) * FIRST
        self.of_file2 = array("q", [-1]) * FIRST
        self.of_name = array("q", [-1]) * FIRST
        self.of_name2 = array("q", [-1]) * FIRST
        self.of_kind = array("q", [-1]) * FIRST
        self.born_table = array("q", [-1]) * FIRST
        self.born_fs = array("q", [-1]) * FIRST
        self.child = array("q", [-1]) * FIRST
        self.head = array("q", [-1]) * FIRST
        self.orders = 0
        self.cloning = 0
        """How many forks are under way whose child has not begun."""
        self.cloning_sum = 0
        """The sum of their processes' rows: the row, if there is one only."""

    def _have_counts(self) -> None:
        """Begin the clock, and what the driver should know."""
        self._restart()
        self.stamped_at_end = 0
        self.directory = self.asks = self.answer = self.answered = -1
        self.damage = self.damaged_row = self.skipped = 0
        self.table_lines = self.unfinished = 0
        self.inherited_calls = self.inherited_bytes = 0
        self.durations = self.call_count = 0

    def _restart(self) -> None:
        """Begin the clock of a log."""
        self.clock = -1
        self.day = 0
        self.last_time = NULL
        self.steps = 0
        self.table_state = 0
        """Of the table that strace -C writes: 1 after its headings, 2 in its rows, 3 after."""

    # -- the loop -------------------------------------------------------------------------

    def look_at(self, block: Bytes, tokens: Longs) -> None:
        """The tokens that come next, and the block that they are of."""
        self.block = block
        self.text.hold(block)
        self.tokens = tokens
        self.arguments.hold(tokens)

    def follow(self, count: int, first: int) -> int:
        """Read tokens from ``first`` on; gives the first one that is not read yet.

        That is ``count``, or less if the rows are full or ``asks`` is a pid whose parent the
        driver should look for ahead. -1: ``damaged_row`` is damaged.
        """
        n = first
        while n < count:
            if self.rows.count + 4 >= self.rows.capacity:
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
        if kind in {CALL, UNFINISHED}:
            if self.busy[slot] >= 0:
                if self.stamped_at_end:
                    self.wake(slot)
                elif self.not_resumed(slot) < 0:
                    return -1
            self.count_process(slot)
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

    def count_process(self, slot: int) -> None:
        """Assign a process its number, with its first call."""
        if self.number[slot] < 0:
            self.number[slot] = self.numbers
            self.numbers += 1

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

    # -- calls ----------------------------------------------------------------------------

    def which(self, row: int) -> int:
        """Return the number of the call's name."""
        call = self.tokens[row + WHICH]
        if call >= 0:
            return call
        call = self.call_words.add(self.text, self.tokens[row + NAME], self.tokens[row + NAME_END])
        if (call + 1) * SPECS > len(self.calls.specs):
            self.calls.know(unknown_spec())
        return call

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

    def truss_child(self, row: int) -> None:
        """The first line of a child (truss) says of whom: it may come before the parent's."""
        pid = self.tokens[row + PID]
        parent = self.groups.find(self.tokens[row + OTHER])
        if parent < 0 or self.groups.find(pid) >= 0:
            return
        table = self.calls.tables.copy(self.calls.table[parent])
        fs = self.calls.fs[parent]
        fs = self.calls.tables.copy_fs(fs)
        slot = self.new_process(pid, self.tokens[row + LWP])
        self.calls.table[slot] = table
        self.calls.fs[slot] = fs
        self.early.add(pid)

    def returned(self, row: int) -> int:
        """Return the number that the call returned, or NULL."""
        return self.tokens[row + VALUE] if self.tokens[row + RESULT] == A_NUMBER else NULL

    def emit(
        self, slot: int, call: int, time: int, duration: int, error: int, returned: int
    ) -> None:
        """Write the row of the current call."""
        kind = self.calls.kind
        name = self.calls.name
        if kind == INHERITED:
            if error == EBADF:
                kind = -1
            else:
                self.count_inherited(call, returned)
        elif self.calls.file2 >= 0 and self.calls.files.kind[self.calls.file2] == INHERITED:
            if error != EBADF:
                self.count_inherited(call, returned)
        if self.calls.root_count:
            self.calls.count_root()
        self.durations |= duration != NULL
        self.call_count += 1
        self.rows.add(
            time,
            duration,
            self.pid[slot] if self.pid[slot] > 0 else 0,
            self.number[slot],
            call,
            self.calls.fd,
            kind,
            name,
            self.calls.name2,
            self.calls.offset,
            self.calls.offset2,
            self.calls.requested,
            returned,
            error,
            self.calls.flags,
        )

    def count_inherited(self, call: int, returned: int) -> None:
        """A call was on a descriptor that was open before the log began."""
        self.inherited_calls += 1
        if self.calls.specs[call * SPECS + MOVING] and returned > 0:
            self.inherited_bytes += returned

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

    def wake(self, slot: int) -> None:
        """The call that slept (truss) is written again, as a whole."""
        self.heads.leave(self.head[slot])
        self.take_up(slot)
        self.calls.release()

    def take_up(self, slot: int) -> int:
        """Have the call that is under way in a process before us again; gives which it is."""
        call = self.busy[slot]
        self.calls.clear(call, slot)
        self.calls.fd = self.of_fd[slot]
        self.calls.file = self.of_file[slot]
        self.calls.file2 = self.of_file2[slot]
        self.calls.name = self.of_name[slot]
        self.calls.name2 = self.of_name2[slot]
        self.calls.kind = self.of_kind[slot]
        self.busy[slot] = -1
        return call

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

    def join_parts(self, row: int, slot: int) -> None:
        """End the current call, whose arguments are in two lines."""
        start = self.tokens[row + ARGS]
        end = self.tokens[row + END]
        args_end = self.tokens[row + ARGS_END]
        place = self.head[slot]
        self.heads.join(place, self.text, start, end)
        self.head[slot] = -1
        by = self.heads.size - start
        self.tokens[row + END] = end + by
        self.tokens[row + VALUE_AT] += by
        self.text.hold(self.heads.joined)
        if self.tokens[row + COUNT]:
            self.split_joined(self.tokens, row, args_end + by)
        else:  # the second part has a bracket only
            self.heads.recall(place, self.tokens, row)
            self.tokens[row + ARGS_END] = args_end + by
        self.tokens[row + ARGS] = 0
        self.arguments.row = row
        self.calls.end()
        self.text.hold(self.block)
        self.tokens[row + END] = end

    def split_joined(self, tokens: Longs, row: int, end: int) -> None:
        """Find the arguments that were put together, up to ``end``; a token says where they are."""
        close = self.text.split(0, end, 1)
        tokens[row + COUNT] = self.text.count if close >= 0 else 0
        for k in range(MOST_ARGS):
            tokens[row + ARG + k] = self.text.arg[k]
        tokens[row + ARGS_END] = end

    def only_end(self, row: int, slot: int, call: int, time: int, error: int) -> int:
        """Read the end of a call that began before the log."""
        duration = self.tokens[row + DURATION]
        self.calls.clear(call, slot)
        if time != NULL:
            time = time - duration if duration != NULL else NULL
        self.calls.change_anything(self.calls.specs[call * SPECS + ACT])
        self.emit(slot, call, time, duration, error, self.returned(row))
        return 0

    def break_off(self, slot: int) -> None:
        """The call that is under way in a process ends without a result."""
        if self.busy[slot] < 0:
            return
        began = self.began[slot]
        self.forget_birth(slot)
        call = self.take_up(slot)
        if self.head[slot] >= 0:
            self.lose_head(slot)
        self.emit(slot, call, began, NULL, -1, NULL)
        self.calls.release()

    def lose_head(self, slot: int) -> None:
        """Read the first part of a call that never returns."""
        size = self.heads.join(self.head[slot], self.text, 0, 0)
        self.head[slot] = -1
        if size:
            self.text.hold(self.heads.joined)
            self.spare[ARGS] = 0
            self.split_joined(self.spare, 0, size)
            self.arguments.hold(self.spare)
            self.arguments.row = 0
            self.calls.lose()
            self.arguments.hold(self.tokens)
            self.text.hold(self.block)
            self.text.overflow = 0

    # -- processes ------------------------------------------------------------------------

    def find_process(self, row: int, kind: int) -> int:
        """Return the process of a line; -1 if the driver has to look ahead first."""
        pid = self.tokens[row + PID]
        lwp = self.tokens[row + LWP]
        if pid < 0:
            return self.only_process()
        slot = self.pids.find(lwp * LWPS + pid)
        if slot >= 0:
            return slot
        if lwp:
            slot = self.groups.find(pid)
            if slot >= 0:
                return self.another_lwp(slot, pid, lwp)
        slot = self.pids.find(0)
        if slot >= 0 and pid not in self.attached and self.may_go_on(slot, row, kind):
            return self.rename(slot, pid)
        if self.cloning and kind != RESUMED:
            slot = self.parent_of(pid)
            if slot == -2:
                return -1
            if slot >= 0:
                return self.birth(slot, pid, lwp)
        slot = self.new_process(pid, lwp)
        self.root = 1
        self.calls.table[slot] = self.calls.tables.fresh()
        self.calls.fs[slot] = self.calls.tables.fresh_fs(self.directory)
        return slot

    def may_go_on(self, slot: int, row: int, kind: int) -> int:
        """Say whether a line may be of a process, by the call that is under way in it."""
        if kind == RESUMED:
            return self.busy[slot] < 0 or self.busy[slot] == self.which(row)
        return self.busy[slot] < 0 and not self.cloning

    def only_process(self) -> int:
        """Return the process of a line without a pid: the only one that strace follows.

        A child may have been forked that strace has not attached to yet: it has no line so far.
        """
        slot = self.pids.find(0)
        if slot >= 0:
            return slot
        if self.alive:
            known, some = 0, -1
            for slot in range(self.slots):
                if self.pid[slot] >= 0 and (known == 0 or self.number[slot] >= 0):
                    known += self.number[slot] >= 0
                    some = slot
            if known == 1 or self.alive == 1:
                return some
        slot = self.new_process(0, 0)
        self.root = 1
        self.calls.table[slot] = self.calls.tables.fresh()
        self.calls.fs[slot] = self.calls.tables.fresh_fs(self.directory)
        return slot

    def parent_of(self, pid: int) -> int:
        """Return the process whose fork this pid is of, -1 if none, -2 if we have to look ahead."""
        if self.cloning == 1:
            return self.cloning_sum
        if self.answered != pid:
            self.asks = pid
            return -2
        self.answered = -1
        slot = self.pids.find(self.answer) if self.answer >= 0 else -1
        return slot if slot >= 0 and self.born_table[slot] >= 0 else -1

    def tell(self, pid: int, parent: int) -> None:
        """The driver has looked ahead: a fork of ``parent`` (or of nobody, -1) returns ``pid``."""
        self.asks = -1
        self.answered = pid
        self.answer = parent

    def is_cloning(self, pid: int) -> int:
        """Say whether a fork is under way in a process."""
        slot = self.pids.find(pid)
        return slot >= 0 and self.born_table[slot] >= 0

    def new_process(self, pid: int, lwp: int) -> int:
        """Assign a row to a process that has no table yet."""
        slot = self.free
        if slot >= 0:
            self.free = self.next_free[slot]
        else:
            slot = self.slots
            if slot == len(self.pid):
                self.grow()
            self.slots = slot + 1
        self.pid[slot] = pid
        self.lwp[slot] = lwp
        self.number[slot] = -1
        self.busy[slot] = -1
        self.child[slot] = -1
        self.born_table[slot] = -1
        self.born_fs[slot] = -1
        self.pids.put(lwp * LWPS + pid, slot)
        if lwp:
            self.groups.put(pid, slot)
        self.alive += 1
        return slot

    def grow(self) -> None:
        """Have room for twice as many processes."""
        self.head = grown(self.head, -1)
        self.pid = grown(self.pid, -1)
        self.lwp = grown(self.lwp, 0)
        self.number = grown(self.number, -1)
        self.next_free = grown(self.next_free, -1)
        self.busy = grown(self.busy, -1)
        self.began = grown(self.began, NULL)
        self.order = grown(self.order, 0)
        self.of_fd = grown(self.of_fd, -1)
        self.of_file = grown(self.of_file, -1)
        self.of_file2 = grown(self.of_file2, -1)
        self.of_name = grown(self.of_name, -1)
        self.of_name2 = grown(self.of_name2, -1)
        self.of_kind = grown(self.of_kind, -1)
        self.born_table = grown(self.born_table, -1)
        self.born_fs = grown(self.born_fs, -1)
        self.child = grown(self.child, -1)
        self.calls.table = grown(self.calls.table, -1)
        self.calls.fs = grown(self.calls.fs, -1)

    def another_lwp(self, sibling: int, pid: int, lwp: int) -> int:
        """Assign a row to another thread (truss) of a process that is known."""
        table = self.calls.table[sibling]
        fs = self.calls.fs[sibling]
        slot = self.new_process(pid, lwp)
        self.calls.table[slot] = table
        self.calls.fs[slot] = fs
        self.calls.tables.users[table] += 1
        self.calls.tables.fs_users[fs] += 1
        return slot

    def rename(self, slot: int, pid: int) -> int:
        """The process that had no number has one."""
        self.pids.remove(self.lwp[slot] * LWPS + self.pid[slot])
        self.pid[slot] = pid
        self.pids.put(self.lwp[slot] * LWPS + pid, slot)
        self.last_pid = -2
        return slot

    def finish(self, slot: int) -> None:
        """A process has ended."""
        self.break_off(slot)
        self.forget_birth(slot)
        self.pids.remove(self.lwp[slot] * LWPS + self.pid[slot])
        if self.lwp[slot] and self.groups.find(self.pid[slot]) == slot:
            self.groups.remove(self.pid[slot])
        self.attached.discard(self.pid[slot])
        self.calls.tables.leave(self.calls.table[slot])
        self.calls.tables.leave_fs(self.calls.fs[slot])
        self.calls.table[slot] = -1
        self.calls.fs[slot] = -1
        self.pid[slot] = -1
        self.next_free[slot] = self.free
        self.free = slot
        self.alive -= 1
        self.last_pid = -2

    def finish_others(self, slot: int) -> None:
        """Of a process (truss) only this thread is left, or none."""
        pid = self.pid[slot]
        others = [k for k in range(self.slots) if k != slot and self.pid[k] == pid]
        for other in sorted(others, key=lambda k: self.order[k] if self.busy[k] >= 0 else 0):
            self.finish(other)

    def be_first(self, slot: int) -> None:
        """A thread (truss) goes on as the first of its process."""
        self.pids.remove(self.lwp[slot] * LWPS + self.pid[slot])
        self.lwp[slot] = 1
        self.pids.put(LWPS + self.pid[slot], slot)
        self.groups.put(self.pid[slot], slot)
        self.last_pid = -2

    def supersede(self, old: int, pid: int) -> None:
        """Thread ``old`` has called execve, and goes on under the number ``pid``."""
        slot = self.pids.find(old)
        if slot < 0 or old == pid:
            return
        leader = self.pids.find(pid)
        if leader >= 0:
            self.finish(leader)
        self.rename(slot, pid)

    # -- forks ----------------------------------------------------------------------------

    def prepare_birth(self, slot: int, act: int) -> None:
        """Note what descriptors and directory a child will have, as the fork begins."""
        table = self.calls.table[slot]
        fs = self.calls.fs[slot]
        i = self.tokens[self.arguments.row + ARGS]
        end = self.arguments.end()
        if act == CLONE and self.text.find(CLONE_FILES, 11, i, end) >= 0:
            self.calls.tables.users[table] += 1
        else:
            table = self.calls.tables.copy(table)
        if act == CLONE and self.text.find(CLONE_FS, 8, i, end) >= 0:
            self.calls.tables.fs_users[fs] += 1
        else:
            fs = self.calls.tables.copy_fs(fs)
        self.born_table[slot] = table
        self.born_fs[slot] = fs
        self.child[slot] = -1
        self.cloning += 1
        self.cloning_sum += slot

    def forget_birth(self, slot: int) -> None:
        """There will be no child."""
        if self.born_table[slot] >= 0:
            self.calls.tables.leave(self.born_table[slot])
            self.calls.tables.leave_fs(self.born_fs[slot])
            self.born_table[slot] = -1
            self.born_fs[slot] = -1
            self.cloning -= 1
            self.cloning_sum -= slot

    def birth(self, parent: int, pid: int, lwp: int) -> int:
        """The child of a fork that is under way, or has just returned, begins."""
        table = self.born_table[parent]
        fs = self.born_fs[parent]
        self.born_table[parent] = -1
        self.born_fs[parent] = -1
        self.cloning -= 1
        self.cloning_sum -= parent
        self.child[parent] = pid
        slot = self.new_process(pid, lwp)
        self.calls.table[slot] = table
        self.calls.fs[slot] = fs
        return slot

    def returned_child(self, slot: int, pid: int, lwp: int) -> None:
        """A fork has returned a pid, or an error."""
        if self.born_table[slot] < 0:  # the child has begun before
            return
        if pid <= 0:
            self.forget_birth(slot)
            return
        old = self.pids.find((LWPS if lwp else 0) + pid)
        if old == slot or pid in self.early:
            self.early.discard(pid)
            self.forget_birth(slot)
            return
        if old >= 0:  # its end is not in the log
            self.set_aside(old)
        self.birth(slot, pid, 1 if lwp else 0)

    def set_aside(self, slot: int) -> None:
        """End a process whose number another has, keeping the call that is before us."""
        fd = self.calls.fd
        file = self.calls.file
        file2 = self.calls.file2
        name = self.calls.name
        name2 = self.calls.name2
        kind = self.calls.kind
        spec = self.calls.spec
        self.finish(slot)
        self.calls.fd = fd
        self.calls.file = file
        self.calls.file2 = file2
        self.calls.name = name
        self.calls.name2 = name2
        self.calls.kind = kind
        self.calls.spec = spec

    # -- the end --------------------------------------------------------------------------

    def end_log(self) -> int:
        """Write calls that have not ended, the earliest first; 1 if that was all of them."""
        if self.left is None:
            self.left = self.latest_first()
        while self.left and self.rows.count + 4 < self.rows.capacity:
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
