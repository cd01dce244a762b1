cimport cython
from libc.stdint cimport int64_t

from simulator.measure cimport entry

cdef int64_t _ROW

@cython.locals(row=int64_t, at=int64_t)
cpdef int64_t in_turn(int64_t function, bint wide, int64_t[::1] rows, int64_t first, int64_t last)

@cython.locals(row=int64_t, at=int64_t)
cpdef int64_t regardless(int64_t function, bint wide, int64_t[::1] rows, int64_t first, int64_t last)

@cython.locals(row=int64_t, at=int64_t, file=int64_t)
cpdef int64_t opened(int64_t opens, int64_t closes, int64_t[::1] rows, int64_t first, int64_t last)
