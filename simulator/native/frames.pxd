cimport cython
from libc.stdint cimport int64_t
from simulator.native.clock cimport Clock
from simulator.native.parts cimport Parts



@cython.final
cdef class Frames:
    cdef public Clock clock
    cdef public Parts parts
    cdef public int64_t depth
    cdef public int64_t places
    cdef public int64_t stride
    cdef public int64_t margin
    cdef public int64_t slots
    cdef public int64_t free
    cdef public int64_t free_count
    cdef public int64_t[::1] actor
    cdef public int64_t[::1] frame

    cpdef int64_t take(self, int64_t role, int64_t index, int64_t number) noexcept nogil
    cpdef void give(self, int64_t slot) noexcept nogil
    cpdef int64_t call(self, int64_t slot, int64_t tier, int64_t op, int64_t file, int64_t low, int64_t high) noexcept nogil
    @cython.locals(place=int64_t)
    cdef int64_t part_of(self, int64_t slot, int64_t at, int64_t tier, int64_t low, int64_t high) noexcept nogil
    cdef void answer(self, int64_t slot) noexcept nogil
