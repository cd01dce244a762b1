cimport cython
from libc.stdint cimport int64_t

cdef int64_t READ, WRITE, UNKNOWN

@cython.locals(i=int64_t, number=int64_t, end=int64_t, placed=int64_t, count=int64_t)
cpdef int64_t follow(
    signed char[::1] kind,
    int[::1] file,
    int64_t[::1] offset,
    int64_t[::1] size,
    int64_t[::1] length,
    int64_t[::1] reach,
    int64_t[::1] last,
    signed char[::1] old,
)
