cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

@cython.locals(missing=int64_t, at=int64_t, byte=int64_t, k=int64_t)
cpdef int64_t present64(const int64_t[::1] column, int64_t count, int64_t absent, uint8_t[::1] bits) noexcept nogil
@cython.locals(missing=int64_t, at=int64_t, byte=int64_t, k=int64_t)
cpdef int64_t present32(const int32_t[::1] column, int64_t count, int64_t absent, uint8_t[::1] bits) noexcept nogil
