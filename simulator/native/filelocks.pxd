cimport cython
from libc.stdint cimport int64_t
from simulator.native.blocks cimport Blocks
from simulator.native.frames cimport Frames
from simulator.native.locktable cimport LockTable
from simulator.native.tiers cimport Tiers
from simulator.native.writeback cimport WriteBack


cdef class FileLocks(LockTable):
    cdef public Tiers tiers
    cdef public int64_t[::1] tier
    cdef public Frames frames
    cdef public WriteBack back
    cdef public Blocks blocks
    cdef public int64_t[::1] inst
    cdef public int64_t[::1] store
    cdef public int64_t[::1] frame
    cdef public int64_t[::1] actor

    @cython.final
    cdef int64_t node(self, int64_t q) noexcept nogil
    @cython.final
    cdef int64_t store_at(self, int64_t q) noexcept nogil
    @cython.locals(begin=int64_t)
    @cython.final
    cdef int64_t ask(self, int64_t slot, int64_t q) noexcept nogil
    @cython.locals(low=int64_t, high=int64_t)
    @cython.final
    cdef int64_t go_below(self, int64_t slot, int64_t q, int64_t units) noexcept nogil
    @cython.final
    cdef void end_use(self, int64_t row) noexcept nogil
    @cython.final
    cdef int64_t wait(self, int64_t slot, int64_t q) noexcept nogil
    @cython.final
    cdef int64_t wait_for_use(self, int64_t slot, int64_t q, int64_t row) noexcept nogil
    @cython.final
    cdef int64_t stand(self, int64_t slot, int64_t q, int64_t row) noexcept nogil
    @cython.locals(node=int64_t, exclusive=int64_t)
    @cython.final
    cdef int64_t take_whole(self, int64_t slot, int64_t q) noexcept nogil
    @cython.locals(c=int64_t, at=int64_t, f=int64_t)
    @cython.final
    cdef int64_t divide(self, int64_t slot, int64_t q) noexcept nogil
    @cython.locals(there=int64_t, size=int64_t)
    @cython.final
    cdef int64_t end_file(self, int64_t q) noexcept nogil
    @cython.final
    cdef void drop(self, int64_t f, int64_t low, int64_t high) noexcept nogil
    @cython.locals(slot=int64_t)
    @cython.final
    cdef void end_dividing(self, int64_t row) noexcept nogil
