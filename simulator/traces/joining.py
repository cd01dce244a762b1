"""Calls in two parts, with the lines of other processes between them, and ends of processes."""

from __future__ import annotations

from simulator.traces.arrays import Longs
from simulator.traces.calls import Calls
from simulator.traces.codes import *
from simulator.traces.heads import Heads
from simulator.traces.names import Names
from simulator.traces.processes import LWPS, Processes
from simulator.traces.rows import Rows

EBADF = 0
"""The number of this error's name, the first."""


class Joining(Processes):
    """Writes the rows of calls, of those too that are interrupted or never return."""

    def __init__(self, calls: Calls, rows: Rows, call_words: Names, error_words: Names) -> None:
        super().__init__(calls, call_words)
        self.rows = rows
        self.error_words = error_words
        error_words.word(b"EBADF")
        self.heads = Heads()
        self.early: set[int] = set()
        self.inherited_calls = self.inherited_bytes = 0
        self.durations = self.call_count = self.within = 0
        self.first_request = call_words.word(b"aio_pread")
        """The number of the first of the requests of io_submit, which follow each other."""

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
        if duration != NULL:
            self.durations = 1
            self.within += duration
            if time != NULL:
                self.until[slot] = time + duration
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

        if self.calls.specs[call * SPECS + ACT] == SUBMIT and returned > 0:
            self.emit_requests(slot, time, returned)

    def emit_requests(self, slot: int, time: int, count: int) -> None:
        """Write the rows of requests that ``io_submit`` has accepted, as far as it shows them."""
        calls = self.calls
        left = count
        i = calls.arguments.first_request() if calls.submitted == count else -1
        calls.submitted = 0
        while i >= 0 and left > 0 and self.rows.count < self.rows.capacity:
            what = calls.arguments.request(i)
            after = calls.arguments.after
            if what == AIO_NOTHING:
                left -= 1
            elif what >= 0 and calls.take_request(what, i):
                left -= 1
                moved = calls.submitted
                self.emit(slot, self.first_request + what, time, NULL, -1, moved)
            calls.file = -1
            calls.arguments.after = after
            i = calls.arguments.next_request()
        if left > 0:
            calls.submit_calls += 1
            calls.submit_lost += left

    def count_inherited(self, call: int, returned: int) -> None:
        """A call was on a descriptor that was open before the log began."""
        self.inherited_calls += 1
        if self.calls.specs[call * SPECS + MOVING] and returned > 0:
            self.inherited_bytes += returned

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

    def wake(self, slot: int) -> None:
        """The call that slept (truss) is written again, as a whole."""
        self.heads.leave(self.head[slot])
        self.take_up(slot)
        self.calls.release()

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

    def supersede(self, old: int, pid: int) -> None:
        """Thread ``old`` has called execve, and goes on under the number ``pid``."""
        slot = self.pids.find(old)
        if slot < 0 or old == pid:
            return
        leader = self.pids.find(pid)
        if leader >= 0:
            self.finish(leader)
        self.rename(slot, pid)

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
