cimport cython
from libc.stdint cimport int64_t
from simulator.native.codes cimport (
    B_FLAGS, B_STATE, I_AGAIN, I_AGAINS, I_CLEAN, I_CLEANS, I_GHOST1, I_GHOST1S, I_GHOST2,
    I_GHOST2S, I_TARGET, S_AGAIN, S_CLEAN, S_GONE1, S_GONE2, USED_AGAIN,
)
from simulator.native.policy cimport Policy
from simulator.native.rings cimport Rings


cdef class Arc(Policy):
    cdef void touch(self, Rings rings, int64_t b) noexcept nogil
    cdef int64_t ring(self, Rings rings, int64_t b) noexcept nogil
    @cython.locals(once=int64_t, again=int64_t, where=int64_t)
    cdef int64_t recall(
        self, Rings rings, int64_t at, int64_t f, int64_t index, int64_t slots
    ) noexcept nogil
    cdef int64_t victim(self, Rings rings, int64_t at, int64_t remembered) noexcept nogil
    @cython.locals(keys=int64_t, count=int64_t)
    cdef void keep(
        self, Rings rings, int64_t at, int64_t b, int64_t state, int64_t slots
    ) noexcept nogil
