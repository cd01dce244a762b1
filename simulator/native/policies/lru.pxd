from libc.stdint cimport int64_t
from simulator.native.codes cimport B_FROW, B_STATE, F_STORE_AT, I_CLEAN, S_CLEAN
from simulator.native.policy cimport Policy
from simulator.native.rings cimport Rings


cdef class Lru(Policy):
    cdef void touch(self, Rings rings, int64_t b) noexcept nogil
