cimport cython
from libc.stdint cimport int64_t
from simulator.native.clock cimport Clock
from simulator.native.codes cimport (
    BELOW, BLOCKED, DISK, DOWN, ENTRY, FILE, FIRST_ASKED, FREE, FRESH, GO, HIGH, K_END, LOW, L_BASE, L_LEAD,
    L_ROWS, OP, PLACES, P_COLUMN, P_FIRST, P_KIND, P_SERVERS, R_READ, R_WRITE, SHARED, STATE, TIER,
    T_DOWN, T_DOWNS, T_DOWN_A, T_DOWN_B, T_ENTRY, T_HEADER, T_KIND, T_NEXT, T_PIECES, T_SLOT,
    T_UP, T_UPS, T_UP_A, T_UP_B, T_WIDTH, T_WITHIN, UP,
)
from simulator.native.frames cimport Frames
from simulator.native.parts cimport Parts
from simulator.native.sharing cimport Sharing


cdef class Stages:
    cdef public Frames frames
    cdef public Clock clock
    cdef public Parts parts
    cdef public Sharing sharing
    cdef public int64_t[::1] frame
    cdef public int64_t[::1] actor
    cdef public int64_t[::1] tier
    cdef public int64_t[::1] hold_part
    cdef public int64_t[::1] hold_slot
    cdef public int64_t[::1] child
    cdef public int64_t[::1] file
    cdef public int64_t[::1] path
    cdef public int64_t[::1] where
    cdef public int64_t[::1] pool
    cdef public int64_t[::1] shares
    cdef public int64_t[::1] chosen
    cdef public int64_t held
    cdef public int64_t slowest
    cdef public int64_t first_branch
    cdef public int64_t width
    cdef public int64_t ask_tier
    cdef public int64_t[::1] message

    @cython.final
    cdef int64_t go_below(self, int64_t at) noexcept nogil
    @cython.final
    cdef int64_t stage(self, int64_t slot, int64_t at) noexcept nogil
    @cython.final
    cdef int64_t load(self, int64_t at, int64_t tier, int64_t op) noexcept nogil
    @cython.final
    @cython.locals(first=int64_t, count=int64_t, one=int64_t, other=int64_t)
    cdef int64_t way(self, int64_t slot, int64_t at, int64_t tier, int64_t down, int64_t size, int64_t low, int64_t high) noexcept nogil
    @cython.final
    cdef int64_t instance(self, int64_t at, int64_t hold) noexcept nogil
    @cython.final
    @cython.locals(start=int64_t, end=int64_t, more=int64_t, i=int64_t, free=int64_t, freed=int64_t, held=int64_t, slowest=int64_t)
    cdef int64_t route(self, int64_t slot, int64_t at, int64_t first, int64_t count, int64_t size, int64_t low, int64_t high) noexcept nogil
    @cython.final
    cdef int64_t seek(self, int64_t at, int64_t part, int64_t instance, int64_t low, int64_t high, int64_t spread) noexcept nogil
    @cython.final
    cdef int64_t lead(self, int64_t at) noexcept nogil
    @cython.final
    @cython.locals(used=int64_t, base=int64_t, volume=int64_t, fixed=bint, end=int64_t, begin=int64_t, held=int64_t, slowest=int64_t)
    cdef int64_t deal(self, int64_t slot, int64_t at, int64_t tier, int64_t first, int64_t count, int64_t size, int64_t low, int64_t high) noexcept nogil
    @cython.final
    @cython.locals(disk=bint, step=int64_t, instance=int64_t, end=int64_t, begin=int64_t, volume=int64_t, more=int64_t)
    cdef int64_t deal_one(self, int64_t slot, int64_t at, int64_t tier, int64_t hold, int64_t used, int64_t spread, int64_t lead, int64_t base, int64_t low, int64_t high) noexcept nogil
    @cython.final
    @cython.locals(start=int64_t, end=int64_t, more=int64_t, hold=int64_t)
    cdef int64_t piece(self, int64_t at, int64_t tier, int64_t first, int64_t count, int64_t member, int64_t size, int64_t low, int64_t high, int64_t spread) noexcept nogil
    @cython.final
    cdef int64_t dealt(self, int64_t at, int64_t tier, int64_t hold, int64_t member) noexcept nogil
    @cython.final
    @cython.locals(volume=int64_t, carried=int64_t, piece=int64_t, _=int64_t, spread=int64_t, more=int64_t)
    cdef int64_t divide(self, int64_t size, int64_t stripes, int64_t used) noexcept nogil
    @cython.final
    cdef int64_t work(self, int64_t slot, int64_t at) noexcept nogil
