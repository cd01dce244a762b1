cimport cython
from libc.stdint cimport int64_t

cdef int64_t NEVER, LINE, LINE_BYTES, MAPPED


@cython.final
cdef class Clock:
    cdef public int64_t now
    cdef public int64_t alarms
    cdef public int64_t short
    cdef public int64_t over
    cdef public int64_t over_by
    cdef public int64_t slots
    cdef public int64_t size
    cdef public int64_t[::1] number
    cdef public int64_t[::1] match

    cdef void exceed(self, int64_t what, int64_t by) noexcept nogil
    cdef int64_t within(self, int64_t value, int64_t what, int64_t by) noexcept nogil
    @cython.locals(transfer=double, whole=int64_t)
    cdef int64_t transfer(self, int64_t overhead, int64_t size, double rate, int64_t what, int64_t by) noexcept nogil
    @cython.locals(time=int64_t)
    cpdef int64_t next_actor(self) noexcept nogil
    cpdef void at(self, int64_t slot, int64_t time) noexcept nogil
    cpdef void wake(self, int64_t slot) noexcept nogil
    cpdef void stop(self, int64_t slot) noexcept nogil
    @cython.locals(node=int64_t, other=int64_t, rival=int64_t, name=int64_t, who=int64_t)
    cpdef void play(self, int64_t slot, int64_t time) noexcept nogil
