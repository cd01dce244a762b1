cimport cython
from libc.stdint cimport int64_t
from simulator.native.slots cimport Slots

cdef int64_t FIRST_MOMENTS, ROWS_OF_BLOCK, ROWS_OF_SLOT


cdef class RaidUnits(Slots):
    @cython.final
    @cython.locals(size=int64_t, block=int64_t, s=int64_t, ready=int64_t)
    cdef int64_t read(self, int64_t u, int64_t now, int64_t e) noexcept nogil
    @cython.final
    @cython.locals(block=int64_t, s=int64_t, clean=int64_t, safe=int64_t)
    cdef int64_t write(self, int64_t u, int64_t now, int64_t begin, int64_t e, int64_t size) noexcept nogil
    @cython.final
    cdef int64_t take_disk_slot(self, int64_t u, int64_t e) noexcept nogil
    @cython.final
    @cython.locals(m=int64_t, one=int64_t, other=int64_t, was=int64_t, least=int64_t, ready=bint, queue=int64_t, block=int64_t, size=int64_t)
    cdef void advance(self, int64_t u, int64_t now) noexcept nogil
    @cython.final
    @cython.locals(least=int64_t)
    cdef int64_t later(self, int64_t u, int64_t one, int64_t other) noexcept nogil
    @cython.final
    @cython.locals(least=int64_t)
    cdef int64_t enter(self, int64_t u, int64_t now, int64_t queue, int64_t block, int64_t size, int64_t one, int64_t other) noexcept nogil
    @cython.final
    @cython.locals(field=int64_t, start=int64_t, service=int64_t, more=int64_t, end=int64_t, track=int64_t)
    cdef int64_t serve(self, int64_t u, int64_t now, int64_t queue, int64_t block, int64_t size) noexcept nogil
    @cython.final
    @cython.locals(overhead=int64_t, rate=double)
    cdef int64_t service(self, int64_t u, int64_t queue, int64_t size) noexcept nogil
    @cython.final
    cdef bint is_known(self, int64_t when) noexcept nogil
    @cython.final
    cdef int64_t least(self, int64_t when) noexcept nogil
    @cython.final
    cdef int64_t settled(self, int64_t when) noexcept nogil
    @cython.final
    cdef int64_t refer(self, int64_t when) noexcept nogil
    @cython.final
    cdef void drop(self, int64_t when) noexcept nogil
    @cython.final
    @cython.locals(old=int64_t)
    cdef void keep(self, int64_t at, int64_t when) noexcept nogil
    @cython.final
    cdef void forget(self, int64_t m) noexcept nogil
    @cython.final
    @cython.locals(m=int64_t, takes=int64_t)
    cdef int64_t at(self, int64_t u, int64_t least, int64_t one, int64_t other, int64_t queue, int64_t block, int64_t size) noexcept nogil
    @cython.final
    cdef void link(self, int64_t u, int64_t m) noexcept nogil
    @cython.final
    @cython.locals(child=int64_t, pairs=int64_t, other=int64_t, after=int64_t, first=int64_t)
    cdef void unlink(self, int64_t u, int64_t m) noexcept nogil
    @cython.final
    @cython.locals(at=int64_t, to=int64_t, number=int64_t)
    cdef int64_t merged(self, int64_t one, int64_t other) noexcept nogil
    cpdef int64_t wanted_moments(self) noexcept nogil
    @cython.locals(number=int64_t, u=int64_t, safe=int64_t)
    cpdef int64_t settle(self) noexcept
