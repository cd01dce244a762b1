cimport cython
from libc.stdint cimport int64_t
from simulator.native.parts cimport Parts


cdef class Station:
    cdef int64_t serve(
        self, Parts parts, int64_t part, int64_t instance, int64_t service
    ) noexcept nogil
    cdef int64_t spend(
        self, Parts parts, int64_t part, int64_t instance, int64_t service
    ) noexcept nogil


@cython.final
cdef class Stations:
    cdef public Station station
    cdef public Stations others

    cdef int64_t serve(
        self, int64_t number, Parts parts, int64_t part, int64_t instance, int64_t service
    ) noexcept nogil
    cdef int64_t spend(
        self, int64_t number, Parts parts, int64_t part, int64_t instance, int64_t service
    ) noexcept nogil
