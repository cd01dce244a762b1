cimport cython
from libc.stdint cimport int64_t
from simulator.native.clock cimport NEVER
from simulator.native.processes cimport Processes


cdef class PhaseTimes(Processes):
    cdef public int64_t[::1] named
    cdef public int64_t[::1] cut
    cdef public int64_t[::1] holdings

    @cython.locals(now=int64_t)
    cdef void begin_named(self, int64_t x, int64_t row) noexcept nogil
    @cython.locals(row=int64_t, read=int64_t, written=int64_t)
    cdef void end_named(self, int64_t x, int64_t now) noexcept nogil
    @cython.locals(failed=int64_t)
    cdef int64_t moved(self, int64_t x, int64_t bytes_cell, int64_t failed_cell) noexcept nogil
    @cython.locals(total=int64_t)
    cdef void add_to(self, int64_t cell, int64_t value) noexcept nogil
    @cython.locals(cut=int64_t)
    cdef bint pass_cut(self, int64_t x) noexcept nogil
    @cython.locals(row=int64_t)
    cdef void hold(self, int64_t x, int64_t sign) noexcept nogil
    @cython.locals(before=int64_t, group=int64_t)
    cdef void hold_other(self, int64_t x, int64_t row) noexcept nogil
    cdef void hold_more(self, int64_t x, int64_t group, int64_t size) noexcept nogil
