cimport cython
from libc.stdint cimport int64_t
from simulator.machine.mixing cimport pick_of

cdef int64_t CLEAN, DIRTY, QUEUED, BUSY, FREE
cdef int64_t RELEASE_WHOLE, RELEASE_FULL


@cython.final
cdef class UnitCache:
    cdef public int64_t slots
    cdef public int64_t unit
    cdef public int64_t share
    cdef public int64_t release
    cdef public int64_t used
    cdef public int64_t evicted
    cdef public int64_t dirty_count
    cdef public int64_t queued_count
    cdef public int64_t[::1] block_of
    cdef public int64_t[::1] file_of
    cdef public int64_t[::1] state
    cdef public int64_t[::1] users
    cdef public int64_t[::1] writing
    cdef public int64_t[::1] fetching
    cdef public int64_t[::1] written
    cdef public int64_t[::1] valid
    cdef public int64_t[::1] whole
    cdef public int64_t[::1] dirty_low
    cdef public int64_t[::1] dirty_high
    cdef public int64_t[::1] dirty_sum
    cdef public int64_t[::1] file_written
    cdef public int64_t[::1] file_outgrown
    cdef int64_t _chains
    cdef int64_t[::1] _chain
    cdef int64_t[::1] _along
    cdef readonly int64_t[::1] _next
    cdef readonly int64_t[::1] _prev
    cdef readonly int64_t[::1] _file_next
    cdef readonly int64_t[::1] _file_prev
    cdef readonly int64_t[::1] _free

    @cython.locals(slot=int64_t)
    cpdef int64_t find(self, int64_t block) noexcept nogil
    cpdef void touch(self, int64_t slot) noexcept nogil
    cpdef bint may_write(self, int64_t file) noexcept nogil
    cpdef bint is_full(self, int64_t slot) noexcept nogil
    cpdef bint is_dirty(self, int64_t slot) noexcept nogil
    cpdef bint overlaps_dirty(self, int64_t slot, int64_t low, int64_t high) noexcept nogil
    cpdef bint has_room(self, int64_t file, bint write) noexcept nogil
    @cython.locals(victim=int64_t, slot=int64_t)
    cpdef int64_t admit(self, int64_t block, int64_t file, bint write) noexcept nogil
    cpdef void settle(self, int64_t slot) noexcept nogil
    cpdef void begin_write(self, int64_t slot) noexcept nogil
    cpdef void end_write(self, int64_t slot, int64_t low, int64_t high) noexcept nogil
    cpdef int64_t dirty_bytes(self, int64_t slot) noexcept nogil
    @cython.locals(slot=int64_t)
    cpdef int64_t oldest_dirty(self, int64_t file=*) noexcept nogil
    @cython.locals(head=int64_t, other=int64_t)
    cpdef int64_t dirty_before(self, int64_t slot) noexcept nogil
    cpdef void queue(self, int64_t slot, bint first=*) noexcept nogil
    @cython.locals(slot=int64_t)
    cpdef int64_t next_queued(self) noexcept nogil
    @cython.locals(size=int64_t)
    cpdef int64_t begin_writeback(self, int64_t slot) noexcept nogil
    @cython.locals(idle=bint)
    cpdef bint end_writeback(self, int64_t slot) noexcept nogil
    cdef bint _is_released(self, int64_t slot) noexcept nogil
    cdef int64_t _file_head(self, int64_t file, int64_t ring) noexcept nogil
    cdef void _count_written(self, int64_t slot) noexcept nogil
    cdef void _evict(self, int64_t slot) noexcept nogil
    cdef void _drop(self, int64_t slot) noexcept nogil
    @cython.locals(chain=int64_t)
    cdef void _remember(self, int64_t slot, int64_t block) noexcept nogil
    @cython.locals(chain=int64_t, before=int64_t)
    cdef void _forget(self, int64_t slot) noexcept nogil
    @cython.locals(head=int64_t, before=int64_t, after=int64_t, file_head=int64_t, last=int64_t)
    cdef void _join(self, int64_t slot, int64_t ring, bint first) noexcept nogil
    @cython.locals(ring=int64_t)
    cdef void _leave(self, int64_t slot) noexcept nogil
