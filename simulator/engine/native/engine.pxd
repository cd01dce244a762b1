cimport cython
from libc.stdint cimport int64_t
from simulator.engine.native.clients cimport Clients
from simulator.engine.native.clock cimport Clock
from simulator.engine.native.ssu cimport Ssu

cdef int64_t ENDED
cdef int64_t IDLE, LINE, PATHS, DISKS


@cython.final
cdef class Engine:
    cdef public Clock clock
    cdef public Ssu ssu
    cdef public Clients clients
    cdef public int64_t count
    cdef public int64_t workers
    cdef public int64_t copiers
    cdef public int64_t[::1] copy_phase
    cdef public int64_t[::1] copy_at
    cdef public int64_t[::1] copy_place

    @cython.locals(actor=int64_t, time=int64_t)
    cpdef bint loop(self, int64_t events) noexcept nogil
    @cython.locals(count=int64_t, time=int64_t)
    cpdef int64_t act(self, int64_t actor) noexcept nogil
    @cython.locals(time=int64_t)
    cpdef int64_t ring(self) noexcept nogil
    cpdef void start_copy(self, int64_t client) noexcept nogil
    @cython.locals(first=int64_t, row=int64_t)
    cpdef int64_t next_print(self, int64_t client, int64_t phase) noexcept nogil
    @cython.locals(place=int64_t, first=int64_t, phase=int64_t, file=int64_t, piece=int64_t, left=int64_t)
    cpdef int64_t copy_out(self, int64_t actor, int64_t client) noexcept nogil
    @cython.locals(row=int64_t, piece=int64_t)
    cpdef int64_t copy_piece(self, int64_t actor, int64_t client) noexcept nogil


@cython.locals(ended=bint)
cpdef bint run_for(Engine engine, int64_t events)
