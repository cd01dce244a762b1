cimport cython
from libc.stdint cimport int64_t
from simulator.machine.cache cimport UnitCache
from simulator.machine.raid cimport RaidUnit


@cython.final
cdef class BufferCache:
    cdef public RaidUnit raid
    cdef public int64_t block
    cdef public int64_t blocks
    cdef public int64_t ahead
    cdef public int64_t[::1] of
    cdef public int64_t[::1] low
    cdef public int64_t[::1] high
    cdef public UnitCache store
    cdef public int64_t[::1] held
    cdef public int64_t[::1] ready
    cdef public int64_t[::1] clean
    cdef public int64_t[::1] dirty
    cdef public int64_t[::1] early
    cdef public int64_t[::1] stored
    cdef public int64_t[::1] last
    cdef public int64_t hits
    cdef public int64_t misses
    cdef public int64_t read_ahead
    cdef public int64_t used_ahead
    cdef public int64_t evicted

    @cython.locals(block=int64_t)
    cpdef void lay(self, int64_t first, int64_t count) noexcept
    @cython.locals(ready=int64_t, before=int64_t, goes_on=bint, row=int64_t, block=int64_t)
    cpdef int64_t access(self, int64_t now, int64_t first, int64_t count, bint write, int64_t asker) noexcept
    @cython.locals(block=int64_t, size=int64_t, slot=int64_t, wanted=bint)
    cpdef int64_t touch(self, int64_t now, int64_t row, bint write) noexcept
    @cython.locals(slot=int64_t, free=int64_t)
    cpdef int64_t bring(self, int64_t now, int64_t block, bint wanted) noexcept
    @cython.locals(one=int64_t, slot=int64_t)
    cpdef void look_ahead(self, int64_t now, int64_t block) noexcept
    @cython.locals(row=int64_t, slot=int64_t)
    cpdef void written(self, int64_t now, int64_t first, int64_t count) noexcept
    @cython.locals(block=int64_t, begin=int64_t)
    cpdef void write_back(self, int64_t now, int64_t slot) noexcept
    @cython.locals(slot=int64_t)
    cpdef int64_t drain(self, int64_t now) noexcept
