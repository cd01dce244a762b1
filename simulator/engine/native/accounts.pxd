cimport cython
from libc.stdint cimport int64_t


@cython.final
cdef class Accounts:
    cdef public int64_t clients
    cdef public int64_t private
    cdef public int64_t[::1] own
    cdef public int64_t[::1] common
    cdef public int64_t[::1] waited
    cdef public int64_t[::1] served

    @cython.locals(place=int64_t)
    cpdef void charge(self, int64_t actor, int64_t part, int64_t wait, int64_t service) noexcept nogil
