from libc.stdint cimport int64_t
from simulator.native.codes cimport (
    B_FLAGS, B_FROW, B_STATE, F_CLEAN, I_CLEAN, S_CLEAN, WRITTEN,
)
from simulator.native.rings cimport Rings

cdef void touch(Rings rings, int64_t b) noexcept nogil
cdef int64_t victim(Rings rings, int64_t at) noexcept nogil
