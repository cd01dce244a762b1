cimport cython
from libc.stdint cimport int64_t
from simulator.mixing cimport pick_of
from simulator.native.clock cimport Clock

cdef int64_t FILE_BITS


cdef class LockTable:
    cdef public Clock clock
    cdef public int64_t margin
    cdef public int64_t rows
    cdef public int64_t cells
    cdef public int64_t free
    cdef public int64_t[::1] lock
    cdef public int64_t[::1] cell
    cdef public int64_t[::1] chain
    cdef public int64_t chains

    @cython.final
    cdef void fresh(self, int64_t row, int64_t file, int64_t number) noexcept nogil
    @cython.locals(key=int64_t, chain=int64_t)
    @cython.final
    cdef void chain_unit(self, int64_t row) noexcept nogil
    @cython.locals(row=int64_t)
    @cython.final
    cdef int64_t unit_row(self, int64_t file, int64_t number) noexcept nogil
    @cython.locals(c=int64_t)
    @cython.final
    cdef bint suits(self, int64_t row, int64_t node, int64_t exclusive) noexcept nogil
    @cython.locals(c=int64_t, found=int64_t, other=int64_t)
    @cython.final
    cdef int64_t in_the_way(self, int64_t row, int64_t node, int64_t exclusive) noexcept nogil
    @cython.locals(c=int64_t)
    @cython.final
    cdef void grant(self, int64_t row, int64_t node, int64_t at, int64_t exclusive) noexcept nogil
    @cython.locals(before=int64_t)
    @cython.final
    cdef void take_from(self, int64_t row, int64_t c) noexcept nogil
