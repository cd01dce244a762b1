cimport cython
from libc.stdint cimport int64_t
from simulator.native.clock cimport NEVER
from simulator.native.raidunits cimport RaidUnits


@cython.final
cdef class Buffers(RaidUnits):
    cdef int64_t look(self, int64_t u, int64_t when) noexcept nogil
    @cython.locals(ready=int64_t, there=int64_t, before=int64_t, goes_on=bint, row=int64_t, ends=int64_t)
    cdef int64_t access(self, int64_t u, int64_t first, int64_t count, bint write, int64_t asker) noexcept nogil
    @cython.locals(ready=int64_t, there=int64_t, first=int64_t, last=int64_t, goes_on=bint, block=int64_t, begin=int64_t, end=int64_t, ends=int64_t)
    cdef int64_t move(self, int64_t u, int64_t low, int64_t high, bint write, int64_t asker) noexcept nogil
    @cython.locals(block=int64_t)
    cdef void moved(self, int64_t u, int64_t low, int64_t high) noexcept nogil
    @cython.locals(left=int64_t, s=int64_t, block=int64_t)
    cdef int64_t sync(self, int64_t u, int64_t first, int64_t end) noexcept nogil
    @cython.locals(s=int64_t, dirty=int64_t, whole=bint)
    cdef int64_t want(self, int64_t u, int64_t now, int64_t block, int64_t size, bint write) noexcept nogil
    cdef int64_t bring(self, int64_t u, int64_t now, int64_t e, bint wanted) noexcept nogil
    @cython.locals(one=int64_t, end=int64_t)
    cdef void look_ahead(self, int64_t u, int64_t now, int64_t block) noexcept nogil
    @cython.locals(row=int64_t)
    cdef void written(self, int64_t u, int64_t first, int64_t count) noexcept nogil
    @cython.locals(e=int64_t, clean=int64_t, safe=int64_t)
    cdef void write_back(self, int64_t u, int64_t now, int64_t s) noexcept nogil
    @cython.locals(s=int64_t)
    cpdef int64_t drain(self, int64_t u, int64_t now, list slots)
