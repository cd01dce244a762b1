cimport cython
from libc.stdint cimport int64_t, uint64_t
from simulator.engine.native.stations cimport Stations

cdef int64_t DRAW_BITS


@cython.final
cdef class Backing:
    cdef public Stations stations
    cdef public int64_t paths
    cdef public int64_t[::1] group
    cdef public int64_t[::1] stripes
    cdef public int64_t[::1] base
    cdef public int64_t[::1] lead
    cdef public int64_t[::1] first_disk
    cdef public int64_t[::1] volumes
    cdef public int64_t[::1] seek
    cdef public int64_t[::1] turn
    cdef public int64_t[::1] mount
    cdef public int64_t[::1] capacity
    cdef public int64_t[::1] track_seek
    cdef public int64_t[::1] full_seek
    cdef public int64_t[::1] rotation_drawn
    cdef public int64_t first_part
    cdef public int64_t[::1] shares
    cdef public int64_t[::1] head
    cdef public int64_t[::1] last_file

    @cython.locals(quotient=int64_t, remainder=int64_t, volume=int64_t, carried=int64_t, piece=int64_t, _=int64_t)
    cpdef void divide(self, int64_t size, int64_t stripes, int64_t used) noexcept nogil
    @cython.locals(paths=int64_t, stripes=int64_t, used=int64_t, now=int64_t, end=int64_t, wait=int64_t, volume=int64_t, piece=int64_t, done=int64_t)
    cpdef int64_t on_paths(self, int64_t actor, int64_t file, int64_t size) noexcept nogil
    @cython.locals(group=int64_t, volumes=int64_t, used=int64_t, address=int64_t, disk=int64_t, beyond=int64_t, now=int64_t, end=int64_t, wait=int64_t, last=int64_t, count=int64_t, volume=int64_t, piece=int64_t, done=int64_t)
    cpdef int64_t on_disks(self, int64_t actor, int64_t file, int64_t offset, int64_t size) noexcept nogil
    @cython.locals(part=int64_t, more=int64_t, distance=int64_t)
    cpdef int64_t request(self, int64_t disk, int64_t group, int64_t file, int64_t address, int64_t size, int64_t piece, int64_t spread) noexcept nogil
    @cython.locals(full=int64_t, part=double, track=int64_t, more=int64_t)
    cpdef int64_t seek_ns(self, int64_t group, int64_t distance) noexcept nogil
    @cython.locals(bits=uint64_t, draw=double, turn=int64_t)
    cpdef int64_t rotation_ns(self, int64_t group, int64_t part) noexcept nogil
