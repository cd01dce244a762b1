cimport cython
from libc.stdint cimport int64_t, uint64_t

cdef uint64_t _MASK, _GOLDEN, _FIRST, _SECOND
cdef int64_t _SHIFT

@cython.locals(z=uint64_t)
cpdef uint64_t mix(uint64_t key, int64_t number) noexcept nogil
cpdef int64_t pick_of(uint64_t chains, uint64_t number) noexcept nogil
cpdef int64_t pick(uint64_t key, int64_t number) noexcept nogil
