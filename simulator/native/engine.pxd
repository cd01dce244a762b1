cimport cython
from libc.stdint cimport int64_t
from simulator.native.asking cimport Asking
from simulator.native.clients cimport Clients
from simulator.native.clock cimport Clock
from simulator.native.frames cimport Frames
from simulator.native.locks cimport Locks
from simulator.native.sharing cimport Sharing
from simulator.native.stores cimport Stores
from simulator.native.tiers cimport Tiers
from simulator.native.writeback cimport WriteBack


@cython.final
cdef class Engine:
    cdef public Clock clock
    cdef public Frames frames
    cdef public Tiers tiers
    cdef public Sharing sharing
    cdef public Stores stores
    cdef public WriteBack back
    cdef public Clients clients
    cdef public Asking asking
    cdef public Locks locks
    cdef public int64_t[::1] tier
    cdef public int64_t[::1] actor
    cdef public int64_t[::1] frame
    cdef public int64_t left_off

    @cython.locals(slot=int64_t, time=int64_t)
    cdef int64_t loop(self, int64_t events) noexcept nogil
    @cython.locals(time=int64_t)
    cdef int64_t act(self, int64_t slot) noexcept nogil
    cdef int64_t step(self, int64_t slot) noexcept nogil
    cdef int64_t beside(self, int64_t slot, int64_t at, int64_t kind) noexcept nogil
    @cython.locals(at=int64_t, bottom=int64_t, row=int64_t, kind=int64_t)
    cdef int64_t unwind(self, int64_t slot) noexcept nogil
    cdef int64_t begin(self, int64_t slot, int64_t role) noexcept nogil


@cython.locals(ended=int64_t)
cpdef bint run_for(Engine engine, int64_t events)
