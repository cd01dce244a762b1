cimport cython
from libc.stdint cimport int64_t
from simulator.native.reading cimport Reading


@cython.final
cdef class Stores(Reading):
    cdef int64_t step(self, int64_t slot, int64_t q) noexcept nogil
    @cython.locals(low=int64_t, high=int64_t, until=int64_t)
    cdef int64_t write(self, int64_t slot, int64_t q) noexcept nogil
    @cython.locals(low=int64_t, high=int64_t, run=bint, full=bint, partial=bint)
    cdef int64_t open_block(self, int64_t slot, int64_t q, int64_t at, int64_t store) noexcept nogil
    cdef int64_t source(self, int64_t q) noexcept nogil
    @cython.locals(awaited=int64_t, column=int64_t)
    cdef int64_t free_block(self, int64_t slot, int64_t q, int64_t at, int64_t store, int64_t b, int64_t run, int64_t low, int64_t high) noexcept nogil
    cdef int64_t reach_limit(self, int64_t slot, int64_t q, int64_t at, int64_t f) noexcept nogil
    cdef int64_t want_room(self, int64_t slot, int64_t q, int64_t at, int64_t f) noexcept nogil
    cdef bint goes_on_done(self, int64_t slot, int64_t q, int64_t at, int64_t store) noexcept nogil
    cdef bint ends_write(self, int64_t slot, int64_t q, int64_t store) noexcept nogil
    @cython.locals(low=int64_t, high=int64_t, index=int64_t, begin=int64_t, end=int64_t, fresh=int64_t, counts=int64_t, first=int64_t, last=int64_t, start=int64_t, file=int64_t)
    cdef int64_t close_run(self, int64_t q, int64_t at, int64_t store) noexcept nogil
    cdef void accept(self, int64_t at, int64_t file, int64_t size) noexcept nogil
    cdef int64_t go_past(self, int64_t slot, int64_t q) noexcept nogil
    @cython.locals(size=int64_t, end=int64_t, exists=int64_t)
    cdef void write_past(self, int64_t q, int64_t f) noexcept nogil
    @cython.locals(index=int64_t, writes=bint)
    cdef void fail(self, int64_t q) noexcept nogil
    cdef void fail_fetch(self, int64_t at, int64_t f, int64_t index) noexcept nogil
    cdef void cancel_write(self, int64_t at, int64_t f, int64_t index) noexcept nogil
    cdef int64_t write_through(self, int64_t slot, int64_t q) noexcept nogil
    @cython.locals(low=int64_t, high=int64_t, index=int64_t, begin=int64_t, end=int64_t)
    cdef bint end_through(self, int64_t q, int64_t at, int64_t store) noexcept nogil
    cdef int64_t wait_for_sync(self, int64_t slot, int64_t q, int64_t f) noexcept nogil
    cdef int64_t sync(self, int64_t slot, int64_t q) noexcept nogil
