cimport cython
from libc.stdint cimport int64_t
from simulator.native.clock cimport Clock
from simulator.native.frames cimport Frames
from simulator.native.parts cimport Parts
from simulator.native.wide cimport divided, rest_of, times

cdef int64_t SCALE
cdef int64_t SPEED_BITS


@cython.final
cdef class Sharing:
    cdef public Frames frames
    cdef public Clock clock
    cdef public Parts parts
    cdef public int64_t[::1] share
    cdef public int64_t[::1] speeds
    cdef public int64_t first_timer
    cdef public int64_t rings
    cdef public int64_t count
    cdef public int64_t[::1] goal
    cdef public int64_t[::1] behind
    cdef public int64_t[::1] child
    cdef public int64_t[::1] sibling
    cdef public int64_t[::1] began
    cdef public int64_t[::1] service
    cdef public int64_t[::1] size
    cdef public int64_t[::1] writes

    cdef void join(self, int64_t slot, int64_t part, int64_t instance, int64_t size, int64_t service) noexcept nogil
    cdef int64_t join_core(self, int64_t slot, int64_t part, int64_t instance, int64_t size, int64_t service) noexcept nogil
    cdef void use_core(self, int64_t slot, int64_t cpu, int64_t instance, int64_t work) noexcept nogil
    @cython.locals(root=int64_t, other=int64_t, goal=int64_t)
    cdef void begin(self, int64_t slot, int64_t part, int64_t instance, int64_t size, int64_t service) noexcept nogil
    @cython.locals(service=int64_t, instance=int64_t, lost=int64_t)
    cdef int64_t ring(self, int64_t row) noexcept nogil
    @cython.locals(whole=int64_t, behind=int64_t, by=int64_t, instance=int64_t, passed=int64_t)
    cdef void advance(self, int64_t row) noexcept nogil
    cdef bint is_ahead(self, int64_t slot, int64_t row) noexcept nogil
    @cython.locals(left=int64_t, behind=int64_t, more=int64_t, whole=int64_t, by=int64_t, instance=int64_t, end=int64_t)
    cdef int64_t next_end(self, int64_t row) noexcept nogil
    @cython.locals(reading=int64_t, writing=int64_t, other=int64_t)
    cdef int64_t speed(self, int64_t row, int64_t count) noexcept nogil
    cdef int64_t speed_of(self, int64_t part, int64_t count) noexcept nogil
    cdef bint is_before(self, int64_t other, int64_t one) noexcept nogil
    cdef int64_t merge(self, int64_t one, int64_t other) noexcept nogil
    @cython.locals(pairs=int64_t, one=int64_t, other=int64_t, after=int64_t, heap=int64_t)
    cdef int64_t without(self, int64_t root) noexcept nogil
