cimport cython
from libc.stdint cimport int64_t, uint8_t
from simulator.traces.arguments cimport Arguments
from simulator.traces.calls cimport Calls
from simulator.traces.heads cimport Heads
from simulator.traces.intmap cimport IntMap
from simulator.traces.names cimport Names
from simulator.traces.rows cimport Rows
from simulator.traces.text cimport Text
from simulator.traces.codes cimport *

cdef int64_t NULL, SECOND, HALF_DAY, LWPS, FIRST, EBADF
cdef const uint8_t[::1] CLONE_FILES, CLONE_FS


@cython.final
cdef class Follower:
    cdef public Calls calls
    cdef public Arguments arguments
    cdef public Text text
    cdef public Rows rows
    cdef public Names call_words, error_words
    cdef public IntMap pids, groups
    cdef const uint8_t[::1] block
    cdef int64_t[::1] tokens
    cdef public int64_t[::1] head
    cdef readonly Heads heads
    cdef public int64_t cloning, cloning_sum
    cdef public list left
    cdef public set attached, early
    cdef public int64_t late_slot, late_node, exit_call, lenient
    cdef public int64_t[::1] spare, pid, lwp, number, next_free
    cdef public int64_t free, slots, alive, numbers, last_pid, last_slot, root
    cdef public int64_t[::1] busy, began, order, of_fd, of_file, of_file2, of_name, of_name2
    cdef public int64_t[::1] of_kind, born_table, born_fs, child
    cdef public int64_t orders, clock, day, last_time, steps, stamped_at_end, directory, asks
    cdef public int64_t answer, answered, damage, damaged_row, skipped, table_state, table_lines
    cdef public int64_t unfinished, inherited_calls, inherited_bytes, durations, call_count

    cpdef int64_t look_at(self, const uint8_t[::1] block, int64_t[::1] tokens) except -2
    @cython.locals(n=int64_t)
    cpdef int64_t follow(self, int64_t count, int64_t first) except? -9
    @cython.locals(kind=int64_t, slot=int64_t, time=int64_t)
    cdef int64_t one(self, int64_t row) except? -9
    @cython.locals(state=int64_t)
    cdef int64_t table_line(self, int64_t what, int64_t damage) noexcept nogil
    cdef void count_process(self, int64_t slot) noexcept nogil
    @cython.locals(last=int64_t)
    cdef int64_t time(self, int64_t time, int64_t clock) except? -9
    cdef int64_t not_resumed(self, int64_t slot) except? -9
    @cython.locals(call=int64_t)
    cdef int64_t which(self, int64_t row) except? -9
    cdef int64_t error(self, int64_t row) except? -9
    @cython.locals(call=int64_t, error=int64_t, act=int64_t, duration=int64_t)
    cdef int64_t whole(self, int64_t row, int64_t slot, int64_t time) except? -9
    cdef int64_t too_large(self) noexcept nogil
    cdef int64_t after_truss(self, int64_t row, int64_t slot, int64_t call) except -2
    @cython.locals(pid=int64_t, parent=int64_t, table=int64_t, fs=int64_t, slot=int64_t)
    cdef void truss_child(self, int64_t row) except *
    cdef int64_t returned(self, int64_t row) noexcept nogil
    @cython.locals(kind=int64_t, name=int64_t)
    cdef int64_t emit(self, int64_t slot, int64_t call, int64_t time, int64_t duration, int64_t error, int64_t returned) except -2
    cdef void count_inherited(self, int64_t call, int64_t returned) noexcept nogil
    @cython.locals(call=int64_t, act=int64_t)
    cdef int64_t first_part(self, int64_t row, int64_t slot, int64_t time) except? -9
    @cython.locals(call=int64_t)
    cdef void wake(self, int64_t slot) except *
    cdef int64_t take_up(self, int64_t slot) noexcept nogil
    @cython.locals(call=int64_t, error=int64_t, duration=int64_t, began=int64_t, act=int64_t, value=int64_t)
    cdef int64_t second_part(self, int64_t row, int64_t slot, int64_t time) except? -9
    @cython.locals(start=int64_t, end=int64_t, args_end=int64_t, place=int64_t, by=int64_t)
    cdef int64_t join_parts(self, int64_t row, int64_t slot) except -2
    @cython.locals(close=int64_t, k=int64_t)
    cdef void split_joined(self, int64_t[::1] tokens, int64_t row, int64_t end) noexcept nogil
    @cython.locals(duration=int64_t)
    cdef int64_t only_end(self, int64_t row, int64_t slot, int64_t call, int64_t time, int64_t error) except? -9
    @cython.locals(began=int64_t, call=int64_t)
    cdef void break_off(self, int64_t slot) except *
    @cython.locals(size=int64_t)
    cdef int64_t lose_head(self, int64_t slot) except -2
    @cython.locals(slot=int64_t, pid=int64_t, lwp=int64_t)
    cdef int64_t find_process(self, int64_t row, int64_t kind) except? -9
    cdef int64_t may_go_on(self, int64_t slot, int64_t row, int64_t kind) except? -9
    @cython.locals(slot=int64_t)
    cdef int64_t only_process(self) except? -9
    @cython.locals(slot=int64_t)
    cdef int64_t parent_of(self, int64_t pid) except? -9
    cpdef int64_t tell(self, int64_t pid, int64_t parent) except -2
    @cython.locals(slot=int64_t)
    cpdef int64_t is_cloning(self, int64_t pid) except? -9
    @cython.locals(slot=int64_t)
    cdef int64_t new_process(self, int64_t pid, int64_t lwp) except? -9
    cdef int64_t grow(self) except -2
    @cython.locals(table=int64_t, fs=int64_t, slot=int64_t)
    cdef int64_t another_lwp(self, int64_t sibling, int64_t pid, int64_t lwp) except? -9
    cdef int64_t rename(self, int64_t slot, int64_t pid) except? -9
    cdef int64_t finish(self, int64_t slot) except -2
    @cython.locals(pid=int64_t)
    cdef void finish_others(self, int64_t slot) except *
    cdef void be_first(self, int64_t slot) except *
    @cython.locals(slot=int64_t, leader=int64_t)
    cdef void supersede(self, int64_t old, int64_t pid) except *
    @cython.locals(table=int64_t, fs=int64_t, i=int64_t, end=int64_t)
    cdef int64_t prepare_birth(self, int64_t slot, int64_t act) except -2
    cdef int64_t forget_birth(self, int64_t slot) except -2
    @cython.locals(table=int64_t, fs=int64_t, slot=int64_t)
    cdef int64_t birth(self, int64_t parent, int64_t pid, int64_t lwp) except? -9
    @cython.locals(old=int64_t)
    cdef void returned_child(self, int64_t slot, int64_t pid, int64_t lwp) except *
    @cython.locals(fd=int64_t, file=int64_t, file2=int64_t, name=int64_t, name2=int64_t, kind=int64_t, spec=int64_t)
    cdef int64_t set_aside(self, int64_t slot) except -2
    cpdef int64_t end_log(self) except? -9
    cdef list latest_first(self)
    @cython.locals(slot=int64_t)
    cpdef int64_t forget(self) except -2
