cimport cython
from libc.stdint cimport int64_t
from simulator.native.codes cimport (
    E_BLOCK, E_DISK_SLOT, E_SLOT, E_STORED, E_UNIT, J_CELL, J_CLEAN, J_DIRTY, J_EARLY, J_NEXT,
    J_PREV, J_READY, J_ROWS, RING_LAST, U_ACCEPTED_BYTES, U_AHEAD, U_BLOCK, U_BLOCKS, U_BUS_BUSY, U_BUS_FREE, U_BUS_NS, U_DIRTIES,
    U_DISK_BUSY, U_DISK_FREE, U_DISK_HITS, U_DISK_READS, U_DISK_READ_BYTES, U_DISK_SLOTS,
    U_DISK_WRITES, U_DISK_WRITTEN_BYTES, U_ENDS, U_EVICTED, U_HEAD, U_HITS, U_MISSES,
    U_OVERWRITTEN_BYTES, U_PAUSE_NS, U_RATES, U_READ_AHEAD, U_SAFE, U_SEEK_NS, U_SLOTS, U_USED_AHEAD, OF_UNIT,
)
from simulator.native.slots cimport Slots

cdef int64_t OVER_BUS, TO_DISK


@cython.final
cdef class Buffers(Slots):
    @cython.locals(ready=int64_t, before=int64_t, goes_on=bint, row=int64_t, ends=int64_t)
    cdef int64_t access(self, int64_t u, int64_t first, int64_t count, bint write, int64_t asker) noexcept nogil
    @cython.locals(ready=int64_t, first=int64_t, last=int64_t, goes_on=bint, block=int64_t, begin=int64_t, end=int64_t, ends=int64_t)
    cdef int64_t move(self, int64_t u, int64_t low, int64_t high, bint write, int64_t asker) noexcept nogil
    @cython.locals(block=int64_t)
    cdef void moved(self, int64_t u, int64_t low, int64_t high) noexcept nogil
    @cython.locals(left=int64_t, s=int64_t, block=int64_t)
    cdef int64_t sync(self, int64_t u, int64_t first, int64_t end) noexcept nogil
    @cython.locals(s=int64_t, dirty=int64_t, whole=bint)
    cdef int64_t want(self, int64_t u, int64_t now, int64_t block, int64_t size, bint write) noexcept nogil
    @cython.locals(ready=int64_t)
    cdef int64_t bring(self, int64_t u, int64_t now, int64_t e, bint wanted) noexcept nogil
    @cython.locals(one=int64_t, end=int64_t)
    cdef void look_ahead(self, int64_t u, int64_t now, int64_t block) noexcept nogil
    @cython.locals(row=int64_t)
    cdef void written(self, int64_t u, int64_t first, int64_t count) noexcept nogil
    cdef void write_back(self, int64_t u, int64_t now, int64_t s) noexcept nogil
    @cython.locals(number=int64_t)
    cpdef void drain(self, int64_t now) noexcept nogil
    @cython.locals(s=int64_t)
    cdef int64_t read(self, int64_t u, int64_t now, int64_t e) noexcept nogil
    @cython.locals(s=int64_t, begin=int64_t)
    cdef int64_t write(self, int64_t u, int64_t now, int64_t e, int64_t size) noexcept nogil
    cdef int64_t take_disk_slot(self, int64_t u, int64_t e) noexcept nogil
    @cython.locals(start=int64_t, service=int64_t, rate=double, end=int64_t)
    cdef int64_t to_disk(self, int64_t u, int64_t now, int64_t block, int64_t size) noexcept nogil
    @cython.locals(start=int64_t, service=int64_t, rate=double, end=int64_t)
    cdef int64_t cross(self, int64_t u, int64_t now, int64_t size) noexcept nogil
