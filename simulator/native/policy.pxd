cimport cython
from libc.stdint cimport int64_t
from simulator.native.rings cimport Rings


cdef class Policy:
    cdef void touch(self, Rings rings, int64_t b) noexcept nogil
    cdef void go_on(self, Rings rings, int64_t b) noexcept nogil
    cdef int64_t ring(self, Rings rings, int64_t b) noexcept nogil
    cdef int64_t recall(
        self, Rings rings, int64_t at, int64_t f, int64_t index, int64_t slots
    ) noexcept nogil
    cdef int64_t victim(self, Rings rings, int64_t at, int64_t remembered) noexcept nogil
    cdef void keep(
        self, Rings rings, int64_t at, int64_t b, int64_t state, int64_t slots
    ) noexcept nogil


@cython.final
cdef class Policies:
    cdef public Policy policy
    cdef public Policies others

    cdef void touch(self, int64_t number, Rings rings, int64_t b) noexcept nogil
    cdef void go_on(self, int64_t number, Rings rings, int64_t b) noexcept nogil
    cdef int64_t ring(self, int64_t number, Rings rings, int64_t b) noexcept nogil
    cdef int64_t recall(
        self, int64_t number, Rings rings, int64_t at, int64_t f, int64_t index, int64_t slots
    ) noexcept nogil
    cdef int64_t victim(
        self, int64_t number, Rings rings, int64_t at, int64_t remembered
    ) noexcept nogil
    cdef void keep(
        self, int64_t number, Rings rings, int64_t at, int64_t b, int64_t state, int64_t slots
    ) noexcept nogil
