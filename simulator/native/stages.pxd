cimport cython
from libc.stdint cimport int64_t
from simulator.native.dealing cimport Dealing


cdef class Stages(Dealing):
    @cython.final
    cdef int64_t go_below(self, int64_t at) noexcept nogil
    @cython.final
    @cython.locals(file=int64_t, size=int64_t, row=int64_t)
    cdef void reach(self, int64_t at, int64_t end) noexcept nogil
    @cython.final
    cdef int64_t stage(self, int64_t slot, int64_t at) noexcept nogil
    @cython.final
    cdef int64_t load(self, int64_t at, int64_t tier, int64_t op) noexcept nogil
    @cython.final
    @cython.locals(first=int64_t, count=int64_t, one=int64_t, other=int64_t)
    cdef int64_t way(self, int64_t slot, int64_t at, int64_t tier, int64_t down, int64_t size, int64_t low, int64_t high) noexcept nogil
    @cython.final
    @cython.locals(time=int64_t, whole=bint)
    cdef int64_t guard(self, int64_t slot, int64_t at, int64_t tier, int64_t first, int64_t count, int64_t size, int64_t low, int64_t high) noexcept nogil
    @cython.final
    @cython.locals(kind=int64_t, below=int64_t, tier=int64_t, time=int64_t)
    cdef int64_t guarded(self, int64_t slot, int64_t at) noexcept nogil
    @cython.final
    cdef void be_patient(self, int64_t at, int64_t tier) noexcept nogil
    @cython.final
    cdef void leave_hop(self, int64_t hop, int64_t tier) noexcept nogil
    @cython.final
    @cython.locals(more=int64_t, back=int64_t)
    cdef int64_t see_failure(self, int64_t slot, int64_t at, int64_t part, int64_t time) noexcept nogil
    @cython.final
    @cython.locals(start=int64_t, end=int64_t, service=int64_t, i=int64_t, free=int64_t, done=int64_t, held=int64_t, slowest=int64_t, varies=int64_t)
    cdef int64_t route(self, int64_t slot, int64_t at, int64_t first, int64_t count, int64_t size, int64_t low, int64_t high) noexcept nogil
    @cython.final
    @cython.locals(end=int64_t, service=int64_t, i=int64_t, freed=int64_t, slowest=int64_t, lost=int64_t, server=int64_t)
    cdef int64_t hold_varied(self, int64_t slot, int64_t at, int64_t first, int64_t count, int64_t size, int64_t low, int64_t high, int64_t start) noexcept nogil
    @cython.final
    @cython.locals(hold=int64_t, part=int64_t, instance=int64_t, low=int64_t, size=int64_t, reader=int64_t)
    cdef int64_t rewrite(self, int64_t slot, int64_t at) noexcept nogil
    @cython.final
    @cython.locals(part=int64_t, instance=int64_t, end=int64_t, file=int64_t, tier=int64_t, top=int64_t)
    cdef int64_t alone(self, int64_t slot, int64_t at, int64_t hold, int64_t size, int64_t low) noexcept nogil
    @cython.final
    cdef int64_t depart(self, int64_t slot, int64_t at, int64_t first, int64_t count, int64_t size, int64_t low, int64_t high) noexcept nogil
    @cython.final
    @cython.locals(hold=int64_t, part=int64_t, instance=int64_t, size=int64_t, column=int64_t, service=int64_t, end=int64_t, start=int64_t, latency=int64_t, last=int64_t, since=int64_t, lost=int64_t, began=int64_t, served=int64_t)
    cdef int64_t hop(self, int64_t slot, int64_t hop) noexcept nogil
    @cython.final
    cdef int64_t work(self, int64_t slot, int64_t at) noexcept nogil
    @cython.final
    cdef int64_t commit(self, int64_t slot, int64_t at) noexcept nogil
    @cython.final
    @cython.locals(op=int64_t)
    cdef bint is_durable(self, int64_t at) noexcept nogil
    @cython.final
    cdef int64_t fixed(self, int64_t slot, int64_t at, int64_t hold, int64_t service) noexcept nogil
