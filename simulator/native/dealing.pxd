cimport cython
from libc.stdint cimport int64_t
from simulator.native.arrays cimport Arrays
from simulator.native.clock cimport Clock
from simulator.native.frames cimport Frames
from simulator.native.parts cimport Parts
from simulator.native.sharing cimport Sharing
from simulator.native.station cimport Stations


cdef int64_t LONG
cdef int64_t MANY


cdef class Dealing:
    cdef public Frames frames
    cdef public Clock clock
    cdef public Parts parts
    cdef public Sharing sharing
    cdef public Arrays arrays
    cdef public Stations stations
    cdef public int64_t[::1] frame
    cdef public int64_t[::1] actor
    cdef public int64_t[::1] tier
    cdef public int64_t[::1] hold_part
    cdef public int64_t[::1] hold_slot
    cdef public int64_t[::1] hold_leads
    cdef public int64_t[::1] child
    cdef public int64_t[::1] cost
    cdef public int64_t[::1] file
    cdef public int64_t[::1] stable
    cdef public int64_t[::1] path
    cdef public int64_t[::1] where
    cdef public int64_t[::1] order
    cdef public int64_t[::1] pool
    cdef public int64_t[::1] shares
    cdef public int64_t[::1] chosen
    cdef public int64_t held
    cdef public int64_t slowest
    cdef public int64_t missed
    cdef public int64_t first_branch
    cdef public int64_t width
    cdef public int64_t ask_tier
    cdef public int64_t hop_tier
    cdef public int64_t[::1] message

    @cython.final
    cdef int64_t instance(self, int64_t at, int64_t hold) noexcept nogil
    @cython.final
    @cython.locals(file=int64_t, address=int64_t, hook=int64_t)
    cdef int64_t varied(self, int64_t at, int64_t part, int64_t instance, int64_t begin, int64_t size, int64_t service, int64_t low, int64_t high, int64_t spread) noexcept nogil
    @cython.final
    cdef int64_t lead(self, int64_t at) noexcept nogil
    @cython.final
    cdef int64_t within(self, int64_t at) noexcept nogil
    @cython.final
    cdef int64_t number(self, int64_t at, int64_t tier) noexcept nogil
    @cython.final
    cdef int64_t base(self, int64_t at, int64_t tier) noexcept nogil
    @cython.final
    @cython.locals(used=int64_t, base=int64_t, volume=int64_t, fixed=bint, end=int64_t, begin=int64_t, held=int64_t, slowest=int64_t, lost=int64_t)
    cdef int64_t deal(self, int64_t slot, int64_t at, int64_t tier, int64_t first, int64_t count, int64_t size, int64_t low, int64_t high) noexcept nogil
    @cython.final
    @cython.locals(used=int64_t, step=int64_t, instance=int64_t, beyond=int64_t, stripes=int64_t, end=int64_t, begin=int64_t, volume=int64_t, service=int64_t, spread=int64_t, shared=bint, one=int64_t, other=int64_t, carried=int64_t, piece=int64_t)
    cdef int64_t deal_one(self, int64_t slot, int64_t at, int64_t tier, int64_t hold, int64_t size, int64_t low, int64_t high) noexcept nogil
    @cython.final
    @cython.locals(quotient=int64_t, remainder=int64_t, begin=int64_t, end=int64_t, now=int64_t, carried=int64_t, piece=int64_t, service=int64_t, server=int64_t, start=int64_t, done=int64_t, _=int64_t)
    cdef int64_t over_members(self, int64_t slot, int64_t part, int64_t instance, int64_t beyond, int64_t volumes, int64_t size, int64_t pieces, int64_t one, int64_t other) noexcept nogil
    @cython.final
    @cython.locals(servers=int64_t, first=int64_t, remainder=int64_t, begin=int64_t, end=int64_t, now=int64_t, carried=int64_t, spent=int64_t, service=int64_t, best=int64_t, least=int64_t, free=int64_t, server=int64_t, start=int64_t, done=int64_t, _=int64_t)
    cdef int64_t over_servers(self, int64_t slot, int64_t part, int64_t instance, int64_t size, int64_t pieces, int64_t one, int64_t other) noexcept nogil
    @cython.final
    @cython.locals(start=int64_t, end=int64_t, service=int64_t, hold=int64_t)
    cdef int64_t piece(self, int64_t at, int64_t tier, int64_t first, int64_t count, int64_t member, int64_t size, int64_t low, int64_t high, int64_t spread) noexcept nogil
    @cython.final
    cdef int64_t dealt(self, int64_t at, int64_t tier, int64_t hold, int64_t member) noexcept nogil
    @cython.final
    @cython.locals(volume=int64_t, carried=int64_t, piece=int64_t, _=int64_t, spread=int64_t, more=int64_t)
    cdef int64_t divide(self, int64_t size, int64_t stripes, int64_t used) noexcept nogil
