cimport cython
from libc.stdint cimport int64_t

cdef int64_t FIRST, LOW, SPREAD


@cython.final
cdef class IntMap:
    cdef public int64_t[::1] keys, values
    cdef public int64_t mask, count

    cdef int64_t place(self, int64_t key) noexcept nogil
    @cython.locals(slot=int64_t)
    cpdef int64_t find(self, int64_t key) noexcept nogil
    @cython.locals(slot=int64_t)
    cpdef int64_t put(self, int64_t key, int64_t value) except -2
    @cython.locals(slot=int64_t, hole=int64_t, home=int64_t)
    cpdef void remove(self, int64_t key) noexcept nogil
    @cython.locals(size=int64_t, slot=int64_t)
    cdef int64_t grow(self) except -2
