cimport cython
from libc.stdint cimport int64_t, uint64_t

cdef int64_t BEYOND, FEW, FEW_BITS, ONE_BITS
cdef uint64_t MASK, HALF

cdef int64_t times(int64_t one, int64_t other) noexcept nogil
cdef int64_t stretched(int64_t service, int64_t factor) noexcept nogil
@cython.locals(whole=int64_t)
cdef int64_t divided(int64_t one, int64_t other, int64_t by) noexcept nogil
@cython.locals(low=uint64_t, middle=uint64_t, carried=uint64_t, rest=uint64_t, i=int64_t)
cdef int64_t long_divided(uint64_t one, uint64_t other, uint64_t by) noexcept nogil
cdef int64_t rest_of(uint64_t one, uint64_t other, uint64_t by, uint64_t whole) noexcept nogil
