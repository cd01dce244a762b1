cimport cython
from libc.stdint cimport int64_t, uint8_t
from simulator.traces.bytesearch cimport copy_bytes, cut_bytes
from simulator.traces.codes cimport *
from simulator.traces.text cimport Text

cdef int64_t FIRST, JOINED
cdef enum:
    ROOM = 256
    FIELDS = 9


@cython.final
cdef class Heads:
    cdef uint8_t[::1] bytes
    cdef int64_t[::1] numbers, next_free
    cdef int64_t free
    cdef readonly int64_t count
    cdef dict long
    cdef uint8_t[::1] joined
    cdef int64_t size

    @cython.locals(place=int64_t, start=int64_t, end=int64_t, k=int64_t)
    cdef int64_t keep(self, Text text, int64_t[::1] tokens, int64_t row) except -2
    @cython.locals(size=int64_t)
    cdef int64_t grow(self) except -2
    @cython.locals(k=int64_t)
    cdef void recall(self, int64_t place, int64_t[::1] tokens, int64_t row) noexcept nogil
    cdef int64_t leave(self, int64_t place) except -2
    @cython.locals(size=int64_t)
    cdef int64_t join(self, int64_t place, Text text, int64_t start, int64_t end) except -2
