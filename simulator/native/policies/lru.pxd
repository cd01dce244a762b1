from libc.stdint cimport int64_t
from simulator.native.codes cimport (
    B_STATE, I_CLEAN, S_CLEAN,
)
from simulator.native.rings cimport Rings

cdef void touch(Rings rings, int64_t b) noexcept nogil
cdef int64_t victim(Rings rings, int64_t at) noexcept nogil
