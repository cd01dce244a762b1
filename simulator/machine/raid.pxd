cimport cython
from libc.stdint cimport int64_t
from simulator.machine.cache cimport UnitCache


@cython.final
cdef class RaidUnit:
    cdef public int64_t block
    cdef public double ns_per_byte
    cdef public double bus_ns_per_byte
    cdef public int64_t overhead
    cdef public int64_t bus_overhead
    cdef public int64_t seek
    cdef public int64_t half_turn
    cdef public UnitCache store
    cdef public int64_t[::1] ready
    cdef public int64_t[::1] clean
    cdef public int64_t media_free
    cdef public int64_t bus_free
    cdef public int64_t head
    cdef public int64_t reads
    cdef public int64_t writes
    cdef public int64_t hits
    cdef public int64_t read_bytes
    cdef public int64_t written_bytes
    cdef public int64_t media_busy
    cdef public int64_t bus_busy

    @cython.locals(slot=int64_t)
    cpdef int64_t read(self, int64_t now, int64_t block, int64_t size) noexcept
    @cython.locals(slot=int64_t)
    cpdef int64_t write(self, int64_t now, int64_t block, int64_t size) noexcept
    @cython.locals(slot=int64_t)
    cpdef int64_t take_slot(self, int64_t block) noexcept
    @cython.locals(start=int64_t, service=int64_t)
    cpdef int64_t seek_out(self, int64_t now, int64_t block, int64_t size) noexcept
    @cython.locals(start=int64_t, service=int64_t)
    cpdef int64_t cross(self, int64_t now, int64_t size) noexcept
