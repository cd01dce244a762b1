cimport cython
from libc.stdint cimport int64_t

cdef int64_t SCALE


@cython.final
cdef class FairShare:
    cdef public int64_t count
    cdef int64_t _virtual
    cdef int64_t _since
    cdef int64_t[::1] _goal
    cdef int64_t[::1] _number

    @cython.locals(goal=int64_t, place=int64_t, above=int64_t)
    cpdef void add(self, int64_t now_ns, int64_t number, int64_t service_ns) noexcept nogil
    @cython.locals(left=int64_t)
    cpdef int64_t next_end(self) noexcept nogil
    @cython.locals(number=int64_t)
    cpdef int64_t finish(self, int64_t now_ns) noexcept nogil
    cdef void _advance(self, int64_t now_ns) noexcept nogil
    @cython.locals(other=int64_t)
    cdef bint _before(self, int64_t goal, int64_t number, int64_t place) noexcept nogil
    @cython.locals(place=int64_t, below=int64_t, right=int64_t)
    cdef void _sink(self, int64_t goal, int64_t number) noexcept nogil
