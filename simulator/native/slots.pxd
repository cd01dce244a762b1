cimport cython
from libc.stdint cimport int64_t
from simulator.native.clock cimport Clock
from simulator.native.parts cimport Parts

cdef int64_t FIRST_CELLS, GOLDEN, HALF, LOW_HALF


cdef class Slots:
    cdef public Parts parts
    cdef public Clock clock
    cdef public double[::1] rate
    cdef public int64_t[::1] of
    cdef public int64_t[::1] low
    cdef public int64_t[::1] high
    cdef public int64_t[::1] ends
    cdef public int64_t[::1] unit
    cdef public int64_t[::1] stored
    cdef public int64_t margin
    cdef public int64_t cells
    cdef public int64_t cell_count
    cdef public int64_t slot_count
    cdef public int64_t[::1] cell
    cdef public int64_t[::1] chain
    cdef public int64_t chains
    cdef public int64_t[::1] slot
    cdef public int64_t[::1] moment
    cdef public int64_t moments
    cdef public int64_t moments_left
    cdef public int64_t moment_free
    cdef public int64_t moments_made

    @cython.final
    @cython.locals(number=int64_t)
    cdef void chain_cells(self) noexcept nogil
    @cython.final
    cdef int64_t place(self, int64_t u, int64_t block) noexcept nogil
    @cython.final
    cdef void remember(self, int64_t e) noexcept nogil
    @cython.final
    cdef int64_t find(self, int64_t u, int64_t block) noexcept nogil
    @cython.final
    @cython.locals(e=int64_t)
    cdef int64_t cell_of(self, int64_t u, int64_t block) noexcept nogil
    @cython.final
    @cython.locals(run=int64_t)
    cdef bint is_stored(self, int64_t u, int64_t block) noexcept nogil
    @cython.final
    @cython.locals(s=int64_t)
    cdef int64_t take(self, int64_t at) noexcept nogil
    @cython.final
    cdef void append(self, int64_t s, int64_t at) noexcept nogil
    @cython.final
    cdef void touch(self, int64_t s, int64_t at) noexcept nogil
