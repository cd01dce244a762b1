cimport cython
from libc.stdint cimport int64_t
from simulator.native.buffers cimport Buffers
from simulator.native.clock cimport Clock
from simulator.native.frames cimport Frames
from simulator.native.parts cimport Parts
from simulator.native.tiers cimport Tiers
from simulator.native.wide cimport times

cdef int64_t NO_DATA


@cython.final
cdef class Asking:
    cdef public Tiers tiers
    cdef public Frames frames
    cdef public Clock clock
    cdef public Parts parts
    cdef public int64_t[::1] frame
    cdef public int64_t[::1] actor
    cdef public Buffers buffers
    cdef public int64_t[::1] node
    cdef public int64_t[::1] size
    cdef public int64_t[::1] pieces
    cdef public int64_t[::1] group
    cdef public int64_t[::1] first
    cdef public int64_t[::1] count
    cdef public int64_t[::1] members
    cdef public int64_t[::1] group_size
    cdef public int64_t[::1] more
    cdef public int64_t[::1] group_first
    cdef public int64_t[::1] group_count
    cdef public int64_t merging_column
    cdef public int64_t[::1] come
    cdef public int64_t[::1] latest

    cdef int64_t step(self, int64_t slot, int64_t at, int64_t kind) noexcept nogil
    @cython.locals(row=int64_t, first=int64_t, count=int64_t)
    cdef int64_t ask(self, int64_t slot, int64_t at) noexcept nogil
    @cython.locals(write=bint, state=int64_t, first=int64_t, count=int64_t, asker=int64_t, handling=int64_t, ready=int64_t, time=int64_t)
    cdef int64_t serve(self, int64_t slot, int64_t at) noexcept nogil
    cdef int64_t unit_of(self, int64_t at) noexcept nogil
    @cython.locals(base=int64_t, low=int64_t, high=int64_t, write=bint, state=int64_t, size=int64_t, pieces=int64_t, ready=int64_t, time=int64_t)
    cdef int64_t call(self, int64_t slot, int64_t at) noexcept nogil
    @cython.locals(base=int64_t, size=int64_t, end=int64_t, ready=int64_t, file=int64_t, time=int64_t)
    cdef int64_t sync(self, int64_t slot, int64_t at) noexcept nogil
    @cython.locals(ready=int64_t, until=int64_t, now=int64_t)
    cdef int64_t await_cache(self, int64_t slot, int64_t at, int64_t u) noexcept nogil
    cdef int64_t process_of(self, int64_t slot) noexcept nogil
    cdef int64_t handling(self, int64_t slot, int64_t u, int64_t pieces) noexcept nogil
    @cython.locals(copying=int64_t, u=int64_t, rate=double)
    cdef int64_t work(self, int64_t slot, int64_t at, int64_t service, int64_t size) noexcept nogil
    cdef bint gather(self, int64_t slot, int64_t at, int64_t group) noexcept nogil
    @cython.locals(other=int64_t)
    cdef void dismiss(self, int64_t at) noexcept nogil
