"""The processes that a log follows: who they are, and who has forked whom."""

from __future__ import annotations

from array import array

from simulator.traces.arrays import Bytes, Longs, grown
from simulator.traces.calls import Calls
from simulator.traces.codes import *
from simulator.traces.codes import CLONE_FILES, CLONE_FS
from simulator.traces.intmap import IntMap
from simulator.traces.names import Names
from simulator.traces.syscalls import unknown_spec

LWPS = 1 << 32
FIRST = 64


class Processes:
    """Processes that live, a row each: of them and of the call that is under way."""

    def __init__(self, calls: Calls, call_words: Names) -> None:
        self.calls = calls
        self.arguments = calls.arguments
        self.text = calls.text
        self.call_words = call_words
        self.spare = array("q", [0]) * WIDTH
        self.block: Bytes = b"\n"
        self.tokens: Longs = self.spare
        self.attached: set[int] = set()
        self.directory = self.asks = self.answer = self.answered = -1
        self._have_processes()
        self._have_calls()

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
        self.until = array("q", [NULL]) * FIRST
        """When the last call of each process ended;"""
        self.shift = array("q", [0]) * FIRST
        """and how much later than its lines say its calls are, since others had not ended."""
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

    def look_at(self, block: Bytes, tokens: Longs) -> None:
        """The tokens that come next, and the block that they are of."""
        self.block = block
        self.text.hold(block)
        self.tokens = tokens
        self.arguments.hold(tokens)

    def which(self, row: int) -> int:
        """Return the number of the call's name."""
        call = self.tokens[row + WHICH]
        if call >= 0:
            return call
        call = self.call_words.add(self.text, self.tokens[row + NAME], self.tokens[row + NAME_END])
        if (call + 1) * SPECS > len(self.calls.specs):
            self.calls.know(unknown_spec())
        return call

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
        self.until[slot] = NULL
        self.shift[slot] = 0
        self.child[slot] = -1
        self.born_table[slot] = -1
        self.born_fs[slot] = -1
        self.pids.put(lwp * LWPS + pid, slot)
        if lwp:
            self.groups.put(pid, slot)
        self.alive += 1
        return slot

    def count_process(self, slot: int) -> None:
        """Assign a process its number, with its first call."""
        if self.number[slot] < 0:
            self.number[slot] = self.numbers
            self.numbers += 1

    def grow(self) -> None:
        """Have room for twice as many processes."""
        self.head = grown(self.head, -1)
        self.pid = grown(self.pid, -1)
        self.lwp = grown(self.lwp, 0)
        self.number = grown(self.number, -1)
        self.next_free = grown(self.next_free, -1)
        self.busy = grown(self.busy, -1)
        self.began = grown(self.began, NULL)
        self.until = grown(self.until, NULL)
        self.shift = grown(self.shift, 0)
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

    def be_first(self, slot: int) -> None:
        """A thread (truss) goes on as the first of its process."""
        self.pids.remove(self.lwp[slot] * LWPS + self.pid[slot])
        self.lwp[slot] = 1
        self.pids.put(LWPS + self.pid[slot], slot)
        self.groups.put(self.pid[slot], slot)
        self.last_pid = -2

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
