cimport cython
from libc.stdint cimport int64_t, uint64_t
from simulator.engine.native.clock cimport Clock

cdef int64_t ONE_BITS, TABLE_BITS
cdef uint64_t GOLDEN, MIX_A, MIX_B, MASK


@cython.final
cdef class Accounts:
    cdef public int64_t clients
    cdef public int64_t private
    cdef public int64_t[::1] base
    cdef public int64_t[::1] spent

    cpdef int64_t place(self, int64_t client, int64_t part) noexcept nogil
    @cython.locals(place=int64_t)
    cpdef void charge(self, int64_t actor, int64_t part, int64_t wait, int64_t service) noexcept nogil


@cython.final
cdef class Stations:
    cdef public Clock clock
    cdef public Accounts accounts
    cdef public int64_t private
    cdef public int64_t alike
    cdef public int64_t shift
    cdef public int64_t[::1] servers
    cdef public int64_t[::1] overhead
    cdef public double[::1] ns_per_byte
    cdef public int64_t[::1] requests
    cdef public int64_t[::1] bytes
    cdef public int64_t[::1] busy
    cdef public uint64_t[::1] key
    cdef public int64_t[::1] run_factor
    cdef public int64_t[::1] table
    cdef public int64_t[::1] factors
    cdef public int64_t[::1] first
    cdef public int64_t[::1] free_at
    cdef public int64_t started

    @cython.locals(z=uint64_t)
    cpdef uint64_t mix(self, uint64_t key, uint64_t number) noexcept nogil
    cpdef int64_t row(self, int64_t part) noexcept nogil
    cpdef int64_t stretch(self, int64_t part, int64_t service) noexcept nogil
    @cython.locals(start=int64_t, bits=uint64_t)
    cpdef int64_t vary(self, int64_t part, int64_t row, int64_t service) noexcept nogil
    @cython.locals(transfer=int64_t)
    cpdef int64_t plain_ns(self, int64_t row, int64_t size) noexcept nogil
    @cython.locals(row=int64_t)
    cpdef int64_t service_ns(self, int64_t part, int64_t size) noexcept nogil
    @cython.locals(best=int64_t, server=int64_t)
    cpdef int64_t next_free(self, int64_t part) noexcept nogil
    @cython.locals(end=int64_t)
    cpdef int64_t occupy(self, int64_t part, int64_t server, int64_t start, int64_t service, int64_t size) noexcept nogil
    @cython.locals(row=int64_t, server=int64_t, start=int64_t, service=int64_t)
    cpdef int64_t queue(self, int64_t part, int64_t size, int64_t more) noexcept nogil
    @cython.locals(end=int64_t)
    cpdef int64_t take(self, int64_t actor, int64_t part, int64_t size) noexcept nogil
    @cython.locals(now=int64_t, start=int64_t, held=int64_t, out=int64_t, into=int64_t, along=int64_t, end=int64_t, slowest=int64_t, freed=int64_t)
    cpdef int64_t cross(self, int64_t actor, int64_t sender, int64_t receiver, int64_t channel, int64_t size) noexcept nogil
    cpdef int64_t spend(self, int64_t actor, int64_t part, int64_t service, int64_t size) noexcept nogil
