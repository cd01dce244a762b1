cimport cython
from libc.stdint cimport int64_t
from simulator.native.blocks cimport Blocks
from simulator.native.clock cimport Clock
from simulator.native.frames cimport Frames
from simulator.native.parts cimport Parts
from simulator.native.tiers cimport Tiers


cdef class Turns:
    cdef public Tiers tiers
    cdef public Frames frames
    cdef public Clock clock
    cdef public Parts parts
    cdef public Blocks blocks
    cdef public int64_t[::1] inst
    cdef public int64_t[::1] store
    cdef public int64_t[::1] frame
    cdef public int64_t[::1] actor
    cdef public int64_t[::1] exists
    cdef public int64_t[::1] worker

    @cython.locals(row=int64_t, number=int64_t)
    cdef void call_worker(self, int64_t at) noexcept nogil
    @cython.locals(b=int64_t)
    cdef void queue_oldest(self, int64_t at, int64_t f) noexcept nogil
    cdef int64_t wait(self, int64_t slot, int64_t request, int64_t column, int64_t kind) noexcept nogil
    cdef void resume(self, int64_t slot, int64_t request) noexcept nogil
    cdef int64_t wait_for_block(self, int64_t slot, int64_t request, int64_t b, int64_t column) noexcept nogil
    @cython.locals(slot=int64_t)
    cdef void wake_block(self, int64_t b) noexcept nogil
    @cython.locals(slot=int64_t)
    cdef void wake_syncs(self, int64_t f) noexcept nogil
    @cython.locals(again=bint)
    cdef int64_t wait_for_room(self, int64_t slot, int64_t request, int64_t at, int64_t f) noexcept nogil
    @cython.locals(again=bint)
    cdef int64_t wait_for_limit(self, int64_t slot, int64_t request, int64_t at) noexcept nogil
    cdef void stand(self, int64_t slot, int64_t queue, int64_t again) noexcept nogil
    cdef void pass_turn(self, int64_t request, int64_t at, int64_t f) noexcept nogil
    cdef void offer_room(self, int64_t f) noexcept nogil
    cdef void offer_to(self, int64_t at, int64_t f) noexcept nogil
    cdef int64_t is_freed(self, int64_t at, int64_t f) noexcept nogil
    cdef void offer_any_room(self, int64_t at) noexcept nogil
    cdef void offer_limit(self, int64_t at) noexcept nogil
