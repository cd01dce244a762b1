cimport cython
from libc.stdint cimport int64_t
from simulator.native.streaming cimport Streaming


@cython.final
cdef class Clients(Streaming):
    @cython.locals(time=int64_t)
    cdef int64_t step(self, int64_t slot) noexcept nogil
    cdef int64_t begin_listed(self, int64_t slot, int64_t x, int64_t row) noexcept nogil
    @cython.locals(phase=int64_t, last=bint, time=int64_t)
    cdef int64_t next_phase(self, int64_t slot, int64_t x) noexcept nogil
    cdef void go_back(self, int64_t x, int64_t row) noexcept nogil
    @cython.locals(began=int64_t)
    cdef bint takes_no_time(self, int64_t x) noexcept nogil
    cpdef int64_t begin(self, int64_t slot, int64_t x) noexcept nogil
