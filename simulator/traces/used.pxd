cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from simulator.traces.bytesearch cimport copy_bytes
from simulator.traces.names cimport Names

cdef int64_t FIRST


@cython.final
cdef class Used:
    cdef public Names names
    cdef public int64_t count
    cdef public int32_t[::1] used, local_of

    @cython.locals(local=int64_t)
    cdef int64_t local(self, int64_t name) except -2
    cdef int64_t grow(self, int64_t name) except -2
    @cython.locals(total=int64_t, i=int64_t)
    cpdef int64_t size(self) noexcept nogil
    @cython.locals(at=int64_t, i=int64_t, name=int64_t, start=int64_t, end=int64_t)
    cpdef void end_batch(self, uint8_t[::1] data, int32_t[::1] ends) noexcept nogil
