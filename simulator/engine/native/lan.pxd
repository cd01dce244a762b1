cimport cython
from libc.stdint cimport int64_t
from simulator.engine.native.clock cimport Clock
from simulator.engine.native.stations cimport Stations
from simulator.machine.sharing cimport FairShare


@cython.final
cdef class FairLan:
    cdef public Clock clock
    cdef public Stations stations
    cdef public FairShare share
    cdef public int64_t part
    cdef public int64_t actor
    cdef public int64_t rings
    cdef public int64_t[::1] began
    cdef public int64_t[::1] service

    @cython.locals(part=int64_t, service=int64_t)
    cpdef void send(self, int64_t actor, int64_t size) noexcept nogil
    @cython.locals(now=int64_t, actor=int64_t, passed=int64_t, service=int64_t)
    cpdef int64_t ring(self) noexcept nogil
