cimport cython
from libc.stdint cimport int64_t
from simulator.native.policy cimport Policies
from simulator.native.rings cimport Rings


@cython.final
cdef class Blocks(Rings):
    cdef public Policies policies

    cpdef int64_t begin_file(self, int64_t at, int64_t file) noexcept nogil
    cdef int64_t store_of(self, int64_t f) noexcept nogil
    cdef bint may_write(self, int64_t f) noexcept nogil
    cdef void note_quota(self, int64_t f) noexcept nogil
    cdef bint has_room(self, int64_t f, int64_t write) noexcept nogil
    cdef bint has_any_room(self, int64_t at) noexcept nogil
    @cython.locals(slots=int64_t)
    cdef int64_t left(self, int64_t at, int64_t blocks) noexcept nogil
    @cython.locals(store=int64_t)
    cdef void share_out(self, int64_t at) noexcept nogil
    cdef bint is_at_limit(self, int64_t at) noexcept nogil
    @cython.locals(store=int64_t, victim=int64_t)
    cdef void trim(self, int64_t at) noexcept nogil
    @cython.locals(victim=int64_t, coming=int64_t, remembered=int64_t)
    cpdef int64_t admit(self, int64_t f, int64_t index, int64_t write) noexcept nogil
    cdef void evict(self, int64_t b, int64_t at, int64_t store) noexcept nogil
    @cython.locals(index=int64_t, b=int64_t, before=int64_t, gone=int64_t)
    cdef int64_t invalidate(self, int64_t f, int64_t low, int64_t high) noexcept nogil
    @cython.locals(b=int64_t, after=int64_t)
    cdef void invalidate_ring(self, int64_t f, int64_t low, int64_t high, int64_t ring) noexcept nogil
    cdef void drop(self, int64_t b, int64_t at) noexcept nogil
    cdef void count_written(self, int64_t b) noexcept nogil
    cdef void uncount(self, int64_t b, int64_t at) noexcept nogil
    cdef void touch(self, int64_t b, int64_t goes_on, int64_t writes) noexcept nogil
    cpdef void settle(self, int64_t b) noexcept nogil
    cdef bint is_clean(self, int64_t b) noexcept nogil
    cdef void begin_write(self, int64_t b, int64_t at, int64_t source) noexcept nogil
    cdef void end_write(self, int64_t b, int64_t low, int64_t high, int64_t size) noexcept nogil
    cdef bint cancel_write(self, int64_t b) noexcept nogil
    cdef bint overlaps_dirty(self, int64_t b, int64_t low, int64_t high) noexcept nogil
    @cython.locals(count=int64_t, b=int64_t)
    cpdef int64_t count_dirty(self, int64_t ring) noexcept nogil
    cdef bint is_full(self, int64_t b) noexcept nogil
    cdef int64_t dirty_bytes(self, int64_t b) noexcept nogil
    cdef int64_t oldest_dirty(self, int64_t at) noexcept nogil
    @cython.locals(other=int64_t)
    cdef int64_t dirty_before(self, int64_t b) noexcept nogil
    cdef void queue(self, int64_t b, int64_t first) noexcept nogil
    cdef void begin_writeback(self, int64_t b) noexcept nogil
    @cython.locals(idle=bint)
    cdef bint end_writeback(self, int64_t b) noexcept nogil
    cdef bint is_released(self, int64_t b) noexcept nogil
