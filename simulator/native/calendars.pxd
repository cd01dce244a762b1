cimport cython
from libc.stdint cimport int64_t, uint64_t
from simulator.mixing cimport mix
from simulator.native.clock cimport Clock
from simulator.native.wide cimport divided, rest_of, stretched

cdef int64_t AS_USUAL, NO_END, LONGEST_GAP, FRACTION, MOST_TIMES


@cython.final
cdef class Calendars:
    cdef public int64_t[::1] first
    cdef public int64_t[::1] rows
    cdef public int64_t[::1] edges
    cdef public int64_t[::1] delayed
    cdef public int64_t[::1] missed
    cdef public int64_t[::1] given_up
    cdef public int64_t count
    cdef public Clock clock
    cdef public int64_t until
    cdef public int64_t began
    cdef public int64_t lost

    cdef bint has(self, int64_t instance) noexcept nogil
    @cython.locals(speed=int64_t, until=int64_t, row=int64_t, own=int64_t, end=int64_t)
    cdef int64_t speed(self, int64_t instance, int64_t time) noexcept nogil
    @cython.locals(lasts=int64_t, before=int64_t, end=int64_t)
    cdef void seek(self, int64_t row, int64_t time) noexcept nogil
    @cython.locals(bits=uint64_t, place=int64_t, mean=int64_t, low=int64_t, high=int64_t, fraction=int64_t)
    cdef int64_t gap(self, int64_t row) noexcept nogil
    @cython.locals(gone=int64_t)
    cdef int64_t next(self, int64_t instance, int64_t time, int64_t down) noexcept nogil
    @cython.locals(time=int64_t, began=int64_t, lost=int64_t, speed=int64_t, until=int64_t, takes=int64_t)
    cdef int64_t end_of(self, int64_t instance, int64_t start, int64_t work) noexcept nogil
    @cython.locals(speed=int64_t, until=int64_t)
    cdef int64_t gone_from(self, int64_t instance, int64_t since, int64_t end, int64_t most) noexcept nogil
    @cython.locals(work=int64_t, speed=int64_t, end=int64_t)
    cdef int64_t done(self, int64_t instance, int64_t since, int64_t now) noexcept nogil
    @cython.locals(time=int64_t, speed=int64_t, end=int64_t)
    cdef int64_t down(self, int64_t instance, int64_t since, int64_t now) noexcept nogil
    cdef void miss(self, int64_t instance, int64_t lost) noexcept nogil
