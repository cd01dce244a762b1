cimport cython
from libc.stdint cimport int64_t, uint64_t

from simulator.mixing cimport mix, pick

cdef int64_t _EQUAL, _IN_TURN, _EVENLY, _FROM_TABLE, HEARS

@cython.final
cdef class LengthTable:
    cdef readonly int64_t rows
    cdef readonly int64_t[::1] count
    cdef readonly int64_t[::1] total
    cdef readonly int64_t[::1] longest
    cdef int64_t[::1] _last
    cdef int64_t[::1] _kind
    cdef int64_t[::1] _key
    cdef int64_t[::1] _first
    cdef int64_t[::1] _size
    cdef readonly int64_t[::1] pool
    cdef object _cells
    cdef int64_t _room
    cdef dict _places

    @cython.locals(left=int64_t, last=int64_t, count=int64_t)
    cdef object _fill(self, int64_t row, int64_t total)

    cpdef int64_t length(self, int64_t row, int64_t i) noexcept nogil
    @cython.locals(kind=int64_t, first=int64_t)
    cdef int64_t _draw(self, int64_t row, int64_t i) noexcept nogil
    @cython.locals(ahead=int64_t)
    cpdef int64_t alike(self, int64_t row, int64_t i) noexcept nogil
    @cython.locals(count=int64_t, i=int64_t)
    cpdef int64_t first_over(self, int64_t row, int64_t most) noexcept nogil
    @cython.locals(count=int64_t, cycle=int64_t, number=int64_t, i=int64_t)
    cpdef int64_t pieces(self, int64_t row, int64_t most) noexcept nogil
    cdef int64_t _cycle(self, int64_t row) noexcept nogil

cdef int64_t _draw_below(uint64_t size, uint64_t key, int64_t number) noexcept nogil
cdef int64_t _pieces(int64_t length, int64_t most) noexcept nogil
