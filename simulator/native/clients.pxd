cimport cython
from libc.stdint cimport int64_t
from simulator.native.clock cimport NEVER
from simulator.native.streaming cimport Streaming

cdef int64_t MAX_TRANSFER


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
    cdef bint is_plain(self, int64_t x, int64_t row) noexcept nogil
    @cython.locals(at=int64_t, write=int64_t, now=int64_t, record=int64_t, size=int64_t, copied=int64_t, cpu=int64_t, instance=int64_t, row=int64_t, noisy=bint, service=int64_t, requests=int64_t, busy=int64_t, moved=int64_t, used=int64_t, time=int64_t, place=int64_t, low=int64_t)
    cdef int64_t next_plain(self, int64_t slot, int64_t x) noexcept nogil
    cdef inline void count_call(self, int64_t x, int64_t write, int64_t now) noexcept nogil
    cdef inline void take_record(self, int64_t at, int64_t record, int64_t low, int64_t size, int64_t copied) noexcept nogil
