cimport cython
from libc.stdint cimport int64_t

cdef int64_t NEVER


@cython.final
cdef class Clock:
    cdef public int64_t now
    cdef public int64_t alarms
    cdef public int64_t short
    cdef public int64_t slots
    cdef public int64_t size
    cdef public int64_t[::1] number
    cdef public int64_t[::1] times
    cdef public int64_t[::1] winner

    @cython.locals(time=int64_t)
    cpdef int64_t next_actor(self) noexcept nogil
    cpdef void at(self, int64_t slot, int64_t time) noexcept nogil
    cpdef void wake(self, int64_t slot) noexcept nogil
    cpdef void stop(self, int64_t slot) noexcept nogil
    @cython.locals(node=int64_t, rival=int64_t, name=int64_t, who=int64_t)
    cpdef void play(self, int64_t slot, int64_t time) noexcept nogil
